/* SPDX-License-Identifier: MIT */
/* Experiments whose points are carried by different hosts: which are run, claims for each of many points, an
 * emulator that cannot keep up, runs that are kept. The emulator is played by the simulator. */
#include "run/emulate.h"
#include "run/experiment.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/weir-hosts-XXXXXX";
static char keep[64];
static struct weir_registry registry;

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(folder) || weir_registry_init(&registry) < 0)
		return -1;
	snprintf(keep, sizeof keep, "%s/runs", folder);
	return 0;
}

/* The kept runs, or with `text` another content for each of them. */
static u32 each_kept(const char *text)
{
	DIR *dir = opendir(keep);
	u32 n = 0;
	for (struct dirent *f; dir && (f = readdir(dir)) != NULL;) {
		char path[512];
		if (f->d_name[0] == '.')
			continue;
		n++;
		snprintf(path, sizeof path, "%s/%s", keep, f->d_name);
		FILE *to = text ? fopen(path, "w") : NULL;
		if (to) {
			fputs(text, to);
			fclose(to);
		} else {
			unlink(path);
		}
	}
	if (dir)
		closedir(dir);
	return n;
}

static int tear_down(void **state)
{
	(void)state;
	weir_registry_free(&registry);
	each_kept(NULL);
	rmdir(keep);
	return rmdir(folder);
}

/* ---- an emulator ---- */

static struct {
	u32 calls, invalid_first; /* so many of the first calls are invalid */
	u32 stop_after;		  /* 0: never */
	char controllers[256];
} fake;
static volatile sig_atomic_t stop;

static int emulate(const struct weir_emulate_config *c, struct weir_summary *out, char why[512])
{
	struct weir_simulate_config run = c->run;
	run.with.emulated = false;
	fake.calls++;
	size_t used = strlen(fake.controllers);
	snprintf(fake.controllers + used, sizeof fake.controllers - used, "%s%s ",
		 run.scenario->flows[0].controller.kernel ? "kernel:" : "",
		 run.scenario->flows[0].controller.name);
	if (weir_simulate(&run, out) < 0) {
		snprintf(why, 512, "no memory");
		return WEIR_EXIT_FAILED;
	}
	out->backend = "emu";
	out->emulation.verdict = fake.calls <= fake.invalid_first ? "invalid" : "faithful";
	snprintf(out->emulation.reason, sizeof out->emulation.reason, "lateness 9 ms");
	out->interrupted = fake.stop_after && fake.calls > fake.stop_after;
	return 0;
}

/* ---- experiments ---- */

static u32 load(const char *text, struct weir_experiment *e, char complaints[2048])
{
	char path[64];
	snprintf(path, sizeof path, "%s/x.yaml", folder);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	memset(complaints, 0, 2048);
	FILE *to = fmemopen(complaints, 2047, "w");
	assert_non_null(to);
	u32 mistakes = weir_experiment_load(path, &registry, e, to);
	fclose(to);
	unlink(path);
	return mistakes;
}

static void load_well(const char *text, struct weir_experiment *e)
{
	char complaints[2048];
	if (load(text, e, complaints))
		fail_msg("%s", complaints);
}

static int go(const struct weir_experiment *e, bool quick, bool emulated, const char *kept,
	      struct weir_experiment_result *r)
{
	const struct weir_experiment_run how = {.experiment = e,
						.registry = &registry,
						.quick = quick,
						.emulated = emulated,
						.keep = kept,
						.stop = &stop,
						.complaints = stderr,
						.emulate = emulate};
	fake.calls = 0;
	fake.controllers[0] = 0;
	return weir_experiment_run(&how, r);
}

#define SCENARIO                                                                                             \
	"title: A test\n"                                                                                    \
	"scenario:\n"                                                                                        \
	"  duration: 2 s\n"                                                                                  \
	"  paths: {main: {hops: [{name: link, rate: 10 Mbit/s, delay: 5 ms}]}}\n"                            \
	"  flows: [{name: a, controller: reno}]\n"
