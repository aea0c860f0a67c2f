/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Is a token bucket between us and the receiver? It lets a burst pass and drops what is beyond its rate: so a
 * sender that believes the burst loses much, again and again, at the same rate of delivery. Two successive
 * intervals of much loss and nearly equal rate say that this rate is the bucket's (BBR, "long-term
 * bandwidth"; N. Cardwell et al., IETF 97 ICCRG, 2016; T. Flach et al., "An Internet-Wide Analysis of Traffic
 * Policing", SIGCOMM 2016). */
#ifndef WEIR_CORE_POLICER_H
#define WEIR_CORE_POLICER_H

#include "weir/cc.h"

#define WEIR_POLICER_ROUNDS_MIN 4 /* of an interval; it ends with the first loss after them */
#define WEIR_POLICER_ROUNDS_MAX 16
#define WEIR_POLICER_LOSS_SHARE 5      /* much: a fifth of what was delivered */
#define WEIR_POLICER_RATE_SHARE 8      /* nearly equal: within an eighth */
#define WEIR_POLICER_RATE_NEAR_Bps 500 /* or within 4 kbit/s */
#define WEIR_POLICER_USE_ROUNDS 48     /* then the path is probed anew */
#define WEIR_POLICER_INTERVAL_NS WEIR_NS_PER_MS

struct weir_policer {
	u64 from_ns, from_delivered_bytes, from_lost_bytes; /* where the interval began */
	u64 rate_Bps; /* of the last interval of much loss, or in use; 0: none */
	u8 rounds;    /* in the interval, or of use */
	u8 sampling;
	u8 in_use; /* rate_Bps is the bucket's */
};

WEIR_CORE void weir_policer_reset(struct weir_policer *p)
{
	p->from_ns = p->from_delivered_bytes = p->from_lost_bytes = p->rate_Bps = 0;
	p->rounds = p->sampling = p->in_use = 0;
}

WEIR_CORE void weir_policer_begin(struct weir_policer *p, const struct weir_view *v, u64 lost_bytes)
{
	p->from_ns = v->now_ns;
	p->from_delivered_bytes = v->delivered_bytes;
	p->from_lost_bytes = lost_bytes;
	p->rounds = 0;
	p->sampling = 1;
}

WEIR_CORE void weir_policer_judge(struct weir_policer *p, const struct weir_view *v, u64 lost_bytes,
				  u64 rate_Bps)
{
	u64 apart = weir_max(rate_Bps, p->rate_Bps) - weir_min(rate_Bps, p->rate_Bps);
	if (p->rate_Bps &&
	    (apart <= p->rate_Bps / WEIR_POLICER_RATE_SHARE || apart <= WEIR_POLICER_RATE_NEAR_Bps)) {
		p->rate_Bps = weir_min(rate_Bps, p->rate_Bps) + apart / 2;
		p->in_use = 1;
		p->rounds = p->sampling = 0;
		return;
	}
	p->rate_Bps = rate_Bps;
	weir_policer_begin(p, v, lost_bytes);
}

/* `lost_bytes`: all so far; `lost_now`: since the last ACK. */
WEIR_CORE void weir_policer_sample(struct weir_policer *p, const struct weir_view *v, u64 lost_bytes,
				   bool lost_now)
{
	if (!p->sampling) {
		if (lost_now)
			weir_policer_begin(p, v, lost_bytes);
		return;
	}
	if (v->flags & WEIR_ROUND_START)
		p->rounds++;
	if (v->flags & WEIR_APP_LIMITED || p->rounds > WEIR_POLICER_ROUNDS_MAX) {
		weir_policer_reset(p);
		return;
	}
	u64 lost = lost_bytes - p->from_lost_bytes,
	    delivered = weir_sub(v->delivered_bytes, p->from_delivered_bytes);
	u64 took_ns = weir_sub(v->now_ns, p->from_ns);
	if (p->rounds < WEIR_POLICER_ROUNDS_MIN || !lost_now || !delivered ||
	    lost < delivered / WEIR_POLICER_LOSS_SHARE || took_ns < WEIR_POLICER_INTERVAL_NS)
		return;
	weir_policer_judge(p, v, lost_bytes, weir_max(weir_muldiv(delivered, WEIR_NS_PER_S, took_ns), 1));
}

/* One more round at the bucket's rate. False: it is time to see whether the bucket is still there. */
WEIR_CORE bool weir_policer_holds(struct weir_policer *p)
{
	if (++p->rounds < WEIR_POLICER_USE_ROUNDS)
		return true;
	weir_policer_reset(p);
	return false;
}

#endif
