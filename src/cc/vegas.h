/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Vegas: keeps a few packets in the bottleneck's queue.
 *
 * Reference: L. Brakmo and L. Peterson, "TCP Vegas: End to End Congestion Avoidance on a Global
 * Internet", IEEE JSAC 13(8), 1995.
 *
 * Model: once a round, with base = the smallest RTT ever seen and rtt = the smallest of this round,
 *   queued = window (rtt - base) / rtt       (the paper's (Expected - Actual) base)
 * is what the flow itself keeps waiting. Below alpha packets the window grows by one segment, above beta
 * it shrinks by one, between them it stays. Slow start doubles every other round and ends when more
 * than gamma packets wait. A loss is answered as Reno answers it.
 *
 *   constant      value        reason
 *   alpha, beta   2, 4         the paper's larger pair: two packets keep the link busy, four are too many
 *   gamma         1            the paper: one buffer is the first sign of a queue
 *   samples       3            a minimum of fewer RTTs says more about the receiver's ACK timer
 *   idle_restart  1 s          as in reno.h
 *
 * Deliberate deviations:
 * 1. A round with fewer than three RTT samples grows as Reno's would, in slow start without the pause:
 *    there is nothing to judge by.
 * 2. At the end of slow start the surplus over alpha is given back at once; the paper's way, one packet a
 *    round, keeps the queue for hundreds of rounds on a long path. ssthresh is set there, and again
 *    lowered by each decrease, so that a smaller window is not taken for a slow start.
 * 3. Losses halve the window. (The paper takes a quarter when its own fine-grained timer finds them; loss
 *    detection is the endpoint's here.)
 * 4. Windows that are not used do not grow, but may shrink.
 * 5. base is never forgotten: after a change to a longer path Vegas keeps too small a window, as the
 *    paper's does. `base_rtt`, where it is known, spares a late comer to take a standing queue for the path.
 */
#ifndef WEIR_CC_VEGAS_H
#define WEIR_CC_VEGAS_H

#include "core/queue.h"

struct vegas {
	struct weir_window window;
	struct weir_queue queue;
	u64 queued_bytes; /* the last judgement */
	u8 hold;	  /* slow start: no growth in this round */
};
_Static_assert(sizeof(struct vegas) <= WEIR_CC_HOT_BYTES, "vegas fits in a kernel socket");

struct vegas_params {
	u64 alpha_packets, beta_packets, gamma_packets;
	u64 base_rtt_ns;
	u64 idle_restart_ns;
};

#ifndef __BPF__
static const struct weir_param vegas_param_table[] = {
    {"alpha", "packets", 2, 1, 1000, "grow while fewer wait in the queue"},
    {"beta", "packets", 4, 0, 1000, "shrink while more wait in the queue"},
    {"gamma", "packets", 1, 0, 1000, "end slow start when more wait in the queue"},
    {"base_rtt", "ns", 0, 0, 10 * WEIR_NS_PER_S, "RTT of the path, if known; 0: the smallest seen"},
    WEIR_WINDOW_IDLE_PARAM,
};
static const struct weir_signal vegas_signal_table[] = {
    {"ssthresh", "bytes"},
    {"base_rtt", "ns"},
    {"queued", "bytes"},
};
#endif

WEIR_CORE void vegas_init(struct vegas *s, const struct vegas_params *p, const struct weir_view *v,
			  struct weir_out *o)
{
	weir_window_init(&s->window, v);
	weir_queue_init(&s->queue, &s->window);
	s->queue.base_ns = p->base_rtt_ns;
	s->queued_bytes = 0;
	s->hold = 0;
	o->cwnd_bytes = s->window.cwnd_bytes;
}

/* `may_grow`: the window was used in the round, and the ACK that ends it allows growth as well. */
WEIR_CORE void vegas_judge_round(struct vegas *s, const struct vegas_params *p, u64 mss_bytes, bool may_grow)
{
	u64 cwnd = s->window.cwnd_bytes, alpha = p->alpha_packets * mss_bytes;
	/* with too few samples: as Reno, who believes that nothing waits */
	s->queued_bytes = weir_queue_is_known(&s->queue) ? weir_queue_bytes(&s->queue) : 0;
	if (weir_window_in_slow_start(&s->window)) {
		if (s->queued_bytes > p->gamma_packets * mss_bytes)
			weir_queue_settle(&s->window, weir_sub(cwnd, weir_sub(s->queued_bytes, alpha)),
					  mss_bytes);
	} else if (s->queued_bytes > p->beta_packets * mss_bytes) {
		weir_queue_settle(&s->window, weir_sub(cwnd, mss_bytes), mss_bytes);
	} else if (s->queued_bytes < alpha && may_grow) {
		s->window.cwnd_bytes = weir_min(cwnd + mss_bytes, WEIR_WINDOW_MAX_BYTES);
	}
}

WEIR_CORE void vegas_on_ack(struct vegas *s, const struct vegas_params *p, const struct weir_view *v,
			    const struct weir_ack *a, struct weir_out *o)
{
	bool may_grow = weir_window_may_grow(&s->window, v, a);
	if (v->flags & WEIR_ROUND_START) {
		if (!(v->flags & WEIR_RECOVERY))
			vegas_judge_round(s, p, weir_window_mss(v), may_grow && s->queue.used);
		s->hold = !s->hold && weir_queue_is_known(&s->queue);
		weir_queue_new_round(&s->queue, &s->window);
	}
	weir_queue_on_ack(&s->queue, a, may_grow);
	if (may_grow && weir_window_in_slow_start(&s->window) && !s->hold)
		weir_window_slow_start(&s->window, a->acked_bytes);
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE void vegas_on_loss(struct vegas *s, const struct vegas_params *p, const struct weir_view *v,
			     const struct weir_loss *l, struct weir_out *o)
{
	(void)p;
	if (l->kind == WEIR_LOSS_SPURIOUS)
		weir_window_undo(&s->window);
	else if (l->flags & WEIR_NEW_EPISODE)
		weir_window_cut(&s->window, s->window.cwnd_bytes / 2, weir_window_mss(v));
	weir_queue_new_round(&s->queue, &s->window);
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE void vegas_on_timeout(struct vegas *s, const struct vegas_params *p, const struct weir_view *v,
				struct weir_out *o)
{
	(void)p;
	weir_window_timeout(&s->window, s->window.cwnd_bytes / 2, weir_window_mss(v));
	weir_queue_new_round(&s->queue, &s->window);
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE void vegas_probe(const struct vegas *s, u64 value[WEIR_CC_SIGNALS_MAX])
{
	value[0] = weir_window_ssthresh_signal(&s->window);
	value[1] = s->queue.base_ns;
	value[2] = s->queued_bytes;
}

/* In the middle of a connection, perhaps over a full queue: what the host has seen is the base. */
WEIR_CORE void vegas_on_seed(struct vegas *s, const struct vegas_params *p, const struct weir_view *v,
			     u64 cwnd_bytes, struct weir_out *o)
{
	bool known = p->base_rtt_ns && (!v->min_rtt_ns || p->base_rtt_ns < v->min_rtt_ns);
	weir_window_seed(&s->window, cwnd_bytes, weir_window_mss(v));
	s->queue.base_ns = known ? p->base_rtt_ns : v->min_rtt_ns;
	weir_queue_new_round(&s->queue, &s->window);
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_QUEUE_ON_IDLE(vegas);
WEIR_BIND_ON_SEED(vegas);
WEIR_CONTROLLER(vegas, "vegas", .about = "Keeps two to four packets in the queue, judged once a round.",
		.source = "Brakmo and Peterson 1995", .on_idle = vegas_bound_on_idle,
		.on_seed = vegas_bound_on_seed);

#endif
