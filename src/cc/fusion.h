/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* TCP-Fusion: three modes by the queueing delay, and never less than Reno.
 *
 * Reference: K. Kaneko, T. Fujikawa, Z. Su, J. Katto, "TCP-Fusion: A Hybrid Congestion Control Algorithm for
 * High-speed Networks", PFLDnet 2007. The rules are those of two ports for ns-3, which differ in what
 * happens each ACK and what each round: unverified.
 *
 * Model: once a round, with delay = rtt - base (core/queue.h) and B the bandwidth, filtered:
 *   delay < D          a window acknowledged adds B d, what the path carries in d
 *   D to 3 D           the window stays
 *   above 3 D          it falls by window (delay - D) / rtt, to a queue of D
 * but never below the window that Reno would have, which halves at a loss and gains a segment a round. A loss
 * leaves base / rtt of the window, at least half: what empties the queue.
 *
 *   constant      value   reason
 *   D             4 ms    the paper: a tick of the timer
 *   d             1 ms    a port's, unverified
 *   filter        .9      Westwood's, once a round
 *   idle_restart  1 s     as in reno.h
 *
 * Deliberate deviations:
 * 1. Amounts are for a round: growth is spread over its ACKs, a decrease comes at once when it ends.
 * 2. A round with fewer than three RTT samples grows as Reno.
 * 3. A loss takes a packet at least, also with an empty queue; a timeout halves ssthresh.
 * 4. Reno's window follows slow start, is counted by rounds in which the window was used, and is restored by
 *    an undo. */
#ifndef WEIR_CC_FUSION_H
#define WEIR_CC_FUSION_H

#include "core/queue.h"

struct fusion {
	struct weir_window window;
	struct weir_queue queue;
	u64 reno_bytes; /* what Reno would have */
	u64 prior_reno_bytes;
	u32 rate_kBps; /* the bandwidth; 0: not known */
	u32 growth;    /* in this round; WEIR_RATE_ONE is one segment */
};
_Static_assert(sizeof(struct fusion) <= WEIR_CC_HOT_BYTES, "fusion fits in a kernel socket");

struct fusion_params {
	u64 hold_ns, step_ns;
	u64 idle_restart_ns;
};

#ifndef __BPF__
static const struct weir_param fusion_param_table[] = {
    {"hold", "ns", 4 * WEIR_NS_PER_MS, WEIR_NS_PER_US, WEIR_NS_PER_S, "D: queueing delay at which it stays"},
    {"step", "ns", WEIR_NS_PER_MS, WEIR_NS_PER_US, WEIR_NS_PER_S, "d: growth a round, in time (unverified)"},
    WEIR_WINDOW_IDLE_PARAM,
};
static const struct weir_signal fusion_signal_table[] = {
    {"ssthresh", "bytes"},
    {"base_rtt", "ns"},
    {"reno", "bytes"},
    {"bandwidth", "Bps"},
};
#endif

