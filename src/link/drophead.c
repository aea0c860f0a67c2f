/* SPDX-License-Identifier: MIT */
/* First in, first out; the oldest packets make room for an arrival, so that a sender learns of the loss
 * a whole queue earlier than with drop-tail. */
#include "queue.h"

#include <stdlib.h>

static void enqueue(struct weir_queue *q, u64 now_ns, const struct weir_packet *p, bool idle)
{
	struct weir_queued old;
	while (!idle && !weir_queue_fits(q, p->bytes) && weir_queue_take(q, now_ns, &old))
		weir_link_drop(q->link, now_ns, &old.packet, WEIR_DROP_OVERFLOW);
	if (idle || weir_queue_fits(q, p->bytes))
		weir_queue_append(q, now_ns, p);
	else
		weir_link_drop(q->link, now_ns, p, WEIR_DROP_OVERFLOW);
}

static const struct weir_queue_ops ops = {"drophead", enqueue, weir_queue_take, NULL};

struct weir_queue *weir_drophead_new(void)
{
	struct weir_queue *q = calloc(1, sizeof *q);
	if (q)
		q->ops = &ops;
	return q;
}
