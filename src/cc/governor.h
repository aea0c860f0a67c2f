/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The governor: on the data path of every host it counts what a pilot wants to know, and does what the
 * pilot's newest setpoint says (include/weir/pilot.h). It runs any inner controller, turns its window into a
 * rate, smooths that, and lays a wave over it.
 *
 * Source: "Elasticity Detection: A Building Block for Internet Congestion Control", sections 3.4 and 4; what
 * a datapath reports and obeys is as in "Restructuring Endpoint Congestion Control" (SIGCOMM 2018).
 *
 * While a rate is in charge it alone holds the sender back: the window is only a cap of twice what a round
 * trip carries, and an inner controller grows as if its window were what limits, unless the application does.
 * Losses are then repaired at that rate, without the reduction of RFC 9937 (WEIR_NEED_OWN_REPAIR). After a
 * timeout one segment leaves until something comes back, whatever the setpoint says.
 *
 * Past the setpoint's expiry Reno takes over with half of what is in flight, and gives its window back when
 * the pilot speaks again.
 *
 *   constant       value       reason
 *   cap            200 %       where the setpoint says nothing; a pulse of a quarter fits in
 *   least cap      4 MSS       a rate below that would stop at each lost ACK
 *   least rate     1 MSS / s   the pacer waits out what a segment takes at the rate it left with
 *   trough         1/8         of the rate is left where the wave is too high for it; for the same reason
 *   step           period/40   of a wave where no ACK comes: 5 ms of 200, as the paper's datapath */
#ifndef WEIR_CC_GOVERNOR_H
#define WEIR_CC_GOVERNOR_H

#include "cc/governor_report.h"
#include "core/wave.h"

#define WEIR_GOVERNOR_RENO 0xfffffffeU /* beside the pilot's inner controllers: past the expiry */
#define WEIR_GOVERNOR_NEEDS (WEIR_NEED_RATE | WEIR_NEED_TICK | WEIR_NEED_OWN_REPAIR)
#define WEIR_GOVERNOR_CAP_PERCENT 200
#define WEIR_GOVERNOR_CAP_LEAST_PACKETS 4
#define WEIR_GOVERNOR_STEPS 40
#define WEIR_GOVERNOR_TROUGH 8

/* One event to a controller, for hosts' `tell`. */
WEIR_CORE void weir_governor_deliver(const struct weir_cc_ops *ops, void *state, const void *params,
				     const struct weir_governor_event *e, struct weir_out *o)
{
	switch (e->kind) {
	case WEIR_GOVERNOR_INIT:
		ops->init(state, params, e->view, o);
		break;
	case WEIR_GOVERNOR_SEED:
		if (ops->on_seed)
			ops->on_seed(state, params, e->view, e->amount, o);
		break;
	case WEIR_GOVERNOR_ACK:
		ops->on_ack(state, params, e->view, e->ack, o);
		break;
	case WEIR_GOVERNOR_LOSS:
		ops->on_loss(state, params, e->view, e->loss, o);
		break;
	case WEIR_GOVERNOR_TIMEOUT:
		ops->on_timeout(state, params, e->view, o);
		break;
	case WEIR_GOVERNOR_IDLE:
		if (ops->on_idle)
			ops->on_idle(state, params, e->view, e->amount, o);
		break;
	case WEIR_GOVERNOR_TICK:
		if (ops->on_tick)
			ops->on_tick(state, params, e->view, o);
		break;
	}
}

/* ---- the inner controller ---- */

/* Nothing is changed of what an inner controller says. */
WEIR_CORE bool weir_governor_passes(const struct weir_governor *g)
{
	const struct weir_setpoint *sp = &g->setpoint;
	return g->inner == WEIR_GOVERNOR_RENO ||
	       (g->inner != WEIR_SETPOINT_RATE && !sp->paced && !sp->wave_period_ns && !sp->low_pass_ns);
}

/* One event for the inner controller; what it has no opinion about stands. */
WEIR_CORE void weir_governor_tell(struct weir_governor *g, const struct weir_governor_host *host,
				  const void *context, const struct weir_governor_event *e)
{
	struct weir_out o = {0, 0, 0};
	if (g->inner == WEIR_SETPOINT_RATE || e->kind == WEIR_GOVERNOR_NOTHING)
		return;
	host->tell(context, g->inner, g->state, e, &o);
	if (o.cwnd_bytes)
		g->inner_out.cwnd_bytes = o.cwnd_bytes;
	if (o.pacing_Bps)
		g->inner_out.pacing_Bps = o.pacing_Bps;
	if (o.wake_ns)
		g->inner_out.wake_ns = o.wake_ns;
}

/* As the inner controller shall see it: a rate holds the sender back in place of its window. */
WEIR_CORE struct weir_view weir_governor_view(const struct weir_governor *g, const struct weir_view *v)
{
	struct weir_view view = *v;
	if (!weir_governor_passes(g) && !(v->flags & WEIR_APP_LIMITED))
		view.flags |= WEIR_CWND_LIMITED;
	return view;
}

