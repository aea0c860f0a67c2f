/* SPDX-License-Identifier: MIT */
#include "core/stats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void assert_near(double x, double right, double tolerance)
{
	double d = x - right;
	if (d > tolerance || d < -tolerance)
		fail_msg("%.12g is not within %g of %.12g", x, tolerance, right);
}

/* Printed tables of Student's t, two-sided (also NIST/SEMATECH e-Handbook 1.3.6.7.2). */
static void student_quantiles_match_printed_tables(void **state)
{
	(void)state;
	static const struct {
		u32 df;
		double t90, t95, t99;
	} table[] = {
	    {1, 6.314, 12.706, 63.657}, {2, 2.920, 4.303, 9.925},  {3, 2.353, 3.182, 5.841},
	    {4, 2.132, 2.776, 4.604},	{5, 2.015, 2.571, 4.032},  {6, 1.943, 2.447, 3.707},
	    {7, 1.895, 2.365, 3.499},	{8, 1.860, 2.306, 3.355},  {9, 1.833, 2.262, 3.250},
	    {10, 1.812, 2.228, 3.169},	{15, 1.753, 2.131, 2.947}, {19, 1.729, 2.093, 2.861},
	    {29, 1.699, 2.045, 2.756},	{60, 1.671, 2.000, 2.660}, {100, 1.660, 1.984, 2.626},
	};
	for (u32 i = 0; i < sizeof table / sizeof table[0]; i++) {
		assert_near(weir_student_quantile(.90, table[i].df), table[i].t90, .00051);
		assert_near(weir_student_quantile(.95, table[i].df), table[i].t95, .00051);
		assert_near(weir_student_quantile(.99, table[i].df), table[i].t99, .00051);
	}
}

static void student_quantiles_with_a_closed_form(void **state)
{
	(void)state;
	/* df 1: tan(pi c / 2); df 2: c sqrt(2 / (1 - c^2)) */
	assert_near(weir_student_quantile(.5, 1), 1, 1e-12);
	assert_near(weir_student_quantile(.95, 1), 12.706204736174698, 1e-10);
	assert_near(weir_student_quantile(.95, 2), 4.302652729749464, 1e-12);
	assert_near(weir_student_quantile(.6, 2), 1.0606601717798212, 1e-13);
	/* the normal limit, and no step where the straight line begins */
	assert_near(weir_student_quantile(.95, 1000000000000ULL), 1.959963984540054, 2e-6);
	assert_near(weir_student_quantile(.95, 2001), weir_student_quantile(.95, 2000), 2e-6);
	assert_true(weir_student_quantile(.95, 0) == 0);
	assert_true(weir_student_quantile(1, 5) == 0);
}

static void mean_and_variance_survive_a_large_offset(void **state)
{
	(void)state;
	struct weir_stats s = {0};
	for (u32 i = 0; i < 1000; i++)
		weir_stats_add(&s, 1e9 + (double)(i % 10));
	assert_near(s.mean, 1e9 + 4.5, 1e-6);
	assert_near(weir_stats_variance(&s), 8.25 * 1000 / 999, 1e-6);
	assert_true(s.min == 1e9 && s.max == 1e9 + 9);
}

static void confidence_interval_of_few_values(void **state)
{
	(void)state;
	struct weir_stats s = {0};
	double low = -1, high = -2;
	assert_false(weir_stats_ci95(&s, &low, &high));
	weir_stats_add(&s, 10);
	assert_false(weir_stats_ci95(&s, &low, &high));
	assert_true(low == -1 && high == -2);
	weir_stats_add(&s, 12);
	weir_stats_add(&s, 14);
	assert_true(weir_stats_ci95(&s, &low, &high)); /* 12 +- 4.3027 * 2 / sqrt(3) */
	assert_near(low, 12 - 4.968275, 1e-5);
	assert_near(high, 12 + 4.968275, 1e-5);
}

static void jain_of_known_shares(void **state)
{
	(void)state;
	assert_near(weir_jain((const double[]){3, 3, 3}, 3), 1, 1e-15);
	assert_near(weir_jain((const double[]){0, 7, 0, 0}, 4), .25, 1e-15);
	assert_near(weir_jain((const double[]){1, 3}, 2), .8, 1e-15);
	assert_true(weir_jain((const double[]){0, 0}, 2) == 0);
	assert_true(weir_jain(NULL, 0) == 0);
}

static void quantiles_of_small_arrays(void **state)
{
	(void)state;
	double x[] = {4, 1, 3, 2};
	assert_near(weir_median(x, 4), 2.5, 0);
	assert_near(weir_quantile_sorted(x, 4, 0), 1, 0);
	assert_near(weir_quantile_sorted(x, 4, 1), 4, 0);
	assert_near(weir_quantile_sorted(x, 4, .25), 1.75, 1e-15);
	double one[] = {7};
	assert_near(weir_median(one, 1), 7, 0);
	assert_near(weir_median(NULL, 0), 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(student_quantiles_match_printed_tables),
	    cmocka_unit_test(student_quantiles_with_a_closed_form),
	    cmocka_unit_test(mean_and_variance_survive_a_large_offset),
	    cmocka_unit_test(confidence_interval_of_few_values),
	    cmocka_unit_test(jain_of_known_shares),
	    cmocka_unit_test(quantiles_of_small_arrays),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
