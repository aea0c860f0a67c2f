/* SPDX-License-Identifier: MIT */
#include "source_state.h"

#include <string.h>

#define CLOCK_DRIFT_PPM 100 /* two quartz clocks, each within 50 ppm */

/* ---- what an answer tells ---- */

/* RFC 6298 for the timeout; the controllers have their own means. */
static void answers_rtt(struct weir_source *s, double rtt_s)
{
	if (s->srtt_s <= 0) {
		s->srtt_s = rtt_s;
		s->rttvar_s = rtt_s / 2;
	} else {
		double off_s = rtt_s > s->srtt_s ? rtt_s - s->srtt_s : s->srtt_s - rtt_s;
		s->rttvar_s += (off_s - s->rttvar_s) / 4;
		s->srtt_s += (rtt_s - s->srtt_s) / 8;
	}
	s->min_rtt_s = s->min_rtt_s <= 0 || rtt_s < s->min_rtt_s ? rtt_s : s->min_rtt_s;
}

/* RTT of an answer, in s; 0: it gives none. */
static double answers_sample_s(const struct weir_source *s, const struct weir_age_packet *in)
{
	if (in->sent_ns < s->stalled_ns || in->held_us == WEIR_AGE_UNKNOWN)
		return 0;
	u64 away_ns = weir_sub(s->now_ns - in->sent_ns, (u64)in->held_us * WEIR_NS_PER_US);
	return (double)weir_max(away_ns, 1) * 1e-9; /* never 0: a clock may be coarse */
}

/* Adds to a time and stays within the numbers. */
static i64 answers_shift(i64 at_ns, u64 by_ns, bool down)
{
	const i64 largest = (i64)(~0ULL >> 1);
	i64 step = by_ns > (u64)largest ? largest : (i64)by_ns;
	if (down)
		return at_ns < -largest + step ? -largest : at_ns - step;
	return at_ns > largest - step ? largest : at_ns + step;
}

/* The packet left at sent by our clock, came at received by the monitor's, and the answer left there held
 * later and is here now: the offset is at most received - sent and at least received + held - now. */
static void answers_clock(struct weir_source *s, const struct weir_age_packet *in)
{
	struct weir_age_clock *c = &s->clock;
	if (in->held_us == WEIR_AGE_UNKNOWN || in->sent_ns < s->stalled_ns)
		return;
	i64 high_ns = (i64)(in->received_ns - in->sent_ns);
	i64 low_ns = (i64)(in->received_ns + (u64)in->held_us * WEIR_NS_PER_US - s->now_ns);
	if (low_ns > high_ns) /* held longer than it was away: rounding, or nonsense */
		return;
	if (c->known) {
		u64 drift_ns = (s->now_ns - c->at_ns) / 1000000 * CLOCK_DRIFT_PPM;
		i64 old_low_ns = answers_shift(c->low_ns, drift_ns, true);
		i64 old_high_ns = answers_shift(c->high_ns, drift_ns, false);
		if (old_low_ns > high_ns || old_high_ns < low_ns) {
			s->stats.clock_jumps++; /* what is newest counts */
		} else {
			low_ns = low_ns > old_low_ns ? low_ns : old_low_ns;
			high_ns = high_ns < old_high_ns ? high_ns : old_high_ns;
		}
	}
	c->known = true;
	c->at_ns = s->now_ns;
	c->low_ns = low_ns;
	c->high_ns = high_ns;
}

void weir_source_answered(struct weir_source *s)
{
	s->unanswered = 0;
	s->silent_ns = s->sent > s->acked ? s->now_ns : WEIR_NEVER;
}

/* What is outstanding will not be acknowledged any more. It leaves the backlog; the age goes on. */
static void answers_void(struct weir_source *s)
{
	weir_source_account(s);
	s->acked = s->sent;
	s->last_ack_ns = 0;
}

/* The newest value goes out at once, where the monitor cannot have it. */
static void answers_catch_up(struct weir_source *s)
{
	if (s->waiting || s->config.just_in_time || (s->config.resend && weir_source_owes(s)))
		s->again = true;
}

static void answers_take_session(struct weir_source *s, u32 session)
{
	if (s->session == session)
		return;
	s->session = session;
	s->received = s->marked = 0;
	s->clock.known = s->forward_known = false; /* it may be another machine */
	s->stats.sessions++;
}

/* ---- probes ---- */

static void answers_begin(struct weir_source *s, const struct weir_age_packet *in)
{
	struct weir_age_out o = {0, 0};
	double mean_s = s->probe_sum_s / s->n_answered;
	memset(s->controller.bytes, 0, sizeof s->controller.bytes);
	s->config.ops->init(s->controller.bytes, s->config.params, (double)s->now_ns * 1e-9, mean_s, &o);
	s->phase = WEIR_SOURCE_RUNNING;
	s->begun = true;
	s->acked_sent_ns = s->acked_generated_ns = in->sent_ns;
	s->counted_ns = s->now_ns;
	weir_ledger_value(&s->estimate, NULL, s->now_ns, in->sent_ns);
	s->rate_hz = 1 / mean_s;
	o.rate_hz = o.rate_hz > 0 ? o.rate_hz : s->rate_hz;
	weir_source_apply(s, &o);
	s->slot_ns = s->now_ns - weir_min(s->period_ns, s->now_ns);
	weir_source_begin_epoch(s, o.epoch_s);
}

