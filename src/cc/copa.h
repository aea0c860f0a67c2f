/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Copa: a rate inversely proportional to the queueing delay, steered towards by steps that grow.
 *
 * Reference: V. Arun and H. Balakrishnan, "Copa: Practical Delay-Based Congestion Control for the Internet",
 * NSDI 2018.
 *
 * Model: with dq = standing RTT - min RTT (the smallest of the last srtt/2, and of the last 10 s), the target
 * is 1 / (delta dq) packets a second. On each ACK the window moves by v / (delta window) packets for each
 * packet acknowledged, up if window / standing RTT is not above the target, else down: v / delta a round.
 * v doubles once a round after the way of the window was the same for three more, and is 1 after a turn.
 * Alone the queue swings between nothing and about 2.5 / delta packets in five round trips. Packets leave at
 * twice window / standing RTT. Slow start doubles until the target is passed.
 *
 * Where the queue was never nearly empty for five round trips (dq <= (max RTT of the last four - min RTT) /
 * 10), somebody else fills it: competitive mode, in which 1 / delta grows by one a round without loss and is
 * halved by a loss, never below 1 / .5. With a nearly empty queue delta is back at .5.
 *
 *   constant      value     reason
 *   delta         .5        the paper; with `mvfst` .05 (as that implementation's default is)
 *   idle_restart  1 s       as in reno.h
 *
 * `mode` is auto (the paper), default (never competitive), or mvfst: never competitive, dq from the newest
 * RTT instead of the standing one. `dq_floor` counts that part of the min RTT as no delay: delay is kept
 * above it, for those who need a queue that is never empty (Nimbus: dq_floor .2, delta .95, mode default;
 * and min_rtt_window 0, or the queue would be taken for the path after ten seconds).
 *
 * Deliberate deviations:
 * 1. An empty queue makes the target infinite. v / delta is at most the window: it never more than doubles in
 *    a round, and up it moves only where it, not the application, was the limit, and not on a marked ACK.
 * 2. Round trips are the endpoint's rounds for v and delta, and multiples of the smoothed RTT for windows of
 *    time, which reach back 7/8 to all of their length (core/recent.h).
 * 3. A timeout leaves one segment and a slow start to half of the window (RFC 5681). The paper has none.
 * 4. Losses change nothing but delta in competitive mode, once an episode; CE marks count there as losses.
 * 5. An undo restores delta; that of a timeout the window as well.
 * 6. Two packets are nearly nothing as well (`nearly_empty`; at its largest rate of ten seconds, and up to a
 *    third of the swing): where a tenth of it is less, Copa would take itself for somebody else.
 * 7. A turn brings v back to 1 at once, not at the end of the round (as mvfst has it): until then a large v
 *    would take the window as far past the target on the other side. */
#ifndef WEIR_CC_COPA_H
#define WEIR_CC_COPA_H

#include "core/recent.h"
#include "core/window.h"

enum copa_choice { COPA_AUTO, COPA_DEFAULT, COPA_MVFST };
enum copa_way { COPA_NO_WAY, COPA_UP, COPA_DOWN };

#define COPA_MIN_RTT_WINDOW_NS (10 * WEIR_NS_PER_S)
#define COPA_MAX_RTT_ROUNDS 4
#define COPA_EMPTY_ROUNDS 5  /* without a nearly empty queue: competitive */
#define COPA_NEARLY_EMPTY 10 /* a tenth of the swing */
#define COPA_PACKETS_SHARE 3
#define COPA_SAME_ROUNDS 4 /* a way, and three rounds more of it, before v doubles */
/* 1 / delta in millionths; its limit is far beyond what competition brings. */
#define COPA_INVERSE(delta) (WEIR_RATIO_ONE * WEIR_RATIO_ONE / (delta))
#define COPA_INVERSE_MAX (100000 * WEIR_RATIO_ONE)
#define COPA_FRACTION_BITS 16 /* of window.credit: what is below one byte */

struct copa {
	struct weir_window window;
	struct weir_recent min_rtt, standing, max_rtt; /* ns */
	struct weir_recent rate;		       /* its own, bytes per second */
	u64 min_rtt_ns, standing_ns, dq_ns;	       /* of now; 0: no sample yet */
	u64 empty_ns;				       /* when the queue was last nearly empty */
	u64 inverse_delta;			       /* millionths */
	u64 prior_inverse_delta;		       /* before the last loss; 0: nothing to undo */
	u64 velocity;
	u64 round_window_bytes; /* the window when this round began */
	u8 way;			/* enum copa_way, of the last round */
	u8 same_rounds;		/* so often */
	u8 competitive;
	u8 lost; /* in this round */
};
_Static_assert(sizeof(struct copa) <= WEIR_CC_MAX_BYTES, "copa fits in a socket's storage");

struct copa_params {
	u64 mode; /* enum copa_choice */
	u64 delta, dq_floor, pacing_gain, nearly_empty_packets;
	u64 min_rtt_window_ns, max_velocity;
	u64 idle_restart_ns;
};

#ifndef __BPF__
static const struct weir_param copa_param_table[] = {
    {"mode", "auto|default|mvfst", COPA_AUTO, 0, COPA_MVFST,
     "auto: as the paper; default: never competitive; mvfst: neither, and by the newest RTT"},
    {"delta", "ratio", 0, 0, 10 * WEIR_RATIO_ONE, "1 / packets in the queue; 0: .5, with mvfst .05"},
    {"dq_floor", "ratio", 0, 0, 100 * WEIR_RATIO_ONE, "this part of the min RTT is no queueing delay"},
    {"pacing_gain", "ratio", 2 * WEIR_RATIO_ONE, 0, 100 * WEIR_RATIO_ONE,
     "windows sent in each standing RTT; 0: no pacing"},
    {"nearly_empty", "packets", 2, 0, 1000, "so few waiting are nobody's queue; 0: the paper's tenth alone"},
    {"min_rtt_window", "ns", COPA_MIN_RTT_WINDOW_NS, 0, 3600 * WEIR_NS_PER_S,
     "the min RTT is the smallest of so long; 0: of all times"},
    {"max_velocity", "", 0, 0, 1ULL << 40, "v never exceeds it; 0: no such bound, as in the paper"},
    WEIR_WINDOW_IDLE_PARAM,
};
static const struct weir_signal copa_signal_table[] = {
    {"mode", ""}, /* 0: slow start, 1: default, 2: competitive */
    {"delta", "ratio"}, {"velocity", ""}, {"standing_rtt", "ns"}, {"min_rtt", "ns"},
};
#endif

WEIR_CORE u64 copa_inverse_delta(const struct copa_params *p)
{
	u64 usual = p->mode == COPA_MVFST ? WEIR_RATIO_ONE / 20 : WEIR_RATIO_ONE / 2;
	return weir_min(COPA_INVERSE(weir_max(p->delta ? p->delta : usual, 1)), COPA_INVERSE_MAX);
}

/* From here on: the step is small, whatever came before. */
WEIR_CORE void copa_begin(struct copa *s, const struct weir_view *v)
{
	s->velocity = 1;
	s->way = COPA_NO_WAY;
	s->same_rounds = s->lost = 0;
	s->round_window_bytes = s->window.cwnd_bytes;
	s->empty_ns = v->now_ns;
}

WEIR_CORE void copa_init(struct copa *s, const struct copa_params *p, const struct weir_view *v,
			 struct weir_out *o)
{
	weir_window_init(&s->window, v);
	weir_recent_init(&s->min_rtt, v->now_ns);
	weir_recent_init(&s->standing, v->now_ns);
	weir_recent_init(&s->max_rtt, v->now_ns);
	weir_recent_init(&s->rate, v->now_ns);
	s->min_rtt_ns = s->standing_ns = s->dq_ns = 0;
	s->inverse_delta = copa_inverse_delta(p);
	s->prior_inverse_delta = 0;
	s->competitive = 0;
	copa_begin(s, v);
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE void copa_take_min_rtt(struct copa *s, const struct copa_params *p, u64 now_ns, u64 rtt_ns)
{
	if (p->min_rtt_window_ns)
		s->min_rtt_ns = weir_recent_add_min(&s->min_rtt, now_ns, p->min_rtt_window_ns, rtt_ns);
	else
		s->min_rtt_ns = s->min_rtt_ns ? weir_min(s->min_rtt_ns, rtt_ns) : rtt_ns;
}

WEIR_CORE void copa_take_rtt(struct copa *s, const struct copa_params *p, const struct weir_view *v,
			     u64 rtt_ns)
{
	u64 now = v->now_ns, srtt = weir_max(v->srtt_ns, 1);
	copa_take_min_rtt(s, p, now, rtt_ns);
	s->standing_ns = weir_recent_add_min(&s->standing, now, srtt / 2, rtt_ns);
	weir_recent_add_max(&s->max_rtt, now, weir_muldiv(srtt, COPA_MAX_RTT_ROUNDS, 1), rtt_ns);
	u64 none = weir_add(s->min_rtt_ns, weir_muldiv(s->min_rtt_ns, p->dq_floor, WEIR_RATIO_ONE));
	s->dq_ns = weir_sub(p->mode == COPA_MVFST ? rtt_ns : s->standing_ns, none);
}

WEIR_CORE void copa_judge_mode(struct copa *s, const struct copa_params *p, const struct weir_view *v)
{
	u64 swing_ns = weir_sub(weir_recent_max(&s->max_rtt), s->min_rtt_ns);
	u64 rate_Bps = weir_muldiv(s->window.cwnd_bytes, WEIR_NS_PER_S, s->standing_ns);
	rate_Bps = weir_recent_add_max(&s->rate, v->now_ns, COPA_MIN_RTT_WINDOW_NS, rate_Bps);
	u64 packets_ns = weir_muldiv(weir_window_mss(v) * p->nearly_empty_packets, WEIR_NS_PER_S, rate_Bps);
	packets_ns = weir_min(packets_ns, swing_ns / COPA_PACKETS_SHARE);
	u64 nearly_ns = weir_max(swing_ns / COPA_NEARLY_EMPTY, packets_ns);
	if (weir_window_in_slow_start(&s->window) || weir_sub(s->standing_ns, s->min_rtt_ns) <= nearly_ns)
		s->empty_ns = v->now_ns;
	bool competitive = weir_sub(v->now_ns, s->empty_ns) > weir_muldiv(v->srtt_ns, COPA_EMPTY_ROUNDS, 1);
	if (s->competitive && !competitive)
		s->inverse_delta = copa_inverse_delta(p);
	s->competitive = competitive && p->mode == COPA_AUTO;
}

/* Once a round: where did the window go, and was there a loss? */
WEIR_CORE void copa_judge_round(struct copa *s, const struct copa_params *p)
{
	u64 cwnd = s->window.cwnd_bytes;
	u8 way = cwnd > s->round_window_bytes ? COPA_UP : COPA_DOWN;
	s->same_rounds = way == s->way ? (u8)weir_min(s->same_rounds + 1U, COPA_SAME_ROUNDS) : 1;
	s->velocity = s->same_rounds < COPA_SAME_ROUNDS
			  ? 1
			  : weir_min(2 * s->velocity, p->max_velocity ? p->max_velocity : 1ULL << 40);
	s->way = way;
	s->round_window_bytes = cwnd;
	if (s->competitive && !s->lost)
		s->inverse_delta = weir_min(s->inverse_delta + WEIR_RATIO_ONE, COPA_INVERSE_MAX);
	s->lost = 0;
}

/* The window at which the rate is the target; the largest there is where nothing waits. */
WEIR_CORE u64 copa_target_bytes(const struct copa *s, u64 mss_bytes)
{
	if (!s->dq_ns)
		return WEIR_WINDOW_MAX_BYTES;
	u64 target = weir_muldiv(mss_bytes * s->inverse_delta, s->standing_ns, s->dq_ns) / WEIR_RATIO_ONE;
	return weir_min(target, WEIR_WINDOW_MAX_BYTES);
}

/* By `change` of 2^-16 bytes. */
WEIR_CORE void copa_up(struct weir_window *w, u64 change)
{
	u64 sum = w->credit + change;
	w->cwnd_bytes = weir_min(w->cwnd_bytes + (sum >> COPA_FRACTION_BITS), WEIR_WINDOW_MAX_BYTES);
	w->credit = sum & ((1ULL << COPA_FRACTION_BITS) - 1);
}

WEIR_CORE void copa_down(struct weir_window *w, u64 change, u64 mss_bytes)
{
	u64 need = weir_sub(change, w->credit), whole = (need >> COPA_FRACTION_BITS) + 1;
	if (change <= w->credit) {
		w->credit -= change;
		return;
	}
	w->credit = (w->credit + (whole << COPA_FRACTION_BITS) - change) & ((1ULL << COPA_FRACTION_BITS) - 1);
	w->cwnd_bytes = weir_max(weir_sub(w->cwnd_bytes, whole), weir_min(w->cwnd_bytes, 2 * mss_bytes));
	w->ssthresh_bytes = weir_min(w->ssthresh_bytes, w->cwnd_bytes); /* this is no slow start */
}

WEIR_CORE void copa_step(struct copa *s, u64 acked_bytes, bool up, u64 mss_bytes)
{
	struct weir_window *w = &s->window;
	if (s->velocity > 1 && s->way != (up ? COPA_UP : COPA_DOWN)) {
		s->velocity = 1;
		s->same_rounds = 0;
	}
	/* v / delta packets a round, at most the window: then v is no larger either */
	u64 one = weir_max(mss_bytes * s->inverse_delta / WEIR_RATIO_ONE, 1);
	s->velocity = weir_clamp(s->velocity, 1, weir_max(w->cwnd_bytes / one, 1));
	u64 step = weir_min(s->velocity * one, w->cwnd_bytes);
	u64 acked = weir_min(acked_bytes, weir_min(w->cwnd_bytes, (1ULL << 46)));
	u64 change = weir_muldiv(acked << COPA_FRACTION_BITS, step, w->cwnd_bytes);
	if (up)
		copa_up(w, change);
	else
		copa_down(w, change, mss_bytes);
}

WEIR_CORE void copa_move(struct copa *s, const struct weir_view *v, const struct weir_ack *a)
{
	u64 mss = weir_window_mss(v), acked = a->acked_bytes;
	bool up = s->window.cwnd_bytes <= copa_target_bytes(s, mss);
	bool may_grow = v->flags & WEIR_CWND_LIMITED && !a->ce_bytes;
	if (weir_window_in_slow_start(&s->window)) {
		if (up) {
			if (may_grow)
				weir_window_slow_start(&s->window, acked);
			return;
		}
		s->window.ssthresh_bytes = s->window.cwnd_bytes;
		copa_begin(s, v);
	}
	if (!up || may_grow)
		copa_step(s, acked, up, mss);
}

WEIR_CORE void copa_say(const struct copa *s, const struct copa_params *p, const struct weir_view *v,
			struct weir_out *o)
{
	o->cwnd_bytes = s->window.cwnd_bytes;
	o->pacing_Bps = weir_window_spread_Bps(s->window.cwnd_bytes, s->window.ssthresh_bytes, p->pacing_gain,
					       weir_window_mss(v), s->standing_ns);
}

/* In BPF apart, where a pointer might be NULL and must be one that could be written through. */
WEIR_CORE_APART u64 copa_ack(struct copa *s, const struct copa_params *p, const struct weir_view *v,
			     const struct weir_ack *a, struct weir_out *o)
{
	if (!s || !p || !v || !a || !o)
		return 0;
	if (a->rtt_ns) {
		copa_take_rtt(s, p, v, a->rtt_ns);
		copa_judge_mode(s, p, v);
	}
	if (v->flags & WEIR_ROUND_START)
		copa_judge_round(s, p);
	copa_move(s, v, a);
	copa_say(s, p, v, o);
	return 1;
}

WEIR_CORE void copa_on_ack(struct copa *s, const struct copa_params *p, const struct weir_view *v,
			   const struct weir_ack *a, struct weir_out *o)
{
	struct copa_params own = *p;
	copa_ack(s, &own, v, a, o);
}

WEIR_CORE void copa_on_loss(struct copa *s, const struct copa_params *p, const struct weir_view *v,
			    const struct weir_loss *l, struct weir_out *o)
{
	if (l->kind == WEIR_LOSS_SPURIOUS) {
		weir_window_undo(&s->window);
		if (s->prior_inverse_delta && s->competitive)
			s->inverse_delta = weir_max(s->inverse_delta, s->prior_inverse_delta);
		s->prior_inverse_delta = 0;
	} else if (l->flags & WEIR_NEW_EPISODE) {
		s->window.prior_cwnd_bytes = 0; /* an undo is of this loss, which takes no window */
		s->prior_inverse_delta = s->inverse_delta;
		s->lost = 1;
		if (s->competitive)
			s->inverse_delta =
			    weir_max(s->inverse_delta / 2, weir_min(copa_inverse_delta(p), s->inverse_delta));
	}
	copa_say(s, p, v, o);
}

WEIR_CORE void copa_on_timeout(struct copa *s, const struct copa_params *p, const struct weir_view *v,
			       struct weir_out *o)
{
	weir_window_timeout(&s->window, s->window.cwnd_bytes / 2, weir_window_mss(v));
	copa_begin(s, v);
	copa_say(s, p, v, o);
}

WEIR_CORE void copa_on_idle(struct copa *s, const struct copa_params *p, const struct weir_view *v,
			    u64 idle_ns, struct weir_out *o)
{
	weir_window_restart(&s->window, v, idle_ns, p->idle_restart_ns);
	copa_begin(s, v);
	copa_say(s, p, v, o);
}

WEIR_CORE void copa_probe(const struct copa *s, u64 value[WEIR_CC_SIGNALS_MAX])
{
	value[0] = weir_window_in_slow_start(&s->window) ? 0 : 1U + s->competitive;
	value[1] = weir_div(WEIR_RATIO_ONE * WEIR_RATIO_ONE, s->inverse_delta);
	value[2] = s->velocity;
	value[3] = s->standing_ns;
	value[4] = s->min_rtt_ns;
}

/* In the middle of a connection, perhaps over a full queue: what the host has seen is a min RTT, too. */
WEIR_CORE void copa_on_seed(struct copa *s, const struct copa_params *p, const struct weir_view *v,
			    u64 cwnd_bytes, struct weir_out *o)
{
	weir_window_seed(&s->window, cwnd_bytes, weir_window_mss(v));
	if (v->min_rtt_ns)
		copa_take_min_rtt(s, p, v->now_ns, v->min_rtt_ns);
	copa_begin(s, v);
	copa_say(s, p, v, o);
}

WEIR_BIND_ON_IDLE(copa);
WEIR_BIND_ON_SEED(copa);
WEIR_CONTROLLER(
    copa, "copa", .needs = WEIR_NEED_OWN_REPAIR,
    .about = "Keeps the rate at 1 / (delta x queueing delay); competes where others fill the queue.",
    .source = "Arun and Balakrishnan 2018", .on_idle = copa_bound_on_idle, .on_seed = copa_bound_on_seed);

#endif
