/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* H-TCP: increase by the time since the last congestion, decrease by how full the queue was.
 *
 * Reference: D. Leith and R. Shorten, "H-TCP: TCP for high-speed and long-distance networks", PFLDnet 2004,
 * and draft-leith-tcp-htcp.
 *
 * Model: with Delta the seconds since the last congestion, a window acknowledged adds
 *   alpha = 2 (1 - beta) f(Delta),   f = 1 up to 1 s, then 1 + 10 (Delta - 1) + ((Delta - 1) / 2)^2
 * segments, at least one. With RTT scaling f is divided by 100 ms / min RTT (.5 to 10), so that flows of all
 * RTTs gain alike in time. A loss leaves beta = min RTT / max RTT of the window, which just empties the
 * queue, within [.5, .8]; 1/2 when the throughput differs by more than a fifth from the epoch's before.
 *
 *   constant      value        reason
 *   f             as above     the draft
 *   beta          .5 to .8     the draft; the ratio only at min RTTs above 10 ms
 *   idle_restart  1 s          as in reno.h
 *
 * Not checked against the paper's text: the fading of max RTT (5 % of its excess an event), its rise by at
 * most 20 ms a sample, the filter of the throughput (3/4 of the old), the 10 ms.
 *
 * Deliberate deviations:
 * 1. Delta counts only while the window is what limits the sender: silence and application-limited rounds
 *    must not end in a jump.
 * 2. alpha is computed once a round. The throughput is sampled once a round, too, from the host's rate.
 * 3. An undo restores Delta, beta, max RTT and the throughputs. */
#ifndef WEIR_CC_HTCP_H
#define WEIR_CC_HTCP_H

#include "core/window.h"

#define HTCP_TICK_BITS 10 /* Delta counts 1024 ns, up to 73 minutes */
#define HTCP_MIN_LOSS_LEAVES (WEIR_RATIO_ONE / 2)
#define HTCP_MAX_LOSS_LEAVES (WEIR_RATIO_ONE * 4 / 5)
#define HTCP_MIN_RTT_US 10000ULL
#define HTCP_RISE_US 20000ULL

struct htcp {
	struct weir_window window;
	u64 seen_ns; /* up to when delta has counted */
	u32 delta, prior_delta;
	u32 max_us, prior_max_us;		   /* RTT */
	u32 rate_kBps, peak_kBps, last_peak_kBps;  /* now, largest of this epoch, of the last one */
	u32 prior_peak_kBps, prior_last_peak_kBps; /* before the last cut */
	u32 beta, prior_beta;			   /* WEIR_RATIO_ONE is one */
	u32 alpha;				   /* WEIR_RATE_ONE is one segment a round */
};
_Static_assert(sizeof(struct htcp) <= WEIR_CC_HOT_BYTES, "htcp fits in a kernel socket");

struct htcp_params {
	u64 rtt_scaling, bandwidth_switch;
	u64 idle_restart_ns;
};

#ifndef __BPF__
static const struct weir_param htcp_param_table[] = {
    {"rtt_scaling", "flag", 1, 0, 1, "the increase counts by time, not by rounds"},
    {"bandwidth_switch", "flag", 1, 0, 1, "halve when the throughput has changed by more than a fifth"},
    WEIR_WINDOW_IDLE_PARAM,
};
static const struct weir_signal htcp_signal_table[] = {
    {"ssthresh", "bytes"},
    {"delta", "ns"},
    {"alpha", "ratio"},
    {"beta", "ratio"},
};
#endif

