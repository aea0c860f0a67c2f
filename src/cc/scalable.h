/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Scalable TCP: increase in proportion to the window, so that every window recovers in the same time.
 *
 * Reference: T. Kelly, "Scalable TCP: Improving Performance in Highspeed Wide Area Networks", CCR 33(2),
 * 2003.
 *
 * Model: each acknowledged packet adds a packets, a loss takes b of the window. From a cut to the old window
 * it is ln(1 / (1 - b)) / ln(1 + a) = 13.4 rounds, whatever the window is. Up to the legacy window it is
 * Reno.
 *
 *   constant       value       reason
 *   a, b           .01, .125   the paper
 *   legacy_window  16 packets  where Reno's response sqrt(1.5 / p) meets a / (b p): at p = .005. The paper's
 *                              own number is from memory, unverified
 *   idle_restart   1 s         as in reno.h
 *
 * Deliberate deviations:
 * 1. Packets are counted by their bytes, not ACKs (the paper's kernel counted ACKs, which delayed ones
 * halve).
 * 2. Above the legacy window the paper's increase holds at once, below Reno's up to 100 packets. */
#ifndef WEIR_CC_SCALABLE_H
#define WEIR_CC_SCALABLE_H

#include "core/window.h"

struct scalable {
	struct weir_window window;
};

struct scalable_params {
	u64 a, b, legacy_window_packets;
	u64 idle_restart_ns;
};

#ifndef __BPF__
static const struct weir_param scalable_param_table[] = {
    {"a", "ratio", 10000, 1000, 500000, "packets that the window grows by for each acknowledged one"},
    {"b", "ratio", 125000, 10000, 700000, "what a loss takes of the window"},
    {"legacy_window", "packets", 16, 0, 1000000, "Reno up to this window (unverified)"},
    WEIR_WINDOW_IDLE_PARAM,
};
static const struct weir_signal scalable_signal_table[] = {
    {"ssthresh", "bytes"},
};
#endif

WEIR_CORE void scalable_init(struct scalable *s, const struct scalable_params *p, const struct weir_view *v,
			     struct weir_out *o)
{
	(void)p;
	weir_window_init(&s->window, v);
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE bool scalable_is_legacy(const struct scalable *s, const struct scalable_params *p, u64 mss_bytes)
{
	return s->window.cwnd_bytes <= p->legacy_window_packets * mss_bytes;
}

WEIR_CORE void scalable_on_ack(struct scalable *s, const struct scalable_params *p, const struct weir_view *v,
			       const struct weir_ack *a, struct weir_out *o)
{
	u64 acked = weir_window_take(&s->window, v, a), mss = weir_window_mss(v);
	if (acked) {
		u64 per = scalable_is_legacy(s, p, mss) ? s->window.cwnd_bytes : mss * WEIR_RATIO_ONE / p->a;
		weir_window_grow_per(&s->window, acked, WEIR_RATE_ONE, per, mss);
	}
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE u64 scalable_target(const struct scalable *s, const struct scalable_params *p, u64 mss_bytes)
{
	u64 cwnd = s->window.cwnd_bytes;
	return scalable_is_legacy(s, p, mss_bytes) ? cwnd / 2
						   : cwnd - weir_muldiv(cwnd, p->b, WEIR_RATIO_ONE);
}

WEIR_CORE void scalable_on_loss(struct scalable *s, const struct scalable_params *p,
				const struct weir_view *v, const struct weir_loss *l, struct weir_out *o)
{
	u64 mss = weir_window_mss(v);
	if (l->kind == WEIR_LOSS_SPURIOUS)
		weir_window_undo(&s->window);
	else if (l->flags & WEIR_NEW_EPISODE)
		weir_window_cut(&s->window, scalable_target(s, p, mss), mss);
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE void scalable_on_timeout(struct scalable *s, const struct scalable_params *p,
				   const struct weir_view *v, struct weir_out *o)
{
	u64 mss = weir_window_mss(v);
	weir_window_timeout(&s->window, scalable_target(s, p, mss), mss);
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE void scalable_probe(const struct scalable *s, u64 value[WEIR_CC_SIGNALS_MAX])
{
	value[0] = weir_window_ssthresh_signal(&s->window);
}

WEIR_WINDOW_ON_IDLE(scalable);
WEIR_CONTROLLER(scalable, "scalable", .about = "Grows by 1 % of what is acknowledged, loses an eighth.",
		.source = "Kelly 2003; legacy window unverified", .on_idle = scalable_bound_on_idle);

#endif
