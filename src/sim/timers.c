/* SPDX-License-Identifier: MIT */
#include "timers.h"

#include <stdlib.h>

#define ARITY 4
#define START 64

static inline bool before(const struct weir_timer_entry *a, const struct weir_timer_entry *b)
{
	return a->at_ns < b->at_ns || (a->at_ns == b->at_ns && a->key < b->key);
}

bool weir_timers_push(struct weir_timers *t, u64 at_ns, enum weir_timer_kind kind, u32 flow)
{
	if (t->n == t->capacity) {
		u32 capacity = t->capacity ? t->capacity + t->capacity / 2 : START;
		struct weir_timer_entry *heap = realloc(t->heap, capacity * sizeof *heap);
		if (!heap)
			return false;
		t->heap = heap;
		t->capacity = capacity;
	}
	struct weir_timer_entry entry = {at_ns, (u64)kind << 32 | flow};
	u32 i = t->n++;
	while (i > 0) {
		u32 parent = (i - 1) / ARITY;
		if (!before(&entry, &t->heap[parent]))
			break;
		t->heap[i] = t->heap[parent];
		i = parent;
	}
	t->heap[i] = entry;
	return true;
}

struct weir_timer_entry weir_timers_pop(struct weir_timers *t)
{
	struct weir_timer_entry first = t->heap[0], last = t->heap[--t->n];
	u32 i = 0;
	for (;;) {
		u32 child = ARITY * i + 1, end = child + ARITY < t->n ? child + ARITY : t->n;
		if (child >= t->n)
			break;
		u32 least = child;
		for (u32 k = child + 1; k < end; k++)
			if (before(&t->heap[k], &t->heap[least]))
				least = k;
		if (!before(&t->heap[least], &last))
			break;
		t->heap[i] = t->heap[least];
		i = least;
	}
	if (t->n)
		t->heap[i] = last;
	return first;
}

void weir_timers_free(struct weir_timers *t)
{
	free(t->heap);
	*t = (struct weir_timers){0};
}
