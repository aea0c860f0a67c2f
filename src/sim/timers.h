/* SPDX-License-Identifier: MIT */
/* Timers of all flows in one 4-ary heap of 16-byte entries, earliest first; equal times by kind, then by
 * flow. Entries are lazy: a deadline that moves later leaves its entry behind, which finds out when it
 * comes up; only a deadline that moves earlier enters anew. */
#ifndef WEIR_SIM_TIMERS_H
#define WEIR_SIM_TIMERS_H

#include "weir/types.h"

enum weir_timer_kind {
	WEIR_TIMER_START,
	WEIR_TIMER_STOP,
	WEIR_TIMER_APP,
	WEIR_TIMER_REQUEST,
	WEIR_TIMER_SENDER,
	WEIR_TIMER_RECEIVER,
	WEIR_TIMER_KINDS
};

struct weir_timer_entry {
	u64 at_ns;
	u64 key; /* kind in the high half, flow in the low one */
};

struct weir_timers {
	struct weir_timer_entry *heap;
	u32 n, capacity;
};

static inline u64 weir_timers_head_ns(const struct weir_timers *t)
{
	return t->n ? t->heap[0].at_ns : WEIR_NEVER;
}

/* False when out of memory. */
bool weir_timers_push(struct weir_timers *t, u64 at_ns, enum weir_timer_kind kind, u32 flow);
struct weir_timer_entry weir_timers_pop(struct weir_timers *t);
void weir_timers_free(struct weir_timers *t);

#endif
