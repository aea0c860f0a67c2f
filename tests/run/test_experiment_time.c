/* SPDX-License-Identifier: MIT */
/* How the samples of series become one number. */
#include "run/experiment_time.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define S WEIR_NS_PER_S

static struct weir_time_sum sum;

static double ended(void)
{
	weir_time_end(&sum);
	double value = weir_time_value(&sum);
	weir_time_reset(&sum);
	return value;
}

static void is(double got, double want)
{
	if (!(fabs(got - want) < 1e-9))
		fail_msg("%.12g, not %.12g", got, want);
}

/* A: 0, 1, 2 ... 99 at 0, .1, ... 9.9 s, each as two flows; `while`: every other; B: twice A and 1 */
static double of(const struct weir_time_rule *rule)
{
	sum.rule = rule;
	weir_time_reset(&sum);
	for (u32 i = 0; i < 100; i++) {
		weir_time_take(&sum, WEIR_TIME_OWN, i / 10., i);
		if (i % 2)
			weir_time_take(&sum, WEIR_TIME_WHILE, i / 10., i);
		weir_time_take(&sum, WEIR_TIME_OWN, i / 10., 0);
		weir_time_take(&sum, WEIR_TIME_BESIDE, i / 10., 2. * i + 1);
	}
	return ended();
}

static void windows_are_joined(void **unused)
{
	(void)unused;
	is(of(NULL), 49.5);
	is(of(&(struct weir_time_rule){0}), 49.5);
	struct weir_time_rule r = {.n_windows = 1, .window = {{1 * S, 2 * S}}};
	is(of(&r), 14.5); /* the end is not in it */
	r.window[r.n_windows].from_ns = 9 * S;
	r.window[r.n_windows++].to_ns = 100 * S;
	is(of(&r), (14.5 + 94.5) / 2);
	r.over = WEIR_TIME_MAX;
	is(of(&r), 99);
	r.over = WEIR_TIME_MIN;
	is(of(&r), 10);
	r.window[0].from_ns = r.window[1].from_ns = 10 * S;
	assert_true(isnan(of(&r)));
}

static void quantiles_and_fractions(void **unused)
{
	(void)unused;
	struct weir_time_rule r = {.over = WEIR_TIME_QUANTILE, .quantile = .5};
	is(of(&r), 49.5);
	r.quantile = 1;
	is(of(&r), 99);
	r.quantile = .95;
	is(of(&r), 94.05);
	r.quantile = 0;
	is(of(&r), 0);
	r = (struct weir_time_rule){.over = WEIR_TIME_FRACTION, .range = {89, INFINITY}};
	is(of(&r), .1);
	r.range = (struct weir_time_range){-INFINITY, 89};
	is(of(&r), .9);
	r = (struct weir_time_rule){.over = WEIR_TIME_VARIATION};
	is(of(&r), sqrt((100 * 100 - 1) / 12.) / 49.5);
}

static void another_series_decides_what_counts(void **unused)
{
	(void)unused;
	struct weir_time_rule r = {.while_series = "b.x", .while_range = {89, INFINITY}};
	is(of(&r), (91 + 93 + 95 + 97 + 99) / 5.); /* not where it has no value */
	r.while_range = (struct weir_time_range){-INFINITY, 3};
	is(of(&r), 2);
	r.over = WEIR_TIME_FRACTION;
	r.range = (struct weir_time_range){1, INFINITY};
	is(of(&r), .5);
}

static void against_another_series(void **unused)
{
	(void)unused;
	struct weir_time_rule r = {.beside = WEIR_BESIDE_ERROR, .beside_series = "b.x"};
	double error = 0, ratio = 0;
	for (u32 i = 0; i < 100; i++) {
		error += (i + 1.) / (2. * i + 1) / 100;
		ratio += i / (2. * i + 1) / 100;
	}
	is(of(&r), error);
	r.beside = WEIR_BESIDE_RATIO;
	is(of(&r), ratio);
	r.beside = WEIR_BESIDE_DIFFERENCE;
	is(of(&r), 50.5);
	r.factor = .5;
	is(of(&r), .5);
	/* 20 of a hundred: above 50, but its double and 1 not above 141 */
	r = (struct weir_time_rule){.beside = WEIR_BESIDE_AGREEMENT, .own_above = 50, .beside_above = 141};
	r.beside_series = "b.x";
	is(of(&r), .8);
}

/* A row at the end of a stretch is of it: 1 s holds .1 to 1. */
static void means_over_stretches(void **unused)
{
	(void)unused;
	struct weir_time_rule r = {
	    .beside = WEIR_BESIDE_RATIO, .beside_series = "b.x", .mean_over_ns = S, .over = WEIR_TIME_MAX};
	is(of(&r), 85.5 / 172); /* 8.1 to 9 s; the rest is no whole stretch */
	r.over = WEIR_TIME_MIN;
	is(of(&r), 5. / 11); /* 0 to 1 s: the mean of 0 to 10 */
	r.n_windows = 1;
	r.window[0].from_ns = 3 * S;
	r.window[0].to_ns = 5 * S;
	is(of(&r), 35.5 / 72);
	r.window[0].to_ns = 5 * S - 1000;
	r.over = WEIR_TIME_MAX;
	is(of(&r), 35.5 / 72);
	/* B counts .3 s later: of 3.1 to 4 s those of 2.8 to 3.7 */
	r.window[0].to_ns = 4 * S;
	r.lag_ns = 300 * WEIR_NS_PER_MS;
	is(of(&r), 35.5 / (2 * 32.5 + 1));
	r.lag_ns = S;
	is(of(&r), 35.5 / (2 * 25.5 + 1));
}

static void a_quotient_by_nothing_does_not_count(void **unused)
{
	(void)unused;
	struct weir_time_rule r = {.beside = WEIR_BESIDE_ERROR, .beside_series = "b.x"};
	sum.rule = &r;
	weir_time_take(&sum, WEIR_TIME_OWN, 1, 3);
	weir_time_take(&sum, WEIR_TIME_BESIDE, 1, 0);
	weir_time_take(&sum, WEIR_TIME_OWN, 2, 3);
	weir_time_take(&sum, WEIR_TIME_BESIDE, 2, -2);
	weir_time_take(&sum, WEIR_TIME_OWN, 3, 3);
	is(ended(), 2.5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(windows_are_joined),
	    cmocka_unit_test(quantiles_and_fractions),
	    cmocka_unit_test(another_series_decides_what_counts),
	    cmocka_unit_test(against_another_series),
	    cmocka_unit_test(means_over_stretches),
	    cmocka_unit_test(a_quotient_by_nothing_does_not_count),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
