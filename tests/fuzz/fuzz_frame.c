/* SPDX-License-Identifier: MIT */
/* Any bytes as an IP packet: what is read of it lies inside it, and marking changes only what it must. */
#include "emu/frame.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const u8 *data, size_t bytes);

int LLVMFuzzerTestOneInput(const u8 *data, size_t bytes)
{
	struct weir_frame f, g;
	if (weir_frame_read(data, (u32)bytes, &f))
		return 0;
	assert(f.version == 4 || f.version == 6);
	assert(f.bytes <= bytes && f.transport_at <= f.bytes && f.payload_at <= f.bytes);
	assert(f.transport_at >= (f.version == 4 ? 20 : 40));
	assert(f.payload_at == 0 || f.payload_at > f.transport_at);
	assert(!f.ports || (!f.fragment && f.transport_at + 4u <= f.bytes));
	assert(weir_frame_hash(data, &f, 1) == weir_frame_hash(data, &f, 1));
	assert(weir_frame_pseudo_sum(data, &f, f.bytes) <= 0xffff);

	u8 *copy = malloc(bytes);
	if (!copy)
		abort();
	memcpy(copy, data, bytes);
	weir_frame_mark_ce(copy);
	assert(weir_frame_read(copy, (u32)bytes, &g) == 0);
	assert(g.ecn == WEIR_ECN_CE);
	g.ecn = f.ecn;
	assert(g.bytes == f.bytes && g.payload_at == f.payload_at && g.destination == f.destination);
	if (f.version == 4)
		assert(weir_frame_fold(weir_frame_sum(copy, f.transport_at, 0)) % 0xffff ==
		       weir_frame_fold(weir_frame_sum(data, f.transport_at, 0)) % 0xffff);
	free(copy);
	return 0;
}
