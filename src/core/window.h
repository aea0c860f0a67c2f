/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The window that every loss-based controller keeps, and the few things that are done to it: slow start
 * and linear increase by bytes (RFC 3465), one cut with a memory, its undo, the timeout, the restart
 * after silence. The window is the controller's own, in bytes; nobody else writes it. */
#ifndef WEIR_CORE_WINDOW_H
#define WEIR_CORE_WINDOW_H

#include "weir/cc.h"

/* Far above any path (2^48 bytes fly for 37 minutes at 1 Tbit/s), low enough that products with small
 * fixed-point factors stay inside 64 bits. */
#define WEIR_WINDOW_MAX_BYTES (1ULL << 48)
/* A rate of growth: 2^-14 segments for each so many bytes acknowledged. */
#define WEIR_RATE_BITS 14
#define WEIR_RATE_ONE (1ULL << WEIR_RATE_BITS)
/* Parameters of unit "ratio" are in millionths. */
#define WEIR_RATIO_ONE 1000000ULL
/* A segment that no network carries, so that a window of two segments can be multiplied at will. */
#define WEIR_MSS_MAX_BYTES 65535ULL

struct weir_window {
	u64 cwnd_bytes;
	u64 ssthresh_bytes;	  /* WEIR_NEVER until the first signal of congestion */
	u64 credit;		  /* acknowledged, not yet turned into growth; the unit is its user's */
	u64 prior_cwnd_bytes;	  /* before the last cut; 0: nothing to undo */
	u64 prior_ssthresh_bytes; /* likewise */
};

WEIR_CORE u64 weir_window_mss(const struct weir_view *v)
{
	return weir_clamp(v->mss_bytes, 1, WEIR_MSS_MAX_BYTES);
}

/* RFC 6928 where the host gives no window of its own. */
WEIR_CORE u64 weir_window_initial(const struct weir_view *v)
{
	u64 mss = weir_window_mss(v);
	u64 initial = v->initial_bytes ? v->initial_bytes : weir_min(10 * mss, weir_max(2 * mss, 14600));
	return weir_clamp(initial, mss, WEIR_WINDOW_MAX_BYTES);
}

WEIR_CORE void weir_window_init(struct weir_window *w, const struct weir_view *v)
{
	w->cwnd_bytes = weir_window_initial(v);
	w->ssthresh_bytes = WEIR_NEVER;
	w->credit = 0;
	w->prior_cwnd_bytes = 0;
	w->prior_ssthresh_bytes = 0;
}

/* Right after init: as it would be in congestion avoidance, at least two segments. */
WEIR_CORE void weir_window_seed(struct weir_window *w, u64 cwnd_bytes, u64 mss_bytes)
{
	w->cwnd_bytes = w->ssthresh_bytes = weir_clamp(cwnd_bytes, 2 * mss_bytes, WEIR_WINDOW_MAX_BYTES);
}

WEIR_CORE bool weir_window_in_slow_start(const struct weir_window *w)
{
	return w->cwnd_bytes < w->ssthresh_bytes;
}

/* A window grows only where it, and nothing else, held the sender back, and never on an ACK that says
 * "congested". While lost data is repaired it stands still - except below ssthresh, which in repair is
 * the slow start after a timeout: without it, a window of lost data would come back one segment a round. */
WEIR_CORE bool weir_window_may_grow(const struct weir_window *w, const struct weir_view *v,
				    const struct weir_ack *a)
{
	if (!(v->flags & WEIR_CWND_LIMITED) || a->ce_bytes)
		return false;
	return !(v->flags & WEIR_RECOVERY) || weir_window_in_slow_start(w);
}

/* Grows by what was acknowledged, up to ssthresh. Returns the bytes left for congestion avoidance, so
 * that an ACK for many segments loses nothing where the two meet. */
WEIR_CORE u64 weir_window_slow_start(struct weir_window *w, u64 acked_bytes)
{
	u64 grown = weir_add(w->cwnd_bytes, acked_bytes);
	u64 limit = weir_min(w->ssthresh_bytes, WEIR_WINDOW_MAX_BYTES);
	if (grown <= limit) {
		w->cwnd_bytes = grown;
		return 0;
	}
	w->cwnd_bytes = weir_max(w->cwnd_bytes, limit);
	return grown - w->cwnd_bytes;
}