static void answers_resume(struct weir_source *s, double rtt_s)
{
	struct weir_age_out o = {0, 0};
	const struct weir_age_ops *ops = s->config.ops;
	bool owed = weir_source_owes(s);
	answers_void(s);
	s->phase = WEIR_SOURCE_RUNNING;
	s->resumed = true;
	if (ops->on_resume) {
		ops->on_resume(s->controller.bytes, s->config.params, (double)s->now_ns * 1e-9, rtt_s,
			       s->resume_flags, &o);
	} else {
		memset(s->controller.bytes, 0, sizeof s->controller.bytes);
		ops->init(s->controller.bytes, s->config.params, (double)s->now_ns * 1e-9, rtt_s, &o);
	}
	s->resume_flags = 0;
	o.rate_hz = o.rate_hz > 0 ? o.rate_hz : s->rate_hz;
	weir_source_apply(s, &o);
	s->slot_ns = s->now_ns - weir_min(s->period_ns, s->now_ns);
	weir_source_begin_epoch(s, o.epoch_s);
	if (s->config.resend && owed)
		s->again = true;
}

static enum weir_source_verdict answers_probe(struct weir_source *s, const struct weir_age_packet *in)
{
	i32 behind = (i32)(s->probe - in->sequence);
	if (behind < 0 || in->session == 0 || in->sent_ns > s->probe_sent_ns ||
	    (behind == 0 && in->sent_ns != s->probe_sent_ns)) {
		s->stats.acks_bad++;
		return WEIR_SOURCE_BAD;
	}
	if ((i32)(in->sequence - s->probe_answered) <= 0) {
		s->stats.acks_late++;
		return WEIR_SOURCE_LATE;
	}
	s->probe_answered = in->sequence;
	bool other = s->session && s->session != in->session;
	answers_take_session(s, in->session);
	answers_clock(s, in);
	double rtt_s = answers_sample_s(s, in);
	if (rtt_s > 0)
		answers_rtt(s, rtt_s);
	if (s->phase == WEIR_SOURCE_RUNNING) {
		if (other) {
			answers_void(s);
			answers_catch_up(s);
		}
		weir_source_answered(s);
		return WEIR_SOURCE_PROBED;
	}
	s->probe_out = false;
	weir_source_answered(s);
	if (rtt_s <= 0)
		return WEIR_SOURCE_PROBED; /* it was away while we slept: the next one tells */
	if (s->phase == WEIR_SOURCE_OUTAGE) {
		answers_resume(s, rtt_s);
		return WEIR_SOURCE_PROBED;
	}
	s->probe_wait_ns = s->config.probe_timeout_ns;
	s->probe_sum_s += rtt_s;
	if (++s->n_answered >= s->config.probes)
		answers_begin(s, in);
	return WEIR_SOURCE_PROBED;
}

/* ---- updates ---- */

/* One-way delay less what the first sample of the session took more than its RTT. */
static double answers_forward_s(struct weir_source *s, const struct weir_age_packet *in, double rtt_s)
{
	u64 forward_ns = in->received_ns - in->sent_ns;
	if (!s->forward_known)
		s->forward_ns = forward_ns - (u64)(rtt_s * 1e9);
	s->forward_known = true;
	return (double)(i64)(forward_ns - s->forward_ns) * 1e-9;
}

static void answers_tell_controller(struct weir_source *s, const struct weir_age_packet *in, double rtt_s,
				    u32 newly, u32 arrived)
{
	struct weir_age_ack a;
	struct weir_age_out o = {0, 0};
	bool late = s->late_first <= s->acked && s->late_last > s->acked - newly;
	memset(&a, 0, sizeof a);
	a.now_s = (double)s->now_ns * 1e-9;
	a.rtt_s = rtt_s;
	if (rtt_s > 0)
		a.forward_s = answers_forward_s(s, in, rtt_s);
	if (rtt_s > 0 && s->last_ack_ns && !late)
		a.gap_s = (double)weir_max(s->now_ns - s->last_ack_ns, 1) * 1e-9;
	if (s->last_ack_ns)
		s->gap_s = (double)(s->now_ns - s->last_ack_ns) * 1e-9;
	a.age_s = (double)(s->now_ns - s->acked_generated_ns) * 1e-9;
	a.acked = s->acked;
	a.sent = s->sent;
	a.newly_acked = newly;
	a.newly_arrived = arrived;
	a.newly_marked = (u32)weir_min(in->marked_count - s->marked, newly);
	s->stats.marked += a.newly_marked;
	s->marked = in->marked_count;
	s->last_ack_ns = s->now_ns;
	s->resumed = false;
	s->config.ops->on_ack(s->controller.bytes, s->config.params, &a, &o);
	weir_source_apply(s, &o);
	if (o.epoch_s > 0 && o.epoch_s < 1e5)
		s->epoch_length_ns = s->now_ns - s->epoch_begin_ns + (u64)(o.epoch_s * 1e9);
}