WEIR_CORE void fusion_init(struct fusion *s, const struct fusion_params *p, const struct weir_view *v,
			   struct weir_out *o)
{
	(void)p;
	weir_window_init(&s->window, v);
	weir_queue_init(&s->queue, &s->window);
	s->reno_bytes = s->prior_reno_bytes = s->window.cwnd_bytes;
	s->rate_kBps = 0;
	s->growth = WEIR_RATE_ONE;
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE void fusion_take_rate(struct fusion *s, const struct weir_view *v)
{
	u64 now_kBps = weir_min(v->delivery_Bps / 1000, 0xffffffffU);
	if (now_kBps && !(v->flags & WEIR_APP_LIMITED))
		s->rate_kBps = (u32)(s->rate_kBps ? (9 * (u64)s->rate_kBps + now_kBps) / 10 : now_kBps);
}

/* B d in segments. */
WEIR_CORE u32 fusion_step(const struct fusion *s, const struct fusion_params *p, u64 mss_bytes)
{
	u64 bytes = weir_muldiv(s->rate_kBps * 1000ULL, p->step_ns, WEIR_NS_PER_S);
	return (u32)weir_min(weir_muldiv(bytes, WEIR_RATE_ONE, mss_bytes), 0xffffffffU);
}

WEIR_CORE void fusion_judge_round(struct fusion *s, const struct fusion_params *p, u64 mss_bytes)
{
	u64 cwnd = s->window.cwnd_bytes, delay_ns = weir_queue_delay_ns(&s->queue);
	if (s->queue.used)
		s->reno_bytes = weir_min(s->reno_bytes + mss_bytes, WEIR_WINDOW_MAX_BYTES);
	s->growth = 0;
	if (!weir_queue_is_known(&s->queue)) {
		s->growth = WEIR_RATE_ONE;
	} else if (delay_ns < p->hold_ns) {
		s->growth = fusion_step(s, p, mss_bytes);
	} else if (delay_ns > 3 * p->hold_ns && cwnd > s->reno_bytes) {
		u64 surplus =
		    weir_muldiv(s->queue.round_window_bytes, delay_ns - p->hold_ns, s->queue.round_min_ns);
		weir_queue_settle(&s->window, weir_max(weir_sub(cwnd, surplus), s->reno_bytes), mss_bytes);
	}
	if (s->reno_bytes >= s->window.cwnd_bytes)
		s->growth = (u32)weir_max(s->growth, WEIR_RATE_ONE);
}

WEIR_CORE void fusion_on_ack(struct fusion *s, const struct fusion_params *p, const struct weir_view *v,
			     const struct weir_ack *a, struct weir_out *o)
{
	u64 mss = weir_window_mss(v);
	if (v->flags & WEIR_ROUND_START) {
		fusion_take_rate(s, v);
		if (!(v->flags & WEIR_RECOVERY) && !weir_window_in_slow_start(&s->window))
			fusion_judge_round(s, p, mss);
		weir_queue_new_round(&s->queue, &s->window);
	}
	weir_queue_on_ack(&s->queue, a, weir_window_may_grow(&s->window, v, a));
	u64 acked = weir_window_take(&s->window, v, a);
	if (weir_window_in_slow_start(&s->window))
		s->reno_bytes = s->window.cwnd_bytes;
	else if (acked)
		weir_window_grow(&s->window, acked, s->growth, mss);
	o->cwnd_bytes = s->window.cwnd_bytes;
}

/* base / rtt of the window, half at least and where there is no rtt. */
WEIR_CORE u64 fusion_target(const struct fusion *s, u64 mss_bytes)
{
	u64 cwnd = s->window.cwnd_bytes;
	u64 left = weir_muldiv(cwnd, s->queue.base_ns, s->queue.round_min_ns);
	return weir_clamp(left, cwnd / 2, weir_max(weir_sub(cwnd, mss_bytes), cwnd / 2));
}

WEIR_CORE void fusion_congested(struct fusion *s, u64 reno_bytes)
{
	s->prior_reno_bytes = s->reno_bytes;
	s->reno_bytes = weir_min(reno_bytes, s->window.cwnd_bytes);
	s->growth = WEIR_RATE_ONE;
}

WEIR_CORE void fusion_on_loss(struct fusion *s, const struct fusion_params *p, const struct weir_view *v,
			      const struct weir_loss *l, struct weir_out *o)
{
	(void)p;
	u64 mss = weir_window_mss(v);
	if (l->kind == WEIR_LOSS_SPURIOUS) {
		if (weir_window_undo(&s->window))
			s->reno_bytes = s->prior_reno_bytes;
	} else if (l->flags & WEIR_NEW_EPISODE) {
		weir_window_cut(&s->window, fusion_target(s, mss), mss);
		fusion_congested(s, s->reno_bytes / 2);
	}
	weir_queue_new_round(&s->queue, &s->window);
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE void fusion_on_timeout(struct fusion *s, const struct fusion_params *p, const struct weir_view *v,
				 struct weir_out *o)
{
	(void)p;
	u64 mss = weir_window_mss(v);
	if (weir_window_timeout(&s->window, s->window.cwnd_bytes / 2, mss))
		fusion_congested(s, mss);
	weir_queue_new_round(&s->queue, &s->window);
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE void fusion_on_idle(struct fusion *s, const struct fusion_params *p, const struct weir_view *v,
			      u64 idle_ns, struct weir_out *o)
{
	weir_window_restart(&s->window, v, idle_ns, p->idle_restart_ns);
	s->reno_bytes = weir_min(s->reno_bytes, s->window.cwnd_bytes);
	weir_queue_new_round(&s->queue, &s->window);
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE void fusion_probe(const struct fusion *s, u64 value[WEIR_CC_SIGNALS_MAX])
{
	value[0] = weir_window_ssthresh_signal(&s->window);
	value[1] = s->queue.base_ns;
	value[2] = s->reno_bytes;
	value[3] = s->rate_kBps * 1000ULL;
}

WEIR_BIND_ON_IDLE(fusion);
WEIR_CONTROLLER(fusion, "fusion", .about = "Grows, stays or falls by the queueing delay; never below Reno.",
		.source = "Kaneko et al. 2007; rules from two ports, unverified",
		.on_idle = fusion_bound_on_idle);

#endif
