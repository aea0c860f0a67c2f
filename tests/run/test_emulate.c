/* SPDX-License-Identifier: MIT */
/* How an emulated run is laid out, without making anything: when it looks, what it takes, what it notes. */
#include "run/emulable.h"
#include "run/emulate.h"
#include "run/judge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MS WEIR_NS_PER_MS

static void looks_fit_into_the_sampling_period(void **state)
{
	(void)state;
	static const u64 sample_ms[] = {1, 2, 7, 10, 15, 20, 21, 23, 25, 33, 40, 97, 100, 500, 1000, 3600000};
	for (u32 i = 0; i < sizeof sample_ms / sizeof sample_ms[0]; i++) {
		u64 publish_ns = weir_emulate_publish_ns(sample_ms[i] * MS);
		assert_true(publish_ns >= MS && publish_ns <= 20 * MS);
		assert_int_equal(sample_ms[i] * MS % publish_ns, 0);
	}
	assert_int_equal(weir_emulate_publish_ns(10 * MS), 10 * MS);
	assert_int_equal(weir_emulate_publish_ns(1000), MS);
	/* A prime of nanoseconds has no parts. */
	u64 publish_ns = weir_emulate_publish_ns(1000000007);
	assert_true(publish_ns >= MS && publish_ns <= 20 * MS);
}

struct loaded {
	struct weir_registry registry;
	struct weir_scenario_set set;
	struct weir_scenario scenario;
	struct weir_diag diag;
	struct weir_summary summary;
};

static struct loaded *load(const char *more)
{
	static const char *const head = "duration: 1 s\n"
					"paths: {main: {hops: [{name: a, rate: 1 Mbit/s, delay: 1 ms}]}}\n";
	struct loaded *l = calloc(1, sizeof *l);
	char text[2048];
	assert_non_null(l);
	assert_int_equal(weir_registry_init(&l->registry), 0);
	snprintf(text, sizeof text, "%s%s", head, more);
	assert_int_equal(weir_scenario_parse("t.yaml", text, strlen(text), NULL, 0, &l->registry.catalog,
					     &l->set, &l->diag),
			 0);
	assert_int_equal(weir_scenario_point(&l->set, 0, &l->scenario, &l->diag), 0);
	return l;
}

static void drop(struct loaded *l)
{
	weir_scenario_free(&l->scenario);
	weir_scenario_set_free(&l->set);
	weir_registry_free(&l->registry);
	free(l);
}

static void refused(const char *more, const char *word)
{
	struct loaded *l = load(more);
	if (weir_emulable_check(&l->set, &l->scenario, &l->diag) == 0 || !strstr(l->diag.entry[0].text, word))
		fail_msg("%s: said \"%s\" instead of \"%s\"", more, l->diag.n ? l->diag.entry[0].text : "",
			 word);
	drop(l);
}

static void taken(const char *more)
{
	struct loaded *l = load(more);
	assert_int_equal(weir_emulable_check(&l->set, &l->scenario, &l->diag), 0);
	drop(l);
}

static void what_cannot_be_is_refused(void **state)
{
	(void)state;
	taken("flows: [{name: x, controller: cubic, count: 160}]\n");
	refused("flows: [{name: x, controller: cubic, count: 161}]\n", "161 flows");
	refused("flows: [{name: x, controller: cubic, endpoint: {header: 40 B}}]\n", "header");
	taken("flows: [{name: x, controller: cubic, endpoint: {header: 72 B}}]\n");
	refused("flows: [{name: x, controller: cubic, endpoint: {mss: 70 B}}]\n", "mss");
	taken("flows: [{name: x, controller: cubic, endpoint: {mss: 64 kB}}]\n");
	taken("flows: [{name: x, transport: acp, controller: acp-plus, update: 1388 B}]\n");
	refused("flows: [{name: x, transport: acp, controller: acp-plus, update: 1389 B}]\n",
		"at most 1388 B");
	taken("flows: [{name: x, transport: acp, controller: acp-plus, endpoint: {header: 48 B}}]\n");
	refused("flows: [{name: x, transport: acp, controller: acp-plus, endpoint: {header: 52 B}}]\n",
		"header");
	/* Datagrams have no endpoint. */
	taken("traffic: [{name: x, application: {name: cbr, rate: 1 Mbit/s, chunk: 100 B}}]\n");
}

static bool notes_say(const char *more, const char *word)
{
	struct loaded *l = load(more);
	const struct weir_build_with with = {.registry = &l->registry, .emulated = true};
	bool found = false;
	weir_emulable_notes(&l->scenario, &with, &l->summary);
	for (u32 i = 0; i < l->summary.n_notes; i++)
		found = found || strstr(l->summary.note[i], word);
	drop(l);
	return found;
}