/* Whether the tick that it asked for is due; it is then no longer. */
WEIR_CORE bool weir_governor_awaits(struct weir_governor *g, u64 now_ns)
{
	if (!g->inner_out.wake_ns || g->inner_out.wake_ns > now_ns)
		return false;
	g->inner_out.wake_ns = 0;
	return true;
}

/* `inner` begins anew; no init relies on a state of zeroes. */
WEIR_CORE void weir_governor_start(struct weir_governor *g, const struct weir_governor_host *host,
				   const void *context, const struct weir_view *v, u32 inner, u64 seed_bytes)
{
	struct weir_governor_event e = {.kind = WEIR_GOVERNOR_INIT, .view = v, .amount = seed_bytes};
	g->inner = inner;
	g->inner_out = (struct weir_out){0, 0, 0};
	weir_governor_tell(g, host, context, &e);
	e.kind = WEIR_GOVERNOR_SEED;
	if (seed_bytes)
		weir_governor_tell(g, host, context, &e);
}

/* Who is in charge, by the setpoint and its expiry. */
WEIR_CORE void weir_governor_choose(struct weir_governor *g, const struct weir_governor_host *host,
				    const void *context, const struct weir_view *v)
{
	const struct weir_setpoint *sp = &g->setpoint;
	bool was_expired = g->expired;
	u64 seed_bytes = sp->seed_cwnd_bytes;
	g->expired = sp->expiry_ns && g->unanswered_ns && v->now_ns - g->unanswered_ns >= sp->expiry_ns;
	u32 inner = g->expired ? WEIR_GOVERNOR_RENO : sp->inner;
	if (inner == g->inner && (g->expired || sp->seeds == g->seeds))
		return;
	if (g->expired)
		seed_bytes = weir_max(v->inflight_bytes / 2, 2 * weir_window_mss(v));
	else if (was_expired && sp->seeds == g->seeds)
		seed_bytes = g->inner_out.cwnd_bytes;
	if (!g->expired)
		g->seeds = sp->seeds;
	weir_governor_start(g, host, context, v, inner, seed_bytes);
}

/* ---- the rate ---- */

WEIR_CORE void weir_governor_phase_on(struct weir_governor *g, u64 now_ns)
{
	g->phase += weir_wave_advance(weir_sub(now_ns, g->wave_ns), g->setpoint.wave_period_ns);
	g->wave_ns = now_ns;
}

/* First order, for whatever time has passed since the last call; 0 where there is no rate yet. */
WEIR_CORE u64 weir_governor_base_Bps(struct weir_governor *g, const struct weir_view *v, u64 elapsed_ns)
{
	u64 rate_Bps = weir_max(g->setpoint.rate_Bps, 1), tau_ns = g->setpoint.low_pass_ns;
	if (g->inner != WEIR_SETPOINT_RATE) {
		u64 window = weir_min(g->inner_out.cwnd_bytes, WEIR_WINDOW_MAX_BYTES);
		rate_Bps = v->srtt_ns ? weir_max(weir_muldiv(window, WEIR_NS_PER_S, v->srtt_ns), 1) : 0;
		rate_Bps = g->inner_out.pacing_Bps ? g->inner_out.pacing_Bps : rate_Bps;
	}
	if (!tau_ns || !g->smooth_Bps || !rate_Bps) {
		g->smooth_Bps = rate_Bps;
		return rate_Bps;
	}
	u64 all_ns = weir_max(weir_add(tau_ns, elapsed_ns), 1);
	if (rate_Bps > g->smooth_Bps)
		g->smooth_Bps += weir_muldiv(rate_Bps - g->smooth_Bps, elapsed_ns, all_ns);
	else
		g->smooth_Bps -= weir_muldiv(g->smooth_Bps - rate_Bps, elapsed_ns, all_ns);
	g->smooth_Bps = weir_max(g->smooth_Bps, 1);
	return g->smooth_Bps;
}

/* The inner controller's own words; a rate that was set before must not hold it back. */
WEIR_CORE void weir_governor_pass(struct weir_governor *g, const struct weir_view *v, struct weir_out *o)
{
	*o = g->inner_out;
	u64 window = 2 * weir_min(o->cwnd_bytes, WEIR_WINDOW_MAX_BYTES);
	if (!o->pacing_Bps && g->has_paced && v->srtt_ns)
		o->pacing_Bps = weir_max(weir_muldiv(window, WEIR_NS_PER_S, v->srtt_ns), 1);
}

