/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* CUBIC in integers.
 *
 * Reference: RFC 9438 (CUBIC), RFC 9406 (HyStart++), RFC 5681 for slow start and timeouts.
 *
 * Model: after a loss at window W_max the window falls to beta W_max and then follows
 *   W(t) = C (t - K)^3 + W_max,   K = cbrt((W_max - window) / C),   t = time since growth began again:
 * fast at first, flat around W_max, then ever faster. Where Reno would be faster (W_est), Reno's window
 * is used. A loss below the last W_max releases bandwidth: W_max is set lower still (fast convergence).
 * The first slow start ends by HyStart++.
 *
 *   constant          value      reason
 *   beta              .7         RFC 9438 4.6
 *   C                 .4 /s^3    RFC 9438 5: as Reno below 100 ms and 10 Mbit/s or so, faster above
 *   alpha             3(1-beta)/(1+beta), then 1: Reno's mean rate with this beta (RFC 9438 4.3)
 *   fast convergence  (1+beta)/2 RFC 9438 4.7
 *   growth            at most half of what is acknowledged: 1.5 a round (RFC 9438 4.2)
 *   idle_restart      1 s        as in reno.h
 *
 * Fixed point: time on the curve in 2^-16 s, C in bytes per 2^10 s^3, alpha in 2^-14.
 *
 * Deliberate deviations:
 * 1. The window *is* W(t) at each ACK (RFC 9438 4.4 spreads W(t + RTT) - W(t) over the ACKs of a round,
 *    which comes to the same curve half a round's curvature late, and drops remainders). It never falls
 *    on an ACK and never passes the growth limit above.
 * 2. t counts only while the window is what limits the sender: neither silence nor application-limited
 *    rounds move along the curve (RFC 9438 5.8 asks for this without saying how). Silence is what the
 *    host measured since the later of the last ACK and the last packet, so a small window is not idle.
 * 3. A timeout keeps W_max (RFC 9438 4.8 forgets it): it says little about how much the path holds.
 * 4. A loss in the first slow start is charged to the window of one round ago, under which the lost data
 *    left; the present one is up to twice as large and would cause two or three cuts in a row.
 * 5. An undo restores window, ssthresh and W_max; the place on the curve is found again from them, so no
 *    copy of the curve is kept (RFC 9438 4.9.2 copies it).
 * 6. HyStart++ without its limit L, and only in the first slow start: later ones have an ssthresh.
 * 7. Like Reno here: cuts start from the window, not from FlightSize; a CE mark counts as a loss. */
#ifndef WEIR_CC_CUBIC_H
#define WEIR_CC_CUBIC_H

#include "core/hystart.h"
#include "core/window.h"

/* A place on the curve is a time in ns, the plateau W_max standing at this value: one unsigned number
 * for both sides. */
#define CUBIC_PLATEAU_NS (1ULL << 62)
#define CUBIC_FAR_NS (1ULL << 56) /* two years from the plateau: the end of the curve */

enum cubic_phase {
	CUBIC_FIRST_START, /* before any loss: HyStart++ watches */
	CUBIC_NO_CURVE,	   /* the next growth starts a curve */
	CUBIC_RESUME,	   /* as before, after an undo: on the old curve */
	CUBIC_ON_CURVE,
};

struct cubic {
	struct weir_window window; /* on a curve its credit is W_est's */
	u64 w_max_bytes, prior_w_max_bytes;
	union {
		struct weir_hystart start; /* CUBIC_FIRST_START */
		struct {
			u64 w_est_bytes; /* what Reno would have */
			u64 place_ns;	 /* on the curve, see CUBIC_PLATEAU_NS */
			u64 seen_ns;	 /* when place_ns was right */
		} curve;		 /* CUBIC_ON_CURVE */
	};
	u32 slope; /* C in bytes per 2^10 s^3 */
	u16 alpha;
	u8 phase; /* enum cubic_phase */
};
_Static_assert(sizeof(struct cubic) <= WEIR_CC_HOT_BYTES, "cubic fits in a kernel socket");

struct cubic_params {
	u64 beta, slow_start_beta, c;
	u64 fast_convergence, hystart;
	u64 idle_restart_ns;
};

#ifndef __BPF__
static const struct weir_param cubic_param_table[] = {
    {"beta", "ratio", 700000, 300000, 950000, "what a loss leaves of the window"},
    {"slow_start_beta", "ratio", 700000, 300000, 950000,
     "likewise for the first slow start, of the window of one round before"},
    {"c", "ratio", 400000, 10000, 10000000, "steepness of the curve, packets per second cubed"},
    {"fast_convergence", "flag", 1, 0, 1, "release bandwidth when the window peaks below the last peak"},
    {"hystart", "flag", 1, 0, 1, "leave the first slow start when the RTT rises (HyStart++)"},
    WEIR_WINDOW_IDLE_PARAM,
};
static const struct weir_signal cubic_signal_table[] = {
    {"ssthresh", "bytes"},
    {"w_max", "bytes"},
    {"w_est", "bytes"},
    {"to_plateau", "ns"},
};
#endif

WEIR_CORE void cubic_init(struct cubic *s, const struct cubic_params *p, const struct weir_view *v,
			  struct weir_out *o)
{
	weir_window_init(&s->window, v);
	weir_hystart_init(&s->start, s->window.cwnd_bytes);
	s->w_max_bytes = 0;
	s->prior_w_max_bytes = 0;
	s->slope = 0;
	s->alpha = (u16)(3 * WEIR_RATE_ONE * (WEIR_RATIO_ONE - p->beta) / (WEIR_RATIO_ONE + p->beta));
	s->phase = CUBIC_FIRST_START;
	o->cwnd_bytes = s->window.cwnd_bytes;
}

/* C t^3 in bytes for a time from the plateau. The cube is taken of the leading 21 bits, which keeps it
 * in 64 bits with an error below two millionths. */
WEIR_CORE u64 cubic_rise_bytes(u32 slope, u64 t_ns)
{
	u64 t = (weir_min(t_ns, CUBIC_FAR_NS) << 7) / 1953125; /* 2^16 / 10^9, reduced */
	u32 shift = 0;
	if (t >> 21) {
		shift = weir_ilog2(t) - 20;
		t >>= shift;
	}
	/* 2^(3 shift - 48) s^3 in the cube, 31 bits of it dropped, 2^-10 in the slope */
	u64 rise = ((t * t * t) >> 31) * slope;
	u32 up = 3 * shift;
	if (up <= 27)
		return rise >> (27 - up);
	up -= 27;
	return up < 64 && rise <= WEIR_WINDOW_MAX_BYTES >> up ? rise << up : WEIR_WINDOW_MAX_BYTES;
}

/* The time from the plateau at which the curve is `bytes` away from it: cbrt(bytes / C). */
WEIR_CORE u64 cubic_time_ns(u32 slope, u64 bytes)
{
	if (!bytes)
		return 0;
	/* As many binary places as the product below leaves room for, at most 17 (7.6 us). */
	u32 places = (u32)weir_min((52 + weir_ilog2(slope) - weir_ilog2(bytes)) / 3, 17);
	u64 root = weir_cbrt(weir_muldiv(bytes, 1ULL << (3 * places + 10), slope));
	return root * WEIR_NS_PER_S >> places;
}

WEIR_CORE void cubic_start_curve(struct cubic *s, const struct cubic_params *p, const struct weir_view *v)
{
	u64 cwnd = s->window.cwnd_bytes;
	s->slope = (u32)weir_clamp((p->c * weir_window_mss(v) << 10) / WEIR_RATIO_ONE, 1, 0xffffffffU);
	if (cwnd < s->w_max_bytes) {
		s->curve.place_ns = CUBIC_PLATEAU_NS - cubic_time_ns(s->slope, s->w_max_bytes - cwnd);
	} else if (s->phase == CUBIC_RESUME && s->w_max_bytes) {
		s->curve.place_ns = CUBIC_PLATEAU_NS + cubic_time_ns(s->slope, cwnd - s->w_max_bytes);
	} else {
		s->w_max_bytes = cwnd;
		s->curve.place_ns = CUBIC_PLATEAU_NS;
	}
	s->curve.w_est_bytes = cwnd;
	s->curve.seen_ns = v->now_ns;
	/* W_est moves in whole segments; half a one ahead, it is rounded instead of cut off. */
	s->window.credit = cwnd * (WEIR_RATE_ONE / 2);
	s->phase = CUBIC_ON_CURVE;
}

/* Reno's window beside the curve (RFC 9438 4.3): alpha segments a round, one once it has regained what
 * the last cut took. */
WEIR_CORE void cubic_grow_reno(struct cubic *s, u64 acked_bytes, u64 mss_bytes)
{
	u64 rate = s->curve.w_est_bytes < s->window.prior_cwnd_bytes ? s->alpha : WEIR_RATE_ONE;
	u64 growth = weir_window_earn(&s->window, acked_bytes, rate, s->window.cwnd_bytes, mss_bytes);
	s->curve.w_est_bytes = weir_min(s->curve.w_est_bytes + growth, WEIR_WINDOW_MAX_BYTES);
}

WEIR_CORE u64 cubic_curve_bytes(const struct cubic *s)
{
	u64 place = s->curve.place_ns;
	if (place < CUBIC_PLATEAU_NS)
		return weir_sub(s->w_max_bytes, cubic_rise_bytes(s->slope, CUBIC_PLATEAU_NS - place));
	return s->w_max_bytes + cubic_rise_bytes(s->slope, place - CUBIC_PLATEAU_NS);
}

WEIR_CORE void cubic_avoid(struct cubic *s, const struct cubic_params *p, const struct weir_view *v,
			   u64 acked_bytes)
{
	u64 acked = weir_min(acked_bytes, WEIR_WINDOW_MAX_BYTES >> 1);
	if (s->phase != CUBIC_ON_CURVE)
		cubic_start_curve(s, p, v);
	s->curve.place_ns = weir_min(weir_add(s->curve.place_ns, weir_sub(v->now_ns, s->curve.seen_ns)),
				     CUBIC_PLATEAU_NS + CUBIC_FAR_NS);
	s->curve.seen_ns = v->now_ns;
	cubic_grow_reno(s, acked, weir_window_mss(v));

	/* W_est is ahead by more than a segment only where silence has shrunk the window: no jump there. */
	u64 cwnd = s->window.cwnd_bytes;
	u64 curve = weir_min(cubic_curve_bytes(s), cwnd + acked / 2);
	u64 reno = weir_min(s->curve.w_est_bytes, cwnd + acked);
	s->window.cwnd_bytes = weir_min(weir_max(cwnd, weir_max(curve, reno)), WEIR_WINDOW_MAX_BYTES);
}

/* The first slow start: no ssthresh yet, so nothing is left for congestion avoidance. */
WEIR_CORE void cubic_first_start(struct cubic *s, const struct cubic_params *p, const struct weir_view *v,
				 const struct weir_ack *a)
{
	enum weir_hystart_phase phase = WEIR_HYSTART_FAST;
	if (p->hystart)
		phase = weir_hystart_on_ack(&s->start, v, a, s->window.cwnd_bytes);
	else if (v->flags & WEIR_ROUND_START)
		weir_hystart_new_round(&s->start, s->window.cwnd_bytes);
	if (phase == WEIR_HYSTART_DONE) {
		s->window.ssthresh_bytes = s->window.cwnd_bytes;
		s->phase = CUBIC_NO_CURVE;
		return;
	}
	if (!weir_window_may_grow(&s->window, v, a))
		return;
	u64 acked = a->acked_bytes;
	if (phase == WEIR_HYSTART_SLOW) {
		acked = weir_add(acked, s->window.credit);
		s->window.credit = acked % WEIR_HYSTART_CSS_DIVISOR;
		acked /= WEIR_HYSTART_CSS_DIVISOR;
	}
	weir_window_slow_start(&s->window, acked);
}

WEIR_CORE void cubic_on_ack(struct cubic *s, const struct cubic_params *p, const struct weir_view *v,
			    const struct weir_ack *a, struct weir_out *o)
{
	u64 acked = 0;
	if (s->phase == CUBIC_FIRST_START)
		cubic_first_start(s, p, v, a);
	else
		acked = weir_window_take(&s->window, v, a);
	if (acked)
		cubic_avoid(s, p, v, acked);
	else if (s->phase == CUBIC_ON_CURVE)
		s->curve.seen_ns = v->now_ns; /* this time does not count */
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE void cubic_cut(struct cubic *s, const struct cubic_params *p, const struct weir_view *v)
{
	u64 peak = s->window.cwnd_bytes, beta = p->beta;
	if (s->phase == CUBIC_FIRST_START) {
		peak = weir_hystart_lost_window(&s->start, peak);
		beta = p->slow_start_beta;
	}
	s->prior_w_max_bytes = s->w_max_bytes;
	if (p->fast_convergence && peak < s->w_max_bytes)
		s->w_max_bytes = weir_muldiv(peak, WEIR_RATIO_ONE + p->beta, 2 * WEIR_RATIO_ONE);
	else
		s->w_max_bytes = peak;
	weir_window_cut(&s->window, weir_muldiv(peak, beta, WEIR_RATIO_ONE), weir_window_mss(v));
	s->phase = CUBIC_NO_CURVE;
}

WEIR_CORE void cubic_undo(struct cubic *s)
{
	if (!weir_window_undo(&s->window))
		return;
	s->w_max_bytes = s->prior_w_max_bytes;
	s->phase = CUBIC_RESUME;
	if (s->window.ssthresh_bytes == WEIR_NEVER) {
		s->phase = CUBIC_FIRST_START;
		weir_hystart_init(&s->start, s->window.cwnd_bytes);
	}
}

WEIR_CORE void cubic_on_loss(struct cubic *s, const struct cubic_params *p, const struct weir_view *v,
			     const struct weir_loss *l, struct weir_out *o)
{
	if (l->kind == WEIR_LOSS_SPURIOUS)
		cubic_undo(s);
	else if (l->flags & WEIR_NEW_EPISODE)
		cubic_cut(s, p, v);
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE void cubic_on_timeout(struct cubic *s, const struct cubic_params *p, const struct weir_view *v,
				struct weir_out *o)
{
	u64 peak = s->window.cwnd_bytes;
	if (s->phase == CUBIC_FIRST_START)
		peak = weir_hystart_lost_window(&s->start, peak);
	if (weir_window_timeout(&s->window, weir_muldiv(peak, p->beta, WEIR_RATIO_ONE), weir_window_mss(v))) {
		s->prior_w_max_bytes = s->w_max_bytes;
		s->w_max_bytes = weir_max(s->w_max_bytes, peak);
	}
	s->phase = CUBIC_NO_CURVE;
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE void cubic_on_idle(struct cubic *s, const struct cubic_params *p, const struct weir_view *v,
			     u64 idle_ns, struct weir_out *o)
{
	weir_window_restart(&s->window, v, idle_ns, p->idle_restart_ns);
	/* The next ACK sets seen_ns anew: a host that calls whole round trips silence delays the curve, but
	 * cannot push its start into the future for good. */
	if (s->phase == CUBIC_ON_CURVE)
		s->curve.seen_ns = weir_add(s->curve.seen_ns, idle_ns);
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE void cubic_probe(const struct cubic *s, u64 value[WEIR_CC_SIGNALS_MAX])
{
	bool on = s->phase == CUBIC_ON_CURVE;
	value[0] = weir_window_ssthresh_signal(&s->window);
	value[1] = s->w_max_bytes;
	value[2] = on ? s->curve.w_est_bytes : 0;
	value[3] = on ? weir_sub(CUBIC_PLATEAU_NS, s->curve.place_ns) : 0;
}

/* The first curve's plateau is where it begins. */
WEIR_CORE void cubic_on_seed(struct cubic *s, const struct cubic_params *p, const struct weir_view *v,
			     u64 cwnd_bytes, struct weir_out *o)
{
	(void)p;
	weir_window_seed(&s->window, cwnd_bytes, weir_window_mss(v));
	s->phase = CUBIC_NO_CURVE;
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_BIND_ON_IDLE(cubic);
WEIR_BIND_ON_SEED(cubic);
WEIR_CONTROLLER(cubic, "cubic", .about = "Follows a cubic of the time since the last loss; HyStart++.",
		.source = "RFC 9438, RFC 9406", .on_idle = cubic_bound_on_idle,
		.on_seed = cubic_bound_on_seed);

#endif
