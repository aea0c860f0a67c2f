/* SPDX-License-Identifier: MIT */
#include "source.h"

#include "source_state.h"

#include <string.h>

struct weir_source_config weir_source_defaults(const struct weir_age_ops *ops, const void *params)
{
	struct weir_source_config c;
	memset(&c, 0, sizeof c);
	c.ops = ops;
	c.params = params;
	c.first_sequence = 1;
	c.probes = 10;
	c.probe_timeout_ns = WEIR_NS_PER_S;
	return c;
}

void weir_source_init(struct weir_source *s, const struct weir_source_config *c, u64 now_ns)
{
	memset(s, 0, sizeof *s);
	s->config = *c;
	s->config.probes = c->probes ? c->probes : 1;
	s->config.probe_timeout_ns = weir_clamp(c->probe_timeout_ns, WEIR_NS_PER_MS, WEIR_SOURCE_BREAKER_NS);
	s->now_ns = s->counted_ns = now_ns;
	s->silent_ns = WEIR_NEVER;
	/* 2^32 below, so that a hostile number cannot reach below 0 */
	s->sent = s->acked = (1ULL << 32) + c->first_sequence - 1;
	s->probe_wait_ns = s->config.probe_timeout_ns;
	weir_ledger_init(&s->estimate, c->bound_ns);
}

/* ---- time ---- */

u64 weir_source_rto_ns(const struct weir_source *s, u64 min_ns)
{
	double rto_s = s->srtt_s + 4 * s->rttvar_s;
	return weir_max(rto_s < 1e6 ? (u64)(rto_s * 1e9) : WEIR_SOURCE_PERIOD_MAX_NS, min_ns);
}

void weir_source_account(struct weir_source *s)
{
	if (s->begun && s->now_ns > s->counted_ns) {
		double length_s = (double)(s->now_ns - s->counted_ns) * 1e-9;
		double backlog_s = (double)(s->sent - s->acked) * length_s;
		s->epoch_age_s2 +=
		    length_s * ((double)(s->counted_ns - s->acked_generated_ns) * 1e-9 + length_s / 2);
		s->epoch_backlog_s += backlog_s;
		s->backlog_area_s += backlog_s;
		weir_ledger_advance(&s->estimate, NULL, s->now_ns);
	}
	s->counted_ns = s->now_ns;
}

void weir_source_tick(struct weir_source *s, u64 now_ns)
{
	u64 wake_ns =
	    weir_max(weir_source_wake_ns(s), s->now_ns); /* no call before could have been earlier */
	u64 patience_ns = weir_max(WEIR_NS_PER_S, (u64)((s->srtt_s < 1e3 ? s->srtt_s : 1e3) * 4e9));
	s->now_ns = weir_max(s->now_ns, now_ns);
	if (!s->probe || s->now_ns <= wake_ns || s->now_ns - wake_ns <= patience_ns)
		return;
	/* Suspended: the silence is ours, not the path's. */
	s->stats.stalls++;
	s->stalled_ns = s->now_ns;
	s->epoch_flags |= WEIR_AGE_STALLED;
	if (s->silent_ns != WEIR_NEVER) {
		s->silent_ns = s->asked_ns = s->now_ns;
		s->unanswered = 1;
	}
	s->last_ack_ns = 0;
}

u64 weir_source_slot_ns(const struct weir_source *s)
{
	return s->phase == WEIR_SOURCE_RUNNING ? weir_add(s->slot_ns, s->period_ns) : WEIR_NEVER;
}

/* When an unanswered update is followed by a probe, or sent again. */
static u64 source_nudge_ns(const struct weir_source *s)
{
	if (!s->unanswered)
		return WEIR_NEVER;
	return s->asked_ns +
	       weir_source_rto_ns(s, s->hurried ? WEIR_SOURCE_HURRY_NS : WEIR_SOURCE_RTO_MIN_NS);
}

