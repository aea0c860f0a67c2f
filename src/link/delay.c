/* SPDX-License-Identifier: MIT */
/* A fixed delay, and the way out of a hop. It holds whatever is on its way, however much that is. */
#include "element.h"
#include "fifo.h"

#include <stdlib.h>

struct delay {
	struct weir_element element;
	struct weir_fifo fifo;
	u64 delay_ns;
};

static void arrive(struct weir_element *e, u64 now_ns, const struct weir_packet *p)
{
	struct delay *d = (struct delay *)e;
	if (weir_fifo_push(&d->fifo, now_ns + d->delay_ns, p))
		weir_element_hold(e, p);
	else
		weir_element_fail(e, now_ns, p);
}

bool weir_delay_pop(struct weir_element *e, u64 until_ns, struct weir_packet *p, u64 *due_ns)
{
	struct delay *d = (struct delay *)e;
	struct weir_queued q;
	if (weir_fifo_head_ns(&d->fifo) > until_ns || !weir_fifo_pop(&d->fifo, &q))
		return false;
	weir_element_let_go(e, &q.packet);
	*p = q.packet;
	*due_ns = q.at_ns;
	return true;
}

static u64 next_ns(const struct weir_element *e)
{
	return weir_fifo_head_ns(&((const struct delay *)e)->fifo);
}

static void fini(struct weir_element *e)
{
	weir_fifo_fini(&((struct delay *)e)->fifo);
}

static const struct weir_element_ops ops = {"delay", arrive, NULL, next_ns, fini};

struct weir_element *weir_delay_new(u64 delay_ns)
{
	struct delay *d = calloc(1, sizeof *d);
	if (!d)
		return NULL;
	d->element.ops = &ops;
	d->delay_ns = delay_ns;
	return &d->element;
}
