/* SPDX-License-Identifier: MIT */
/* Any bytes as what a TUN gives: a virtio header and a packet. Its segments add up to it, each is inside it
 * and reads as a packet of its length, and joined ones are cut into the same again. */
#include "emu/cut.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const u8 *data, size_t bytes);

static u8 joined[65535 + WEIR_CUT_HEADER_MAX];

static void check_piece(const u8 *ip, u32 bytes, const struct weir_frame *f, const struct weir_cut *c,
			u32 first, u32 n)
{
	struct weir_cut_piece piece;
	struct weir_frame g;
	struct weir_cut again;
	u32 want = 0;
	weir_cut_piece(ip, bytes, f, c, first, n, first % 2, &piece);
	for (u32 i = first; i < first + n; i++)
		want += weir_cut_segment_bytes(c, f, bytes, i) - f->payload_at;
	assert(piece.header_bytes == f->payload_at && piece.payload_bytes == want);
	assert(piece.payload_at + piece.payload_bytes <= bytes);
	memcpy(joined, piece.header, piece.header_bytes);
	memcpy(joined + piece.header_bytes, ip + piece.payload_at, piece.payload_bytes);
	u32 all = piece.header_bytes + piece.payload_bytes;
	assert(weir_frame_read(joined, all, &g) == 0);
	assert(g.bytes == all && g.payload_at == f->payload_at && g.destination == f->destination);
	assert(g.ecn == (first % 2 ? WEIR_ECN_CE : f->ecn));
	weir_cut_plan(&piece.vnet, &g, all, &again);
	assert(again.segments == n && (n == 1 || again.segment_bytes == c->segment_bytes));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t bytes)
{
	struct weir_vnet v;
	struct weir_frame f;
	struct weir_cut c;
	if (bytes <= sizeof v || bytes > 65535 + sizeof v)
		return 0;
	memcpy(&v, data, sizeof v);
	const u8 *ip = data + sizeof v;
	u32 left = (u32)(bytes - sizeof v), sum = 0;
	if (weir_frame_read(ip, left, &f))
		return 0;
	weir_cut_plan(&v, &f, left, &c);
	assert(c.segments >= 1);
	for (u32 i = 0; i < c.segments; i++) {
		u32 wire = weir_cut_segment_bytes(&c, &f, left, i);
		assert(wire > 0 && wire <= left);
		sum += wire - (c.segments > 1 ? f.payload_at : 0);
	}
	assert(sum == left - (c.segments > 1 ? f.payload_at : 0));
	if (c.segments == 1)
		return 0;
	check_piece(ip, left, &f, &c, 0, c.segments);
	check_piece(ip, left, &f, &c, c.segments - 1u, 1);
	check_piece(ip, left, &f, &c, c.segments / 2u, c.segments - c.segments / 2u);
	check_piece(ip, left, &f, &c, 0, (c.segments + 1u) / 2u);
	return 0;
}
