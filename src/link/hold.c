/* SPDX-License-Identifier: MIT */
#include "hold.h"

#include <stdlib.h>

#define START 64u
#define MOST (1ULL << 31)

static bool before(const struct weir_held_packet *a, const struct weir_held_packet *b)
{
	return a->item.at_ns < b->item.at_ns || (a->item.at_ns == b->item.at_ns && a->order < b->order);
}

static bool reserve(struct weir_hold *h)
{
	u64 size = h->room ? 2 * h->room : START;
	struct weir_held_packet *heap = size <= MOST ? realloc(h->heap, size * sizeof *heap) : NULL;
	if (!heap)
		return false;
	h->heap = heap;
	h->room = size;
	return true;
}

bool weir_hold_push(struct weir_hold *h, u64 due_ns, const struct weir_packet *p)
{
	if (h->n == h->room && !reserve(h))
		return false;
	struct weir_held_packet x = {h->order++, {due_ns, *p}};
	u64 i = h->n++;
	for (; i && before(&x, &h->heap[(i - 1) / 2]); i = (i - 1) / 2)
		h->heap[i] = h->heap[(i - 1) / 2];
	h->heap[i] = x;
	return true;
}

bool weir_hold_pop(struct weir_hold *h, u64 until_ns, struct weir_queued *out)
{
	if (weir_hold_head_ns(h) > until_ns || h->n == 0)
		return false;
	*out = h->heap[0].item;
	struct weir_held_packet x = h->heap[--h->n];
	u64 i = 0, child;
	for (; (child = 2 * i + 1) < h->n; i = child) {
		if (child + 1 < h->n && before(&h->heap[child + 1], &h->heap[child]))
			child++;
		if (!before(&h->heap[child], &x))
			break;
		h->heap[i] = h->heap[child];
	}
	h->heap[i] = x;
	return true;
}

void weir_hold_fini(struct weir_hold *h)
{
	free(h->heap);
	*h = (struct weir_hold){0};
}
