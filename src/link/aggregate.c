/* SPDX-License-Identifier: MIT */
/* Batches: what has arrived since the last multiple of the period leaves together at the next one, as
 * from a medium that gathers packets for one burst (Wi-Fi, cable, interrupt coalescing). A packet that
 * arrives exactly at a multiple leaves with that batch. */
#include "element.h"
#include "fifo.h"

#include <stdlib.h>

struct aggregate {
	struct weir_element element;
	struct weir_fifo fifo;
	u64 period_ns;
};

static void run(struct weir_element *e, u64 until_ns)
{
	struct aggregate *a = (struct aggregate *)e;
	struct weir_queued q;
	while (weir_fifo_head_ns(&a->fifo) <= until_ns && weir_fifo_pop(&a->fifo, &q)) {
		weir_element_let_go(e, &q.packet);
		weir_element_emit(e, q.at_ns, &q.packet);
	}
}

static void arrive(struct weir_element *e, u64 now_ns, const struct weir_packet *p)
{
	struct aggregate *a = (struct aggregate *)e;
	u64 into_ns = now_ns % a->period_ns;
	run(e, now_ns);
	if (into_ns == 0)
		weir_element_emit(e, now_ns, p);
	else if (weir_fifo_push(&a->fifo, now_ns - into_ns + a->period_ns, p))
		weir_element_hold(e, p);
	else
		weir_element_fail(e, now_ns, p);
}

static u64 next_ns(const struct weir_element *e)
{
	return weir_fifo_head_ns(&((const struct aggregate *)e)->fifo);
}

static void fini(struct weir_element *e)
{
	weir_fifo_fini(&((struct aggregate *)e)->fifo);
}

static const struct weir_element_ops ops = {"aggregate", arrive, run, next_ns, fini};

struct weir_element *weir_aggregate_new(u64 period_ns)
{
	struct aggregate *a = calloc(1, sizeof *a);
	if (!a)
		return NULL;
	a->element.ops = &ops;
	a->period_ns = period_ns;
	return &a->element;
}
