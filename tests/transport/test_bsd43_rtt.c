/* SPDX-License-Identifier: MIT */
/* What the historic endpoint measures and how long it waits: the integer logic of Jacobson and Karels'
 * appendix A, RFC 793's mean, and both backoff tables, each value computed by hand. */
#include "transport/bsd43.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

#define LENGTH(list) (sizeof(list) / sizeof(list)[0])

static struct weir_bsd43 estimator(enum weir_rtt_variance variance, bool exponential)
{
	struct weir_bsd43 s;
	const struct weir_bsd43_config c = {.rtt_variance = variance, .exponential_backoff = exponential};
	const struct weir_endpoint_config e = weir_endpoint_defaults();
	weir_bsd43_init(&s, &e, &c, 0);
	return s;
}

/* (i): m counted from 1; first A = M and V = M / 2, then m' = m - 1 - (A8 >> 3), A8 += m', V4 += |m'| - (V4
 * >> 2). */
static const struct {
	u32 sample;
	i32 mean_8, deviation_4;
	u32 rto_2v, rto_4v;
} by_hand[] = {
    {3, 24, 6, 6, 9},  {3, 23, 6, 5, 8},  {6, 26, 8, 7, 11}, {1, 23, 9, 7, 11},
    {1, 21, 9, 7, 11}, {1, 19, 9, 6, 11}, {1, 17, 9, 6, 11}, {1, 15, 9, 6, 10},
    {1, 14, 8, 5, 9},  {1, 13, 7, 5, 8},  {1, 12, 7, 5, 8},  {9, 19, 13, 8, 15},
};

static void i_rtt_variance_by_hand(void **unused)
{
	(void)unused;
	struct weir_bsd43 two = estimator(WEIR_VARIANCE_2V, true), four = estimator(WEIR_VARIANCE_4V, true);
	for (u32 i = 0; i < LENGTH(by_hand); i++) {
		weir_bsd43_rtt_sample(&two, by_hand[i].sample);
		weir_bsd43_rtt_sample(&four, by_hand[i].sample);
		assert_int_equal(two.mean_8, by_hand[i].mean_8);
		assert_int_equal(two.deviation_4, by_hand[i].deviation_4);
		assert_int_equal(four.mean_8, by_hand[i].mean_8);
		assert_int_equal(four.deviation_4, by_hand[i].deviation_4);
		assert_int_equal(weir_bsd43_rtt_rto(&two), by_hand[i].rto_2v);
		assert_int_equal(weir_bsd43_rtt_rto(&four), by_hand[i].rto_4v);
	}
	assert_int_equal(weir_bsd43_mean_ns(&two), 19 * 500 * WEIR_NS_PER_MS / 8);
	assert_int_equal(weir_bsd43_deviation_ns(&two), 13 * 500 * WEIR_NS_PER_MS / 4);
}

/* The shifts round down: a path whose every sample is 0 ticks (counted 1) settles at A8 = 7 and V4 = 3, not
 * at 0; the least timeout of a second comes out of that by itself with 2 V. */
static void i_the_rounding_is_a_bias_upward(void **unused)
{
	(void)unused;
	struct weir_bsd43 s = estimator(WEIR_VARIANCE_4V, true);
	for (u32 i = 0; i < 100; i++)
		weir_bsd43_rtt_sample(&s, 1);
	assert_int_equal(s.mean_8, 7);
	assert_int_equal(s.deviation_4, 3);
	assert_int_equal(weir_bsd43_rtt_rto(&s), 3);
	s.config.rtt_variance = WEIR_VARIANCE_2V;
	assert_int_equal(weir_bsd43_rtt_rto(&s), 2);
}

/* On a steady path of m ticks A ends at m (m + 1 counted), between m and m + 7/8 by the rounding. */
static void i_a_steady_path_is_measured_right(void **unused)
{
	(void)unused;
	for (u32 m = 1; m < 60; m++) {
		struct weir_bsd43 s = estimator(WEIR_VARIANCE_2V, true);
		for (u32 i = 0; i < 400; i++)
			weir_bsd43_rtt_sample(&s, m + 1);
		assert_int_equal(s.mean_8 >> 3, m);
		assert_in_range(s.deviation_4, 1, 3);
		assert_in_range(weir_bsd43_rtt_rto(&s), weir_max(m, 2), weir_max(m + 2, 2));
	}
}

/* Without (i): R = .9 R + .1 M from 1, and twice that, cut to whole ticks. */
static void rfc793_by_hand(void **unused)
{
	(void)unused;
	static const struct {
		u32 sample, rto;
		double mean;
	} hand[] = {{4, 8, 4}, {2, 7, 3.8}, {12, 9, 4.62}, {1, 8, 4.258}, {1, 7, 3.9322}};
	struct weir_bsd43 s = estimator(WEIR_VARIANCE_NONE, false);
	assert_int_equal(weir_bsd43_rtt_rto(&s), 12); /* 6 s: twice the 3 s assumed */
	for (u32 i = 0; i < LENGTH(hand); i++) {
		weir_bsd43_rtt_sample(&s, hand[i].sample);
		assert_true(fabs(s.mean_ticks - hand[i].mean) < 1e-12);
		assert_int_equal(weir_bsd43_rtt_rto(&s), hand[i].rto);
	}
	assert_int_equal(weir_bsd43_deviation_ns(&s), 0);
}

