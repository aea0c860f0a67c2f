/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* BIC: a binary search for the window at which the last loss came.
 *
 * Reference: L. Xu, K. Harfoush, I. Rhee, "Binary Increase Congestion Control (BIC) for Fast Long-Distance
 * Networks", INFOCOM 2004.
 *
 * Model: below W_max, the window of the last loss, a window acknowledged adds a quarter of the distance to
 * it, at most 16 segments and near it 1/5. Above it the same backwards: 1/5 up to W_max + 4, a third of the
 * distance up to W_max + 48, then 16. A loss leaves beta; below the last W_max it sets W_max lower still
 * (fast convergence). Up to 14 packets it is Reno.
 *
 *   constant        value       reason
 *   beta            .8          what is deployed; the paper's .875, from memory
 *   max_increment   16          what is deployed; the paper's 32, from memory
 *   low_window      14 packets  the paper
 *   steps           4 and 3     what is deployed
 *   slow steps      4 / 20      what is deployed ("smooth part" 20)
 *   idle_restart    1 s         as in reno.h
 * The values deployed are verified, the paper's are not.
 *
 * Deliberate deviations:
 * 1. The increase is a rate at each ACK, spread over the round, not one window update a round.
 * 2. A timeout keeps W_max: it says little about how much the path holds.
 * 3. No limit by time on how often the increase is computed anew, and no growth of 5 % a round before the
 *    first loss: slow start lasts until then.
 * 4. An undo restores W_max with the window. */
#ifndef WEIR_CC_BIC_H
#define WEIR_CC_BIC_H

#include "core/window.h"

#define BIC_STEP 4 /* below W_max: the part of the distance that is taken a round */
#define BIC_STEP_ABOVE 3
#define BIC_SMOOTH 20 /* rounds for BIC_STEP packets close to W_max */

struct bic {
	struct weir_window window;
	u64 w_max_bytes, prior_w_max_bytes;
};

struct bic_params {
	u64 beta, low_window_packets, max_increment_packets, fast_convergence;
	u64 idle_restart_ns;
};

#ifndef __BPF__
static const struct weir_param bic_param_table[] = {
    {"beta", "ratio", 800000, 300000, 950000, "what a loss leaves of the window"},
    {"low_window", "packets", 14, 0, 1000000, "Reno up to this window"},
    {"max_increment", "packets", 16, 1, 10000, "largest growth a round"},
    {"fast_convergence", "flag", 1, 0, 1, "release bandwidth when the window peaks below the last peak"},
    WEIR_WINDOW_IDLE_PARAM,
};
static const struct weir_signal bic_signal_table[] = {
    {"ssthresh", "bytes"},
    {"w_max", "bytes"},
};
#endif

WEIR_CORE void bic_init(struct bic *s, const struct bic_params *p, const struct weir_view *v,
			struct weir_out *o)
{
	(void)p;
	weir_window_init(&s->window, v);
	s->w_max_bytes = 0;
	s->prior_w_max_bytes = 0;
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE bool bic_is_reno(const struct bic *s, const struct bic_params *p, u64 mss_bytes)
{
	return s->window.cwnd_bytes <= p->low_window_packets * mss_bytes;
}

/* Segments a round. */
WEIR_CORE u64 bic_rate(const struct bic *s, const struct bic_params *p, u64 mss_bytes)
{
	u64 cwnd = s->window.cwnd_bytes, most = p->max_increment_packets * mss_bytes;
	u64 slow = mss_bytes * BIC_STEP / BIC_SMOOTH, step;
	if (bic_is_reno(s, p, mss_bytes))
		return WEIR_RATE_ONE;
	if (cwnd < s->w_max_bytes) {
		step = (s->w_max_bytes - cwnd) / BIC_STEP;
		if (step <= mss_bytes)
			step = slow;
	} else {
		u64 over = cwnd - s->w_max_bytes;
		step = over < BIC_STEP * mss_bytes ? slow : over / BIC_STEP_ABOVE;
	}
	return (weir_min(step, most) << WEIR_RATE_BITS) / mss_bytes;
}

WEIR_CORE void bic_on_ack(struct bic *s, const struct bic_params *p, const struct weir_view *v,
			  const struct weir_ack *a, struct weir_out *o)
{
	u64 acked = weir_window_take(&s->window, v, a), mss = weir_window_mss(v);
	if (acked)
		weir_window_grow(&s->window, acked, bic_rate(s, p, mss), mss);
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE u64 bic_target(const struct bic *s, const struct bic_params *p, u64 mss_bytes)
{
	u64 cwnd = s->window.cwnd_bytes;
	return bic_is_reno(s, p, mss_bytes) ? cwnd / 2 : weir_muldiv(cwnd, p->beta, WEIR_RATIO_ONE);
}

WEIR_CORE void bic_on_loss(struct bic *s, const struct bic_params *p, const struct weir_view *v,
			   const struct weir_loss *l, struct weir_out *o)
{
	u64 mss = weir_window_mss(v), peak = s->window.cwnd_bytes;
	if (l->kind == WEIR_LOSS_SPURIOUS) {
		if (weir_window_undo(&s->window))
			s->w_max_bytes = s->prior_w_max_bytes;
	} else if (l->flags & WEIR_NEW_EPISODE) {
		s->prior_w_max_bytes = s->w_max_bytes;
		if (p->fast_convergence && peak < s->w_max_bytes)
			s->w_max_bytes = weir_muldiv(peak, WEIR_RATIO_ONE + p->beta, 2 * WEIR_RATIO_ONE);
		else
			s->w_max_bytes = peak;
		weir_window_cut(&s->window, bic_target(s, p, mss), mss);
	}
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE void bic_on_timeout(struct bic *s, const struct bic_params *p, const struct weir_view *v,
			      struct weir_out *o)
{
	u64 mss = weir_window_mss(v), peak = s->window.cwnd_bytes;
	if (weir_window_timeout(&s->window, bic_target(s, p, mss), mss)) {
		s->prior_w_max_bytes = s->w_max_bytes;
		s->w_max_bytes = weir_max(s->w_max_bytes, peak);
	}
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE void bic_probe(const struct bic *s, u64 value[WEIR_CC_SIGNALS_MAX])
{
	value[0] = weir_window_ssthresh_signal(&s->window);
	value[1] = s->w_max_bytes;
}

WEIR_WINDOW_ON_IDLE(bic);
WEIR_CONTROLLER(bic, "bic", .about = "Searches for the window of the last loss by bisection.",
		.source = "Xu, Harfoush, Rhee 2004; the paper's own constants unverified",
		.on_idle = bic_bound_on_idle);

#endif
