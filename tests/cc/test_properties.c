/* SPDX-License-Identifier: MIT */
/* What holds for every controller on every sequence of events. A broken rule prints the seed and the
 * shortest sequence found by leaving out halves, quarters, ... of the one that broke it. */
#include "cc/table.h"
#include "core/window.h"
#include "feed.h"
#include "trace.h"

#include <stdio.h>

#define EVENTS_MAX 400
#define TRACES 400

struct subject {
	const struct weir_cc_ops *ops;
	_Alignas(8) u8 state[WEIR_CC_MAX_BYTES];
	struct weir_view view;
	u64 params[64];
	u64 cwnd_bytes;
};

struct trace {
	u64 initial_bytes, initial_ns;
	u32 mss_bytes, n;
	bool extreme;
	struct trace_event event[EVENTS_MAX];
};

static void take(struct subject *s, const struct weir_out *o)
{
	if (o->cwnd_bytes)
		s->cwnd_bytes = o->cwnd_bytes;
}

static void start(struct subject *s, const struct weir_cc_ops *ops, const struct trace *t, u64 shift_ns)
{
	memset(s, 0, sizeof *s);
	s->ops = ops;
	weir_cc_defaults(ops, s->params);
	s->view = (struct weir_view){
	    .now_ns = t->initial_ns + shift_ns, .initial_bytes = t->initial_bytes, .mss_bytes = t->mss_bytes};
	struct weir_out o = {0};
	ops->init(s->state, s->params, &s->view, &o);
	take(s, &o);
}

static void say_loss(struct subject *s, const struct weir_loss *l)
{
	struct weir_out o = {0};
	s->ops->on_loss(s->state, s->params, &s->view, l, &o);
	take(s, &o);
}

static void apply(struct subject *s, const struct trace_event *e)
{
	struct weir_out o = {0};
	struct weir_ack a = {.acked_bytes = e->bytes, .rtt_ns = e->rtt_ns, .ce_bytes = e->ce_bytes};
	s->view.now_ns += e->after_ns;
	s->view.flags = e->view_flags;
	s->view.mss_bytes = e->mss_bytes;
	s->view.srtt_ns = e->rtt_ns ? e->rtt_ns : s->view.srtt_ns;
	s->view.min_rtt_ns =
	    s->view.min_rtt_ns ? weir_min(s->view.min_rtt_ns, s->view.srtt_ns) : s->view.srtt_ns;
	switch (e->kind) {
	case TRACE_ACK:
		s->view.delivered_bytes += e->bytes;
		s->ops->on_ack(s->state, s->params, &s->view, &a, &o);
		break;
	case TRACE_LOSS:
		say_loss(s, &(struct weir_loss){.lost_bytes = e->bytes,
						.inflight_at_send_bytes = e->inflight_at_send_bytes,
						.kind = e->loss_kind,
						.flags = e->loss_flags});
		return;
	case TRACE_TIMEOUT:
		s->ops->on_timeout(s->state, s->params, &s->view, &o);
		break;
	default:
		if (s->ops->on_idle)
			s->ops->on_idle(s->state, s->params, &s->view, e->after_ns, &o);
	}
	take(s, &o);
}

/* ---- the rules; each returns NULL or what was broken ---- */

static u64 known_mss(const struct trace_event *e)
{
	return weir_clamp(e->mss_bytes, 1, WEIR_MSS_MAX_BYTES);
}

static const char *rule_ack(const struct trace_event *e, u64 before, u64 after)
{
	u64 mss = known_mss(e);
	bool may = (e->view_flags & WEIR_CWND_LIMITED) && !e->ce_bytes;
	if (after > before && !may)
		return "grew though the window was not the limit, or on a marked ACK";
	if (after > before && after - before > weir_add(e->bytes, mss))
		return "grew by more than was acknowledged";
	if (after < weir_min(before, 2 * mss))
		return "fell below two segments on an ACK";
	return NULL;
}

/* The first cut may take more: it is made from the window of one round before. */
static const char *rule_loss(const struct trace_event *e, u64 before, u64 after, bool first)
{
	if (e->loss_kind == WEIR_LOSS_SPURIOUS)
		return after < before ? "fell on an undo" : NULL;
	if (!(e->loss_flags & WEIR_NEW_EPISODE))
		return after != before ? "moved on a loss of an old episode" : NULL;
	if (after > before)
		return "grew on a loss";
	u64 least = weir_max(first ? 0 : before / 4, 2 * known_mss(e));
	return after < weir_min(before, least) ? "fell too far" : NULL;
}

/* Of those whose window no loss cuts. In silence PROBE_RTT may end, and what it took comes back. */
static const char *rule_rate(const struct trace_event *e, u64 before, u64 after)
{
	if (e->kind == TRACE_IDLE)
		return NULL;
	if (e->kind == TRACE_TIMEOUT)
		return after > weir_max(before, known_mss(e)) ? "grew on a timeout" : NULL;
	if (e->kind == TRACE_LOSS && e->loss_kind != WEIR_LOSS_SPURIOUS)
		return after > before ? "grew on a loss" : NULL;
	return NULL;
}

/* The cut that `s` just made is undone on a copy of it. */
static const char *rule_undo(const struct subject *s, u64 before, u64 ssthresh_before)
{
	struct subject copy = *s;
	u64 signal[WEIR_CC_SIGNALS_MAX] = {0};
	say_loss(&copy, &(struct weir_loss){.kind = WEIR_LOSS_SPURIOUS});
	copy.ops->probe(copy.state, signal);
	if (copy.cwnd_bytes != before)
		return "an undo at once did not restore the window";
	return signal[0] != ssthresh_before ? "an undo at once did not restore ssthresh" : NULL;
}

