/* SPDX-License-Identifier: MIT */
/* Round-trip time and retransmission timeout (RFC 6298), and the smallest RTT of late. */
#ifndef WEIR_TRANSPORT_RTT_H
#define WEIR_TRANSPORT_RTT_H

#include "weir/num.h"

#define WEIR_RTO_INITIAL_NS (1 * WEIR_NS_PER_S)
#define WEIR_RTT_FLOOR_NS 1000ULL		   /* a zero-delay path still has a clock tick */
#define WEIR_MIN_RTT_HALF_NS (150 * WEIR_NS_PER_S) /* the minimum forgets after one to two halves */

struct weir_rtt {
	u64 srtt_ns, rttvar_ns, latest_ns; /* 0: no sample yet */
	u64 min_ns, next_min_ns, rotate_ns;
	u32 backoff; /* doublings of the timeout since the last sample: none beyond the largest timeout */
};

static inline void weir_rtt_sample(struct weir_rtt *r, u64 now_ns, u64 rtt_ns)
{
	rtt_ns = weir_max(rtt_ns, WEIR_RTT_FLOOR_NS);
	r->latest_ns = rtt_ns;
	r->backoff = 0;
	if (r->srtt_ns == 0) {
		r->srtt_ns = rtt_ns;
		r->rttvar_ns = rtt_ns / 2;
		r->min_ns = r->next_min_ns = rtt_ns;
		r->rotate_ns = now_ns + WEIR_MIN_RTT_HALF_NS;
		return;
	}
	/* The variance comes before the mean: it is measured against the old mean. */
	u64 error_ns = r->srtt_ns > rtt_ns ? r->srtt_ns - rtt_ns : rtt_ns - r->srtt_ns;
	r->rttvar_ns = r->rttvar_ns - r->rttvar_ns / 4 + error_ns / 4;
	r->srtt_ns = r->srtt_ns - r->srtt_ns / 8 + rtt_ns / 8;
	if (now_ns >= r->rotate_ns) {
		r->min_ns = r->next_min_ns;
		r->next_min_ns = rtt_ns;
		r->rotate_ns = now_ns + WEIR_MIN_RTT_HALF_NS;
	}
	r->min_ns = weir_min(r->min_ns, rtt_ns);
	r->next_min_ns = weir_min(r->next_min_ns, rtt_ns);
}

/* RTO = SRTT + max(G, 4 RTTVAR), doubled for each timeout since the last sample. G is `min_ns`, far above
 * any clock tick, so that a steady path with delayed ACKs never times out by mistake. */
static inline u64 weir_rtt_rto_ns(const struct weir_rtt *r, u64 min_ns, u64 max_ns)
{
	u64 rto_ns = WEIR_RTO_INITIAL_NS;
	if (r->srtt_ns)
		rto_ns = r->srtt_ns + weir_max(min_ns, 4 * r->rttvar_ns);
	return weir_min(rto_ns << r->backoff, max_ns);
}

#endif
