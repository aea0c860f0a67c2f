/* SPDX-License-Identifier: MIT */
/* Thinning keeps extremes, order, bounds and gaps; the grid puts series side by side. */
#include "core/rng.h"
#include "report/decimate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void extremes_of(const struct weir_point *p, u32 n, double *low, double *high)
{
	*low = HUGE_VAL;
	*high = -HUGE_VAL;
	for (u32 i = 0; i < n; i++) {
		*low = fmin(*low, p[i].value);
		*high = fmax(*high, p[i].value);
	}
}

static void one_peak_among_a_million_stays(void **state)
{
	(void)state;
	u32 n = 1000000;
	struct weir_point *p = calloc(n, sizeof *p);
	assert_non_null(p);
	for (u32 i = 0; i < n; i++)
		p[i] = (struct weir_point){i * 1e-3, 50};
	p[123456].value = 900;
	p[765432].value = -3;
	n = weir_decimate(p, n, 1000);
	assert_true(n <= 2000);
	u32 peaks = 0, troughs = 0;
	for (u32 i = 0; i < n; i++) {
		peaks += p[i].value == 900 && p[i].t_s == 123.456;
		troughs += p[i].value == -3 && p[i].t_s == 765.432;
	}
	assert_int_equal(peaks, 1);
	assert_int_equal(troughs, 1);
	free(p);
}

/* Whatever the times and values: order, bounds and both extremes stay, however often it is done. */
static void random_series_keep_extremes_and_order(void **state)
{
	(void)state;
	struct weir_rng rng;
	weir_rng_init(&rng, 7, weir_rng_point("decimate"), 0);
	for (u32 round = 0; round < 200; round++) {
		u32 n = 3 + (u32)weir_rng_below(&rng, 3000), buckets = 1 + (u32)weir_rng_below(&rng, 200);
		struct weir_point p[3003];
		double t = 0, low, high, low_left, high_left;
		for (u32 i = 0; i < n; i++) {
			t += weir_rng_chance(&rng, .3) ? 0 : weir_rng_unit(&rng);
			p[i] = (struct weir_point){t, weir_rng_chance(&rng, .1) ? (double)NAN
										: weir_rng_unit(&rng)};
		}
		extremes_of(p, n, &low, &high);
		u32 left = weir_decimate(p, n, buckets);
		left = weir_decimate(p, left, buckets / 2 + 1);
		extremes_of(p, left, &low_left, &high_left);
		assert_true(left <= 2 * buckets + 2);
		assert_true(low == low_left && high == high_left);
		for (u32 i = 1; i < left; i++)
			assert_true(p[i].t_s >= p[i - 1].t_s);
	}
}

static void a_stretch_without_values_is_one_gap(void **state)
{
	(void)state;
	struct weir_point p[100];
	for (u32 i = 0; i < 100; i++)
		p[i] = (struct weir_point){i, i >= 40 && i < 60 ? (double)NAN : 1.0 * i};
	u32 n = weir_decimate(p, 100, 10), gaps = 0;
	for (u32 i = 0; i < n; i++)
		gaps += isnan(p[i].value) ? 1 : 0;
	assert_int_equal(gaps, 2); /* two stretches of ten points each lie inside */
}

static void all_at_one_time_is_no_trouble(void **state)
{
	(void)state;
	struct weir_point p[50];
	for (u32 i = 0; i < 50; i++)
		p[i] = (struct weir_point){3, 50.0 - i};
	assert_int_equal(weir_decimate(p, 50, 4), 2);
	assert_true(p[0].value == 50 && p[1].value == 1);
}

static void means_of_a_rate_keep_its_sum(void **state)
{
	(void)state;
	struct weir_point p[1000];
	double before = 0, after = 0;
	for (u32 i = 0; i < 1000; i++) {
		p[i] = (struct weir_point){i, i % 10 ? 0 : 100};
		before += p[i].value / 1000;
	}
	u32 n = weir_average(p, 1000, 100);
	assert_int_equal(n, 100);
	for (u32 i = 0; i < n; i++)
		after += p[i].value / n;
	assert_true(fabs(before - after) < 1e-9);
	assert_true(fabs(p[50].value - 10) < 2);
}