/* The window beside a rate. */
WEIR_CORE u64 weir_governor_cap_bytes(const struct weir_governor *g, const struct weir_view *v, u64 rate_Bps)
{
	u64 mss = weir_window_mss(v);
	if (g->stalled)
		return mss;
	if (!v->srtt_ns)
		return weir_max(g->inner_out.cwnd_bytes, weir_window_initial(v));
	u64 percent = g->setpoint.cap_percent ? g->setpoint.cap_percent : WEIR_GOVERNOR_CAP_PERCENT;
	u64 carried = weir_muldiv(weir_max(rate_Bps, g->setpoint.floor_Bps), v->srtt_ns, WEIR_NS_PER_S);
	return weir_clamp(weir_muldiv(carried, percent, 100), WEIR_GOVERNOR_CAP_LEAST_PACKETS * mss,
			  WEIR_WINDOW_MAX_BYTES);
}

WEIR_CORE void weir_governor_say(struct weir_governor *g, const struct weir_view *v, u64 elapsed_ns,
				 struct weir_out *o)
{
	const struct weir_setpoint *sp = &g->setpoint;
	u64 rate_Bps = weir_governor_base_Bps(g, v, elapsed_ns);
	if (weir_governor_passes(g)) {
		weir_governor_pass(g, v, o);
		return;
	}
	o->wake_ns = g->inner_out.wake_ns;
	o->cwnd_bytes = weir_governor_cap_bytes(g, v, rate_Bps);
	if (!rate_Bps)
		return;
	g->has_paced = 1;
	o->pacing_Bps = weir_max(weir_max(rate_Bps, sp->floor_Bps), weir_window_mss(v));
	if (!sp->wave_period_ns)
		return;
	u64 wake_ns = weir_add(v->now_ns, weir_max(sp->wave_period_ns / WEIR_GOVERNOR_STEPS, WEIR_NS_PER_US));
	u64 least_Bps = weir_max(o->pacing_Bps / WEIR_GOVERNOR_TROUGH, sp->floor_Bps);
	o->pacing_Bps = weir_wave_over_Bps(rate_Bps, sp->wave_amplitude_Bps, g->phase,
					   weir_max(least_Bps, weir_window_mss(v)));
	o->wake_ns = o->wake_ns ? weir_min(o->wake_ns, wake_ns) : wake_ns;
}

/* ---- reports ---- */

/* With the first event after a period. The next period begins when this one ended, not with the event: events
 * that are late do not make reports fewer. */
WEIR_CORE bool weir_governor_due(struct weir_governor *g, u64 now_ns, u64 period_ns)
{
	u64 since_ns = now_ns - g->period_ns;
	if (since_ns < period_ns)
		return false;
	g->period_ns = since_ns < 2 * period_ns ? g->period_ns + period_ns : now_ns;
	return true;
}

/* After each event: a report if one is due, and what the setpoint says now. */
WEIR_CORE void weir_governor_finish(struct weir_governor *g, const struct weir_governor_host *host,
				    const void *context, const struct weir_view *v, u64 elapsed_ns,
				    struct weir_out *o)
{
	u64 period_ns = g->setpoint.report_ns;
	weir_governor_phase_on(g, v->now_ns);
	if (period_ns && weir_governor_due(g, v->now_ns, period_ns)) {
		weir_governor_fill(g, v);
		if (host->exchange(context, &g->report, &g->setpoint))
			g->unanswered_ns = 0;
		else if (!g->unanswered_ns)
			g->unanswered_ns = v->now_ns;
		weir_governor_restart(&g->report);
		weir_governor_choose(g, host, context, v);
	}
	weir_governor_say(g, v, elapsed_ns, o);
}

/* ---- what a host calls ---- */

/* `g` is zeroed. */
WEIR_CORE void weir_governor_init(struct weir_governor *g, const struct weir_governor_host *host,
				  const void *context, const struct weir_setpoint *first,
				  const struct weir_view *v, struct weir_out *o)
{
	g->setpoint = *first;
	g->report.now_ns = g->period_ns = g->event_ns = g->wave_ns = v->now_ns;
	g->seeds = first->seeds;
	weir_governor_start(g, host, context, v, first->inner, first->seed_cwnd_bytes);
	weir_governor_say(g, v, 0, o);
}

/* Everything after that. */
WEIR_CORE void weir_governor_on(struct weir_governor *g, const struct weir_governor_host *host,
				const void *context, struct weir_governor_event e, struct weir_out *o)
{
	const struct weir_view *v = e.view;
	struct weir_view view = weir_governor_view(g, v);
	u64 elapsed_ns = weir_sub(v->now_ns, g->event_ns);
	weir_governor_count(g, &e);
	e.view = &view;
	if (e.kind == WEIR_GOVERNOR_TICK && !weir_governor_awaits(g, v->now_ns))
		e.kind = WEIR_GOVERNOR_NOTHING;
	weir_governor_tell(g, host, context, &e);
	weir_governor_finish(g, host, context, v, elapsed_ns, o);
}

#endif