#define AXES                                                                                                 \
	"axes:\n"                                                                                            \
	"  - {name: rate, key: paths.main.hops.link.rate, values: [5 Mbit/s, 10 Mbit/s, 20 Mbit/s]}\n"       \
	"  - {name: controller, key: flows.a.controller, values: [reno, vegas]}\n"                           \
	"  - name: host\n"                                                                                   \
	"    values: [{name: sim, on: sim}, {name: kernel, on: emu},\n"                                      \
	"             {name: native, on: emu, set: {flows.a.controller: 'kernel:{controller}'}}]\n"          \
	"skip: [{host: native, controller: vegas}]\n"
#define WORDS "text: t, unit: u, where: w"
#define CLAIMS                                                                                               \
	"claims:\n"                                                                                          \
	"  - {id: same, " WORDS ", metric: flows.a.goodput_bps / flows.a.goodput_bps, band: [1, 1],\n"       \
	"     at: {host: kernel}, against: {host: sim}, each: [rate, controller]}\n"                         \
	"  - {id: native, " WORDS ", metric: flows.a.goodput_bps - flows.a.goodput_bps, band: [1, 2],\n"     \
	"     or_within: 10%, at: {host: native}, against: {host: sim}, each: [rate, controller]}\n"         \
	"  - {id: busy, " WORDS ", metric: links.link.utilization, band: [.5, 1], at: {host: sim}}\n"        \
	"  - {id: busy-later, " WORDS ", metric: series.a.goodput_bps, window: [1 s, 2 s],\n"                \
	"     at: {host: kernel}, band: [1e6, 2e7]}\n"

static void without_the_option_only_simulations_run_and_count(void **state)
{
	(void)state;
	struct weir_experiment e;
	struct weir_experiment_result r;
	load_well(SCENARIO AXES CLAIMS, &e);
	assert_int_equal(e.n_claims, 6 + 3 + 2); /* native vegas is skipped */
	assert_int_equal(go(&e, false, false, NULL, &r), 0);
	assert_int_equal(fake.calls, 0);
	assert_int_equal(r.runs, 6);
	assert_int_equal(r.emulated_runs, 0);
	assert_int_equal(r.not_judged, 10);
	assert_int_equal(r.count[WEIR_VERDICT_HOLDS], 1);
	weir_experiment_result_free(&r);
	weir_experiment_free(&e);
}

static void one_claim_is_judged_at_each_point(void **state)
{
	(void)state;
	struct weir_experiment e;
	struct weir_experiment_result r;
	load_well(SCENARIO AXES CLAIMS, &e);
	assert_int_equal(go(&e, false, true, NULL, &r), 0);
	assert_int_equal(r.runs, 6 + 6 + 3);
	assert_int_equal(r.emulated_runs, 9);
	assert_int_equal(fake.calls, 9);
	assert_string_equal(fake.controllers,
			    "reno kernel:reno vegas reno kernel:reno vegas reno kernel:reno vegas ");
	assert_int_equal(r.count[WEIR_VERDICT_HOLDS], e.n_claims);
	assert_string_equal(e.claims[1].id, "same: 5 Mbit/s, vegas");
	assert_string_equal(e.claims[1].group, "same");
	assert_string_equal(e.claims[1].part, "5 Mbit/s, vegas");
	assert_true(r.claim[1].n == 1 && r.claim[1].measured == 1);
	/* 0 is outside [1, 2], but within 10 % of what it is compared with */
	assert_string_equal(e.claims[6].id, "native: 5 Mbit/s, reno");
	assert_true(r.claim[6].measured == 0 && r.claim[6].band[1] > 4e5 && r.claim[6].band[1] < 5e5);
	assert_true(r.claim[6].band[0] == -r.claim[6].band[1]);
	weir_experiment_result_free(&r);
	/* --quick: the ends of each axis, and the hosts that claims name */
	assert_int_equal(go(&e, true, true, NULL, &r), 0);
	assert_int_equal(r.runs, 2 * (2 + 2 + 1));
	assert_int_equal(r.count[WEIR_VERDICT_HOLDS], 4 + 2 + 2);
	weir_experiment_result_free(&r);
	weir_experiment_free(&e);
}

