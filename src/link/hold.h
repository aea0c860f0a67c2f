/* SPDX-License-Identifier: MIT */
/* Packets held until a time of their own: a binary heap by (due time, order of arrival). */
#ifndef WEIR_LINK_HOLD_H
#define WEIR_LINK_HOLD_H

#include "fifo.h"

struct weir_held_packet {
	u64 order;
	struct weir_queued item;
};

struct weir_hold {
	struct weir_held_packet *heap;
	u64 n, room, order;
};

/* False when memory ran out. */
bool weir_hold_push(struct weir_hold *h, u64 due_ns, const struct weir_packet *p);
bool weir_hold_pop(struct weir_hold *h, u64 until_ns, struct weir_queued *out);
void weir_hold_fini(struct weir_hold *h);

static inline u64 weir_hold_head_ns(const struct weir_hold *h)
{
	return h->n ? h->heap[0].item.at_ns : WEIR_NEVER;
}

#endif
