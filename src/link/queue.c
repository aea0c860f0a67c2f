/* SPDX-License-Identifier: MIT */
#include "queue.h"

#include <stdio.h>
#include <stdlib.h>

#define FQ_FLOWS 1024u
#define FQ_FLOWS_MOST 65536u
#define LEAST_INTERVAL_NS 100000ULL /* PIE makes an update each */

void weir_queue_append(struct weir_queue *q, u64 now_ns, const struct weir_packet *p)
{
	if (!weir_fifo_push(&q->fifo, now_ns, p)) {
		q->link->failed = true;
		weir_link_drop(q->link, now_ns, p, WEIR_DROP_OVERFLOW);
		return;
	}
	q->packets++;
	q->bytes += p->bytes;
}

bool weir_queue_take(struct weir_queue *q, u64 now_ns, struct weir_queued *out)
{
	(void)now_ns;
	if (!weir_fifo_pop(&q->fifo, out))
		return false;
	q->packets--;
	q->bytes -= out->packet.bytes;
	return true;
}

/* What the RFCs and papers advise, for each value left at 0. */
static void fill_defaults(struct weir_queue_config *c)
{
	u64 target_ns = c->aqm == WEIR_AQM_PIE ? 15 * WEIR_NS_PER_MS : 5 * WEIR_NS_PER_MS;
	u64 interval_ns = c->aqm == WEIR_AQM_PIE ? 15 * WEIR_NS_PER_MS : 100 * WEIR_NS_PER_MS;
	u64 limit_bytes = c->limit_bytes ? c->limit_bytes : weir_min(c->limit_packets, 1ULL << 32) * 1500;

	c->target_ns = c->target_ns ? c->target_ns : target_ns;
	c->interval_ns = weir_max(c->interval_ns ? c->interval_ns : interval_ns, LEAST_INTERVAL_NS);
	c->fq_flows = c->fq_flows ? c->fq_flows : FQ_FLOWS;
	c->fq_flows = c->fq_flows < FQ_FLOWS_MOST ? c->fq_flows : FQ_FLOWS_MOST;
	c->fq_quantum_bytes = c->fq_quantum_bytes ? weir_min(c->fq_quantum_bytes, 1U << 30) : 1514;
	c->red_min_bytes = c->red_min_bytes ? c->red_min_bytes : weir_max(limit_bytes / 12, 5 * 1500);
	if (c->red_max_bytes <= c->red_min_bytes)
		c->red_max_bytes = 3 * c->red_min_bytes;
	c->red_max_p = c->red_max_p > 0 && c->red_max_p <= 1 ? c->red_max_p : .1;
	c->red_weight = c->red_weight > 0 && c->red_weight <= 1 ? c->red_weight : .002;
}

struct weir_queue *weir_queue_new(const struct weir_queue_config *c, struct weir_link *link, const char *hop,
				  u64 seed, u64 nominal_bps)
{
	struct weir_queue_config config = *c;
	fill_defaults(&config);
	char point[256];
	snprintf(point, sizeof point, "%s.aqm", hop);
	struct weir_rng rng;
	weir_rng_init(&rng, seed, weir_rng_point(point), 0);

	struct weir_queue *q = NULL;
	switch (config.aqm) {
	case WEIR_AQM_DROPTAIL:
		q = weir_droptail_new();
		break;
	case WEIR_AQM_DROPHEAD:
		q = weir_drophead_new();
		break;
	case WEIR_AQM_RED:
		q = weir_red_new(&rng);
		break;
	case WEIR_AQM_CODEL:
		q = weir_codel_new();
		break;
	case WEIR_AQM_PIE:
		q = weir_pie_new(&rng);
		break;
	case WEIR_AQM_FQ_CODEL:
		q = weir_fq_codel_new(config.fq_flows, &rng);
		break;
	}
	if (!q)
		return NULL;
	q->link = link;
	q->config = config;
	q->nominal_bps = nominal_bps;
	return q;
}

void weir_queue_free(struct weir_queue *q)
{
	if (!q)
		return;
	if (q->ops->fini)
		q->ops->fini(q);
	weir_fifo_fini(&q->fifo);
	free(q);
}
