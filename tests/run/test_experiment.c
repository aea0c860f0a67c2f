/* SPDX-License-Identifier: MIT */
/* Experiments: mistakes in the file, points, the numbers of the claims, verdicts. */
#include "run/experiment_figures.h"
#include "run/experiment_sweep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/weir-experiment-XXXXXX";
static struct weir_registry registry;

static int set_up(void **state)
{
	(void)state;
	return mkdtemp(folder) && weir_registry_init(&registry) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	weir_registry_free(&registry);
	return rmdir(folder);
}

/* Loads a text as FOLDER/x.yaml; returns the complaints, to be freed, without the folder's name. */
static char *load(const char *text, struct weir_experiment *e, u32 *mistakes)
{
	char path[64], *complaints = NULL;
	size_t bytes = 0;
	snprintf(path, sizeof path, "%s/x.yaml", folder);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	FILE *to = open_memstream(&complaints, &bytes);
	assert_non_null(to);
	*mistakes = weir_experiment_load(path, &registry, e, to);
	fclose(to);
	unlink(path);
	return complaints;
}

#define SCENARIO                                                                                             \
	"title: A test\n"                                                                                    \
	"scenario:\n"                                                                                        \
	"  duration: 2 s\n"                                                                                  \
	"  paths: {main: {hops: [{name: link, rate: 10 Mbit/s, delay: 5 ms}]}}\n"                            \
	"  flows: [{name: a, controller: reno}]\n"

#define CLAIM(rest) "  - {id: c, text: t, unit: u, where: w, " rest "}\n"

static void assert_complains(const char *text, const char *const *expected)
{
	struct weir_experiment e;
	u32 mistakes;
	char *complaints = load(text, &e, &mistakes);
	u32 n = 0;
	for (; expected[n]; n++)
		if (!strstr(complaints, expected[n]))
			fail_msg("`%s` is missing in:\n%s", expected[n], complaints);
	if (mistakes != n)
		fail_msg("%u mistakes instead of %u:\n%s", mistakes, n, complaints);
	free(complaints);
	weir_experiment_free(&e);
}

static void mistakes_are_told_all_at_once_with_their_place(void **state)
{
	(void)state;
	assert_complains(SCENARIO
			 "sedes: 3\n"
			 "axes:\n"
			 "  - {name: rate, key: paths.main.hops.link.rate, values: [1 Mbit/s, 1 Mbit/s]}\n"
			 "claims:\n" CLAIM("metric: x, band: [2, 1]")
			     CLAIM("metric: flows.a.goodput_bps, band: [1, 2], at: {rat: 1 Mbit/s}"),
			 (const char *const[]){
			     "x.yaml:6:1: unknown key `sedes`; did you mean `seeds`?",
			     "x.yaml:8:69: `1 Mbit/s` is given twice",
			     "x.yaml:10:49: `x` is not a metric",
			     "x.yaml:10:58: the lowest value of the band is above its highest",
			     "x.yaml:11:89: there is no axis `rat`; did you mean `rate`?",
			     "x.yaml:11:5: the id `c` is given twice",
			     NULL,
			 });
}

