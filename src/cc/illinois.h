/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* TCP-Illinois: loss decides when, delay decides by how much.
 *
 * Reference: S. Liu, T. Basar, R. Srikant, "TCP-Illinois: A loss- and delay-based congestion control
 * algorithm for high-speed networks", VALUETOOLS 2006.
 *
 * Model: once a round, with d_m the largest and d_a this round's mean queueing delay (RTT - smallest RTT),
 *   alpha = 10                                    d_a <= d_1 = d_m / 100
 *   alpha = k_1 / (k_2 + d_a)                     beyond, falling from 10 at d_1 to .3 at d_m
 *   beta  = 1/8 up to d_m / 10, 1/2 from 8/10 d_m on, linear between.
 * A window acknowledged adds alpha segments, a loss takes beta of the window. Below 15 packets it is Reno.
 *
 *   constant      value         reason
 *   alpha         .3 to 10      the paper
 *   beta          1/8 to 1/2    the paper
 *   theta         5 rounds      low delay for so long before alpha returns to 10
 *   low_window    15 packets    as deployed
 *   idle_restart  1 s           as in reno.h
 *
 * Deliberate deviations:
 * 1. RTTs in microseconds up to 71 minutes. A round without samples, or of the repair of losses, is not
 *    judged.
 * 2. A timeout sets alpha to 1 and beta to 1/2 (as deployed) until the next round is judged; its undo
 *    restores both. */
#ifndef WEIR_CC_ILLINOIS_H
#define WEIR_CC_ILLINOIS_H

#include "core/window.h"

#define ILLINOIS_ALPHA_MAX (10 * WEIR_RATE_ONE)
#define ILLINOIS_ALPHA_MIN (3 * WEIR_RATE_ONE / 10)
#define ILLINOIS_BETA_MIN (WEIR_RATIO_ONE / 8)
#define ILLINOIS_BETA_MAX (WEIR_RATIO_ONE / 2)

struct illinois {
	struct weir_window window;
	u64 sum_us;		/* of this round's RTTs */
	u32 samples;		/* in it */
	u32 base_us, max_us;	/* smallest and largest RTT ever; 0: none yet */
	u32 alpha, prior_alpha; /* WEIR_RATE_ONE is one segment a round */
	u32 beta, prior_beta;	/* what a loss takes, WEIR_RATIO_ONE is one; prior: before a timeout, with
				   an alpha of 0: none */
	u8 high;		/* the delay has been above d_1 */
	u8 low_rounds;		/* rounds of low delay since then */
};
_Static_assert(sizeof(struct illinois) <= WEIR_CC_HOT_BYTES, "illinois fits in a kernel socket");

struct illinois_params {
	u64 low_window_packets, theta;
	u64 idle_restart_ns;
};

#ifndef __BPF__
static const struct weir_param illinois_param_table[] = {
    {"low_window", "packets", 15, 0, 1000000, "Reno below this window"},
    {"theta", "", 5, 1, 100, "rounds of low delay before the increase is largest again"},
    WEIR_WINDOW_IDLE_PARAM,
};
static const struct weir_signal illinois_signal_table[] = {
    {"ssthresh", "bytes"},
    {"alpha", "ratio"},
    {"beta", "ratio"},
};
#endif

WEIR_CORE void illinois_new_round(struct illinois *s)
{
	s->sum_us = 0;
	s->samples = 0;
}

