/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Reno, by bytes.
 *
 * Reference: RFC 5681 (slow start, congestion avoidance), RFC 3465 (byte counting), RFC 6928 (initial
 * window), RFC 2861 (decay after silence). NewReno and SACK differ in the repair of losses, which is the
 * endpoint's, not the controller's.
 *
 * Model: below ssthresh the window grows by what is acknowledged, above it by one segment for each
 * window acknowledged. At the first sign of congestion in a window (loss, or a CE mark) ssthresh and
 * window become half of it. A timeout leaves one segment. After silence the window decays.
 *
 *   constant       value      reason
 *   beta           1/2        RFC 5681 (4)
 *   least window   2 MSS      RFC 5681 (4); 1 MSS after a timeout (the loss window)
 *   idle_restart   1 s        RFC 6298's smallest RTO; shorter ones empty windows between two requests
 *
 * Deliberate deviations:
 * 1. ssthresh is half of the window, not of FlightSize. Since growth needs WEIR_CWND_LIMITED the two
 *    agree, and the amount in flight at detection already lacks what duplicate ACKs took out of it.
 * 2. Slow start counts all bytes an ACK covers (RFC 3465 caps them at 2 MSS): receivers and hosts that
 *    merge ACKs are common, and bursts are the pacer's business. It never passes ssthresh.
 * 3. A CE mark cuts like a loss (RFC 3168), not by the milder factor of RFC 8511.
 * 4. Silence halves the window once a period instead of dropping it at once (core/window.h).
 * 5. An undo brings back window and ssthresh together; if the window has grown past the old one since,
 *    it stays. */
#ifndef WEIR_CC_RENO_H
#define WEIR_CC_RENO_H

#include "core/window.h"

struct reno {
	struct weir_window window;
};

struct reno_params {
	u64 idle_restart_ns;
};

#ifndef __BPF__
static const struct weir_param reno_param_table[] = {
    WEIR_WINDOW_IDLE_PARAM,
};
static const struct weir_signal reno_signal_table[] = {
    {"ssthresh", "bytes"},
};
#endif

WEIR_CORE void reno_init(struct reno *s, const struct reno_params *p, const struct weir_view *v,
			 struct weir_out *o)
{
	(void)p;
	weir_window_init(&s->window, v);
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE void reno_on_ack(struct reno *s, const struct reno_params *p, const struct weir_view *v,
			   const struct weir_ack *a, struct weir_out *o)
{
	(void)p;
	u64 acked = weir_window_take(&s->window, v, a);
	if (acked)
		weir_window_grow(&s->window, acked, WEIR_RATE_ONE, weir_window_mss(v));
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE void reno_on_loss(struct reno *s, const struct reno_params *p, const struct weir_view *v,
			    const struct weir_loss *l, struct weir_out *o)
{
	(void)p;
	if (l->kind == WEIR_LOSS_SPURIOUS)
		weir_window_undo(&s->window);
	else if (l->flags & WEIR_NEW_EPISODE)
		weir_window_cut(&s->window, s->window.cwnd_bytes / 2, weir_window_mss(v));
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE void reno_on_timeout(struct reno *s, const struct reno_params *p, const struct weir_view *v,
			       struct weir_out *o)
{
	(void)p;
	weir_window_timeout(&s->window, s->window.cwnd_bytes / 2, weir_window_mss(v));
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE void reno_probe(const struct reno *s, u64 value[WEIR_CC_SIGNALS_MAX])
{
	value[0] = weir_window_ssthresh_signal(&s->window);
}

WEIR_WINDOW_ON_IDLE(reno);
WEIR_WINDOW_ON_SEED(reno);
WEIR_CONTROLLER(reno, "reno", .about = "Additive increase, halving on loss; counts bytes.",
		.source = "RFC 5681, RFC 3465", .on_idle = reno_bound_on_idle, .on_seed = reno_bound_on_seed);

#endif
