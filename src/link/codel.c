/* SPDX-License-Identifier: MIT */
/* Controlled Delay, RFC 8289. */
#include "codel_law.h"
#include "core/fmath.h"

#include <stdlib.h>

#define RECENT_INTERVALS 16 /* a dropping state this soon after the last one resumes its pace */

u64 weir_codel_next(u64 t_ns, u64 interval_ns, u64 count)
{
	return t_ns + (u64)((double)interval_ns / weir_sqrt((double)count));
}

/* Takes the head; *late when its delay, and that of all before it for an interval, is above target. */
static bool look(struct weir_codel *c, const struct weir_codel_source *from, u64 now_ns,
		 struct weir_queued *out, bool *late)
{
	const struct weir_queue_config *config = &from->queue->config;
	*late = false;
	if (!from->take(from->ctx, out)) {
		c->first_above_ns = 0;
		return false;
	}
	if (now_ns - out->at_ns < config->target_ns || from->bytes(from->ctx) <= from->largest_packet)
		c->first_above_ns = 0;
	else if (c->first_above_ns == 0)
		c->first_above_ns = now_ns + config->interval_ns;
	else
		*late = now_ns >= c->first_above_ns;
	return true;
}

bool weir_codel_dequeue(struct weir_codel *c, const struct weir_codel_source *from, u64 now_ns,
			struct weir_queued *out)
{
	struct weir_queue *q = from->queue;
	u64 interval_ns = q->config.interval_ns;
	bool late, any = look(c, from, now_ns, out, &late);

	if (c->dropping) {
		c->dropping = late;
		while (c->dropping && now_ns >= c->drop_next_ns) {
			c->count++;
			bool marked = weir_queue_mark(q, &out->packet);
			if (!marked) {
				weir_link_drop(q->link, now_ns, &out->packet, WEIR_DROP_AQM);
				any = look(c, from, now_ns, out, &late);
				c->dropping = late;
			}
			if (c->dropping)
				c->drop_next_ns = weir_codel_next(c->drop_next_ns, interval_ns, c->count);
			if (marked)
				break;
		}
	} else if (late) {
		if (!weir_queue_mark(q, &out->packet)) {
			weir_link_drop(q->link, now_ns, &out->packet, WEIR_DROP_AQM);
			any = look(c, from, now_ns, out, &late);
		}
		c->dropping = true;
		u64 before = weir_sub(c->count, c->last_count);
		bool recent = weir_sub(now_ns, c->drop_next_ns) < RECENT_INTERVALS * interval_ns;
		c->count = before > 1 && recent ? before : 1;
		c->last_count = c->count;
		c->drop_next_ns = weir_codel_next(now_ns, interval_ns, c->count);
	}
	return any;
}

struct codel {
	struct weir_queue queue;
	struct weir_codel law;
	u64 largest_packet;
};

static void enqueue(struct weir_queue *q, u64 now_ns, const struct weir_packet *p, bool idle)
{
	struct codel *c = (struct codel *)q;
	c->largest_packet = weir_max(c->largest_packet, p->bytes);
	if (idle || weir_queue_fits(q, p->bytes))
		weir_queue_append(q, now_ns, p);
	else
		weir_link_drop(q->link, now_ns, p, WEIR_DROP_OVERFLOW);
}

static bool take(void *ctx, struct weir_queued *out)
{
	return weir_queue_take((struct weir_queue *)ctx, 0, out);
}

static u64 bytes(const void *ctx)
{
	return ((const struct weir_queue *)ctx)->bytes;
}

static bool dequeue(struct weir_queue *q, u64 now_ns, struct weir_queued *out)
{
	struct codel *c = (struct codel *)q;
	struct weir_codel_source from = {q, q, take, bytes, c->largest_packet};
	return weir_codel_dequeue(&c->law, &from, now_ns, out);
}

static const struct weir_queue_ops ops = {"codel", enqueue, dequeue, NULL};

struct weir_queue *weir_codel_new(void)
{
	struct codel *c = calloc(1, sizeof *c);
	if (!c)
		return NULL;
	c->queue.ops = &ops;
	return &c->queue;
}