static void values_can_be_chosen(void **state)
{
	(void)state;
	struct weir_experiment e;
	struct weir_experiment_result r;
	char why[512];
	load_well(SCENARIO AXES CLAIMS, &e);
	assert_int_equal(weir_experiment_select(&e, "rate", why), -1);
	assert_string_equal(strchr(why, ':'),
			    ": rate: AXIS=VALUE is expected; the axes are rate, controller, host");
	assert_int_equal(weir_experiment_select(&e, "rat=5 Mbit/s", why), -1);
	assert_non_null(strstr(why, "rat is no axis; the axes are rate, controller, host"));
	assert_int_equal(weir_experiment_select(&e, "rate=5 Mbit/s,7 Mbit/s", why), -1);
	assert_non_null(strstr(why, "the values of this axis are 5 Mbit/s, 10 Mbit/s, 20 Mbit/s"));
	assert_int_equal(weir_experiment_select(&e, "rate=5 Mbit/s,20 Mbit/s", why), 0);
	assert_int_equal(weir_experiment_select(&e, "host=native,sim", why), 0);
	assert_int_equal(weir_experiment_select(&e, "controller=reno", why), 0);
	assert_int_equal(go(&e, false, true, NULL, &r), 0);
	assert_int_equal(r.runs, 4);
	assert_int_equal(r.count[WEIR_VERDICT_HOLDS], 3);
	assert_int_equal(r.not_judged, 8);
	weir_experiment_result_free(&r);
	weir_experiment_free(&e);
}

/* Of several known misses the first that fits a point is its own. */
static void a_miss_is_known_where_it_says(void **state)
{
	(void)state;
	struct weir_experiment e;
	struct weir_experiment_result r;
	load_well(
	    SCENARIO AXES
	    "claims:\n"
	    "  - id: half\n"
	    "    "
	    "metric: flows.a.goodput_bps / flows.a.goodput_bps\n"
	    "    text: t\n    unit: u\n    where: w\n    band: [.4, .6]\n"
	    "    at: {host: kernel}\n    against: {host: sim}\n    each: [rate, controller]\n"
	    "    known_miss:\n"
	    "      - {at: {rate: 5 Mbit/s, controller: reno}, band: [2, 3], reason: wrong, evidence: e}\n"
	    "      - {at: {rate: 5 Mbit/s}, band: [1, 1], reason: slow, evidence: e}\n"
	    "      - {at: {controller: vegas}, band: [1, 1], reason: vegas, evidence: e}\n",
	    &e);
	assert_int_equal(go(&e, false, true, NULL, &r), 0);
	static const char *const reasons[] = {
	    "1 is outside [0.4, 0.6] and outside the band of its known miss",
	    "slow",
	    "1 is outside [0.4, 0.6]",
	    "vegas",
	    "1 is outside [0.4, 0.6]",
	    "vegas"};
	for (u32 i = 0; i < 6; i++)
		assert_string_equal(r.claim[i].reason, reasons[i]);
	assert_int_equal(r.count[WEIR_VERDICT_EXPLAINED], 3);
	weir_experiment_result_free(&r);
	weir_experiment_free(&e);
}

/* ---- what the emulator says of itself ---- */

#define TWO                                                                                                  \
	"axes:\n"                                                                                            \
	"  - {name: host, values: [{name: sim, on: sim}, {name: kernel, on: emu}]}\n"                        \
	"claims:\n"                                                                                          \
	"  - {id: same, " WORDS ", metric: flows.a.goodput_bps / flows.a.goodput_bps, band: [1, 1],\n"       \
	"     at: {host: kernel}, against: {host: sim}}\n"                                                   \
	"  - {id: busy, " WORDS ", metric: links.link.utilization, band: [.5, 1], at: {host: sim}}\n"