static const char *rule_event(const struct subject *s, const struct trace_event *e, u64 before,
			      u64 ssthresh_before)
{
	u64 after = s->cwnd_bytes;
	if (after < 1 || after > WEIR_WINDOW_MAX_BYTES)
		return "outside of all bounds";
	if (!feed_cuts(s->ops))
		return rule_rate(e, before, after);
	if (e->kind == TRACE_ACK)
		return rule_ack(e, before, after);
	if (e->kind == TRACE_IDLE)
		return after > before ? "grew by silence" : NULL;
	if (e->kind == TRACE_TIMEOUT)
		return after > weir_max(before, known_mss(e)) ? "grew on a timeout" : NULL;
	const char *broken = rule_loss(e, before, after, ssthresh_before == 0);
	if (!broken && e->loss_kind != WEIR_LOSS_SPURIOUS && (e->loss_flags & WEIR_NEW_EPISODE))
		broken = rule_undo(s, before, ssthresh_before);
	return broken;
}

/* Two of them, the clock of one far ahead of the other's. */
static const char *run(const struct weir_cc_ops *ops, struct trace *t)
{
	static struct subject s, late;
	start(&s, ops, t, 0);
	start(&late, ops, t, (1ULL << 53) + 12345);
	for (u32 i = 0; i < t->n; i++) {
		struct trace_event *e = &t->event[i];
		/* no more can be acknowledged than was in flight */
		if (!t->extreme)
			e->bytes = weir_min(e->bytes, s.cwnd_bytes);
		u64 before = s.cwnd_bytes, signal[WEIR_CC_SIGNALS_MAX] = {0},
		    other[WEIR_CC_SIGNALS_MAX] = {0};
		ops->probe(s.state, signal);
		apply(&s, e);
		apply(&late, e);
		const char *broken = rule_event(&s, e, before, signal[0]);
		if (broken)
			return broken;
		if (!t->extreme && s.cwnd_bytes < t->mss_bytes)
			return "below one segment";
		ops->probe(s.state, signal);
		ops->probe(late.state, other);
		if (s.cwnd_bytes != late.cwnd_bytes || memcmp(signal, other, sizeof signal) != 0)
			return "depends on the origin of time";
	}
	return NULL;
}

static void make(struct trace *t, u64 seed, bool extreme)
{
	struct weir_rng r;
	weir_rng_init(&r, seed, weir_rng_point("cc-properties"), extreme);
	t->extreme = extreme;
	t->n = EVENTS_MAX;
	t->mss_bytes = (u32)trace_between(&r, 1, weir_rng_below(&r, 2) ? 9000 : 1500);
	t->initial_bytes = weir_rng_below(&r, 2) ? 10 * (u64)t->mss_bytes : trace_any_size(&r, 45);
	t->initial_bytes = weir_max(t->initial_bytes, t->mss_bytes);
	t->initial_ns = trace_any_size(&r, 60);
	for (u32 i = 0; i < t->n; i++) {
		if (extreme)
			trace_extreme(&r, &t->event[i]);
		else
			trace_plausible(&r, &t->event[i], t->mss_bytes);
	}
}

static void shrink(const struct weir_cc_ops *ops, struct trace *t)
{
	static struct trace shorter;
	for (u32 part = t->n / 2; part; part /= 2)
		for (u32 from = 0; from + part <= t->n;) {
			shorter = *t;
			memmove(&shorter.event[from], &shorter.event[from + part],
				(t->n - from - part) * sizeof shorter.event[0]);
			shorter.n -= part;
			if (run(ops, &shorter))
				*t = shorter;
			else
				from += part;
		}
}

static void show(const struct trace *t)
{
	static const char *const kind[] = {"ack", "loss", "timeout", "idle"};
	printf("mss %u, initial window %llu, %u events\n", t->mss_bytes, t->initial_bytes, t->n);
	for (u32 i = 0; i < t->n; i++) {
		const struct trace_event *e = &t->event[i];
		printf(
		    "  +%llu ns %s bytes %llu rtt %llu ce %llu flags %#x loss %u/%#x at-send %llu mss %u\n",
		    e->after_ns, kind[e->kind], e->bytes, e->rtt_ns, e->ce_bytes, e->view_flags, e->loss_kind,
		    e->loss_flags, e->inflight_at_send_bytes, e->mss_bytes);
	}
}

static void hold_on(bool extreme)
{
	static struct trace t;
	for (u32 i = 0; i < weir_cc_count(); i++)
		for (u64 seed = 1; seed <= TRACES; seed++) {
			const struct weir_cc_ops *ops = weir_cc_at(i);
			make(&t, seed, extreme);
			if (!run(ops, &t))
				continue;
			shrink(ops, &t);
			show(&t);
			fail_msg("%s, seed %llu: %s", ops->name, seed, run(ops, &t));
		}
}

static void rules_hold_on_plausible_events(void **unused)
{
	(void)unused;
	hold_on(false);
}

static void rules_hold_on_extreme_events(void **unused)
{
	(void)unused;
	hold_on(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rules_hold_on_plausible_events),
	    cmocka_unit_test(rules_hold_on_extreme_events),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