WEIR_CORE void illinois_init(struct illinois *s, const struct illinois_params *p, const struct weir_view *v,
			     struct weir_out *o)
{
	(void)p;
	weir_window_init(&s->window, v);
	illinois_new_round(s);
	s->base_us = s->max_us = 0;
	s->alpha = ILLINOIS_ALPHA_MAX;
	s->beta = ILLINOIS_BETA_MAX;
	s->prior_alpha = s->prior_beta = 0;
	s->high = s->low_rounds = 0;
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE u64 illinois_alpha(struct illinois *s, const struct illinois_params *p, u64 d_a, u64 d_m)
{
	u64 d_1 = d_m / 100;
	if (d_a > d_1) {
		u64 over = (d_a - d_1) * (10 * 10 - 3) / 3; /* (10 - .3) / .3 */
		s->high = 1;
		s->low_rounds = 0;
		return weir_muldiv(ILLINOIS_ALPHA_MAX, d_m - d_1, d_m - d_1 + over);
	}
	if (s->high && ++s->low_rounds < p->theta)
		return s->alpha;
	s->high = s->low_rounds = 0;
	return ILLINOIS_ALPHA_MAX;
}

WEIR_CORE u64 illinois_beta(u64 d_a, u64 d_m)
{
	u64 d_2 = d_m / 10, d_3 = d_m * 8 / 10;
	if (d_a <= d_2)
		return ILLINOIS_BETA_MIN;
	if (d_a >= d_3)
		return ILLINOIS_BETA_MAX;
	return ILLINOIS_BETA_MIN + weir_muldiv(ILLINOIS_BETA_MAX - ILLINOIS_BETA_MIN, d_a - d_2, d_3 - d_2);
}

WEIR_CORE void illinois_judge_round(struct illinois *s, const struct illinois_params *p)
{
	if (!s->samples)
		return;
	u64 d_m = s->max_us - s->base_us;
	u64 d_a = weir_min(weir_sub(s->sum_us / s->samples, s->base_us), d_m);
	s->alpha = (u32)illinois_alpha(s, p, d_a, d_m);
	s->beta = (u32)illinois_beta(d_a, d_m);
}

WEIR_CORE void illinois_take_rtt(struct illinois *s, const struct weir_ack *a)
{
	if (!a->rtt_ns || s->samples == 0xffffffffU)
		return;
	u32 rtt_us = (u32)weir_clamp(a->rtt_ns / WEIR_NS_PER_US, 1, 0xffffffffU);
	if (!s->base_us || rtt_us < s->base_us)
		s->base_us = rtt_us;
	if (rtt_us > s->max_us)
		s->max_us = rtt_us;
	s->sum_us += rtt_us;
	s->samples++;
}

WEIR_CORE void illinois_on_ack(struct illinois *s, const struct illinois_params *p, const struct weir_view *v,
			       const struct weir_ack *a, struct weir_out *o)
{
	u64 mss = weir_window_mss(v), acked = weir_window_take(&s->window, v, a);
	if (v->flags & WEIR_ROUND_START) {
		if (!(v->flags & WEIR_RECOVERY))
			illinois_judge_round(s, p);
		illinois_new_round(s);
	}
	illinois_take_rtt(s, a);
	if (acked) {
		bool reno = s->window.cwnd_bytes < p->low_window_packets * mss;
		weir_window_grow(&s->window, acked, reno ? WEIR_RATE_ONE : s->alpha, mss);
	}
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE u64 illinois_target(const struct illinois *s, const struct illinois_params *p, u64 mss_bytes)
{
	u64 cwnd = s->window.cwnd_bytes;
	if (cwnd < p->low_window_packets * mss_bytes)
		return cwnd / 2;
	return cwnd - weir_muldiv(cwnd, s->beta, WEIR_RATIO_ONE);
}

WEIR_CORE void illinois_on_loss(struct illinois *s, const struct illinois_params *p,
				const struct weir_view *v, const struct weir_loss *l, struct weir_out *o)
{
	u64 mss = weir_window_mss(v);
	if (l->kind == WEIR_LOSS_SPURIOUS) {
		if (weir_window_undo(&s->window) && s->prior_alpha) {
			s->alpha = s->prior_alpha;
			s->beta = s->prior_beta;
		}
	} else if (l->flags & WEIR_NEW_EPISODE) {
		weir_window_cut(&s->window, illinois_target(s, p, mss), mss);
		s->prior_alpha = 0;
		illinois_new_round(s);
	}
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE void illinois_on_timeout(struct illinois *s, const struct illinois_params *p,
				   const struct weir_view *v, struct weir_out *o)
{
	u64 mss = weir_window_mss(v);
	if (weir_window_timeout(&s->window, illinois_target(s, p, mss), mss)) {
		s->prior_alpha = s->alpha;
		s->prior_beta = s->beta;
	}
	s->alpha = WEIR_RATE_ONE;
	s->beta = ILLINOIS_BETA_MAX;
	s->high = s->low_rounds = 0;
	illinois_new_round(s);
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE void illinois_on_idle(struct illinois *s, const struct illinois_params *p,
				const struct weir_view *v, u64 idle_ns, struct weir_out *o)
{
	weir_window_restart(&s->window, v, idle_ns, p->idle_restart_ns);
	illinois_new_round(s);
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE void illinois_probe(const struct illinois *s, u64 value[WEIR_CC_SIGNALS_MAX])
{
	value[0] = weir_window_ssthresh_signal(&s->window);
	value[1] = weir_rate_signal(s->alpha);
	value[2] = s->beta;
}

WEIR_BIND_ON_IDLE(illinois);
WEIR_CONTROLLER(
    illinois, "illinois",
    .about = "Loss decides when to cut; the mean queueing delay, how fast to grow and how deep to cut.",
    .source = "Liu, Basar, Srikant 2006", .on_idle = illinois_bound_on_idle);

#endif
