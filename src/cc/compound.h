/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Compound TCP: Reno's window plus one that goes by delay.
 *
 * Reference: K. Tan, J. Song, Q. Zhang, M. Sridharan, "A Compound TCP Approach for High-speed and Long
 * Distance Networks", INFOCOM 2006; draft-sridharan-tcpm-ctcp-02.
 *
 * Model: win = cwnd + dwnd, cwnd as Reno's (one segment a win acknowledged). Once a round, with
 * diff = win (1 - base / rtt) (core/queue.h):
 *   diff < gamma: dwnd grows by alpha win^k - 1 a round; else dwnd shrinks by zeta diff.
 * A loss leaves win (1 - beta) in all, of which Reno's half is cwnd and the rest dwnd; a timeout leaves no
 * dwnd. gamma is tuned at each loss: half of it and half of 3/4 of what cwnd alone had queued.
 *
 *   constant        value            reason
 *   alpha, beta, k  1/8, 1/2, 3/4    the paper
 *   gamma           30, from 5 on    the paper
 *   zeta            1                the draft
 *   low_window      41 packets       dwnd from here on; from memory, unverified
 *   idle_restart    1 s              as in reno.h
 * The weight of a half in the tuning is a port's, unverified.
 *
 * Deliberate deviations:
 * 1. rtt is the smallest of a round, as in Vegas; a round with fewer than three samples grows as Reno.
 * 2. dwnd's growth is spread over the round, at a rate set when it begins; so it is never a burst.
 * 3. An undo restores dwnd and gamma with the window. */
#ifndef WEIR_CC_COMPOUND_H
#define WEIR_CC_COMPOUND_H

#include "core/highspeed.h"
#include "core/queue.h"

#define COMPOUND_GAMMA_BITS 8 /* gamma is held in 2^-8 packets */
#define COMPOUND_GAMMA_LEAST (5U << COMPOUND_GAMMA_BITS)

struct compound {
	struct weir_window window; /* win */
	struct weir_queue queue;
	u64 dwnd_bytes, prior_dwnd_bytes; /* of it */
	u16 gamma, prior_gamma;
	u32 increase; /* of win in this round; WEIR_RATE_ONE is Reno's */
};
_Static_assert(sizeof(struct compound) <= WEIR_CC_HOT_BYTES, "compound fits in a kernel socket");

struct compound_params {
	u64 alpha, beta, k, zeta;
	u64 gamma_packets, tune_gamma, low_window_packets;
	u64 idle_restart_ns;
};

#ifndef __BPF__
static const struct weir_param compound_param_table[] = {
    {"alpha", "ratio", 125000, 1000, 10000000, "growth a round: alpha win^k packets"},
    {"beta", "ratio", 500000, 100000, 700000, "what a loss takes of the window"},
    {"k", "ratio", 750000, 0, 1000000, "its exponent"},
    {"zeta", "ratio", 1000000, 0, 10000000, "part of the queue that is given back a round"},
    {"gamma", "packets", 30, 5, 255, "give back when more wait in the queue"},
    {"tune_gamma", "flag", 1, 0, 1, "lower gamma by what Reno's part keeps in the queue"},
    {"low_window", "packets", 41, 2, 1000000, "Reno below this window (unverified)"},
    WEIR_WINDOW_IDLE_PARAM,
};
static const struct weir_signal compound_signal_table[] = {
    {"ssthresh", "bytes"},
    {"base_rtt", "ns"},
    {"dwnd", "bytes"},
    {"gamma", "ratio"},
};
#endif

WEIR_CORE void compound_init(struct compound *s, const struct compound_params *p, const struct weir_view *v,
			     struct weir_out *o)
{
	weir_window_init(&s->window, v);
	weir_queue_init(&s->queue, &s->window);
	s->dwnd_bytes = s->prior_dwnd_bytes = 0;
	s->gamma = s->prior_gamma = (u16)(p->gamma_packets << COMPOUND_GAMMA_BITS);
	s->increase = WEIR_RATE_ONE;
	o->cwnd_bytes = s->window.cwnd_bytes;
}

/* alpha win^k segments a round, of which one is Reno's. */
WEIR_CORE u32 compound_rate(const struct compound *s, const struct compound_params *p, u64 mss_bytes)
{
	u64 log = weir_window_log2(s->window.cwnd_bytes, mss_bytes);
	u64 power = weir_exp2(log * p->k / WEIR_RATIO_ONE + (WEIR_RATE_BITS << 16));
	return (u32)weir_clamp(weir_muldiv(power, p->alpha, WEIR_RATIO_ONE), WEIR_RATE_ONE, 0xffffffffU);
}

WEIR_CORE void compound_judge_round(struct compound *s, const struct compound_params *p, u64 mss_bytes)
{
	u64 cwnd = s->window.cwnd_bytes;
	s->increase = WEIR_RATE_ONE;
	if (!weir_queue_is_known(&s->queue) || weir_window_in_slow_start(&s->window))
		return;
	u64 diff = weir_queue_bytes(&s->queue);
	if (diff >= (s->gamma * mss_bytes) >> COMPOUND_GAMMA_BITS) {
		u64 back = weir_min(weir_muldiv(diff, p->zeta, WEIR_RATIO_ONE), s->dwnd_bytes);
		if (back)
			weir_queue_settle(&s->window, cwnd - back, mss_bytes);
		s->dwnd_bytes -= back;
	} else if (cwnd >= p->low_window_packets * mss_bytes) {
		s->increase = compound_rate(s, p, mss_bytes);
	}
}