/* When silence becomes an outage: less than 3 RTO after the first packet that got no answer. */
static u64 source_outage_ns(const struct weir_source *s)
{
	if (s->unanswered < WEIR_SOURCE_UNANSWERED || s->silent_ns == WEIR_NEVER)
		return WEIR_NEVER;
	u64 rto_ns = weir_source_rto_ns(s, WEIR_SOURCE_RTO_MIN_NS);
	return s->silent_ns + 2 * rto_ns + rto_ns * 3 / 4;
}

/* Nothing is sent, nothing waits, nothing is missing: the next event is the application's. */
static bool source_idle(const struct weir_source *s)
{
	return !weir_source_has_value(s) && s->sent == s->acked && !s->epoch_sent;
}

u64 weir_source_wake_ns(const struct weir_source *s)
{
	if (s->phase != WEIR_SOURCE_RUNNING)
		return s->probe_out ? weir_add(s->probe_sent_ns, s->probe_wait_ns) : s->now_ns;
	u64 wake_ns = weir_min(source_nudge_ns(s), source_outage_ns(s));
	if (weir_source_has_value(s))
		wake_ns = weir_min(wake_ns, s->again ? s->now_ns : weir_source_slot_ns(s));
	if (!source_idle(s))
		wake_ns = weir_min(wake_ns, weir_add(s->epoch_begin_ns, s->epoch_length_ns));
	return wake_ns;
}

/* ---- rate and epochs ---- */

void weir_source_apply(struct weir_source *s, const struct weir_age_out *o)
{
	double rate_hz = o->rate_hz;
	if (!(rate_hz > 0) || !(rate_hz < 1e12))
		return;
	if (s->config.floor_hz > 0 && rate_hz < s->config.floor_hz)
		rate_hz = s->config.floor_hz;
	if (s->resumed && s->srtt_s > 0 && rate_hz * s->srtt_s > 1)
		rate_hz = 1 / s->srtt_s;
	if (s->config.ceiling_hz > 0 && rate_hz > s->config.ceiling_hz)
		rate_hz = s->config.ceiling_hz;
	double period_ns = 1e9 / rate_hz + .5;
	s->period_ns = period_ns < 1e14 ? weir_max((u64)period_ns, WEIR_SOURCE_PERIOD_MIN_NS)
					: WEIR_SOURCE_PERIOD_MAX_NS;
	s->rate_hz = rate_hz;
}

void weir_source_begin_epoch(struct weir_source *s, double epoch_s)
{
	if (!(epoch_s > 0) || !(epoch_s < 1e5))
		epoch_s = epoch_s > 0 ? 1e5 : WEIR_AGE_ETA / s->rate_hz;
	s->epoch_begin_ns = s->now_ns;
	s->epoch_length_ns = epoch_s < 1e5 ? weir_max((u64)(epoch_s * 1e9), 1) : WEIR_SOURCE_PERIOD_MAX_NS;
	s->epoch_age_s2 = s->epoch_backlog_s = 0;
	s->epoch_sent = s->epoch_acked = s->epoch_overtaken = s->epoch_flags = 0;
}

static void source_end_epoch(struct weir_source *s)
{
	struct weir_age_epoch e;
	struct weir_age_out o = {0, 0};
	memset(&e, 0, sizeof e);
	weir_source_account(s);
	e.now_s = (double)s->now_ns * 1e-9;
	e.length_s = (double)(s->now_ns - s->epoch_begin_ns) * 1e-9;
	e.age_mean_s = s->epoch_age_s2 / e.length_s;
	e.backlog_mean = s->epoch_backlog_s / e.length_s;
	e.rate_hz = s->rate_hz;
	e.sent = s->epoch_sent;
	e.acked = s->epoch_acked;
	e.overtaken = s->epoch_overtaken;
	e.flags = s->epoch_flags;
	if (2 * (double)s->epoch_sent < e.length_s * s->rate_hz)
		e.flags |= WEIR_AGE_APP_LIMITED;
	if (!s->epoch_acked)
		e.flags |= WEIR_AGE_SILENT;
	s->config.ops->on_epoch(s->controller.bytes, s->config.params, &e, &o);
	weir_source_apply(s, &o);
	weir_source_begin_epoch(s, o.epoch_s);
	s->stats.epochs++;
}

