/* SPDX-License-Identifier: MIT */
/* Confidence intervals of single runs: do they hold what they promise? */
#include "run/batches.h"

#include "core/rng.h"
#include "core/stats.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define ROWS 2000

static struct weir_batch_row row[ROWS];

static struct weir_batch_request request(double rtt_s, bool median)
{
	return (struct weir_batch_request){
	    .row = row, .n = ROWS, .from_s = 0, .end_s = 20, .rtt_s = rtt_s, .median = median};
}

/* x[i] = memory * x[i - 1] + noise, around 100. */
static void autoregressive(u64 seed, double memory)
{
	struct weir_rng rng;
	double x = 0;
	weir_rng_init(&rng, seed, 0, 0);
	for (u32 i = 0; i < ROWS; i++) {
		double noise = 0;
		for (u32 k = 0; k < 12; k++)
			noise += weir_rng_unit(&rng) - .5;
		x = memory * x + noise;
		row[i] = (struct weir_batch_row){(i + 1) * .01, 100 + x};
	}
}

/* How often the interval holds the true mean, and how many batches were taken on average. */
static double coverage(double memory, bool median, double *batches)
{
	const u32 runs = 1000;
	u32 held = 0, freedom;
	double error, all = 0;
	for (u32 seed = 0; seed < runs; seed++) {
		autoregressive(seed, memory);
		struct weir_batch_request q = request(.01, median);
		assert_true(weir_batches(&q, &error, &freedom));
		struct weir_stats s = {0};
		double sorted[ROWS];
		for (u32 i = 0; i < ROWS; i++) {
			weir_stats_add(&s, row[i].value);
			sorted[i] = row[i].value;
		}
		double middle = median ? weir_median(sorted, ROWS) : s.mean;
		held += fabs(middle - 100) <= weir_student_quantile(.95, freedom) * error;
		all += freedom + 1;
	}
	*batches = all / runs;
	return (double)held / runs;
}

static void independent_rows_are_covered_as_promised(void **state)
{
	(void)state;
	double batches;
	/* 1000 runs: the share itself is known to .7 % (one standard error). Batches that look alike by
	 * chance are joined, which makes some intervals too wide, none too narrow. */
	double mean = coverage(0, false, &batches);
	assert_true(mean > .93 && mean < .985);
	assert_true(batches > 12);
	double median = coverage(0, true, &batches);
	assert_true(median > .92 && median < .99);
}

static void what_remembers_is_given_fewer_and_longer_batches(void **state)
{
	(void)state;
	double batches;
	/* A memory of 10 rows, of 100 in each of 20 batches. */
	assert_true(coverage(.9, false, &batches) > .93);
	assert_true(batches > 12);
	/* 100 rows, as long as a batch: 20 batches alone would hold the mean in 76 % of the runs. */
	assert_true(coverage(.99, false, &batches) > .90);
	assert_true(batches < 9);
}

static void batches_are_long_against_the_round_trip(void **state)
{
	(void)state;
	static const struct {
		double rtt_s;
		u32 batches; /* 0: none */
	} cases[] = {{.05, 20}, {.051, 10}, {.1, 10}, {.11, 5}, {.2, 5}, {.21, 0}};
	double error;
	u32 freedom;
	/* all equal, so that nothing but the round trip decides */
	for (u32 i = 0; i < ROWS; i++)
		row[i] = (struct weir_batch_row){(i + 1) * .01, 100};
	for (u32 i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct weir_batch_request q = request(cases[i].rtt_s, false);
		bool found = weir_batches(&q, &error, &freedom);
		assert_int_equal(found, cases[i].batches > 0);
		if (found)
			assert_int_equal(freedom + 1, cases[i].batches);
	}
}

static void rows_weigh_what_they_last_and_only_inside(void **state)
{
	(void)state;
	double error;
	u32 freedom;
	/* In each second .9 s of 0, then .1 s of 100, at uneven rows; before the beginning something wild. */
	u64 n = 0;
	row[n++] = (struct weir_batch_row){1, 1e12};
	for (u32 s = 1; s < 21; s++) {
		static const double at[] = {.2, .3, .8, .9, 1};
		for (u32 k = 0; k < 5; k++)
			row[n++] = (struct weir_batch_row){s + at[k], k == 4 ? 100 : 0};
	}
	row[n++] = (struct weir_batch_row){22, 1e12};
	struct weir_batch_request q = {.row = row, .n = n, .from_s = 1, .end_s = 21};
	assert_true(weir_batches(&q, &error, &freedom));
	/* every batch is 10 */
	assert_int_equal(freedom, 19);
	assert_true(error < 1e-9);
}

static void what_cannot_be_told_is_not_told(void **state)
{
	(void)state;
	double error;
	u32 freedom;
	autoregressive(1, 0);
	struct weir_batch_request q = request(0, false);
	q.n = 19;
	assert_false(weir_batches(&q, &error, &freedom));
	q = request(0, false);
	q.end_s = 0;
	assert_false(weir_batches(&q, &error, &freedom));
	q.end_s = (double)NAN;
	assert_false(weir_batches(&q, &error, &freedom));
	/* rows in the first tenth only */
	q = request(0, false);
	q.end_s = 200;
	assert_false(weir_batches(&q, &error, &freedom));
	q = request((double)INFINITY, false);
	assert_false(weir_batches(&q, &error, &freedom));
	/* all at one time */
	for (u32 i = 0; i < ROWS; i++)
		row[i].time_s = 5;
	q = request(0, false);
	assert_false(weir_batches(&q, &error, &freedom));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(independent_rows_are_covered_as_promised),
	    cmocka_unit_test(what_remembers_is_given_fewer_and_longer_batches),
	    cmocka_unit_test(batches_are_long_against_the_round_trip),
	    cmocka_unit_test(rows_weigh_what_they_last_and_only_inside),
	    cmocka_unit_test(what_cannot_be_told_is_not_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