WEIR_CORE void compound_on_ack(struct compound *s, const struct compound_params *p, const struct weir_view *v,
			       const struct weir_ack *a, struct weir_out *o)
{
	u64 mss = weir_window_mss(v);
	if (v->flags & WEIR_ROUND_START) {
		if (!(v->flags & WEIR_RECOVERY))
			compound_judge_round(s, p, mss);
		weir_queue_new_round(&s->queue, &s->window);
	}
	weir_queue_on_ack(&s->queue, a, weir_window_may_grow(&s->window, v, a));
	u64 acked = weir_window_take(&s->window, v, a);
	if (acked) {
		u64 grown = weir_window_grow(&s->window, acked, s->increase, mss);
		s->dwnd_bytes += grown - weir_muldiv(grown, WEIR_RATE_ONE, s->increase);
	}
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE void compound_tune(struct compound *s, const struct compound_params *p, u64 mss_bytes)
{
	if (!p->tune_gamma || !weir_queue_is_known(&s->queue))
		return;
	u64 cwnd = s->window.cwnd_bytes, reno = weir_sub(cwnd, s->dwnd_bytes);
	u64 diff_reno = weir_muldiv(weir_min(weir_queue_bytes(&s->queue), cwnd), reno, cwnd);
	u64 aim = ((diff_reno / mss_bytes << COMPOUND_GAMMA_BITS) * 3) / 4;
	s->gamma = (u16)weir_clamp((s->gamma + aim) / 2, COMPOUND_GAMMA_LEAST,
				   p->gamma_packets << COMPOUND_GAMMA_BITS);
}

WEIR_CORE void compound_cut(struct compound *s, const struct compound_params *p, u64 mss_bytes)
{
	u64 cwnd = s->window.cwnd_bytes, reno = weir_sub(cwnd, s->dwnd_bytes);
	s->prior_dwnd_bytes = s->dwnd_bytes;
	s->prior_gamma = s->gamma;
	compound_tune(s, p, mss_bytes);
	weir_window_cut(&s->window, cwnd - weir_muldiv(cwnd, p->beta, WEIR_RATIO_ONE), mss_bytes);
	s->dwnd_bytes = weir_min(s->dwnd_bytes, weir_sub(s->window.cwnd_bytes, reno / 2));
	s->increase = WEIR_RATE_ONE;
}

WEIR_CORE void compound_on_loss(struct compound *s, const struct compound_params *p,
				const struct weir_view *v, const struct weir_loss *l, struct weir_out *o)
{
	if (l->kind == WEIR_LOSS_SPURIOUS) {
		if (weir_window_undo(&s->window)) {
			s->dwnd_bytes = s->prior_dwnd_bytes;
			s->gamma = s->prior_gamma;
		}
	} else if (l->flags & WEIR_NEW_EPISODE) {
		compound_cut(s, p, weir_window_mss(v));
	}
	weir_queue_new_round(&s->queue, &s->window);
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE void compound_on_timeout(struct compound *s, const struct compound_params *p,
				   const struct weir_view *v, struct weir_out *o)
{
	(void)p;
	if (weir_window_timeout(&s->window, s->window.cwnd_bytes / 2, weir_window_mss(v))) {
		s->prior_dwnd_bytes = s->dwnd_bytes;
		s->prior_gamma = s->gamma;
	}
	s->dwnd_bytes = 0;
	s->increase = WEIR_RATE_ONE;
	weir_queue_new_round(&s->queue, &s->window);
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE void compound_on_idle(struct compound *s, const struct compound_params *p,
				const struct weir_view *v, u64 idle_ns, struct weir_out *o)
{
	u64 before = s->window.cwnd_bytes;
	weir_window_restart(&s->window, v, idle_ns, p->idle_restart_ns);
	s->dwnd_bytes = weir_muldiv(s->dwnd_bytes, s->window.cwnd_bytes, before);
	weir_queue_new_round(&s->queue, &s->window);
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE void compound_probe(const struct compound *s, u64 value[WEIR_CC_SIGNALS_MAX])
{
	value[0] = weir_window_ssthresh_signal(&s->window);
	value[1] = s->queue.base_ns;
	value[2] = s->dwnd_bytes;
	value[3] = (s->gamma * WEIR_RATIO_ONE) >> COMPOUND_GAMMA_BITS;
}

WEIR_BIND_ON_IDLE(compound);
WEIR_CONTROLLER(
    compound, "compound", .about = "Reno's window plus one that grows while the queue is short.",
    .source = "Tan et al. 2006, draft-sridharan-tcpm-ctcp-02; low window and tuning's weight unverified",
    .on_idle = compound_bound_on_idle);

#endif
