/* SPDX-License-Identifier: MIT */
/* The exact integers of each controller on one fixed sequence of events, byte for byte: a change of any
 * result is a diff to be looked at. `tools/regen-golden` writes the files anew. */
#include "cc/table.h"
#include "trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define EVENTS 5000
#define SHOWN_EVERY 20
#define TEXT_MAX 65536

/* A path of 120 packets and an RTT that a full queue doubles, with random losses, silence, timeouts. */
#define PATH_PACKETS 120
#define BASE_NS (40 * WEIR_NS_PER_MS)
#define MSS 1448U

struct path {
	const struct weir_cc_ops *ops;
	_Alignas(8) u8 state[WEIR_CC_MAX_BYTES];
	u64 params[64];
	struct weir_view view;
	struct weir_rng rng;
	u64 cwnd_bytes, round_end_bytes, repair_end_bytes;
};

static void take(struct path *p, const struct weir_out *o)
{
	if (o->cwnd_bytes)
		p->cwnd_bytes = o->cwnd_bytes;
}

static void open_path(struct path *p, const struct weir_cc_ops *ops)
{
	memset(p, 0, sizeof *p);
	p->ops = ops;
	weir_cc_defaults(ops, p->params);
	weir_rng_init(&p->rng, 1, weir_rng_point("cc-golden"), 0);
	p->view =
	    (struct weir_view){.now_ns = WEIR_NS_PER_S, .initial_bytes = 10 * (u64)MSS, .mss_bytes = MSS};
	struct weir_out o = {0};
	ops->init(p->state, p->params, &p->view, &o);
	take(p, &o);
}

static const char *ack(struct path *p)
{
	u64 window = weir_max(p->cwnd_bytes / MSS, 1), n = trace_between(&p->rng, 1, 3);
	u64 rtt_ns = BASE_NS + trace_between(&p->rng, 0, WEIR_NS_PER_MS);
	if (window > PATH_PACKETS / 2)
		rtt_ns = rtt_ns * weir_min(window, PATH_PACKETS) * 2 / PATH_PACKETS;
	p->view.now_ns += rtt_ns * n / window;
	p->view.srtt_ns = p->view.srtt_ns ? (p->view.srtt_ns * 7 + rtt_ns) / 8 : rtt_ns;
	p->view.delivered_bytes += n * MSS;
	if (p->ops->needs & WEIR_NEED_RATE) {
		p->view.delivery_Bps =
		    weir_muldiv(weir_min(p->cwnd_bytes, PATH_PACKETS * (u64)MSS / 2), WEIR_NS_PER_S, rtt_ns);
		p->view.inflight_bytes = weir_sub(p->cwnd_bytes, n * MSS);
	}
	p->view.flags = weir_rng_below(&p->rng, 20) ? WEIR_CWND_LIMITED : WEIR_APP_LIMITED;
	if (p->view.delivered_bytes < p->repair_end_bytes)
		p->view.flags |= WEIR_RECOVERY;
	if (p->view.delivered_bytes >= p->round_end_bytes) {
		p->view.flags |= WEIR_ROUND_START;
		p->round_end_bytes = p->view.delivered_bytes + p->cwnd_bytes;
	}
	struct weir_ack a = {.acked_bytes = n * MSS, .rtt_ns = rtt_ns};
	struct weir_out o = {0};
	p->ops->on_ack(p->state, p->params, &p->view, &a, &o);
	take(p, &o);
	return "ack";
}

static const char *loss(struct path *p, u32 kind, u32 flags)
{
	struct weir_loss l = {.lost_bytes = MSS, .kind = kind, .flags = flags};
	struct weir_out o = {0};
	if (flags)
		p->repair_end_bytes = p->view.delivered_bytes + p->cwnd_bytes;
	p->ops->on_loss(p->state, p->params, &p->view, &l, &o);
	take(p, &o);
	return kind == WEIR_LOSS_SPURIOUS ? "undo" : flags ? "cut" : "loss";
}