/* ---- sending ---- */

static u32 source_saturate(double x)
{
	return x < 0 ? 0 : x < 4294967294.0 ? (u32)x : 0xfffffffeU;
}

static void source_fill(const struct weir_source *s, struct weir_age_packet *out, enum weir_age_type type)
{
	memset(out, 0, sizeof *out);
	out->type = (u8)type;
	out->flow_id = s->config.flow_id;
	out->incarnation = s->config.incarnation;
	out->sent_ns = s->now_ns;
	out->offset_error_us = WEIR_AGE_UNKNOWN;
	if (s->clock.known) {
		u64 width_ns = (u64)s->clock.high_ns - (u64)s->clock.low_ns;
		out->offset_ns = (i64)((u64)s->clock.low_ns + width_ns / 2);
		out->offset_error_us = source_saturate((double)width_ns / 2e3 + 1);
	}
	out->rtt_us = source_saturate(s->srtt_s * 1e6 + .5);
	out->rate_mhz = source_saturate(s->rate_hz * 1e3 + .5);
	out->backlog_updates = (u32)weir_min(s->sent - s->acked, 0xfffffffeU);
}

/* Of everything that leaves. */
static void source_asked(struct weir_source *s)
{
	s->asked_ns = s->now_ns;
	if (s->silent_ns == WEIR_NEVER)
		s->silent_ns = s->now_ns;
	s->unanswered++;
}

static bool source_send_probe(struct weir_source *s, struct weir_age_packet *out)
{
	source_fill(s, out, WEIR_AGE_PROBE);
	out->sequence = ++s->probe;
	s->probe_sent_ns = s->now_ns;
	s->probe_out = true;
	s->stats.probes++;
	source_asked(s);
	return true;
}

static bool source_send_update(struct weir_source *s, struct weir_age_packet *out, bool again)
{
	weir_source_account(s);
	u64 generated_ns = s->config.just_in_time ? s->now_ns : again ? s->last_generated_ns : s->offered_ns;
	s->sent++;
	source_fill(s, out, WEIR_AGE_UPDATE);
	out->session = s->session;
	out->sequence = (u32)s->sent;
	out->generated_ns = s->last_generated_ns = generated_ns;
	out->flags = again ? WEIR_AGE_AGAIN : 0;
	s->last_sent_ns = s->now_ns;
	s->stats.updates++;
	s->stats.again += again;
	s->epoch_sent++;
	s->again = false;
	if (!again)
		s->waiting = false;
	source_asked(s);
	return true;
}

static bool source_expired(const struct weir_source *s, u64 generated_ns)
{
	return s->config.max_age_ns && s->now_ns - generated_ns > s->config.max_age_ns;
}

/* Takes the slot that is due: its nominal time where it is used in time, else now, so that no burst follows.
 * A slot that waited for the application makes a gap that the path did not make. */
static void source_take_slot(struct weir_source *s)
{
	u64 due_ns = weir_source_slot_ns(s), late_ns = s->now_ns - due_ns;
	s->slot_ns = late_ns < s->period_ns ? due_ns : s->now_ns;
	if (s->config.just_in_time || s->waiting_since_ns <= due_ns + s->period_ns / 2)
		return;
	if (s->late_first <= s->acked)
		s->late_first = s->sent + 1;
	s->late_last = s->sent + 1;
}

