/* SPDX-License-Identifier: MIT */
/* A record of calls as somebody else made it, read and followed by each controller, whatever it says: nothing
 * but an end or a refusal may come of it. */
#include "cc/table.h"
#include "kern/calls.h"
#include "kern/follow.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool truth)
{
	if (!truth)
		abort();
}

static void follow(const uint8_t *data, size_t size, const struct weir_cc_ops *ops)
{
	char why[WEIR_CALLS_WHY_BYTES] = "";
	struct weir_calls_reader *r = calloc(1, sizeof *r);
	struct weir_follow f;
	struct weir_calls_frame frame;
	struct weir_out here;
	int more;
	FILE *in = fmemopen((void *)(uintptr_t)data, size, "r");
	must(r && in);
	if (weir_calls_open(r, in, why)) {
		must(*why);
	} else {
		weir_follow_begin(&f, ops, r->head.params);
		while ((more = weir_calls_next(r, &frame, why)) > 0) {
			must(frame.kind >= WEIR_CALLS_CALL && frame.kind <= WEIR_CALLS_END);
			if (frame.kind == WEIR_CALLS_CALL)
				weir_follow_call(&f, frame.socket, &frame.record.call, &here);
			if (frame.kind == WEIR_CALLS_GAP)
				weir_follow_gap(&f);
		}
		must(!more || *why);
		weir_follow_end(&f);
	}
	fclose(in);
	free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (u32 i = 0; size && i < weir_cc_count(); i++)
		follow(data, size, weir_cc_at(i));
	return 0;
}