/* What an ACK leaves for congestion avoidance once slow start has taken its part; 0 where nothing grows. */
WEIR_CORE u64 weir_window_take(struct weir_window *w, const struct weir_view *v, const struct weir_ack *a)
{
	if (!weir_window_may_grow(w, v, a))
		return 0;
	u64 acked = a->acked_bytes;
	if (weir_window_in_slow_start(w))
		acked = weir_window_slow_start(w, acked);
	return v->flags & WEIR_RECOVERY ? 0 : acked;
}

/* Growth in bytes that these have earned: `increase` segments (WEIR_RATE_ONE is one) for each `per_bytes`
 * acknowledged, in whole segments. What is left over is kept for the next ACK, in 2^-14 bytes. */
WEIR_CORE u64 weir_window_earn(struct weir_window *w, u64 acked_bytes, u64 increase, u64 per_bytes,
			       u64 mss_bytes)
{
	u64 full = per_bytes << WEIR_RATE_BITS;
	w->credit = weir_add(w->credit, weir_muldiv(acked_bytes, increase, 1));
	if (w->credit < full)
		return 0;
	/* Two segments in one ACK happen only to tiny windows and merged ACKs: no division for the rest. */
	u64 segments = 1;
	if (w->credit - full >= full)
		segments = weir_div(w->credit, full);
	w->credit -= segments * full;
	/* Never faster than slow start, however small the window is; and what is too much is not kept. */
	return weir_min(weir_min(segments, WEIR_WINDOW_MAX_BYTES >> 16) * mss_bytes,
			weir_max(acked_bytes, mss_bytes));
}

/* The same as growth of the window, which is returned. */
WEIR_CORE u64 weir_window_grow_per(struct weir_window *w, u64 acked_bytes, u64 increase, u64 per_bytes,
				   u64 mss_bytes)
{
	u64 before = w->cwnd_bytes;
	u64 growth = weir_window_earn(w, acked_bytes, increase, per_bytes, mss_bytes);
	w->cwnd_bytes = weir_min(before + growth, WEIR_WINDOW_MAX_BYTES);
	return weir_sub(w->cwnd_bytes, before);
}

/* `increase` segments for each window acknowledged. */
WEIR_CORE u64 weir_window_grow(struct weir_window *w, u64 acked_bytes, u64 increase, u64 mss_bytes)
{
	return weir_window_grow_per(w, acked_bytes, increase, w->cwnd_bytes, mss_bytes);
}

/* Down to `target`, at least two segments; what was there before can be brought back once. */
WEIR_CORE void weir_window_cut(struct weir_window *w, u64 target_bytes, u64 mss_bytes)
{
	w->prior_cwnd_bytes = w->cwnd_bytes;
	w->prior_ssthresh_bytes = w->ssthresh_bytes;
	w->ssthresh_bytes = weir_max(target_bytes, 2 * mss_bytes);
	w->cwnd_bytes = weir_min(w->cwnd_bytes, w->ssthresh_bytes);
	/* Credit gathered under a large window would be a jump under a small one. */
	w->credit = 0;
}

/* RFC 5681 section 3.1: one segment. Returns false for the timeout of a segment that was already sent
 * again by the timer: that one says nothing new, ssthresh stays. */
WEIR_CORE bool weir_window_timeout(struct weir_window *w, u64 target_bytes, u64 mss_bytes)
{
	bool first = w->cwnd_bytes > mss_bytes || w->ssthresh_bytes == WEIR_NEVER;
	if (first)
		weir_window_cut(w, target_bytes, mss_bytes);
	w->cwnd_bytes = mss_bytes;
	w->credit = 0;
	return first;
}

/* The last cut was a mistake. Returns false if there is none to undo. */
WEIR_CORE bool weir_window_undo(struct weir_window *w)
{
	if (!w->prior_cwnd_bytes)
		return false;
	w->cwnd_bytes = weir_max(w->cwnd_bytes, w->prior_cwnd_bytes);
	w->ssthresh_bytes = w->prior_ssthresh_bytes;
	w->prior_cwnd_bytes = 0;
	return true;
}

/* After silence the window says little about the path. RFC 5681 section 4.1 falls to the restart window
 * min(IW, cwnd) at once after one RTO; here it is halved for each such period (RFC 2861), never below
 * that restart window, and ssthresh remembers three quarters of what was in use. A period is at least
 * two smoothed round trips: a controller does not see the RTO. `period_ns` = 0 turns this off. */