static void a_run_that_is_invalid_is_repeated(void **state)
{
	(void)state;
	struct weir_experiment e;
	struct weir_experiment_result r;
	load_well(SCENARIO TWO, &e);
	fake.invalid_first = 2;
	assert_int_equal(go(&e, false, true, keep, &r), 0);
	assert_int_equal(fake.calls, 3);
	assert_int_equal(r.repeated, 1);
	assert_int_equal(r.count[WEIR_VERDICT_HOLDS], 2);
	weir_experiment_result_free(&r);
	each_kept(NULL);
	weir_experiment_free(&e);
}

static void without_a_valid_run_there_is_no_verdict(void **state)
{
	(void)state;
	struct weir_experiment e;
	struct weir_experiment_result r;
	load_well(SCENARIO TWO, &e);
	fake.invalid_first = 100;
	assert_int_equal(go(&e, false, true, keep, &r), 0);
	assert_int_equal(fake.calls, WEIR_EXPERIMENT_ATTEMPTS);
	assert_int_equal(r.claim[0].verdict, WEIR_VERDICT_INVALID);
	assert_string_equal(weir_verdict_words[WEIR_VERDICT_INVALID], "invalid");
	assert_false(r.claim[0].known);
	assert_string_equal(r.claim[0].reason,
			    "no verdict: the emulator could not keep up with 1 of its runs, at 3 "
			    "attempts (lateness 9 ms)");
	assert_int_equal(r.claim[1].verdict, WEIR_VERDICT_HOLDS);
	weir_experiment_result_free(&r);
	/* it is not kept: the next time it is tried again */
	fake.invalid_first = 0;
	assert_int_equal(go(&e, false, true, keep, &r), 0);
	assert_int_equal(r.kept, 1);
	assert_int_equal(fake.calls, 1);
	assert_int_equal(r.count[WEIR_VERDICT_HOLDS], 2);
	weir_experiment_result_free(&r);
	each_kept(NULL);
	weir_experiment_free(&e);
}

/* ---- runs that are kept ---- */

static void assert_same(const struct weir_experiment *e, const struct weir_experiment_result *a,
			const struct weir_experiment_result *b)
{
	for (u32 i = 0; i < e->n_claims; i++) {
		assert_int_equal(a->claim[i].verdict, b->claim[i].verdict);
		assert_int_equal(a->claim[i].n, b->claim[i].n);
		assert_true(a->claim[i].measured == b->claim[i].measured);
	}
}

static void what_is_interrupted_goes_on(void **state)
{
	(void)state;
	struct weir_experiment e;
	struct weir_experiment_result whole, r;
	load_well(SCENARIO AXES CLAIMS, &e);
	assert_int_equal(go(&e, false, true, NULL, &whole), 0);
	fake.stop_after = 4; /* emulated runs; with them come 3 or 4 simulated ones */
	assert_int_equal(go(&e, false, true, keep, &r), -1);
	assert_int_equal(r.code, WEIR_EXIT_FAILED);
	assert_string_equal(r.why, "");
	weir_experiment_result_free(&r);
	fake.stop_after = 0;
	assert_int_equal(go(&e, false, true, keep, &r), 0);
	assert_int_equal(fake.calls, 9 - 4);
	assert_int_equal(r.kept, 4 + 3);
	assert_same(&e, &whole, &r);
	weir_experiment_result_free(&r);
	/* all of it, series included, without a run */
	assert_int_equal(go(&e, false, true, keep, &r), 0);
	assert_int_equal(fake.calls, 0);
	assert_int_equal(r.kept, 15);
	assert_same(&e, &whole, &r);
	weir_experiment_result_free(&r);
	/* what cannot be read is made again */
	assert_int_equal(each_kept("{\"schema\": \"weir.kept/1\", \"rows\":"), 15);
	assert_int_equal(go(&e, false, true, keep, &r), 0);
	assert_int_equal(r.kept, 0);
	assert_int_equal(fake.calls, 9);
	weir_experiment_result_free(&r);
	weir_experiment_result_free(&whole);
	weir_experiment_free(&e);
	assert_int_equal(each_kept(NULL), 15);
}