/* All begin with 6 s, and none goes below 1 s. */
static void first_and_least(void **unused)
{
	(void)unused;
	for (u32 v = WEIR_VARIANCE_NONE; v <= WEIR_VARIANCE_4V; v++) {
		struct weir_bsd43 s = estimator((enum weir_rtt_variance)v, true);
		assert_int_equal(s.rto_ticks, 12);
		weir_bsd43_rtt_sample(&s, 1);
		assert_int_equal(weir_bsd43_rtt_rto(&s), v == WEIR_VARIANCE_4V ? 3 : 2);
		weir_bsd43_rtt_sample(&s, 0); /* nobody measures less than 1 */
		assert_int_equal(s.sample_ticks, 1);
		for (u32 i = 0; i < 200; i++)
			weir_bsd43_rtt_sample(&s, ~0ULL);
		assert_int_equal(s.sample_ticks, 32767);
		assert_int_equal(weir_bsd43_rtt_rto(&s), 128);
	}
}

static void follows(struct weir_bsd43 *s, const u32 wanted[13])
{
	for (u32 shift = 0; shift <= 12; shift++) {
		s->shift = (u8)shift;
		assert_int_equal(weir_bsd43_rtt_rto(s), wanted[shift]);
	}
}

/* The table of 1986, whose first step is none, up to 30 s. */
static void gentle_backoff_by_hand(void **unused)
{
	(void)unused;
	static const u32 of_1[] = {2, 2, 4, 8, 12, 16, 20, 30, 40, 60, 60, 60, 60};
	static const u32 of_3[] = {6, 6, 12, 24, 36, 48, 60, 60, 60, 60, 60, 60, 60};
	struct weir_bsd43 s = estimator(WEIR_VARIANCE_NONE, false);
	weir_bsd43_rtt_sample(&s, 1);
	follows(&s, of_1);
	s.mean_ticks = 3;
	follows(&s, of_3);
	s.mean_ticks = 1.25; /* 2.5, 5, 10, ...: the product is cut, not the mean */
	s.shift = 2;
	assert_int_equal(weir_bsd43_rtt_rto(&s), 5);
}

/* (ii): 1, 2, 4 ... 64 times, up to 64 s. */
static void ii_exponential_backoff_by_hand(void **unused)
{
	(void)unused;
	static const u32 of_2[] = {2, 4, 8, 16, 32, 64, 128, 128, 128, 128, 128, 128, 128};
	static const u32 of_6[] = {6, 12, 24, 48, 96, 128, 128, 128, 128, 128, 128, 128, 128};
	struct weir_bsd43 s = estimator(WEIR_VARIANCE_2V, true);
	weir_bsd43_rtt_sample(&s, 1);
	follows(&s, of_2);
	s = estimator(WEIR_VARIANCE_2V, true);
	weir_bsd43_rtt_sample(&s, 3);
	follows(&s, of_6);
}

/* (vi): the mean goes into the deviation without a change of the timeout. */
static void vi_doubt_keeps_the_timeout(void **unused)
{
	(void)unused;
	struct weir_bsd43 two = estimator(WEIR_VARIANCE_2V, true), four = estimator(WEIR_VARIANCE_4V, true);
	weir_bsd43_rtt_sample(&two, 3);
	weir_bsd43_rtt_sample(&four, 3);
	weir_bsd43_rtt_doubt(&two);
	weir_bsd43_rtt_doubt(&four);
	assert_int_equal(two.mean_8, 0);
	assert_int_equal(two.deviation_4, 6 + 6);
	assert_int_equal(weir_bsd43_rtt_rto(&two), 6);
	assert_int_equal(four.mean_8, 0);
	assert_int_equal(four.deviation_4, 6 + 3);
	assert_int_equal(weir_bsd43_rtt_rto(&four), 9);
	weir_bsd43_rtt_doubt(&two); /* no more is to be moved */
	assert_int_equal(two.deviation_4, 12);
	weir_bsd43_rtt_sample(&two, 5); /* counts as the first */
	assert_int_equal(two.mean_8, 40);
	assert_int_equal(two.deviation_4, 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(i_rtt_variance_by_hand),
	    cmocka_unit_test(i_the_rounding_is_a_bias_upward),
	    cmocka_unit_test(i_a_steady_path_is_measured_right),
	    cmocka_unit_test(rfc793_by_hand),
	    cmocka_unit_test(first_and_least),
	    cmocka_unit_test(gentle_backoff_by_hand),
	    cmocka_unit_test(ii_exponential_backoff_by_hand),
	    cmocka_unit_test(vi_doubt_keeps_the_timeout),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