static bool source_poll_running(struct weir_source *s, struct weir_age_packet *out)
{
	if (s->now_ns >= weir_add(s->epoch_begin_ns, s->epoch_length_ns) && !source_idle(s))
		source_end_epoch(s);
	if (s->now_ns >= source_outage_ns(s)) {
		s->stats.outages++;
		weir_source_ask(s);
		return source_send_probe(s, out);
	}
	if (s->waiting && s->now_ns >= weir_source_slot_ns(s) && source_expired(s, s->offered_ns)) {
		s->waiting = false;
		s->stats.expired++;
	}
	bool fresh = s->waiting || s->config.just_in_time;
	if (fresh && (s->again || s->now_ns >= weir_source_slot_ns(s))) {
		if (s->now_ns >= weir_source_slot_ns(s))
			source_take_slot(s);
		else
			s->slot_ns = s->now_ns;
		return source_send_update(s, out, false);
	}
	bool nudge = s->now_ns >= source_nudge_ns(s);
	bool resend = s->config.resend && !s->config.just_in_time && weir_source_owes(s);
	if ((s->again || (nudge && resend)) && !source_expired(s, s->last_generated_ns))
		return source_send_update(s, out, true);
	s->again = false;
	return nudge && source_send_probe(s, out);
}

bool weir_source_poll(struct weir_source *s, u64 now_ns, struct weir_age_packet *out)
{
	memset(out, 0, sizeof *out);
	weir_source_tick(s, now_ns);
	if (s->phase == WEIR_SOURCE_RUNNING)
		return source_poll_running(s, out);
	if (s->probe_out && s->now_ns < weir_add(s->probe_sent_ns, s->probe_wait_ns))
		return false;
	if (s->probe_out)
		s->probe_wait_ns = weir_min(2 * s->probe_wait_ns, WEIR_SOURCE_BREAKER_NS);
	weir_source_account(s);
	return source_send_probe(s, out);
}

/* ---- the application's side ---- */

bool weir_source_offer(struct weir_source *s, u64 now_ns, u64 generated_ns)
{
	weir_source_tick(s, now_ns);
	generated_ns = weir_min(generated_ns, s->now_ns);
	if (generated_ns < s->offered_ns) {
		s->stats.backward++;
		return false;
	}
	s->stats.offered++;
	s->stats.replaced += s->waiting;
	if (!s->waiting)
		s->waiting_since_ns = s->now_ns;
	s->waiting = true;
	s->offered_ns = generated_ns;
	return true;
}

void weir_source_path_changed(struct weir_source *s, u64 now_ns)
{
	weir_source_tick(s, now_ns);
	s->stats.path_changes++;
	s->stalled_ns = s->now_ns; /* what is under way tells of the old path */
	s->srtt_s = s->rttvar_s = s->min_rtt_s = 0;
	s->resume_flags |= WEIR_AGE_PATH_CHANGED;
	s->n_answered = 0;
	s->probe_sum_s = 0;
	weir_source_ask(s);
}

void weir_source_ask(struct weir_source *s)
{
	weir_source_account(s);
	if (s->phase == WEIR_SOURCE_RUNNING)
		s->phase = WEIR_SOURCE_OUTAGE;
	s->probe_out = false;
	s->probe_wait_ns =
	    s->phase == WEIR_SOURCE_PROBING
		? s->config.probe_timeout_ns
		: weir_min(weir_source_rto_ns(s, WEIR_SOURCE_RTO_MIN_NS), WEIR_SOURCE_BREAKER_NS);
}

bool weir_source_settled(const struct weir_source *s)
{
	return s->begun && !s->waiting && !s->again && !weir_source_owes(s);
}

void weir_source_hurry(struct weir_source *s, u64 now_ns)
{
	weir_source_tick(s, now_ns);
	s->hurried = s->config.resend = true;
	s->again = s->again || (weir_source_owes(s) && !s->unanswered);
}

void weir_source_advance(struct weir_source *s, u64 now_ns)
{
	s->now_ns = weir_max(s->now_ns, now_ns);
	weir_source_account(s);
}

void weir_source_signals(const struct weir_source *s, double value[WEIR_AGE_SIGNALS_MAX])
{
	memset(value, 0, WEIR_AGE_SIGNALS_MAX * sizeof *value);
	s->config.ops->probe(s->controller.bytes, value);
}

double weir_source_backlog_mean(const struct weir_source *s)
{
	double time_s = weir_ledger_time_s(&s->estimate);
	return time_s > 0 ? s->backlog_area_s / time_s : 0;
}
