/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* HighSpeed TCP: Reno whose increase and decrease depend on the window.
 *
 * Reference: S. Floyd, "HighSpeed TCP for Large Congestion Windows", RFC 3649, 2003.
 *
 * Model: a window acknowledged adds a(w) segments, a loss takes b(w) of the window (core/highspeed.h), so
 * chosen that at a loss rate of p the mean window is .12 / p^.835 packets: 38 at 1e-3, as Reno, and 83,000 at
 * 1e-7.
 *
 *   constant      value   reason
 *   Low_Window    38      RFC 3649 section 5: below it, Reno
 *   High_Window   83000   likewise, with High_P 1e-7 and High_Decrease .1
 *   idle_restart  1 s     as in reno.h
 *
 * Deliberate deviations:
 * 1. a and b by their formulas and in fractions, not by the table of appendix B, whose rows are the windows
 *    at which a comes to a whole number (a test holds the two together).
 * 2. Above High_Window, which the RFC leaves open, b stays .1. */
#ifndef WEIR_CC_HIGHSPEED_H
#define WEIR_CC_HIGHSPEED_H

#include "core/highspeed.h"

struct highspeed {
	struct weir_window window;
	struct weir_highspeed response;
};

struct highspeed_params {
	u64 idle_restart_ns;
};

#ifndef __BPF__
static const struct weir_param highspeed_param_table[] = {
    WEIR_WINDOW_IDLE_PARAM,
};
static const struct weir_signal highspeed_signal_table[] = {
    {"ssthresh", "bytes"},
    {"increase", "ratio"},
    {"decrease", "ratio"},
};
#endif

WEIR_CORE void highspeed_init(struct highspeed *s, const struct highspeed_params *p,
			      const struct weir_view *v, struct weir_out *o)
{
	(void)p;
	weir_window_init(&s->window, v);
	weir_highspeed_init(&s->response);
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE void highspeed_on_ack(struct highspeed *s, const struct highspeed_params *p,
				const struct weir_view *v, const struct weir_ack *a, struct weir_out *o)
{
	(void)p;
	u64 acked = weir_window_take(&s->window, v, a), mss = weir_window_mss(v);
	if (acked) {
		weir_highspeed_at(&s->response, s->window.cwnd_bytes, mss);
		weir_window_grow(&s->window, acked, s->response.increase, mss);
	}
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE void highspeed_on_loss(struct highspeed *s, const struct highspeed_params *p,
				 const struct weir_view *v, const struct weir_loss *l, struct weir_out *o)
{
	(void)p;
	u64 mss = weir_window_mss(v);
	if (l->kind == WEIR_LOSS_SPURIOUS)
		weir_window_undo(&s->window);
	else if (l->flags & WEIR_NEW_EPISODE)
		weir_window_cut(&s->window, weir_highspeed_target(&s->response, s->window.cwnd_bytes, mss),
				mss);
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE void highspeed_on_timeout(struct highspeed *s, const struct highspeed_params *p,
				    const struct weir_view *v, struct weir_out *o)
{
	(void)p;
	u64 mss = weir_window_mss(v);
	weir_window_timeout(&s->window, weir_highspeed_target(&s->response, s->window.cwnd_bytes, mss), mss);
	o->cwnd_bytes = s->window.cwnd_bytes;
}

WEIR_CORE void highspeed_probe(const struct highspeed *s, u64 value[WEIR_CC_SIGNALS_MAX])
{
	value[0] = weir_window_ssthresh_signal(&s->window);
	value[1] = weir_rate_signal(s->response.increase);
	value[2] = s->response.cut;
}

WEIR_WINDOW_ON_IDLE(highspeed);
WEIR_CONTROLLER(highspeed, "highspeed",
		.about = "Increases by more and decreases by less the larger the window is.",
		.source = "RFC 3649", .on_idle = highspeed_bound_on_idle);

#endif
