/* SPDX-License-Identifier: MIT */
/* Proportional Integral controller Enhanced, RFC 8033: the basic algorithm of its section 4, with the
 * queue's delay from time stamps; of the optional parts of section 5 only ECN. */
#include "pie.h"
#include "queue.h"

#include <stdlib.h>

#define ALPHA .125 /* of the drop probability, for each second of delay beyond the target */
#define BETA 1.25  /* and for each second that the delay has grown */
#define MAX_BURST_NS (150 * WEIR_NS_PER_MS)
#define MEAN_PACKET_BYTES 1024
#define MARK_BELOW .1 /* above this probability ECN-capable packets are dropped like others */

struct pie {
	struct weir_queue queue;
	struct weir_pie law;
	struct weir_rng rng;
	u64 next_update_ns;
};

/* Small probabilities move in small steps: the factor is 1/2 below 10 %, 1/8 below 1 % and so on. */
static double scale(double p)
{
	static const struct {
		double below, factor;
	} steps[] = {{.000001, 1. / 2048}, {.00001, 1. / 512}, {.0001, 1. / 128},
		     {.001, 1. / 32},	   {.01, 1. / 8},      {.1, 1. / 2}};
	for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
		if (p < steps[i].below)
			return steps[i].factor;
	return 1;
}

void weir_pie_update(struct weir_pie *p, u64 target_ns, u64 update_ns)
{
	double delay = (double)p->delay_ns * 1e-9, old = (double)p->old_delay_ns * 1e-9;
	double step = ALPHA * (delay - (double)target_ns * 1e-9) + BETA * (delay - old);
	double x = p->drop_p + step * scale(p->drop_p);
	x = x < 0 ? 0 : x > 1 ? 1 : x;
	if (p->delay_ns == 0 && p->old_delay_ns == 0)
		x *= .98;
	p->drop_p = x;
	p->burst_ns = weir_sub(p->burst_ns, update_ns);
	if (x <= 0 && p->delay_ns < target_ns / 2 && p->old_delay_ns < target_ns / 2)
		p->burst_ns = MAX_BURST_NS;
	p->old_delay_ns = p->delay_ns;
}

/* Makes the updates that are due by now, each with the delay that held then. */
static void catch_up(struct pie *p, u64 now_ns)
{
	const struct weir_queue_config *c = &p->queue.config;
	while (p->next_update_ns <= now_ns) {
		if (p->queue.packets == 0)
			p->law.delay_ns = 0;
		if (p->law.drop_p <= 0 && p->law.delay_ns == 0 && p->law.old_delay_ns == 0) {
			/* at rest: every further update would leave it so */
			p->law.burst_ns = MAX_BURST_NS;
			p->next_update_ns += (now_ns - p->next_update_ns) / c->interval_ns * c->interval_ns;
		} else {
			weir_pie_update(&p->law, c->target_ns, c->interval_ns);
		}
		p->next_update_ns += c->interval_ns;
	}
}

static bool chosen(struct pie *p)
{
	const struct weir_queue *q = &p->queue;
	if (p->law.burst_ns > 0)
		return false;
	if (p->law.old_delay_ns < q->config.target_ns / 2 && p->law.drop_p < .2)
		return false;
	if (q->bytes <= 2 * MEAN_PACKET_BYTES)
		return false;
	return weir_rng_chance(&p->rng, p->law.drop_p);
}

static void enqueue(struct weir_queue *q, u64 now_ns, const struct weir_packet *arrived, bool idle)
{
	struct pie *p = (struct pie *)q;
	struct weir_packet packet = *arrived;
	catch_up(p, now_ns);
	if (!idle && !weir_queue_fits(q, packet.bytes))
		weir_link_drop(q->link, now_ns, &packet, WEIR_DROP_OVERFLOW);
	else if (chosen(p) && !(p->law.drop_p < MARK_BELOW && weir_queue_mark(q, &packet)))
		weir_link_drop(q->link, now_ns, &packet, WEIR_DROP_AQM);
	else
		weir_queue_append(q, now_ns, &packet);
}

static bool dequeue(struct weir_queue *q, u64 now_ns, struct weir_queued *out)
{
	struct pie *p = (struct pie *)q;
	catch_up(p, now_ns);
	if (!weir_queue_take(q, now_ns, out))
		return false;
	p->law.delay_ns = now_ns - out->at_ns;
	return true;
}

static const struct weir_queue_ops ops = {"pie", enqueue, dequeue, NULL};

struct weir_queue *weir_pie_new(const struct weir_rng *rng)
{
	struct pie *p = calloc(1, sizeof *p);
	if (!p)
		return NULL;
	p->queue.ops = &ops;
	p->rng = *rng;
	p->law.burst_ns = MAX_BURST_NS;
	return &p->queue;
}