static void few_times_are_kept_exactly(void **state)
{
	(void)state;
	struct weir_point a[] = {{0, 1}, {1, 2}, {2, (double)NAN}, {3, 4}}, b[] = {{.5, 7}, {1, 8}, {3.5, 9}};
	struct weir_grid g = {0};
	struct weir_cell cell[6];
	assert_int_equal(weir_grid_add(&g, a, 4, 100), 0);
	assert_int_equal(weir_grid_add(&g, b, 3, 100), 0);
	assert_int_equal(weir_grid_settle(&g, 100), 0);
	const double times[] = {0, .5, 1, 2, 3, 3.5};
	assert_int_equal(g.rows, 6);
	assert_memory_equal(g.t_s, times, sizeof times);
	weir_grid_place(&g, a, 4, false, cell);
	assert_int_equal(cell[0].state, WEIR_CELL_VALUE);
	assert_int_equal(cell[1].state, WEIR_CELL_NONE);
	assert_int_equal(cell[3].state, WEIR_CELL_GAP);
	assert_true(cell[4].value == 4);
	assert_int_equal(cell[5].state, WEIR_CELL_NONE);
	weir_grid_free(&g);
}

static void many_times_become_stretches_with_both_extremes(void **state)
{
	(void)state;
	struct weir_point p[5000];
	struct weir_grid g = {0};
	struct weir_cell cell[100], mean[100];
	for (u32 i = 0; i < 5000; i++)
		p[i] = (struct weir_point){i * .01, i == 2222 ? 99 : i % 2};
	assert_int_equal(weir_grid_add(&g, p, 5000, 100), 0);
	assert_int_equal(weir_grid_settle(&g, 100), 0);
	assert_false(g.exact);
	assert_int_equal(g.rows, 100);
	weir_grid_place(&g, p, 5000, false, cell);
	weir_grid_place(&g, p, 5000, true, mean);
	double peak = 0;
	for (u32 i = 0; i < 100; i++) {
		assert_int_equal(cell[i].state, WEIR_CELL_VALUE);
		peak = fmax(peak, cell[i].value);
		assert_true(i == 44 || i == 45 || fabs(mean[i].value - .5) < .02);
	}
	assert_true(peak == 99);
	weir_grid_free(&g);
}

/* A flow that pauses leaves a hole, not a line across it. */
static void a_long_absence_becomes_a_gap(void **state)
{
	(void)state;
	struct weir_point all[100], some[60];
	struct weir_grid g = {0};
	struct weir_cell cell[100];
	u32 n = 0;
	for (u32 i = 0; i < 100; i++) {
		all[i] = (struct weir_point){i, 1};
		if (i < 30 || i >= 70)
			some[n++] = all[i];
	}
	assert_int_equal(weir_grid_add(&g, all, 100, 1000), 0);
	assert_int_equal(weir_grid_settle(&g, 1000), 0);
	weir_grid_place(&g, some, n, false, cell);
	assert_int_equal(cell[29].state, WEIR_CELL_VALUE);
	assert_int_equal(cell[30].state, WEIR_CELL_GAP);
	assert_int_equal(cell[50].state, WEIR_CELL_NONE);
	assert_int_equal(cell[70].state, WEIR_CELL_VALUE);
	weir_grid_free(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(one_peak_among_a_million_stays),
	    cmocka_unit_test(random_series_keep_extremes_and_order),
	    cmocka_unit_test(a_stretch_without_values_is_one_gap),
	    cmocka_unit_test(all_at_one_time_is_no_trouble),
	    cmocka_unit_test(means_of_a_rate_keep_its_sum),
	    cmocka_unit_test(few_times_are_kept_exactly),
	    cmocka_unit_test(many_times_become_stretches_with_both_extremes),
	    cmocka_unit_test(a_long_absence_becomes_a_gap),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