WEIR_CORE void weir_window_restart(struct weir_window *w, const struct weir_view *v, u64 idle_ns,
				   u64 period_ns)
{
	u64 period = weir_max(period_ns, weir_add(v->srtt_ns, v->srtt_ns));
	u64 floor = weir_window_initial(v);
	if (!period_ns || idle_ns < period || w->cwnd_bytes <= floor)
		return;
	if (w->ssthresh_bytes != WEIR_NEVER)
		w->ssthresh_bytes = weir_max(w->ssthresh_bytes, w->cwnd_bytes / 2 + w->cwnd_bytes / 4);
	u64 halvings = weir_min(idle_ns / period, 48);
	w->cwnd_bytes = weir_max(w->cwnd_bytes >> halvings, floor);
	w->credit = 0;
}

/* The same for the controllers that have nothing else to do then: a callback, its binder and its parameter.
 */
#define WEIR_WINDOW_ON_IDLE(name)                                                                            \
	WEIR_CORE void name##_on_idle(struct name *s, const struct name##_params *p,                         \
				      const struct weir_view *v, u64 idle_ns, struct weir_out *o)            \
	{                                                                                                    \
		weir_window_restart(&s->window, v, idle_ns, p->idle_restart_ns);                             \
		o->cwnd_bytes = s->window.cwnd_bytes;                                                        \
	}                                                                                                    \
	WEIR_BIND_ON_IDLE(name)
#define WEIR_WINDOW_ON_SEED(name)                                                                            \
	WEIR_CORE void name##_on_seed(struct name *s, const struct name##_params *p,                         \
				      const struct weir_view *v, u64 cwnd_bytes, struct weir_out *o)         \
	{                                                                                                    \
		(void)p;                                                                                     \
		weir_window_seed(&s->window, cwnd_bytes, weir_window_mss(v));                                \
		o->cwnd_bytes = s->window.cwnd_bytes;                                                        \
	}                                                                                                    \
	WEIR_BIND_ON_SEED(name)
#define WEIR_WINDOW_IDLE_PARAM                                                                               \
	{                                                                                                    \
		"idle_restart", "ns", WEIR_NS_PER_S, 0, 3600 * WEIR_NS_PER_S,                                \
		    "silence after which the window is halved, and again for each such time; 0: never"       \
	}

/* In BPF apart: inlined, its ways multiply those of what is before it beyond what the verifier walks. */
#ifdef __BPF__
u64 weir_window_spread_Bps(u64 cwnd_bytes, u64 ssthresh_bytes, u64 gain, u64 mss_bytes, u64 srtt_ns);
#endif
WEIR_CORE_APART u64 weir_window_spread_Bps(u64 cwnd_bytes, u64 ssthresh_bytes, u64 gain, u64 mss_bytes,
					   u64 srtt_ns)
{
	if (!gain || !srtt_ns)
		return 0;
	if (cwnd_bytes < ssthresh_bytes)
		gain = weir_max(gain, 2 * WEIR_RATIO_ONE);
	u64 bytes = weir_max(weir_muldiv(cwnd_bytes, gain, WEIR_RATIO_ONE), mss_bytes);
	return weir_max(weir_muldiv(bytes, WEIR_NS_PER_S, srtt_ns), 1);
}

/* `gain` (WEIR_RATIO_ONE is one) windows in each smoothed round trip, at least two in slow start. 0, no
 * opinion, with a gain of 0 or before the first RTT sample. */
WEIR_CORE u64 weir_window_pace_Bps(const struct weir_window *w, const struct weir_view *v, u64 gain)
{
	return gain ? weir_window_spread_Bps(w->cwnd_bytes, w->ssthresh_bytes, gain, weir_window_mss(v),
					     v->srtt_ns)
		    : 0;
}

/* A signal's value for a rate of growth: segments a round, a ratio. */
WEIR_CORE u64 weir_rate_signal(u64 increase)
{
	return weir_muldiv(increase, WEIR_RATIO_ONE, WEIR_RATE_ONE);
}

/* A signal's value for ssthresh: 0 = not known yet, as everywhere. */
WEIR_CORE u64 weir_window_ssthresh_signal(const struct weir_window *w)
{
	return w->ssthresh_bytes == WEIR_NEVER ? 0 : w->ssthresh_bytes;
}

#endif
