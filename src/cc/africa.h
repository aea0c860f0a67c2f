/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* TCP-Africa: HighSpeed while the queue is short, else Reno.
 *
 * Reference: R. King, R. Baraniuk, R. Riedi, "TCP-Africa: An Adaptive and Fair Rapid Increase Rule for
 * Scalable TCP", INFOCOM 2005. Only its abstract was at hand; the rule is that of a derivative's source, and
 * alpha is from memory: both unverified.
 *
 * Model: fast while window (rtt - base) / rtt < alpha packets, with rtt the smoothed RTT (filter 7/8) and
 * base the smallest: a window acknowledged adds a(w) segments as HighSpeed TCP (core/highspeed.h). Else slow:
 * one segment. A loss takes b(w) in both modes.
 *
 *   constant      value          reason
 *   alpha         1.641 packets  from memory, unverified
 *   idle_restart  1 s            as in reno.h
 *
 * Deliberate deviations:
 * 1. The RTTs are the host's, whose smoothing is the same filter (RFC 6298).
 * 2. Whether a loss in slow mode should halve is open; slow_halving does it. */
#ifndef WEIR_CC_AFRICA_H
#define WEIR_CC_AFRICA_H

#include "core/highspeed.h"

struct africa {
	struct weir_window window;
	struct weir_highspeed response;
	u64 queued_bytes; /* the last judgement */
};
_Static_assert(sizeof(struct africa) <= WEIR_CC_HOT_BYTES, "africa fits in a kernel socket");

struct africa_params {
	u64 alpha, slow_halving;
	u64 idle_restart_ns;
};

#ifndef __BPF__
static const struct weir_param africa_param_table[] = {
    {"alpha", "ratio", 1641000, 0, 1000000000, "packets in the queue up to which it is fast (unverified)"},
    {"slow_halving", "flag", 0, 0, 1, "a loss in slow mode halves (unverified)"},
    WEIR_WINDOW_IDLE_PARAM,
};
static const struct weir_signal africa_signal_table[] = {
    {"ssthresh", "bytes"},
    {"queued", "bytes"},
};
#endif

WEIR_CORE void africa_init(struct africa *s, const struct africa_params *p, const struct weir_view *v,
			   struct weir_out *o)
{
	(void)p;
	weir_window_init(&s->window, v);
	weir_highspeed_init(&s->response);
	s->queued_bytes = 0;
	o->cwnd_bytes = s->window.cwnd_bytes;
}

/* Judges; without an RTT nothing is known to wait. */
WEIR_CORE bool africa_is_fast(struct africa *s, const struct africa_params *p, const struct weir_view *v)
{
	u64 waiting_ns = v->min_rtt_ns ? weir_sub(v->srtt_ns, v->min_rtt_ns) : 0;
	s->queued_bytes = weir_muldiv(s->window.cwnd_bytes, waiting_ns, v->srtt_ns);
	return s->queued_bytes < weir_muldiv(p->alpha, weir_window_mss(v), WEIR_RATIO_ONE);
}

WEIR_CORE void africa_on_ack(struct africa *s, const struct africa_params *p, const struct weir_view *v,
			     const struct weir_ack *a, struct weir_out *o)
{
	u64 acked = weir_window_take(&s->window, v, a), mss = weir_window_mss(v);
	if (acked) {
		weir_highspeed_at(&s->response, s->window.cwnd_bytes, mss);
		u64 rate = africa_is_fast(s, p, v) ? s->response.increase : WEIR_RATE_ONE;
		weir_window_grow(&s->window, acked, rate, mss);
	}
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE u64 africa_target(struct africa *s, const struct africa_params *p, const struct weir_view *v)
{
	u64 cwnd = s->window.cwnd_bytes;
	if (p->slow_halving && !africa_is_fast(s, p, v))
		return cwnd / 2;
	return weir_highspeed_target(&s->response, cwnd, weir_window_mss(v));
}

WEIR_CORE void africa_on_loss(struct africa *s, const struct africa_params *p, const struct weir_view *v,
			      const struct weir_loss *l, struct weir_out *o)
{
	if (l->kind == WEIR_LOSS_SPURIOUS)
		weir_window_undo(&s->window);
	else if (l->flags & WEIR_NEW_EPISODE)
		weir_window_cut(&s->window, africa_target(s, p, v), weir_window_mss(v));
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE void africa_on_timeout(struct africa *s, const struct africa_params *p, const struct weir_view *v,
				 struct weir_out *o)
{
	weir_window_timeout(&s->window, africa_target(s, p, v), weir_window_mss(v));
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE void africa_probe(const struct africa *s, u64 value[WEIR_CC_SIGNALS_MAX])
{
	value[0] = weir_window_ssthresh_signal(&s->window);
	value[1] = s->queued_bytes;
}

WEIR_WINDOW_ON_IDLE(africa);
WEIR_CONTROLLER(africa, "africa", .about = "HighSpeed while hardly anything waits in the queue, else Reno.",
		.source = "King, Baraniuk, Riedi 2005; rule and alpha unverified",
		.on_idle = africa_bound_on_idle);

#endif
