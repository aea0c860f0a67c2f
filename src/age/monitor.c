/* SPDX-License-Identifier: MIT */
#include "monitor.h"

#include "weir/num.h"

#include <string.h>

const char *const weir_monitor_words[WEIR_MONITOR_VERDICTS] = {
    "fresh", "repeated", "late", "double", "probed", "opened", "strange", "ignored", "refused"};

void weir_monitor_init(struct weir_monitor *m, u64 flow_id, u32 session_seed, u64 bound_ns)
{
	memset(m, 0, sizeof *m);
	m->flow_id = flow_id;
	m->next_session = session_seed;
	m->offset_error_us = WEIR_AGE_UNKNOWN;
	weir_ledger_init(&m->age, bound_ns);
}

/* All 2^32 sessions in turn, none twice (full period: Hull and Dobell 1962), 0 left out. */
static u32 monitor_next_session(struct weir_monitor *m)
{
	do
		m->next_session = m->next_session * 1664525U + 1013904223U;
	while (!m->next_session);
	return m->next_session;
}

static u64 monitor_session_lost(const struct weir_monitor *m)
{
	return m->highest ? weir_sub(m->highest - m->first + 1, m->received) : 0;
}

u64 weir_monitor_lost(const struct weir_monitor *m)
{
	return m->lost + monitor_session_lost(m);
}

static void monitor_open(struct weir_monitor *m, u64 now_ns, u32 incarnation)
{
	m->lost += monitor_session_lost(m);
	m->incarnation = incarnation;
	m->session = monitor_next_session(m);
	m->sessions++;
	m->opened_ns = now_ns;
	m->first = m->highest = 0;
	m->highest_sent_ns = m->highest_generated_ns = m->highest_received_ns = 0;
	m->received = m->marked = 0;
	m->offset_ns = 0;
	m->offset_error_us = WEIR_AGE_UNKNOWN;
	m->gap_s = 0;
}

static void monitor_answer(const struct weir_monitor *m, const struct weir_age_packet *in,
			   enum weir_age_type type, u64 now_ns, struct weir_age_packet *answer)
{
	answer->type = (u8)type;
	answer->flow_id = in->flow_id;
	answer->incarnation = in->incarnation;
	answer->session = m->session;
	answer->sequence = in->sequence;
	answer->sent_ns = in->sent_ns;
	answer->received_ns = now_ns;
	answer->received = m->received;
	answer->marked_count = m->marked;
}

/* The highest received, whatever came: so a lost ACK costs nothing. */
static void monitor_acknowledge(const struct weir_monitor *m, const struct weir_age_packet *in, u64 now_ns,
				struct weir_age_packet *answer)
{
	u64 held_us = (now_ns - m->highest_received_ns) / WEIR_NS_PER_US;
	monitor_answer(m, in, WEIR_AGE_ACK, now_ns, answer);
	answer->sequence = (u32)m->highest;
	answer->sent_ns = m->highest_sent_ns;
	answer->generated_ns = m->highest_generated_ns;
	answer->received_ns = m->highest_received_ns;
	answer->held_us = (u32)weir_min(held_us, WEIR_AGE_UNKNOWN);
}

static void monitor_note(struct weir_monitor *m, const struct weir_age_packet *in)
{
	m->offset_ns = in->offset_ns;
	m->offset_error_us = in->offset_error_us;
	m->rtt_us = in->rtt_us;
	m->rate_mhz = in->rate_mhz;
	m->backlog_updates = in->backlog_updates;
}

/* A value to be delivered. */
static void monitor_deliver(struct weir_monitor *m, struct weir_age_spread *spread, u64 now_ns, u64 before_ns,
			    const struct weir_age_packet *in)
{
	u64 made_ns = in->generated_ns + (u64)in->offset_ns;
	if (in->offset_error_us == WEIR_AGE_UNKNOWN) /* then as if it had taken no time to come */
		made_ns = weir_sub(now_ns, weir_sub(in->sent_ns, in->generated_ns));
	if (before_ns) {
		double gap_s = (double)(now_ns - before_ns) * 1e-9;
		m->gap_s = m->gap_s > 0 ? .8 * m->gap_s + .2 * gap_s : gap_s;
	}
	m->fresh++;
	weir_ledger_replace(&m->age, spread, now_ns, made_ns);
	m->delivered_age_s = weir_ledger_age_s(&m->age, now_ns);
}