/* Other claims need no new runs, unless they ask for a series that was not kept; another scenario does. */
static void a_run_is_kept_for_what_determines_it(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		u32 calls;
	} cases[] = {
	    {SCENARIO TWO, 1},
	    {SCENARIO TWO "  - {id: new, " WORDS ", metric: links.link.drops, band: [0, 1e9]}\n", 0},
	    {SCENARIO TWO "  - {id: new, " WORDS ", metric: series.a.cwnd_bytes, band: [0, 1e9]}\n", 1},
	    {SCENARIO "set: {paths.main.hops.link.delay: 6 ms}\n" TWO, 1},
	    {SCENARIO "seeds: [7]\n" TWO, 1},
	    {"# a comment, and the scenario stands elsewhere\n" SCENARIO "seeds: [7]\n" TWO, 0},
	    {SCENARIO TWO, 0},
	};
	for (u32 i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct weir_experiment e;
		struct weir_experiment_result r;
		load_well(cases[i].text, &e);
		assert_int_equal(go(&e, false, true, keep, &r), 0);
		print_message("case %u: %u emulated\n", i, fake.calls);
		assert_int_equal(fake.calls, cases[i].calls);
		weir_experiment_result_free(&r);
		weir_experiment_free(&e);
	}
	each_kept(NULL);
}

static void mistakes(void **state)
{
	(void)state;
	static const struct {
		const char *text, *expected;
	} cases[] = {
	    {"axes: [{name: h, values: [{name: x, on: moon}]}]\nclaims:\n  - {id: c, " WORDS
	     ", metric: a.b, band: [0, 1]}\n",
	     "6:41: sim or emu is expected"},
	    {AXES "claims:\n  - {id: c, " WORDS ", metric: a.b, band: [0, 1], each: [rat]}\n",
	     "the name of an axis is expected"},
	    {AXES "claims:\n  - {id: c, " WORDS
		  ", metric: a.b, band: [0, 1], each: [host], at: {host: sim}}\n",
	     "`at` and `against` name this axis already"},
	    {AXES "claims:\n  - {id: c, " WORDS ", metric: a.b, band: [0, 1], or_within: 10%}\n",
	     "`or_within` needs a metric A - B"},
	    {AXES "claims:\n  - {id: c, " WORDS ", metric: a.b - c.d, band: [0, 1], or_within: 2 ms}\n",
	     "unknown unit \"ms\""},
	    {AXES "  - {}\nclaims:\n  - {id: c, " WORDS ", metric: a.b, band: [0, 1]}\n", ""},
	    {"skip: [{}]\nclaims:\n  - {id: c, " WORDS ", metric: a.b, band: [0, 1]}\n",
	     "6:8: that would skip everything"},
	    {AXES
	     "claims:\n  - {id: c, " WORDS
	     ", metric: a.b, band: [0, 1], known_miss: [{at: {rate: 5 Mbit/s}, band: [0, 1], reason: r}]}\n",
	     "`evidence` is missing"},
	    {AXES "claims:\n  - {id: c, " WORDS
		  ", metric: a.b, band: [0, 1], each: [rate]}\n  - {id: c, " WORDS
		  ", metric: a.b, band: [0, 1]}\n",
	     "the id `c` is given twice"},
	};
	for (u32 i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct weir_experiment e;
		char text[4096], complaints[2048];
		snprintf(text, sizeof text, SCENARIO "%s", cases[i].text);
		assert_true(load(text, &e, complaints) > 0);
		if (!strstr(complaints, cases[i].expected))
			fail_msg("case %u: `%s` is missing in:\n%s", i, cases[i].expected, complaints);
		weir_experiment_free(&e);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(without_the_option_only_simulations_run_and_count),
	    cmocka_unit_test(one_claim_is_judged_at_each_point),
	    cmocka_unit_test(values_can_be_chosen),
	    cmocka_unit_test(a_miss_is_known_where_it_says),
	    cmocka_unit_test(a_run_that_is_invalid_is_repeated),
	    cmocka_unit_test(without_a_valid_run_there_is_no_verdict),
	    cmocka_unit_test(what_is_interrupted_goes_on),
	    cmocka_unit_test(a_run_is_kept_for_what_determines_it),
	    cmocka_unit_test(mistakes),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
