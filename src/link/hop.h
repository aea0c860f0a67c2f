/* SPDX-License-Identifier: MIT */
/* One hop of a path, from its description: the order of its parts is
 *   policer -> [before: loss, duplicate, reorder, jitter] -> queue and rate -> aggregation ->
 *   [after: loss, duplicate, reorder, jitter] -> delay
 * A hop with nothing but loss, a drop-tail queue, a fixed rate and a delay becomes a `line` (line.h), which
 * computes each departure on arrival; everything else goes through the general element. Both give
 * exactly the same departures and drops, and a test holds them to it. A hop has one way in and one way
 * out: `port` is ignored by push and 0 from pop. */
#ifndef WEIR_LINK_HOP_H
#define WEIR_LINK_HOP_H

#include "link.h"

struct weir_trace; /* trace.h */

enum weir_rate_kind { WEIR_RATE_FIXED, WEIR_RATE_TRACE, WEIR_RATE_WALK };
enum weir_aqm_kind {
	WEIR_AQM_DROPTAIL,
	WEIR_AQM_DROPHEAD,
	WEIR_AQM_RED,
	WEIR_AQM_CODEL,
	WEIR_AQM_PIE,
	WEIR_AQM_FQ_CODEL
};
enum weir_loss_model { WEIR_LOSS_NONE, WEIR_LOSS_BERNOULLI, WEIR_LOSS_PERIODIC, WEIR_LOSS_GILBERT_ELLIOTT };

struct weir_rate_config {
	enum weir_rate_kind kind;
	u64 bps;			/* FIXED: bit/s, 0 = infinitely fast. WALK: the start and the mean */
	const struct weir_trace *trace; /* TRACE: outlives the hop */
	u64 walk_min_bps, walk_max_bps; /* WALK: reflecting borders */
	u64 walk_step_ns;		/* WALK: a new rate each step */
	double walk_sigma;		/* WALK: standard deviation of a step, as a fraction of the mean */
	bool exponential; /* FIXED: each packet's time is drawn, exponential with the mean that its bytes
			     take */
};

struct weir_queue_config {
	u64 limit_bytes;   /* 0: no limit in bytes */
	u64 limit_packets; /* 0: no limit in packets. The packet in transmission is not counted */
	enum weir_aqm_kind aqm;
	bool ecn; /* mark ECN-capable packets instead of dropping them, where the AQM chooses */
	/* RED (Floyd and Jacobson 1993, gentle): thresholds on the average queue */
	u64 red_min_bytes, red_max_bytes;
	double red_max_p, red_weight;
	/* CoDel (RFC 8289), FQ-CoDel (RFC 8290), PIE (RFC 8033) */
	u64 target_ns, interval_ns;
	u32 fq_flows;
	u64 fq_quantum_bytes;
};

struct weir_loss_config {
	enum weir_loss_model model;
	double p;	    /* BERNOULLI: probability */
	u64 period_packets; /* PERIODIC: each n-th packet is lost, the n-th first */
	double p_good_to_bad, p_bad_to_good, p_loss_good, p_loss_bad; /* GILBERT_ELLIOTT, per packet */
};

/* What may stand before or after the queue. */
struct weir_impair_config {
	struct weir_loss_config loss;
	double duplicate_p;
	double reorder_p; /* such a packet is held back by reorder_delay_ns and may be overtaken */
	u64 reorder_delay_ns;
	u64 jitter_ns;	      /* extra delay, uniform in [0, jitter_ns] */
	bool jitter_reorders; /* off: a packet never overtakes the one before it */
};

struct weir_hop_config {
	const char *name; /* keys the random streams; copied */
	struct weir_rate_config rate;
	struct weir_queue_config queue;
	struct weir_impair_config before, after;
	u64 policer_bps, policer_burst_bytes; /* token bucket; 0: none */
	u64 aggregate_ns; /* the far end gets packets in batches, one each aggregate_ns; 0: none */
	u64 delay_ns;
	bool general; /* never choose the line: for tests that compare the two */
};

/* NULL only when out of memory. */
struct weir_link *weir_hop_new(const struct weir_hop_config *c, u64 seed, struct weir_link_owner owner);
void weir_hop_free(struct weir_link *hop);

/* As pop, for an owner that knows what arrived only up to now_ns: what leaves by until_ns, at most the hop's
 * delay after now_ns, is certain already. The hop itself goes no further than now_ns. */
bool weir_hop_pop_certain(struct weir_link *hop, u64 now_ns, u64 until_ns, struct weir_packet *p,
			  u64 *due_ns);

#endif