/* Whether times that an answer echoes can be those of this number of ours. */
static bool answers_plausible(const struct weir_source *s, const struct weir_age_packet *in, u64 number)
{
	if (number == s->sent)
		return in->sent_ns == s->last_sent_ns;
	return in->sent_ns >= s->acked_sent_ns && in->sent_ns <= s->last_sent_ns;
}

static enum weir_source_verdict answers_ack(struct weir_source *s, const struct weir_age_packet *in)
{
	i32 ahead = (i32)(in->sequence - (u32)s->acked);
	u64 number = s->acked + (u64)(i64)ahead;
	if (ahead <= 0) {
		s->stats.acks_late++;
		return WEIR_SOURCE_LATE;
	}
	if (number > s->sent || !answers_plausible(s, in, number) || in->generated_ns > in->sent_ns ||
	    in->generated_ns > s->last_generated_ns || in->generated_ns < s->confirmed_ns) {
		s->stats.acks_bad++;
		return WEIR_SOURCE_BAD;
	}
	weir_source_account(s);
	u32 newly = (u32)ahead, arrived = (u32)weir_min(in->received - s->received, newly);
	s->received = in->received;
	s->acked = number;
	s->acked_sent_ns = in->sent_ns;
	s->acked_generated_ns = s->confirmed_ns = in->generated_ns;
	if (s->stats.acked++) /* the first may be older than the probe that stood for a value */
		weir_ledger_value(&s->estimate, NULL, s->now_ns, in->generated_ns);
	else
		weir_ledger_replace(&s->estimate, NULL, s->now_ns, in->generated_ns);
	s->stats.overtaken += newly - 1;
	s->stats.lost += newly - arrived;
	s->epoch_acked++;
	s->epoch_overtaken += newly - 1;
	answers_clock(s, in);
	double rtt_s = answers_sample_s(s, in);
	if (rtt_s > 0)
		answers_rtt(s, rtt_s);
	answers_tell_controller(s, in, rtt_s, newly, arrived);
	weir_source_answered(s);
	if (s->phase == WEIR_SOURCE_OUTAGE)
		s->probe_out = false; /* the path is back: another probe at once */
	return WEIR_SOURCE_ACKED;
}

/* The monitor has no session with us, or another one: it restarted, or forgot us. */
static enum weir_source_verdict answers_reset(struct weir_source *s, const struct weir_age_packet *in)
{
	u64 number = s->acked + (u64)(i64)(i32)(in->sequence - (u32)s->acked);
	if (number > s->sent || in->sent_ns > s->last_sent_ns ||
	    (number == s->sent && in->sent_ns != s->last_sent_ns)) {
		s->stats.acks_bad++;
		return WEIR_SOURCE_BAD;
	}
	bool known = in->session == s->session || in->sent_ns < s->reset_ns;
	if (known || s->phase != WEIR_SOURCE_RUNNING) {
		s->stats.acks_late++;
		return WEIR_SOURCE_LATE;
	}
	bool often = s->reset_ns && s->now_ns - s->reset_ns < WEIR_NS_PER_S;
	s->stats.resets++;
	s->reset_ns = s->now_ns;
	if (!in->session) {
		weir_source_ask(s);
		return WEIR_SOURCE_RESET;
	}
	answers_take_session(s, in->session);
	answers_void(s);
	weir_source_answered(s);
	if (!often)
		answers_catch_up(s);
	return WEIR_SOURCE_RESET;
}

enum weir_source_verdict weir_source_receive(struct weir_source *s, u64 now_ns,
					     const struct weir_age_packet *in)
{
	bool answer =
	    in->type == WEIR_AGE_ACK || in->type == WEIR_AGE_PROBE_ACK || in->type == WEIR_AGE_RESET;
	weir_source_tick(s, now_ns);
	if (!answer || in->flow_id != s->config.flow_id || in->incarnation != s->config.incarnation ||
	    in->sent_ns > s->now_ns) {
		s->stats.acks_foreign++;
		return WEIR_SOURCE_FOREIGN;
	}
	if (in->type == WEIR_AGE_PROBE_ACK)
		return answers_probe(s, in);
	if (in->type == WEIR_AGE_RESET)
		return answers_reset(s, in);
	if (in->session != s->session || !s->begun) {
		s->stats.acks_foreign++;
		return WEIR_SOURCE_FOREIGN;
	}
	return answers_ack(s, in);
}