/* An UPDATE of the session. */
static enum weir_monitor_verdict monitor_update(struct weir_monitor *m, struct weir_age_spread *spread,
						u64 now_ns, const struct weir_age_packet *in)
{
	i32 ahead = m->highest ? (i32)(in->sequence - (u32)m->highest) : 1;
	m->received++;
	m->marked += in->marked;
	if (ahead <= 0) {
		u64 number = m->highest - (u64)(-(i64)ahead);
		m->first = weir_min(m->first, number);
		m->doubles += ahead == 0;
		m->late += ahead < 0;
		return ahead ? WEIR_MONITOR_LATE : WEIR_MONITOR_DOUBLE;
	}
	if (!m->highest) /* 2^32 below: what came late may have lower numbers */
		m->first = m->highest = (1ULL << 32) + in->sequence;
	else
		m->highest += (u64)ahead;
	u64 before_ns = m->highest_received_ns, newest_ns = m->highest_generated_ns;
	bool known = newest_ns && (in->generated_ns < newest_ns ||
				   (in->generated_ns == newest_ns && in->flags & WEIR_AGE_AGAIN));
	m->highest_sent_ns = in->sent_ns;
	m->highest_received_ns = now_ns;
	monitor_note(m, in);
	if (known)
		return WEIR_MONITOR_REPEATED;
	m->highest_generated_ns = in->generated_ns;
	monitor_deliver(m, spread, now_ns, before_ns, in);
	return WEIR_MONITOR_FRESH;
}

enum weir_monitor_verdict weir_monitor_receive(struct weir_monitor *m, struct weir_age_spread *spread,
					       u64 now_ns, const struct weir_age_packet *in,
					       struct weir_age_packet *answer)
{
	memset(answer, 0, sizeof *answer);
	if ((in->type != WEIR_AGE_PROBE && in->type != WEIR_AGE_UPDATE) || in->flow_id != m->flow_id)
		return WEIR_MONITOR_IGNORED;
	now_ns = m->heard_ns = weir_max(now_ns, m->heard_ns);
	bool ours = m->session && in->incarnation == m->incarnation;
	if (in->type == WEIR_AGE_PROBE) {
		if (!ours)
			monitor_open(m, now_ns, in->incarnation);
		monitor_note(m, in);
		monitor_answer(m, in, WEIR_AGE_PROBE_ACK, now_ns, answer);
		return ours ? WEIR_MONITOR_PROBED : WEIR_MONITOR_OPENED;
	}
	if (ours && in->session == m->session) {
		enum weir_monitor_verdict verdict = monitor_update(m, spread, now_ns, in);
		monitor_acknowledge(m, in, now_ns, answer);
		return verdict;
	}
	bool first = !m->session;
	if (first) { /* we restarted, or forgot it: it may go on at once */
		monitor_open(m, now_ns, in->incarnation);
		ours = true;
	}
	monitor_answer(m, in, WEIR_AGE_RESET, now_ns, answer);
	/* Of another incarnation: a stale one, or ours was opened by a stale probe. Only a probe may change
	 * it. */
	answer->session = ours ? m->session : 0;
	return first ? WEIR_MONITOR_OPENED : WEIR_MONITOR_STRANGE;
}

struct weir_age_reading weir_monitor_age(const struct weir_monitor *m, u64 now_ns)
{
	struct weir_age_reading r;
	memset(&r, 0, sizeof r);
	r.known = m->age.known;
	if (!r.known)
		return r;
	r.age_s = r.low_s = weir_ledger_age_s(&m->age, now_ns);
	if (m->offset_error_us == WEIR_AGE_UNKNOWN)
		return r;
	double error_s = m->offset_error_us * 1e-6;
	r.low_s = r.age_s > error_s ? r.age_s - error_s : 0;
	r.high_s = r.age_s + error_s;
	return r;
}