static void what_the_kernel_does_itself_is_noted(void **state)
{
	(void)state;
	static const struct {
		const char *endpoint, *word;
	} own[] = {
	    {"recovery: newreno", "recovery (SACK, RACK-TLP and PRR), not newreno"},
	    {"initial_window: 4 packets", "initial_window (10 packets), not 4 packets"},
	    {"ack_every: 1 packet", "ack_every"},
	    {"delayed_ack: 40 ms", "delayed_ack"},
	    {"rto_min: 1 s", "rto_min (200 ms), not 1000 ms"},
	    {"rto_max: 60 s", "rto_max"},
	    {"tail_loss_probe: false", "tail_loss_probe (on), not off"},
	    {"undo: false", "undo"},
	    {"first_sequence: 7", "first_sequence"},
	};
	for (u32 i = 0; i < sizeof own / sizeof own[0]; i++) {
		char flows[256];
		snprintf(flows, sizeof flows, "flows: [{name: x, controller: cubic, endpoint: {%s}}]\n",
			 own[i].endpoint);
		if (!notes_say(flows, own[i].word))
			fail_msg("%s is not noted", own[i].endpoint);
	}
	assert_false(notes_say("flows: [{name: x, controller: kernel:cubic}]\n", "keeps"));
	assert_false(notes_say("flows: [{name: x, controller: kernel:cubic}]\n", "controllers run"));
	assert_false(
	    notes_say("flows: [{name: x, controller: {name: cubic, beta: .5}}]\n", "controller.beta"));
	assert_true(
	    notes_say("flows: [{name: x, controller: {name: kernel:cubic, beta: .5}}]\n", "controller.beta"));
	assert_true(notes_say("flows: [{name: x, controller: cubic, endpoint: {ecn: true}}, "
			      "{name: y, controller: cubic}]\n",
			      "ecn"));
}

static void datagrams_without_room_for_a_time_are_noted(void **state)
{
	(void)state;
	assert_true(
	    notes_say("flows: [{name: x, transport: udp, rate: 9 Hz, update: 15 B}]\n", "less than 44"));
	assert_false(
	    notes_say("flows: [{name: x, transport: udp, rate: 9 Hz, update: 16 B}]\n", "less than"));
	assert_false(
	    notes_say("flows: [{name: x, transport: acp, controller: lazy, update: 9 B}]\n", "less than"));
}

/* Equal wishes are told once, with all who have them. */
static void notes_do_not_repeat_themselves(void **state)
{
	(void)state;
	struct loaded *l =
	    load("endpoint: {rto_min: 1 s}\n"
		 "flows: [{name: x, controller: kernel:cubic}, {name: y, controller: kernel:reno}]\n");
	const struct weir_build_with with = {.registry = &l->registry, .emulated = true};
	weir_emulable_notes(&l->scenario, &with, &l->summary);
	assert_int_equal(l->summary.n_notes, 1);
	assert_non_null(strstr(l->summary.note[0], "x, y: "));
	drop(l);
}

static void devices_have_room_for_all_packets(void **state)
{
	(void)state;
	static const struct {
		const char *flows;
		u32 mtu_bytes;
	} of[] = {
	    {"flows: [{name: x, controller: cubic}]\n", 1500},
	    {"flows: [{name: x, controller: cubic, endpoint: {mss: 500 B}}]\n", 1500},
	    {"flows: [{name: x, controller: cubic, endpoint: {mss: 8948 B}}]\n", 9000},
	    {"traffic: [{name: x, application: {name: cbr, rate: 1 Mbit/s, chunk: 4 kB}}]\n", 4000},
	};
	for (u32 i = 0; i < sizeof of / sizeof of[0]; i++) {
		struct loaded *l = load(of[i].flows);
		assert_int_equal(weir_emulable_mtu_bytes(&l->scenario), of[i].mtu_bytes);
		drop(l);
	}
}

/* A frozen account: what the record says of it. */
static void the_record_is_the_ferrys_account(void **state)
{
	(void)state;
	struct weir_fidelity *f = calloc(1, sizeof *f);
	struct weir_emulation e;
	assert_non_null(f);
	f->base_rtt_ns = 50 * MS;
	f->elapsed_ns = 10 * WEIR_NS_PER_S;
	f->cpu_ns = 4 * WEIR_NS_PER_S;
	f->stamped = true;
	f->due_bytes = 1000000;
	for (u32 i = 0; i < 1000; i++)
		for (u32 way = 0; way < WEIR_WAYS; way++)
			weir_hist_add(&f->lateness_ns[way], 20000 + i);
	f->packets[WEIR_UP] = f->packets[WEIR_DOWN] = 1000;
	weir_judge(f, &e);
	assert_string_equal(e.verdict, "faithful");
	assert_true(e.lateness_us.p50 > 19.8 && e.lateness_us.p99 < 21.2 && e.lateness_us.n == 2000);
	assert_true(e.cpu_fraction == .4 && e.base_rtt_ms == 50 && e.missed_fraction == 0);
	for (u32 i = 0; i < 100; i++)
		weir_hist_add(&f->lateness_ns[WEIR_UP], 5 * MS);
	weir_judge(f, &e);
	assert_string_equal(e.verdict, "invalid");
	assert_true(*e.reason != 0);
	free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(looks_fit_into_the_sampling_period),
	    cmocka_unit_test(what_cannot_be_is_refused),
	    cmocka_unit_test(what_the_kernel_does_itself_is_noted),
	    cmocka_unit_test(datagrams_without_room_for_a_time_are_noted),
	    cmocka_unit_test(notes_do_not_repeat_themselves),
	    cmocka_unit_test(devices_have_room_for_all_packets),
	    cmocka_unit_test(the_record_is_the_ferrys_account),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
