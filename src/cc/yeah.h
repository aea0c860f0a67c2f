/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* YeAH: Scalable while the queue is short, Reno and draining while it is not.
 *
 * Reference: A. Baiocchi, A. Castellani, F. Vacirca, "YeAH-TCP: Yet Another Highspeed TCP", PFLDnet 2007.
 *
 * Model: once a round Q = window (rtt - base) / rtt (core/queue.h). Q up to alpha and rtt - base up to
 * base / phy: fast, 1 % of what is acknowledged is added. Else slow: one segment a round; and with Q above
 * alpha the window gives back Q, at most half, never below what Reno would have. That is counted from half of
 * the window at the first slow round, a segment for each one since, and forgotten after zeta fast rounds.
 * A loss takes Q, between an eighth and a half of the window; half after rho slow rounds in a row, which say
 * that others do not give way.
 *
 *   constant        value          reason
 *   alpha           80 packets     the paper
 *   phy             8              the paper: a tolerable queueing delay, base / phy
 *   rho, zeta       16, 50 rounds  the paper
 *   gamma, epsilon  1, 1/2         what a round gives back: Q / gamma, at most that part of the window
 *   delta           1/8            least cut
 *   idle_restart    1 s            as in reno.h
 *
 * Deliberate deviations:
 * 1. A round with fewer than three RTT samples is not judged; before the first that is, a loss halves.
 * 2. A timeout halves ssthresh: that nothing came back says nothing of Q.
 * 3. Fast growth is never slower than Reno's, which below 100 packets is faster than 1 %. */
#ifndef WEIR_CC_YEAH_H
#define WEIR_CC_YEAH_H

#include "core/queue.h"

#define YEAH_RENO_LEAST 2 /* packets */
#define YEAH_DELTA 8
#define YEAH_FAST_PACKETS 100

struct yeah {
	struct weir_window window;
	struct weir_queue queue;
	u64 queued_bytes;		      /* the last judgement */
	u32 reno_packets, prior_reno_packets; /* what Reno would have */
	u8 fast_rounds;			      /* since the last loss, up to zeta */
	u8 slow_rounds;			      /* in a row; not 0: slow */
	u8 known;			      /* some round has been judged */
};
_Static_assert(sizeof(struct yeah) <= WEIR_CC_HOT_BYTES, "yeah fits in a kernel socket");

struct yeah_params {
	u64 alpha_packets, phy, rho, zeta;
	u64 idle_restart_ns;
};

#ifndef __BPF__
static const struct weir_param yeah_param_table[] = {
    {"alpha", "packets", 80, 1, 1000000, "drain when more wait in the queue"},
    {"phy", "", 8, 1, 1000, "slow when the queue lasts longer than the smallest RTT over this"},
    {"rho", "", 16, 1, 250, "slow rounds in a row after which a loss halves"},
    {"zeta", "", 50, 1, 250, "fast rounds after which Reno's window is forgotten"},
    WEIR_WINDOW_IDLE_PARAM,
};
static const struct weir_signal yeah_signal_table[] = {
    {"ssthresh", "bytes"},
    {"base_rtt", "ns"},
    {"queued", "bytes"},
    {"slow_rounds", ""},
};
#endif

