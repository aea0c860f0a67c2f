/* SPDX-License-Identifier: MIT */
/* Token bucket: tokens flow in at a rate up to a burst; a packet that finds too few is dropped.
 * Tokens are counted in 1/(8e9) byte, so that a ns at 1 bit/s is one: nothing is rounded. */
#include "element.h"

#include <stdlib.h>

#define UNIT (8 * WEIR_NS_PER_S)
#define MOST_BYTES (1ULL << 30)

struct policer {
	struct weir_element element;
	u64 bps, tokens, most, last_ns;
};

static void refill(struct policer *b, u64 now_ns)
{
	u64 gap_ns = now_ns - b->last_ns, room = b->most - b->tokens;
	b->tokens = gap_ns > room / b->bps ? b->most : b->tokens + gap_ns * b->bps;
	b->last_ns = now_ns;
}

static void arrive(struct weir_element *e, u64 now_ns, const struct weir_packet *p)
{
	struct policer *b = (struct policer *)e;
	refill(b, now_ns);
	if (b->tokens < p->bytes * UNIT) {
		weir_link_drop(e->link, now_ns, p, WEIR_DROP_POLICER);
		return;
	}
	b->tokens -= p->bytes * UNIT;
	weir_element_emit(e, now_ns, p);
}

static const struct weir_element_ops ops = {.name = "policer", .arrive = arrive};

struct weir_element *weir_policer_new(u64 bps, u64 burst_bytes)
{
	struct policer *b = calloc(1, sizeof *b);
	if (!b)
		return NULL;
	b->element.ops = &ops;
	b->bps = bps;
	b->most = b->tokens = weir_min(burst_bytes, MOST_BYTES) * UNIT;
	return &b->element;
}
