/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* How much of its own data a sender keeps waiting in the bottleneck's queue, judged once a round trip, as
 * Vegas does (Brakmo and Peterson 1995): with base the smallest RTT ever and rtt the smallest of a round,
 *   queued = window (rtt - base) / rtt.
 * base is never forgotten: after a change to a longer path everything seems to wait. */
#ifndef WEIR_CORE_QUEUE_H
#define WEIR_CORE_QUEUE_H

#include "core/window.h"

#define WEIR_QUEUE_SAMPLES 3 /* a minimum of fewer RTTs says more about the receiver's ACK timer */

struct weir_queue {
	u64 base_ns;		/* smallest RTT ever; 0: none yet */
	u64 round_min_ns;	/* smallest of this round; 0: none yet */
	u64 round_window_bytes; /* the window under which this round's data was sent */
	u8 samples;		/* RTTs in this round, up to WEIR_QUEUE_SAMPLES */
	u8 used;		/* the window was the limit in this round */
};

WEIR_CORE void weir_queue_new_round(struct weir_queue *q, const struct weir_window *w)
{
	q->round_min_ns = 0;
	q->round_window_bytes = w->cwnd_bytes;
	q->samples = 0;
	q->used = 0;
}

WEIR_CORE void weir_queue_init(struct weir_queue *q, const struct weir_window *w)
{
	q->base_ns = 0;
	weir_queue_new_round(q, w);
}

/* After the judgement of the round before, if this ACK begins one. */
WEIR_CORE void weir_queue_on_ack(struct weir_queue *q, const struct weir_ack *a, bool used)
{
	if (used)
		q->used = 1;
	if (!a->rtt_ns)
		return;
	if (!q->base_ns || a->rtt_ns < q->base_ns)
		q->base_ns = a->rtt_ns;
	if (!q->round_min_ns || a->rtt_ns < q->round_min_ns)
		q->round_min_ns = a->rtt_ns;
	if (q->samples < WEIR_QUEUE_SAMPLES)
		q->samples++;
}

/* There were enough samples to judge by. */
WEIR_CORE bool weir_queue_is_known(const struct weir_queue *q)
{
	return q->samples == WEIR_QUEUE_SAMPLES;
}

/* Of the round so far; 0 before the first sample. */
WEIR_CORE u64 weir_queue_delay_ns(const struct weir_queue *q)
{
	return weir_sub(q->round_min_ns, q->base_ns);
}

WEIR_CORE u64 weir_queue_bytes(const struct weir_queue *q)
{
	return weir_muldiv(q->round_window_bytes, weir_queue_delay_ns(q), q->round_min_ns);
}

/* Down to `target_bytes`, at least two segments, never up; and out of slow start: a smaller window must not
 * be taken for one. */
WEIR_CORE void weir_queue_settle(struct weir_window *w, u64 target_bytes, u64 mss_bytes)
{
	u64 target = weir_max(target_bytes, 2 * mss_bytes);
	w->cwnd_bytes = weir_min(w->cwnd_bytes, target);
	w->ssthresh_bytes = weir_min(w->ssthresh_bytes, target);
	w->credit = 0;
}

/* Silence: the window decays, and what was measured of this round is of the past. */
#define WEIR_QUEUE_ON_IDLE(name)                                                                             \
	WEIR_CORE void name##_on_idle(struct name *s, const struct name##_params *p,                         \
				      const struct weir_view *v, u64 idle_ns, struct weir_out *o)            \
	{                                                                                                    \
		weir_window_restart(&s->window, v, idle_ns, p->idle_restart_ns);                             \
		weir_queue_new_round(&s->queue, &s->window);                                                 \
		o->cwnd_bytes = s->window.cwnd_bytes;                                                        \
	}                                                                                                    \
	WEIR_BIND_ON_IDLE(name)

#endif
