/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Agile-SD: Reno whose increase is large far below the window of the last loss, and small close to it.
 *
 * Reference: M. Alrshah, M. Othman, B. Ali, Z. Hanapi, "Agile-SD: A Linux-based TCP congestion control
 * algorithm for supporting high-speed and short-distance networks", JNCA 55, 2015; M. Alrshah et al.,
 * "Modeling the Throughput of the Linux-based Agile-SD Transmission Control Protocol", IEEE Access 4, 2016,
 * equations 3 to 5 and 36.
 *
 * Model: w_last is the window just before the last reduction, w_0 = max(beta w_last, min_window) what that
 * left. In congestion avoidance an acknowledged packet adds lambda / w packets,
 *   lambda = max(lambda_max (w_last - w) / (w_last - w_0), lambda_min).
 * With lambda_max = 1 it is Reno, decision by decision.
 *
 *   constant      value   reason
 *   beta          .5      eq. 36's first row; the authors' module has .9
 *   lambda_max    5       the paper's figures; 0 is eq. 36, ceil(8.91 - 7 beta): 6 here, 3 at beta .9
 *   lambda_min    1       the paper: never slower than Reno
 *   min_window    2       packets, as the paper's w_min
 *   idle_restart  1 s     as in reno.h
 *
 * Deliberate deviations from paper and module:
 * 1. Bytes are counted, not calls: an ACK for two or forty packets adds what as many ACKs would (the module
 *    loses all but one). Fractions are carried in 64 bits, right up to windows of 2^48 bytes; the module
 *    stands still above a million packets and overflows at four million.
 * 2. lambda never exceeds lambda_max, which eq. 5 alone allows below w_0 (after silence).
 * 3. Before the first loss there is no w_last: lambda is lambda_min, as in the module.
 * 4. A timeout or a CE mark is a reduction like any other: w_last is the window before it. After a timeout
 *    slow start runs to w_0, from where lambda falls from lambda_max. A timeout that finds one segment left
 *    over from the timeout before changes nothing.
 * 5. An undo restores w_last and w_0 together with window and ssthresh, so that lambda goes on as before the
 *    mistake; the credit towards the next segment starts anew, as Reno's does.
 * 6. A reduction takes one packet at least: with beta .9 the module leaves 9 of 10 and 2 of 2.
 * 7. Windows that are not used do not grow; silence keeps w_last, and halves the window as Reno's.
 * 8. Pacing as an option, not in the paper: without it, at buffers below about lambda_max + 3 packets the
 *    clumps of the ACK clock after a reduction overflow the buffer again and again. */
#ifndef WEIR_CC_AGILE_SD_H
#define WEIR_CC_AGILE_SD_H

#include "core/window.h"

struct agile_sd {
	struct weir_window window;
	u64 last_bytes; /* w_last; 0: no reduction so far */
	u64 gap_bytes;	/* w_last - w_0 */
	u64 prior_last_bytes, prior_gap_bytes;
	u32 lambda_min, lambda_max; /* WEIR_RATE_ONE is one */
};
_Static_assert(sizeof(struct agile_sd) <= WEIR_CC_HOT_BYTES, "agile-sd fits in a kernel socket");

struct agile_sd_params {
	u64 lambda_max, lambda_min, beta, min_window_packets;
	u64 pacing_windows;
	u64 idle_restart_ns;
};

#ifndef __BPF__
static const struct weir_param agile_sd_param_table[] = {
    {"lambda_max", "ratio", 5000000, 0, 1000000000,
     "segments a round right after a loss; 0: ceil(8.91 - 7 beta), the paper's equation 36"},
    {"lambda_min", "ratio", 1000000, 1000, 1000000000, "segments a round at and above the last loss"},
    {"beta", "ratio", 500000, 100000, 990000, "what a loss leaves of the window"},
    {"min_window", "packets", 2, 2, 1000000, "a loss leaves at least this"},
    {"pacing", "ratio", 0, 0, 4000000,
     "windows sent each round trip, at least two in slow start; 0: the ACK clock alone"},
    WEIR_WINDOW_IDLE_PARAM,
};
static const struct weir_signal agile_sd_signal_table[] = {
    {"ssthresh", "bytes"},
    {"w_last", "bytes"},
    {"lambda", "ratio"},
};
#endif

WEIR_CORE u32 agile_sd_rate(u64 ratio)
{
	return (u32)weir_clamp(weir_muldiv(ratio, WEIR_RATE_ONE, WEIR_RATIO_ONE), 1, 0xffffffffU);
}

/* Equation 36, in millionths. */
WEIR_CORE u64 agile_sd_lambda_max_auto(u64 beta)
{
	return (weir_sub(8910000, 7 * beta) + WEIR_RATIO_ONE - 1) / WEIR_RATIO_ONE * WEIR_RATIO_ONE;
}