static void other_mistakes(void **state)
{
	(void)state;
	static const struct {
		const char *text, *expected;
	} cases[] = {
	    {"", "nothing is in it"},
	    {"[]\n", "1:1: an experiment is a map of keys"},
	    {SCENARIO, "1:1: `claims` is missing"},
	    {SCENARIO "claims: []\n", "6:9: a list of 1 to 200 claims"},
	    {SCENARIO "claims:\n" CLAIM("metric: a.b"), "7:5: `band` is missing"},
	    {SCENARIO "claims:\n" CLAIM("metric: a.b, band: [0, nan]"), "7:64: a number is expected"},
	    {SCENARIO "claims:\n" CLAIM("metric: 3, band: [0, 1]"), "the metric begins with the name"},
	    {SCENARIO "claims:\n" CLAIM("metric: a.b, band: [0, 1], window: [1 s, 2 s]"),
	     "7:68: `window` needs a metric series.FLOW.SIGNAL"},
	    {SCENARIO "claims:\n" CLAIM("metric: series.a.b, band: [0, 1], window: [2 s, 1 s]"),
	     "the window ends before it begins"},
	    {SCENARIO "claims:\n" CLAIM("metric: series.a.b, band: [0, 1], window: [2, 3 s]"),
	     "2 has no unit"},
	    {SCENARIO "claims:\n" CLAIM("metric: series.a.b, band: [0, 1], window: [[1 s, 2 s], [2 s, 1 s]]"),
	     "the window ends before it begins"},
	    {SCENARIO "claims:\n" CLAIM("metric: a.b, band: [0, 1], while: {series: a.b, above: 1}"),
	     "`while` needs a metric series.FLOW.SIGNAL"},
	    {SCENARIO "claims:\n" CLAIM("metric: series.a.b, band: [0, 1], while: {series: a.b}"),
	     "`above` or `below` is missing"},
	    {SCENARIO "claims:\n" CLAIM("metric: series.a.b, band: [0, 1], while: {series: ab, above: 1}"),
	     "a series is named FLOW.SIGNAL"},
	    {SCENARIO "claims:\n" CLAIM("metric: series.a.b, band: [0, 1], compare: {series: a.b, as: sum}"),
	     "error, ratio, difference or agreement is expected"},
	    {SCENARIO "claims:\n" CLAIM(
		 "metric: series.a.b, band: [0, 1], compare: {series: a.b, as: error, lag: 1 s}"),
	     "at most `mean_over` is expected"},
	    {SCENARIO "claims:\n" CLAIM(
		 "metric: series.a.b, band: [0, 1], compare: {series: a.b, as: agreement, above: 1}"),
	     "`above` and `own_above` belong to an agreement, both"},
	    {SCENARIO "claims:\n" CLAIM("metric: series.a.b, band: [0, 1], time: p101"),
	     "mean, min, max, variation, fraction or a quantile such as p95 is expected"},
	    {SCENARIO "claims:\n" CLAIM("metric: series.a.b, band: [0, 1], time: p95, above: 1"),
	     "`above` needs `time: fraction`"},
	    {SCENARIO "claims:\n" CLAIM("metric: series.a.b, band: [0, 1], time: fraction"),
	     "`above` or `below` is missing"},
	    {SCENARIO "claims:\n" CLAIM("metric: a.b, band: [0, 1], seeds: mode"),
	     "mean, min, max or median is expected"},
	    {SCENARIO "claims:\n" CLAIM("metric: a.b, band: [0, 1], flows: sum"),
	     "`flows` needs a metric flows.PART*.NUMBER"},
	    {SCENARIO "claims:\n" CLAIM("metric: a.b, band: [0, 1], known_miss: {band: [1, 2], reason: r}"),
	     "`evidence` is missing"},
	    {SCENARIO "seeds: 0\nclaims:\n" CLAIM("metric: a.b, band: [0, 1]"),
	     "6:8: 0 is not from 1 to 1000"},
	    {SCENARIO "seeds: [1, 1]\nclaims:\n" CLAIM("metric: a.b, band: [0, 1]"), "seed 1 is given twice"},
	    {SCENARIO
	     "figures: [{draw: dots, title: t, unit: u, lines: [{label: l, series: a.b}]}]\nclaims:\n" CLAIM(
		 "metric: a.b, band: [0, 1]"),
	     "6:18: sequence, lines, curves, grid, tuning, iterations or spectrum is expected"},
	    {SCENARIO "figures: [{draw: curves, title: t, unit: u, over: rate, lines: [{label: l, metric: "
		      "flows.a.goodput_bps}]}]\nclaims:\n" CLAIM("metric: a.b, band: [0, 1]"),
	     "6:51: the name of an axis is expected whose values are numbers of one unit"},
	    {SCENARIO "axes: [{name: rate, key: paths.main.hops.link.rate, values: [1 Mbit/s, 2 Mbit/s]}]\n"
		      "figures: [{draw: curves, title: t, unit: u, over: rate, lines: [{label: l, metric: "
		      "flows.a.goodput_bps, beside: m}]}]\nclaims:\n" CLAIM("metric: a.b, band: [0, 1]"),
	     "the label of a line above is expected"},
	    {SCENARIO "figures: [{draw: tuning, title: t, reading: literel, betas: [.5], lambdas: [1, 2]}]\n"
		      "claims:\n" CLAIM("metric: a.b, band: [0, 1]"),
	     "literal, renewal, two-state or epoch is expected"},
	    {SCENARIO "figures: [{draw: tuning, title: t, betas: [.5, .4], lambdas: [1, 2]}]\n"
		      "claims:\n" CLAIM("metric: a.b, band: [0, 1]"),
	     "the numbers of `betas` rise"},
	    {SCENARIO "figures: [{draw: iterations, title: t, unit: u, lines: [{label: l, number: mean}]}]\n"
		      "claims:\n" CLAIM("metric: a.b, band: [0, 1]"),
	     "mean_window or running_throughput is expected"},
	    {SCENARIO "claims:\n" CLAIM("metric: model.two-state.goodput, band: [0, 1]"),
	     "the model has no `goodput`"},
	    {SCENARIO "claims:\n" CLAIM("metric: model.threestate.goodput_bps, band: [0, 1]"),
	     "literal, renewal, two-state or epoch is expected after `model.`"},
	    {SCENARIO "claims:\n" CLAIM("metric: model.renewal@5.goodput_bps, band: [0, 1]"),
	     "a number of iterations is expected after `literal@`"},
	    {SCENARIO "figures: [{draw: lines, title: t, unit: u, divide_by: 0, lines: [{label: l, series: "
		      "a.b}]}]\nclaims:\n" CLAIM("metric: a.b, band: [0, 1]"),
	     "`divide_by` is above 0"},
	    {SCENARIO
	     "figures: [{draw: lines, title: t, unit: u}]\nclaims:\n" CLAIM("metric: a.b, band: [0, 1]"),
	     "6:11: `lines` is a list of 1 to 12 lines"},
	    {SCENARIO "figures: [{draw: lines, title: t, unit: u, lines: [{label: l, series: "
		      "'*.sent_bps'}]}]\nclaims:\n" CLAIM("metric: a.b, band: [0, 1]"),
	     "sent_bps needs `mean_over`"},
	    {SCENARIO "figures: [{draw: lines, title: t, unit: u, scale: logg, lines: [{label: l, series: "
		      "a.b}]}]\nclaims:\n" CLAIM("metric: a.b, band: [0, 1]"),
	     "linear or log is expected"},
	    {SCENARIO
	     "figures: [{draw: sequence, title: t, unit: u}]\nclaims:\n" CLAIM("metric: a.b, band: [0, 1]"),
	     "unknown key `unit`"},
	    {"title: t\nscenario: nowhere.yaml\nclaims:\n" CLAIM("metric: a.b, band: [0, 1]"),
	     "nowhere.yaml"},
	    /* of the scenario, at its own place in this file */
	    {"title: t\nscenario:\n  duration: 2 s\n  paths: {main: {hops: [{name: l, rate: 1 Mbit/s}]}}\n"
	     "  flows: [{name: a, controller: renno}]\nclaims:\n" CLAIM("metric: a.b, band: [0, 1]"),
	     "x.yaml:5:33: "},
	    {SCENARIO
	     "set: {paths.main.hops.link.rate: 5 furlong}\nclaims:\n" CLAIM("metric: a.b, band: [0, 1]"),
	     "set or axis:1:"},
	};
	for (u32 i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_complains(cases[i].text, (const char *const[]){cases[i].expected, NULL});
}

static void run(const char *text, bool quick, struct weir_experiment *e, struct weir_experiment_result *r)
{
	u32 mistakes;
	char *complaints = load(text, e, &mistakes);
	if (mistakes)
		fail_msg("%s", complaints);
	free(complaints);
	const struct weir_experiment_run how = {
	    .experiment = e, .registry = &registry, .quick = quick, .complaints = stderr};
	assert_int_equal(weir_experiment_run(&how, r), 0);
}

/* 10 ms + 5.7 ms of transmission at 10 Mbit/s and so on: the least RTT is that of the fastest link. */
static void the_best_of_several_values(void **state)
{
	(void)state;
	struct weir_experiment e;
	struct weir_experiment_result r;
	run(SCENARIO "axes:\n"
		     "  - name: link\n"
		     "    values:\n"
		     "      - {name: slow, set: {paths.main.hops.link.rate: 10 Mbit/s}}\n"
		     "      - {name: fast 20, set: {paths.main.hops.link.rate: 20 Mbit/s}}\n"
		     "      - {name: fast 40, set: {paths.main.hops.link.rate: 40 Mbit/s}}\n"
		     "      - {name: fast 30, set: {paths.main.hops.link.rate: 30 Mbit/s}}\n"
		     "seeds: [7, 9]\n"
		     "claims:\n"
		     "  - {id: least, text: t, unit: u, where: w, metric: flows.a.throughput_bps / "
		     "flows.a.throughput_bps,\n"
		     "     at: {link: fast 40}, against: {link: fast *}, band: [1.8, 2.1]}\n"
		     "  - {id: most, text: t, unit: u, where: w, metric: flows.a.throughput_bps / "
		     "flows.a.throughput_bps,\n"
		     "     at: {link: slow}, against: {link: fast*}, best: max, band: [.24, .27]}\n",
	    false, &e, &r);
	for (u32 i = 0; i < 2; i++) {
		print_message("%s: %g %s\n", e.claims[i].id, r.claim[i].measured, r.claim[i].reason);
		assert_int_equal(r.claim[i].verdict, WEIR_VERDICT_HOLDS);
		assert_int_equal(r.claim[i].n, 2);
	}
	weir_experiment_result_free(&r);
	weir_experiment_free(&e);
}

static void numbers_over_points_seeds_and_time(void **state)
{
	(void)state;
	struct weir_experiment e;
	struct weir_experiment_result r;
	run(SCENARIO
	    "axes:\n"
	    "  - {name: rate, key: paths.main.hops.link.rate, values: [10 Mbit/s, 20 Mbit/s, 40 Mbit/s]}\n"
	    "  - {name: way, values: [{name: short, set: {paths.main.hops.link.delay: 5 ms}},\n"
	    "                         {name: long, set: {paths.main.hops.link.delay: 10 ms}}]}\n"
	    "seeds: [7, 9]\n"
	    "claims:\n"
	    "  - {id: ratio, text: t, unit: u, where: w, metric: flows.a.throughput_bps / "
	    "flows.a.throughput_bps,\n"
	    "     at: {rate: 40 Mbit/s, way: short}, against: {rate: 20 Mbit/s, way: short}, band: [1.8, "
	    "2.1]}\n"
	    "  - {id: difference, text: t, unit: u, where: w, metric: flows.a.rtt_ms.min - "
	    "flows.a.rtt_ms.min,\n"
	    "     at: {way: long}, against: {way: short}, band: [10, 10]}\n"
	    "  - {id: constant, text: t, unit: u, where: w, metric: flows.a.rtt_ms.min / 2, at: {rate: 10 "
	    "Mbit/s},\n"
	    "     seeds: min, band: [5.6, 5.7]}\n"
	    "  - {id: series, text: t, unit: u, where: w, metric: series.link:link.utilization,\n"
	    "     window: [1 s, 2 s], time: min, at: {rate: 10 Mbit/s, way: short}, band: [.8, 1]}\n"
	    "  - {id: miss, text: t, unit: u, where: w, metric: links.link.utilization, band: [2, 3],\n"
	    "     known_miss: {band: [4, 5], reason: r, evidence: e}}\n"
	    "  - {id: explained, text: t, unit: u, where: w, metric: links.link.utilization, band: [2, 3],\n"
	    "     known_miss: {band: [0, 1], reason: because, evidence: e}}\n"
	    "  - {id: none, text: t, unit: u, where: w, metric: fairness.jain_throughput, band: [0, 1]}\n",
	    false, &e, &r);
	static const struct {
		u64 n;
		enum weir_verdict verdict;
		bool ci;
	} right[] = {{2, WEIR_VERDICT_HOLDS, true},   {6, WEIR_VERDICT_HOLDS, true},
		     {4, WEIR_VERDICT_HOLDS, false},  {2, WEIR_VERDICT_HOLDS, true},
		     {12, WEIR_VERDICT_MISSES, true}, {12, WEIR_VERDICT_EXPLAINED, true},
		     {0, WEIR_VERDICT_MISSES, false}};
	assert_int_equal(r.runs, 12);
	assert_int_equal(e.n_claims, 7);
	for (u32 i = 0; i < e.n_claims; i++) {
		print_message("%s: %g, n %llu, %s %s\n", e.claims[i].id, r.claim[i].measured, r.claim[i].n,
			      weir_verdict_words[r.claim[i].verdict], r.claim[i].reason);
		assert_int_equal(r.claim[i].n, right[i].n);
		assert_int_equal(r.claim[i].verdict, right[i].verdict);
		assert_int_equal(r.claim[i].has_ci, right[i].ci);
	}
	assert_string_equal(r.claim[5].reason, "because");
	assert_int_equal(r.count[WEIR_VERDICT_HOLDS], 4);
	assert_int_equal(r.count[WEIR_VERDICT_MISSES], 2);
	assert_int_equal(r.count[WEIR_VERDICT_EXPLAINED], 1);
	weir_experiment_result_free(&r);
	weir_experiment_free(&e);
}

/* 2 s of four flows on a link that is always full. */
static void numbers_over_several_flows(void **state)
{
	(void)state;
	struct weir_experiment e;
	struct weir_experiment_result r;
	run("title: t\n"
	    "scenario:\n"
	    "  duration: 2 s\n"
	    "  sample: 100 ms\n"
	    "  paths: {main: {hops: [{name: link, rate: 12 Mbit/s, delay: 5 ms}]}}\n"
	    "  flows:\n"
	    "    - {name: old-1, controller: reno}\n"
	    "    - {name: old-2, controller: reno}\n"
	    "    - {name: new, controller: reno, count: 2}\n"
	    "claims:\n"
	    "  - {id: sum, text: t, unit: u, where: w, metric: flows.*.throughput_bps / "
	    "links.link.throughput_bps,\n"
	    "     band: [.98, 1]}\n"
	    "  - {id: least, text: t, unit: u, where: w, metric: flows.old-*.packets_sent / 1, flows: min,\n"
	    "     band: [1, 900]}\n"
	    "  - {id: mean, text: t, unit: u, where: w, metric: flows.*.rtt_ms.min, flows: mean,\n"
	    "     band: [11, 12.1]}\n"
	    "  - {id: series, text: t, unit: u, where: w, metric: series.*.throughput_bps, band: [11.9e6, "
	    "12e6],\n"
	    "     window: [1 s, 2 s], time: max}\n"
	    "  - {id: no-group, text: t, unit: u, where: w, metric: series.new*.throughput_bps - "
	    "series.new.*.throughput_bps, band: [0, 0]}\n"
	    "  - {id: calm, text: t, unit: u, where: w, metric: series.link:link.throughput_bps, band: [0, "
	    ".01],\n"
	    "     window: [1 s, 2 s], time: variation}\n"
	    "  - {id: windows, text: t, unit: u, where: w, metric: series.link:link.throughput_bps, band: "
	    "[11.7e6, 12.1e6],\n"
	    "     window: [[500 ms, 1 s], [1.5 s, 2 s]], time: p10}\n"
	    "  - {id: shares, text: t, unit: u, where: w, metric: series.*.throughput_bps, band: [0, .01],\n"
	    "     window: [1 s, 2 s], time: p95,\n"
	    "     compare: {series: 'link:link.throughput_bps', as: error, mean_over: 500 ms}}\n"
	    "  - {id: while, text: t, unit: u, where: w, metric: series.old-1.throughput_bps, band: [1, 1],\n"
	    "     time: fraction, above: 3e6, while: {series: old-1.throughput_bps, above: 3e6}}\n",
	    false, &e, &r);
	for (u32 i = 0; i < e.n_claims; i++)
		if (r.claim[i].verdict != WEIR_VERDICT_HOLDS)
			fail_msg("%s: %g, %s", e.claims[i].id, r.claim[i].measured, r.claim[i].reason);
	weir_experiment_result_free(&r);
	weir_experiment_free(&e);
}

/* 11 ms and half a packet a ms: the count is met within what one ms sends. */
static void a_run_ends_by_its_packets(void **state)
{
	(void)state;
	struct weir_experiment e;
	struct weir_experiment_result r;
	run(SCENARIO "set: {stop_after: 300 packets}\n"
		     "claims:\n" CLAIM("metric: flows.a.packets_sent, band: [300, 310]"),
	    false, &e, &r);
	if (r.claim[0].verdict != WEIR_VERDICT_HOLDS || r.simulated_s > .6)
		fail_msg("%g packets in %g s", r.claim[0].measured, r.simulated_s);
	weir_experiment_result_free(&r);
	weir_experiment_free(&e);
}

/* Ten packets and then none: each is a dot, the sums are those of the series, and of the packets. */
static void figures_hold_what_the_run_at_their_point_gave(void **state)
{
	(void)state;
	struct weir_experiment e;
	struct weir_experiment_result r;
	struct weir_figure_result *figures;
	char why[512];
	run("title: t\n"
	    "scenario:\n"
	    "  duration: 2 s\n"
	    "  sample: 500 ms\n"
	    "  endpoint: {mss: 1000 B, header: 50 B}\n"
	    "  paths: {main: {hops: [{name: link, rate: 1 Mbit/s, delay: 5 ms}]}}\n"
	    "  flows:\n"
	    "    - {name: a, controller: reno, application: sized, size: 10 kB}\n"
	    "    - {name: b, controller: reno, application: sized, size: 5 kB, start: 1 s}\n"
	    "axes: [{name: delay, key: paths.main.hops.link.delay, values: [5 ms, 10 ms, 20 ms], quick: [5 "
	    "ms]}]\n"
	    "figures:\n"
	    "  - {draw: sequence, title: t, at: {delay: 20 ms}, window: [0 s, 900 ms]}\n"
	    "  - draw: lines\n"
	    "    title: t\n"
	    "    unit: kB/s\n"
	    "    divide_by: 8000\n"
	    "    mean_over: 1 s\n"
	    "    lines: [{label: sent, series: '*.sent_bps'}, {label: arrived, series: '*.goodput_bps'}]\n"
	    "claims:\n" CLAIM("metric: flows.a.rtt_ms.min, band: [0, 1000], at: {delay: 5 ms}"),
	    true, &e, &r);
	assert_int_equal(r.runs, 2); /* quick, but the point of the figure is there */
	const struct weir_experiment_run how = {
	    .experiment = &e, .registry = &registry, .quick = true, .complaints = stderr};
	assert_int_equal(weir_figures_make(&how, &figures, why), 0);
	assert_int_equal(figures[0].sends.n, 10);
	assert_int_equal(figures[0].n_flows, 2);
	assert_string_equal(figures[0].flow[1].name, "b");
	assert_int_equal(figures[0].sends.send[9].first_byte, 9000);
	assert_false(figures[0].sends.send[9].again);
	const struct weir_figure_trace *sent = &figures[1].trace[0], *arrived = &figures[1].trace[1];
	assert_int_equal(sent->n, 2);
	assert_true(sent->point[0].value == 10 && sent->point[1].value == 5);
	assert_int_equal(arrived->n, 2); /* each is there in one half of a second only */
	assert_true(arrived->point[0].value == 20 && arrived->point[1].value == 10);
	weir_figures_free(&e, figures);
	weir_experiment_result_free(&r);
	weir_experiment_free(&e);
}

/* The pulses of a pilot over a set rate: by Fourier's series of their shape .48 of their height at their
 * frequency, .25 at twice it (a half sine over a quarter of the period, a third of it below over the rest).
 */
static void a_spectrum_shows_the_pulses(void **state)
{
	(void)state;
	struct weir_experiment e;
	struct weir_experiment_result r;
	struct weir_figure_result *figures;
	char why[512];
	run("title: t\n"
	    "scenario:\n"
	    "  duration: 2 s\n"
	    "  paths: {main: {hops: [{name: link, rate: 10 Mbit/s, delay: 5 ms}]}}\n"
	    "  flows: [{name: a, controller: {name: elasticity, inner: rate, rate: 4 Mbit/s, header: 0 B, "
	    "link_rate: 8 "
	    "Mbit/s}}]\n"
	    "figures:\n"
	    "  - {draw: spectrum, title: t, unit: Mbit/s, divide_by: 1000000, window: [1 s, 2 s], sample: 5 "
	    "ms,\n"
	    "     lines: [{label: l, series: a.pacing_bps}]}\n"
	    "claims:\n" CLAIM("metric: flows.a.rtt_ms.min, band: [0, 1000]"),
	    true, &e, &r);
	const struct weir_experiment_run how = {
	    .experiment = &e, .registry = &registry, .complaints = stderr};
	assert_int_equal(weir_figures_make(&how, &figures, why), 0);
	const struct weir_figure_trace *t = &figures[0].trace[0];
	assert_int_equal(t->n, 15);
	for (u32 i = 0; i < 15; i++) {
		double height = i == 4	  ? .96
				: i == 9  ? .5
				: i == 14 ? .337
					  : 0,
		       off = t->point[i].value - height;
		assert_true(t->point[i].time_s > i + .999 && t->point[i].time_s < i + 1.001);
		assert_true(off > -.03 && off < .03);
	}
	weir_figures_free(&e, figures);
	weir_experiment_result_free(&r);
	weir_experiment_free(&e);
}

/* A4 of the paper's own path, worked out independently; and where the model has nothing to say. */
static void the_model_is_asked_about_each_point(void **state)
{
	(void)state;
	struct weir_experiment e;
	struct weir_experiment_result r;
	run("title: t\n"
	    "scenario:\n"
	    "  duration: 100 s\n"
	    "  warmup: 20 s\n"
	    "  paths:\n"
	    "    main:\n"
	    "      hops: [{name: link, rate: 1 Gbit/s, delay: 4 ms, buffer: 4 packets, loss: 1e-8}]\n"
	    "      back: {delay: 6 ms}\n"
	    "  endpoint: {mss: 900 B, header: 100 B}\n"
	    "  flows: [{name: a, controller: agile-sd}]\n"
	    "axes:\n"
	    "  - {name: controller, values: [{name: agile-sd, set: {flows.a.controller.lambda_max: 5}},\n"
	    "     {name: auto, set: {flows.a.controller.lambda_max: 0}}, {name: reno, set: "
	    "{flows.a.controller: "
	    "reno}},\n"
	    "     {name: cubic, set: {flows.a.controller: cubic}}]}\n"
	    "seeds: 3\n"
	    "claims:\n" CLAIM(
		"metric: model.literal.normalized_throughput, at: {controller: agile-sd}, "
		"band: [.8233125, .8233135]") "  - {id: d, text: t, unit: u, where: w, metric: "
					      "model.literal.normalized_throughput, at: "
					      "{controller: reno}, band: [.7506185, .7506195]}\n"
					      "  - {id: e, text: t, unit: u, where: w, metric: "
					      "model.two-state.goodput_bps / 9e8, at: "
					      "{controller: reno}, band: [.7515, .7519]}\n"
					      "  - {id: f, text: t, unit: u, where: w, metric: "
					      "model.renewal.lambda_max, at: {controller: auto}, "
					      "band: [6, 6]}\n"
					      "  - {id: g, text: t, unit: u, where: w, metric: "
					      "model.epoch.loss_free_epoch_rtts, at: "
					      "{controller: agile-sd}, band: [327.7, 327.9]}\n",
	    false, &e, &r);
	assert_int_equal(r.runs, 0);
	for (u32 i = 0; i < e.n_claims; i++)
		if (r.claim[i].verdict != WEIR_VERDICT_HOLDS || r.claim[i].n != 1)
			fail_msg("%s: %.9g, %s", e.claims[i].id, r.claim[i].measured, r.claim[i].reason);
	weir_experiment_result_free(&r);
	weir_experiment_free(&e);
}

/* Lines over an axis have their numbers from the runs that are made anyway, and count as no claims. */
static void curves_are_drawn_from_the_runs_of_the_claims(void **state)
{
	(void)state;
	struct weir_experiment e;
	struct weir_experiment_result r;
	struct weir_experiment_sweep at[2];
	run(SCENARIO "axes: [{name: rate, key: paths.main.hops.link.rate, values: [10 Mbit/s, 20 Mbit/s]}]\n"
		     "set: {paths.main.hops.link.buffer: 20 packets}\n"
		     "seeds: 2\n"
		     "figures:\n"
		     "  - draw: curves\n"
		     "    title: t\n"
		     "    unit: Mbit/s\n"
		     "    over: rate\n"
		     "    lines:\n"
		     "      - {label: run, metric: links.link.capacity_bps / 1e6}\n"
		     "      - {label: model, metric: model.epoch.window_packets, beside: run}\n"
		     "claims:\n" CLAIM("metric: flows.a.rtt_ms.min, band: [0, 100], at: {rate: 20 Mbit/s}"),
	    false, &e, &r);
	assert_int_equal(r.runs, 4);
	assert_int_equal(r.count[WEIR_VERDICT_HOLDS] + r.not_judged, 1);
	assert_true(weir_experiment_sweep(&r, e.figures[0].line[0].claim, e.figures[0].over, at));
	assert_true(at[0].y == 10 && at[1].y == 20);
	assert_true(weir_experiment_sweep(&r, e.figures[0].line[1].claim, e.figures[0].over, at));
	/* 10 ms of 1500 bytes: 8 and 16 packets, and 20 in the buffer */
	assert_true(at[0].y == 28 && at[1].y == 36);
	weir_experiment_result_free(&r);
	weir_experiment_free(&e);
}

/* Fewer seeds and points, but every claim, and every point that a claim names. */
static void quick_cuts_no_claim(void **state)
{
	(void)state;
	struct weir_experiment e;
	struct weir_experiment_result r;
	run(SCENARIO "axes:\n"
		     "  - {name: rate, key: paths.main.hops.link.rate, quick: [1 Mbit/s],\n"
		     "     values: [1 Mbit/s, 2 Mbit/s, 3 Mbit/s, 4 Mbit/s]}\n"
		     "seeds: 5\n"
		     "quick_seeds: 2\n"
		     "claims:\n" CLAIM("metric: flows.a.rtt_ms.min, band: [0, 1000], at: {rate: 3 Mbit/s}"),
	    true, &e, &r);
	assert_int_equal(r.runs, 4); /* 2 rates, 2 seeds */
	assert_int_equal(r.claim[0].n, 2);
	assert_int_equal(r.claim[0].verdict, WEIR_VERDICT_HOLDS);
	weir_experiment_result_free(&r);
	weir_experiment_free(&e);
}

/* Only a run shows whether it gives a number of this name. */
static void an_unknown_number_is_told_at_its_place(void **state)
{
	(void)state;
	static const struct {
		const char *metric, *expected;
	} cases[] = {
	    {"flows.b*.goodput_bps", "nothing in `flows` has a name that begins with `b`"},
	    {"flows.*.goodput", "no `goodput`"},
	    {"flows.b.goodput_bps", "7:49: claim c: no `b` in `flows`"},
	    {"flows.a.goodput", "claim c: no `goodput` in `flows.a`; did you mean `goodput_bps`?"},
	    {"series.a.cwnd", "claim c: no series `a.cwnd` in the run"},
	};
	for (u32 i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct weir_experiment e;
		struct weir_experiment_result r;
		u32 mistakes;
		char text[1024], *complaints;
		size_t bytes;
		snprintf(text, sizeof text, SCENARIO "claims:\n" CLAIM("metric: %s, band: [0, 1]"),
			 cases[i].metric);
		free(load(text, &e, &mistakes));
		assert_int_equal(mistakes, 0);
		FILE *to = open_memstream(&complaints, &bytes);
		const struct weir_experiment_run how = {
		    .experiment = &e, .registry = &registry, .complaints = to};
		assert_int_equal(weir_experiment_run(&how, &r), -2);
		fclose(to);
		if (!strstr(complaints, cases[i].expected))
			fail_msg("`%s` is missing in:\n%s", cases[i].expected, complaints);
		free(complaints);
		weir_experiment_result_free(&r);
		weir_experiment_free(&e);
	}
}

/* Who made a run does not matter; what nobody wanted to keep is gone afterwards. */
static void several_processes_give_the_same_numbers(void **state)
{
	(void)state;
	static const char text[] = SCENARIO
	    "axes: [{name: rate, key: paths.main.hops.link.rate, values: [1 Mbit/s, 2 Mbit/s, 3 Mbit/s]}]\n"
	    "set: {paths.main.hops.link.loss: 1%}\n"
	    "seeds: 3\n"
	    "claims:\n" CLAIM("metric: series.a.cwnd_bytes / 1000, band: [0, 1e6]");
	struct weir_experiment e, same;
	struct weir_experiment_result one, three;
	u32 mistakes;
	run(text, false, &e, &one);
	free(load(text, &same, &mistakes));
	const struct weir_experiment_run how = {
	    .experiment = &same, .registry = &registry, .jobs = 3, .complaints = stderr};
	assert_int_equal(weir_experiment_run(&how, &three), 0);
	assert_int_equal(one.runs, 9);
	assert_int_equal(three.runs, 9);
	assert_int_equal(three.kept, 0);
	assert_memory_equal(one.values, three.values, 9 * sizeof *one.values);
	assert_true(one.claim[0].measured == three.claim[0].measured);
	weir_experiment_result_free(&one);
	weir_experiment_result_free(&three);
	weir_experiment_free(&e);
	weir_experiment_free(&same);
}

static void verdicts(void **state)
{
	(void)state;
	struct weir_claim c = {.band = {1, 2},
			       .has_known_miss = true,
			       .miss_band = {3, 4},
			       .miss_reason = "why",
			       .over_seeds = WEIR_REDUCE_MEDIAN};
	struct weir_claim_result r;
	weir_claim_judge(&c, (double[]){9, 1, 1.5}, 3, 0, &r);
	assert_int_equal(r.verdict, WEIR_VERDICT_HOLDS);
	assert_true(r.measured == 1.5 && !r.has_ci);
	assert_string_equal(r.reason, "");
	weir_claim_judge(&c, (double[]){3.5}, 1, 0, &r);
	assert_int_equal(r.verdict, WEIR_VERDICT_EXPLAINED);
	assert_string_equal(r.reason, "why");
	weir_claim_judge(&c, (double[]){2.5}, 1, 0, &r);
	assert_int_equal(r.verdict, WEIR_VERDICT_MISSES);
	assert_string_equal(r.reason, "2.5 is outside [1, 2] and outside the band of its known miss");
	weir_claim_judge(&c, NULL, 0, 0, &r);
	assert_int_equal(r.verdict, WEIR_VERDICT_MISSES);
	assert_false(r.known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(mistakes_are_told_all_at_once_with_their_place),
	    cmocka_unit_test(other_mistakes),
	    cmocka_unit_test(the_best_of_several_values),
	    cmocka_unit_test(the_best_of_several_values),
	    cmocka_unit_test(numbers_over_points_seeds_and_time),
	    cmocka_unit_test(numbers_over_several_flows),
	    cmocka_unit_test(a_run_ends_by_its_packets),
	    cmocka_unit_test(figures_hold_what_the_run_at_their_point_gave),
	    cmocka_unit_test(a_spectrum_shows_the_pulses),
	    cmocka_unit_test(the_model_is_asked_about_each_point),
	    cmocka_unit_test(curves_are_drawn_from_the_runs_of_the_claims),
	    cmocka_unit_test(quick_cuts_no_claim),
	    cmocka_unit_test(an_unknown_number_is_told_at_its_place),
	    cmocka_unit_test(several_processes_give_the_same_numbers),
	    cmocka_unit_test(verdicts),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
