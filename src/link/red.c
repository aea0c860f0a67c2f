/* SPDX-License-Identifier: MIT */
/* Random Early Detection: Floyd and Jacobson, IEEE/ACM Transactions on Networking 1(4), 1993, with the
 * "gentle" slope (Floyd 2000) and the idle-time correction of the paper. Thresholds in bytes, and each
 * packet with the same probability whatever its size (RFC 7141). Where marks are allowed, the average
 * above twice the maximum still drops (RFC 3168, section 7). */
#include "red.h"
#include "core/fmath.h"
#include "queue.h"

#include <stdlib.h>

struct red {
	struct weir_queue queue;
	struct weir_rng rng;
	double average;
	i64 since_last;	  /* packets since the last early drop; -1: below the minimum */
	u64 idle_from_ns; /* when the queue last ran empty */
	u64 seen_packets, seen_bytes;
};

double weir_red_probability(const struct weir_queue_config *c, double average_bytes)
{
	double low = (double)c->red_min_bytes, high = (double)c->red_max_bytes;
	if (average_bytes < low)
		return 0;
	if (average_bytes < high)
		return c->red_max_p * (average_bytes - low) / (high - low);
	if (average_bytes < 2 * high)
		return c->red_max_p + (1 - c->red_max_p) * (average_bytes - high) / high;
	return 1;
}

/* The paper's estimate: as if small packets had arrived to an empty queue while it was idle; ours are
 * of the mean size so far. */
static void decay(struct red *r, u64 now_ns)
{
	if (r->seen_packets == 0)
		return;
	double mean_bytes = (double)r->seen_bytes / (double)r->seen_packets;
	double send_ns = mean_bytes * 8e9 / (double)r->queue.nominal_bps;
	double steps = (double)(now_ns - r->idle_from_ns) / send_ns;
	r->average *= weir_pow(1 - r->queue.config.red_weight, steps);
}

static bool chosen(struct red *r)
{
	double p = weir_red_probability(&r->queue.config, r->average);
	if (p <= 0) {
		r->since_last = -1;
		return false;
	}
	r->since_last++;
	/* gaps between drops are uniform, not geometric: p / (1 - count p) */
	double left = 1 - (double)r->since_last * p;
	if (p < 1 && left > 0 && !weir_rng_chance(&r->rng, p / left))
		return false;
	r->since_last = 0;
	return true;
}

static void enqueue(struct weir_queue *q, u64 now_ns, const struct weir_packet *p, bool idle)
{
	struct red *r = (struct red *)q;
	struct weir_packet packet = *p;
	double w = q->config.red_weight;

	if (idle)
		decay(r, now_ns);
	else
		r->average = (1 - w) * r->average + w * (double)q->bytes;
	r->seen_packets++;
	r->seen_bytes += p->bytes;

	bool drop = chosen(r);
	if (drop && r->average < 2 * (double)q->config.red_max_bytes)
		drop = !weir_queue_mark(q, &packet);
	if (drop)
		weir_link_drop(q->link, now_ns, &packet, WEIR_DROP_AQM);
	else if (idle || weir_queue_fits(q, packet.bytes))
		weir_queue_append(q, now_ns, &packet);
	else
		weir_link_drop(q->link, now_ns, &packet, WEIR_DROP_OVERFLOW);
	if (q->packets == 0)
		r->idle_from_ns = now_ns;
}

static bool dequeue(struct weir_queue *q, u64 now_ns, struct weir_queued *out)
{
	bool any = weir_queue_take(q, now_ns, out);
	if (q->packets == 0)
		((struct red *)q)->idle_from_ns = now_ns;
	return any;
}

static const struct weir_queue_ops ops = {"red", enqueue, dequeue, NULL};

struct weir_queue *weir_red_new(const struct weir_rng *rng)
{
	struct red *r = calloc(1, sizeof *r);
	if (!r)
		return NULL;
	r->queue.ops = &ops;
	r->rng = *rng;
	r->since_last = -1;
	return &r->queue;
}