WEIR_CORE void agile_sd_say(const struct agile_sd *s, const struct agile_sd_params *p,
			    const struct weir_view *v, struct weir_out *o)
{
	o->cwnd_bytes = s->window.cwnd_bytes;
	o->pacing_Bps = weir_window_pace_Bps(&s->window, v, p->pacing_windows);
}

WEIR_CORE void agile_sd_init(struct agile_sd *s, const struct agile_sd_params *p, const struct weir_view *v,
			     struct weir_out *o)
{
	u64 lambda_max = p->lambda_max ? p->lambda_max : agile_sd_lambda_max_auto(p->beta);
	weir_window_init(&s->window, v);
	s->last_bytes = 0;
	s->gap_bytes = 0;
	s->prior_last_bytes = 0;
	s->prior_gap_bytes = 0;
	s->lambda_min = agile_sd_rate(p->lambda_min);
	s->lambda_max = agile_sd_rate(weir_max(lambda_max, p->lambda_min));
	agile_sd_say(s, p, v, o);
}

/* Equation 5. */
WEIR_CORE u64 agile_sd_lambda(const struct agile_sd *s)
{
	u64 gap_bytes = weir_sub(s->last_bytes, s->window.cwnd_bytes);
	return weir_clamp(weir_muldiv(s->lambda_max, gap_bytes, s->gap_bytes), s->lambda_min, s->lambda_max);
}

WEIR_CORE void agile_sd_on_ack(struct agile_sd *s, const struct agile_sd_params *p, const struct weir_view *v,
			       const struct weir_ack *a, struct weir_out *o)
{
	u64 acked = weir_window_take(&s->window, v, a);
	if (acked)
		weir_window_grow(&s->window, acked, agile_sd_lambda(s), weir_window_mss(v));
	agile_sd_say(s, p, v, o);
}

/* w_0. */
WEIR_CORE u64 agile_sd_target(const struct agile_sd *s, const struct agile_sd_params *p, u64 mss_bytes)
{
	u64 cwnd = s->window.cwnd_bytes;
	u64 left = weir_min(weir_muldiv(cwnd, p->beta, WEIR_RATIO_ONE), weir_sub(cwnd, mss_bytes));
	return weir_max(left, p->min_window_packets * mss_bytes);
}

WEIR_CORE void agile_sd_remember(struct agile_sd *s, u64 last_bytes, u64 left_bytes)
{
	s->prior_last_bytes = s->last_bytes;
	s->prior_gap_bytes = s->gap_bytes;
	s->last_bytes = last_bytes;
	s->gap_bytes = weir_sub(last_bytes, left_bytes);
}

WEIR_CORE void agile_sd_on_loss(struct agile_sd *s, const struct agile_sd_params *p,
				const struct weir_view *v, const struct weir_loss *l, struct weir_out *o)
{
	u64 mss = weir_window_mss(v), left = agile_sd_target(s, p, mss);
	if (l->kind == WEIR_LOSS_SPURIOUS) {
		if (weir_window_undo(&s->window)) {
			s->last_bytes = s->prior_last_bytes;
			s->gap_bytes = s->prior_gap_bytes;
		}
	} else if (l->flags & WEIR_NEW_EPISODE) {
		agile_sd_remember(s, s->window.cwnd_bytes, left);
		weir_window_cut(&s->window, left, mss);
	}
	agile_sd_say(s, p, v, o);
}

WEIR_CORE void agile_sd_on_timeout(struct agile_sd *s, const struct agile_sd_params *p,
				   const struct weir_view *v, struct weir_out *o)
{
	u64 mss = weir_window_mss(v), last = s->window.cwnd_bytes, left = agile_sd_target(s, p, mss);
	if (weir_window_timeout(&s->window, left, mss))
		agile_sd_remember(s, last, left);
	agile_sd_say(s, p, v, o);
}

WEIR_CORE void agile_sd_on_idle(struct agile_sd *s, const struct agile_sd_params *p,
				const struct weir_view *v, u64 idle_ns, struct weir_out *o)
{
	weir_window_restart(&s->window, v, idle_ns, p->idle_restart_ns);
	agile_sd_say(s, p, v, o);
}

WEIR_CORE void agile_sd_probe(const struct agile_sd *s, u64 value[WEIR_CC_SIGNALS_MAX])
{
	value[0] = weir_window_ssthresh_signal(&s->window);
	value[1] = s->last_bytes;
	value[2] = weir_rate_signal(agile_sd_lambda(s));
}

WEIR_BIND_ON_IDLE(agile_sd);
WEIR_CONTROLLER(
    agile_sd, "agile-sd",
    .about = "Reno with up to lambda_max segments a round, the more the further below the last loss.",
    .source = "Alrshah et al. 2015 and 2017", .on_idle = agile_sd_bound_on_idle);

#endif