static const char *pause(struct path *p, bool timeout)
{
	struct weir_out o = {0};
	u64 idle_ns = trace_between(&p->rng, 1, 4) * WEIR_NS_PER_S;
	p->view.now_ns += idle_ns;
	if (timeout)
		p->ops->on_timeout(p->state, p->params, &p->view, &o);
	else if (p->ops->on_idle)
		p->ops->on_idle(p->state, p->params, &p->view, idle_ns, &o);
	take(p, &o);
	return timeout ? "timeout" : "idle";
}

static const char *step(struct path *p)
{
	bool repairing = p->view.delivered_bytes < p->repair_end_bytes;
	u64 draw = weir_rng_below(&p->rng, 1000);
	if (p->cwnd_bytes > PATH_PACKETS * (u64)MSS && !repairing)
		return loss(p, WEIR_LOSS_PACKET, WEIR_NEW_EPISODE);
	if (draw == 0)
		return pause(p, true);
	if (draw == 1)
		return pause(p, false);
	if (draw == 2)
		return loss(p, WEIR_LOSS_SPURIOUS, 0);
	if (draw < 6 && !repairing)
		return loss(p, draw == 3 ? WEIR_LOSS_ECN : WEIR_LOSS_PACKET, WEIR_NEW_EPISODE);
	if (draw < 12 && repairing)
		return loss(p, WEIR_LOSS_PACKET, 0);
	return ack(p);
}

/* Every twentieth event, and all that are not ACKs. */
static size_t write_trace(const struct weir_cc_ops *ops, char *text)
{
	static struct path p;
	size_t n = (size_t)snprintf(text, TEXT_MAX, "event time_us what cwnd");
	for (u32 i = 0; i < ops->n_signals; i++)
		n += (size_t)snprintf(text + n, TEXT_MAX - n, " %s", ops->signals[i].name);
	n += (size_t)snprintf(text + n, TEXT_MAX - n, "\n");
	open_path(&p, ops);
	for (u32 event = 1; event <= EVENTS; event++) {
		const char *what = step(&p);
		if (event % SHOWN_EVERY && strcmp(what, "ack") == 0)
			continue;
		u64 signal[WEIR_CC_SIGNALS_MAX] = {0};
		ops->probe(p.state, signal);
		n += (size_t)snprintf(text + n, TEXT_MAX - n, "%u %llu %s %llu", event,
				      p.view.now_ns / WEIR_NS_PER_US, what, p.cwnd_bytes);
		for (u32 i = 0; i < ops->n_signals; i++)
			n += (size_t)snprintf(text + n, TEXT_MAX - n, " %llu", signal[i]);
		n += (size_t)snprintf(text + n, TEXT_MAX - n, "\n");
		assert_true(n < TEXT_MAX);
	}
	return n;
}

/* Says where two texts part. */
static void compare(const char *path, const char *got, const char *expected)
{
	u32 line = 1;
	for (size_t i = 0; got[i] == expected[i]; i++) {
		if (!got[i])
			return;
		line += got[i] == '\n';
	}
	fail_msg("%s, line %u differs. If that is meant: tools/regen-golden", path, line);
}

static void traces_are_those_on_record(void **unused)
{
	(void)unused;
	static char got[TEXT_MAX], expected[TEXT_MAX];
	const char *root = getenv("SOURCE_ROOT");
	const char *to = getenv("WEIR_GOLDEN_WRITE");
	assert_true(root || to);
	for (u32 i = 0; i < weir_cc_count(); i++) {
		char path[4096];
		size_t n = write_trace(weir_cc_at(i), got);
		snprintf(path, sizeof path, "%s/tests/golden/cc/%s.txt", to ? to : root, weir_cc_at(i)->name);
		FILE *f = fopen(path, to ? "wb" : "rb");
		if (!f)
			fail_msg("%s is missing: tools/regen-golden", path);
		if (to) {
			assert_int_equal(fwrite(got, 1, n, f), n);
		} else {
			n = fread(expected, 1, sizeof expected - 1, f);
			expected[n] = 0;
			compare(path, got, expected);
		}
		assert_int_equal(fclose(f), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(traces_are_those_on_record)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