/* 2 (1 - beta) f(Delta), at least one segment. */
WEIR_CORE u32 htcp_alpha(const struct htcp *s, const struct htcp_params *p, const struct weir_view *v)
{
	u64 factor = WEIR_RATE_ONE, delta_ns = (u64)s->delta << HTCP_TICK_BITS;
	if (delta_ns > WEIR_NS_PER_S) {
		u64 x = weir_muldiv(delta_ns - WEIR_NS_PER_S, WEIR_RATE_ONE, WEIR_NS_PER_S);
		factor += 10 * x + ((x * x / 4) >> WEIR_RATE_BITS);
	}
	if (p->rtt_scaling && v->min_rtt_ns) {
		u64 scale = weir_muldiv(100 * WEIR_NS_PER_MS, WEIR_RATE_ONE, v->min_rtt_ns);
		factor =
		    (factor << WEIR_RATE_BITS) / weir_clamp(scale, WEIR_RATE_ONE / 2, 10 * WEIR_RATE_ONE);
	}
	u64 alpha = weir_muldiv(factor, 2 * (WEIR_RATIO_ONE - s->beta), WEIR_RATIO_ONE);
	return (u32)weir_clamp(alpha, WEIR_RATE_ONE, 0xffffffffU);
}

WEIR_CORE void htcp_init(struct htcp *s, const struct htcp_params *p, const struct weir_view *v,
			 struct weir_out *o)
{
	(void)p;
	weir_window_init(&s->window, v);
	s->seen_ns = v->now_ns;
	s->delta = s->prior_delta = 0;
	s->max_us = s->prior_max_us = 0;
	s->rate_kBps = s->peak_kBps = s->last_peak_kBps = 0;
	s->prior_peak_kBps = s->prior_last_peak_kBps = 0;
	s->beta = s->prior_beta = HTCP_MIN_LOSS_LEAVES;
	s->alpha = WEIR_RATE_ONE;
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE void htcp_take_rtt(struct htcp *s, const struct weir_view *v, const struct weir_ack *a)
{
	u64 least_us = v->min_rtt_ns / WEIR_NS_PER_US;
	u64 most_us = weir_max(s->max_us, least_us);
	u64 rtt_us = weir_min(a->rtt_ns / WEIR_NS_PER_US, weir_add(most_us, HTCP_RISE_US));
	if (a->rtt_ns && !(v->flags & WEIR_RECOVERY))
		s->max_us = (u32)weir_min(weir_max(most_us, rtt_us), 0xffffffffU);
}

WEIR_CORE void htcp_take_rate(struct htcp *s, const struct weir_view *v)
{
	u64 now_kBps = weir_min(v->delivery_Bps / 1000, 0xffffffffU);
	if (!now_kBps || (v->flags & WEIR_APP_LIMITED))
		return;
	s->rate_kBps = (u32)(s->rate_kBps ? (3 * (u64)s->rate_kBps + now_kBps) / 4 : now_kBps);
	s->peak_kBps = (u32)weir_max(s->peak_kBps, s->rate_kBps);
}

WEIR_CORE void htcp_count_delta(struct htcp *s, const struct weir_view *v)
{
	u64 ticks = weir_sub(v->now_ns, s->seen_ns) >> HTCP_TICK_BITS;
	if (v->flags & WEIR_CWND_LIMITED) {
		s->delta = (u32)weir_min(s->delta + weir_min(ticks, 0xffffffffU), 0xffffffffU);
		s->seen_ns += ticks << HTCP_TICK_BITS;
	} else {
		s->seen_ns = v->now_ns;
	}
}

WEIR_CORE void htcp_on_ack(struct htcp *s, const struct htcp_params *p, const struct weir_view *v,
			   const struct weir_ack *a, struct weir_out *o)
{
	u64 acked = weir_window_take(&s->window, v, a);
	htcp_count_delta(s, v);
	htcp_take_rtt(s, v, a);
	if (v->flags & WEIR_ROUND_START) {
		htcp_take_rate(s, v);
		s->alpha = htcp_alpha(s, p, v);
	}
	if (acked)
		weir_window_grow(&s->window, acked, s->alpha, weir_window_mss(v));
	o->cwnd_bytes = s->window.cwnd_bytes;
}

/* What this congestion leaves of the window, by the queue that it ended. */
WEIR_CORE u32 htcp_beta(const struct htcp *s, const struct htcp_params *p, const struct weir_view *v)
{
	u64 min_us = v->min_rtt_ns / WEIR_NS_PER_US, last = s->last_peak_kBps, peak = s->peak_kBps;
	u64 change = peak > last ? peak - last : last - peak;
	if (min_us <= HTCP_MIN_RTT_US || (p->bandwidth_switch && 5 * change > last))
		return HTCP_MIN_LOSS_LEAVES;
	return (u32)weir_clamp(weir_muldiv(min_us, WEIR_RATIO_ONE, s->max_us), HTCP_MIN_LOSS_LEAVES,
			       HTCP_MAX_LOSS_LEAVES);
}

/* A new epoch begins. */
WEIR_CORE void htcp_congested(struct htcp *s, const struct htcp_params *p, const struct weir_view *v,
			      u32 beta)
{
	u64 min_us = v->min_rtt_ns / WEIR_NS_PER_US;
	s->prior_delta = s->delta;
	s->prior_beta = s->beta;
	s->prior_max_us = s->max_us;
	s->prior_peak_kBps = s->peak_kBps;
	s->prior_last_peak_kBps = s->last_peak_kBps;
	s->delta = 0;
	s->seen_ns = v->now_ns;
	s->beta = beta;
	s->last_peak_kBps = s->peak_kBps;
	s->peak_kBps = 0;
	if (s->max_us > min_us) /* the path may have become shorter */
		s->max_us = (u32)(min_us + (s->max_us - min_us) * 95 / 100);
	s->alpha = htcp_alpha(s, p, v);
}

WEIR_CORE void htcp_undo(struct htcp *s, const struct htcp_params *p, const struct weir_view *v)
{
	if (!weir_window_undo(&s->window))
		return;
	s->delta = (u32)weir_min((u64)s->delta + s->prior_delta, 0xffffffffU);
	s->beta = s->prior_beta;
	s->max_us = (u32)weir_max(s->max_us, s->prior_max_us);
	s->peak_kBps = (u32)weir_max(s->peak_kBps, s->prior_peak_kBps);
	s->last_peak_kBps = s->prior_last_peak_kBps;
	s->alpha = htcp_alpha(s, p, v);
}

WEIR_CORE void htcp_on_loss(struct htcp *s, const struct htcp_params *p, const struct weir_view *v,
			    const struct weir_loss *l, struct weir_out *o)
{
	if (l->kind == WEIR_LOSS_SPURIOUS) {
		htcp_undo(s, p, v);
	} else if (l->flags & WEIR_NEW_EPISODE) {
		u32 beta = htcp_beta(s, p, v);
		weir_window_cut(&s->window, weir_muldiv(s->window.cwnd_bytes, beta, WEIR_RATIO_ONE),
				weir_window_mss(v));
		htcp_congested(s, p, v, beta);
	}
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE void htcp_on_timeout(struct htcp *s, const struct htcp_params *p, const struct weir_view *v,
			       struct weir_out *o)
{
	u32 beta = htcp_beta(s, p, v);
	u64 left = weir_muldiv(s->window.cwnd_bytes, beta, WEIR_RATIO_ONE);
	if (weir_window_timeout(&s->window, left, weir_window_mss(v)))
		htcp_congested(s, p, v, beta);
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE void htcp_on_idle(struct htcp *s, const struct htcp_params *p, const struct weir_view *v,
			    u64 idle_ns, struct weir_out *o)
{
	weir_window_restart(&s->window, v, idle_ns, p->idle_restart_ns);
	s->seen_ns = weir_add(s->seen_ns, idle_ns);
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE void htcp_probe(const struct htcp *s, u64 value[WEIR_CC_SIGNALS_MAX])
{
	value[0] = weir_window_ssthresh_signal(&s->window);
	value[1] = (u64)s->delta << HTCP_TICK_BITS;
	value[2] = weir_rate_signal(s->alpha);
	value[3] = s->beta;
}

WEIR_BIND_ON_IDLE(htcp);
WEIR_CONTROLLER(htcp, "htcp", .about = "Increases by the time since the last loss, empties the queue on it.",
		.source = "Leith and Shorten 2004; filters unverified", .on_idle = htcp_bound_on_idle);

#endif
