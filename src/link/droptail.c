/* SPDX-License-Identifier: MIT */
/* First in, first out; what does not fit is dropped on arrival. */
#include "queue.h"

#include <stdlib.h>

static void enqueue(struct weir_queue *q, u64 now_ns, const struct weir_packet *p, bool idle)
{
	if (idle || weir_queue_fits(q, p->bytes))
		weir_queue_append(q, now_ns, p);
	else
		weir_link_drop(q->link, now_ns, p, WEIR_DROP_OVERFLOW);
}

static const struct weir_queue_ops ops = {"droptail", enqueue, weir_queue_take, NULL};

struct weir_queue *weir_droptail_new(void)
{
	struct weir_queue *q = calloc(1, sizeof *q);
	if (q)
		q->ops = &ops;
	return q;
}