WEIR_CORE void yeah_init(struct yeah *s, const struct yeah_params *p, const struct weir_view *v,
			 struct weir_out *o)
{
	(void)p;
	weir_window_init(&s->window, v);
	weir_queue_init(&s->queue, &s->window);
	s->queued_bytes = 0;
	s->reno_packets = s->prior_reno_packets = YEAH_RENO_LEAST;
	s->fast_rounds = s->slow_rounds = s->known = 0;
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE void yeah_fast_round(struct yeah *s, const struct yeah_params *p)
{
	s->slow_rounds = 0;
	if (++s->fast_rounds > p->zeta) {
		s->reno_packets = YEAH_RENO_LEAST;
		s->fast_rounds = 0;
	}
}

WEIR_CORE void yeah_slow_round(struct yeah *s, const struct yeah_params *p, u64 mss_bytes)
{
	u64 cwnd = s->window.cwnd_bytes, reno = s->reno_packets * mss_bytes;
	if (s->queued_bytes > p->alpha_packets * mss_bytes && cwnd > reno) {
		u64 drained = weir_min(s->queued_bytes, cwnd / 2);
		weir_queue_settle(&s->window, weir_max(cwnd - drained, reno), mss_bytes);
	}
	if (s->reno_packets <= YEAH_RENO_LEAST)
		s->reno_packets = (u32)weir_clamp(s->window.cwnd_bytes / 2 / mss_bytes, YEAH_RENO_LEAST, ~0U);
	else if (s->queue.used && s->reno_packets != ~0U)
		s->reno_packets++;
	if (s->slow_rounds < p->rho)
		s->slow_rounds++;
}

WEIR_CORE void yeah_judge_round(struct yeah *s, const struct yeah_params *p, u64 mss_bytes)
{
	if (!weir_queue_is_known(&s->queue))
		return;
	s->known = 1;
	s->queued_bytes = weir_queue_bytes(&s->queue);
	if (weir_window_in_slow_start(&s->window))
		return;
	if (s->queued_bytes > p->alpha_packets * mss_bytes ||
	    weir_queue_delay_ns(&s->queue) > s->queue.base_ns / p->phy)
		yeah_slow_round(s, p, mss_bytes);
	else
		yeah_fast_round(s, p);
}

WEIR_CORE void yeah_on_ack(struct yeah *s, const struct yeah_params *p, const struct weir_view *v,
			   const struct weir_ack *a, struct weir_out *o)
{
	u64 mss = weir_window_mss(v), acked = 0;
	if (v->flags & WEIR_ROUND_START) {
		if (!(v->flags & WEIR_RECOVERY))
			yeah_judge_round(s, p, mss);
		weir_queue_new_round(&s->queue, &s->window);
	}
	weir_queue_on_ack(&s->queue, a, weir_window_may_grow(&s->window, v, a));
	acked = weir_window_take(&s->window, v, a);
	if (acked) {
		u64 per = s->window.cwnd_bytes;
		if (!s->slow_rounds)
			per = weir_min(per, YEAH_FAST_PACKETS * mss);
		weir_window_grow_per(&s->window, acked, WEIR_RATE_ONE, per, mss);
	}
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE void yeah_congested(struct yeah *s)
{
	s->prior_reno_packets = s->reno_packets;
	s->reno_packets = (u32)weir_max(s->reno_packets / 2, YEAH_RENO_LEAST);
	s->fast_rounds = 0;
}

WEIR_CORE u64 yeah_target(const struct yeah *s, const struct yeah_params *p)
{
	u64 cwnd = s->window.cwnd_bytes;
	if (!s->known || s->slow_rounds >= p->rho)
		return cwnd / 2;
	return cwnd - weir_clamp(s->queued_bytes, cwnd / YEAH_DELTA, cwnd / 2);
}

WEIR_CORE void yeah_on_loss(struct yeah *s, const struct yeah_params *p, const struct weir_view *v,
			    const struct weir_loss *l, struct weir_out *o)
{
	if (l->kind == WEIR_LOSS_SPURIOUS) {
		if (weir_window_undo(&s->window))
			s->reno_packets = s->prior_reno_packets;
	} else if (l->flags & WEIR_NEW_EPISODE) {
		weir_window_cut(&s->window, yeah_target(s, p), weir_window_mss(v));
		yeah_congested(s);
	}
	weir_queue_new_round(&s->queue, &s->window);
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE void yeah_on_timeout(struct yeah *s, const struct yeah_params *p, const struct weir_view *v,
			       struct weir_out *o)
{
	(void)p;
	if (weir_window_timeout(&s->window, s->window.cwnd_bytes / 2, weir_window_mss(v)))
		yeah_congested(s);
	weir_queue_new_round(&s->queue, &s->window);
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE void yeah_probe(const struct yeah *s, u64 value[WEIR_CC_SIGNALS_MAX])
{
	value[0] = weir_window_ssthresh_signal(&s->window);
	value[1] = s->queue.base_ns;
	value[2] = s->queued_bytes;
	value[3] = s->slow_rounds;
}

WEIR_QUEUE_ON_IDLE(yeah);
WEIR_CONTROLLER(yeah, "yeah",
		.about = "Scalable while few packets wait in the queue, else Reno, and drains it.",
		.source = "Baiocchi, Castellani, Vacirca 2007", .on_idle = yeah_bound_on_idle);

#endif
