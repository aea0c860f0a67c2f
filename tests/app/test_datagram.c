/* SPDX-License-Identifier: MIT */
/* Datagram applications: exact rates, the distribution of Poisson gaps. */
#include "app/app.h"
#include "weir/num.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

static struct weir_app start(const struct weir_app_config *c, u64 seed, u64 flow)
{
	struct weir_app a;
	weir_app_start(&a, c, seed, flow, 0);
	return a;
}

static void cbr_sends_at_equal_gaps_from_the_start(void **state)
{
	(void)state;
	const struct weir_app_config c = {.kind = WEIR_APP_CBR, .rate_bps = 12000000, .chunk_bytes = 1500};
	struct weir_app a = start(&c, 1, 0);
	for (u64 i = 0; i < 1000; i++) {
		assert_int_equal(a.wake_ns, i * WEIR_NS_PER_MS);
		assert_int_equal(weir_app_on_wake(&a, a.wake_ns, 0), 1500);
	}
	assert_int_equal(weir_app_on_wake(&a, a.wake_ns - 1, 0), 0); /* woken too early: nothing */
	weir_app_stop(&a, 5, 0);
	assert_true(a.wake_ns == WEIR_NEVER);
	assert_int_equal(weir_app_on_wake(&a, WEIR_NEVER, 0), 0);
}

/* Any rate: datagram k leaves at floor(k * bits / rate), so no rate drifts. */
static void cbr_rate_is_exact_for_odd_rates(void **state)
{
	(void)state;
	const u64 rates[] = {1, 7, 999983, 48000000, 1234567891, 399999999977ULL};
	for (u32 r = 0; r < sizeof rates / sizeof rates[0]; r++) {
		const struct weir_app_config c = {
		    .kind = WEIR_APP_CBR, .rate_bps = rates[r], .chunk_bytes = 1500};
		struct weir_app a = start(&c, 1, 0);
		for (u64 k = 0; k < 100000; k++) {
			assert_int_equal(a.wake_ns, weir_muldiv(k * 12000, WEIR_NS_PER_S, rates[r]));
			weir_app_on_wake(&a, a.wake_ns, 0);
		}
	}
}

static void poisson_mean_rate_is_exact(void **state)
{
	(void)state;
	/* the last one has a mean gap of 3 ns: the floor of 1 ns must not slow it down */
	const u64 rates[] = {1000, 48000000, 100000000000ULL, 4000000000000ULL};
	for (u32 r = 0; r < sizeof rates / sizeof rates[0]; r++) {
		const struct weir_app_config c = {
		    .kind = WEIR_APP_POISSON, .rate_bps = rates[r], .chunk_bytes = 1500};
		struct weir_app a = start(&c, 11, r);
		const u64 n = 1000000;
		for (u64 k = 0; k < n; k++) {
			u64 due_ns = a.wake_ns;
			assert_int_equal(weir_app_on_wake(&a, due_ns, 0), 1500);
			assert_true(a.wake_ns > due_ns);
		}
		double rate = (double)n * 12000e9 / (double)a.wake_ns; /* standard error .1 % */
		assert_true(fabs(rate / (double)rates[r] - 1) < .004);
	}
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

/* Kolmogorov-Smirnov against 1 - exp(-x): D < 1.628 / sqrt(n) is the 1 % level. The seeds are fixed. */
static void poisson_gaps_are_exponential(void **state)
{
	(void)state;
	const u32 n = 20000;
	double *gap = malloc(n * sizeof *gap);
	assert_non_null(gap);
	for (u64 seed = 1; seed <= 5; seed++) {
		const struct weir_app_config c = {
		    .kind = WEIR_APP_POISSON, .rate_bps = 12000000, .chunk_bytes = 1500};
		struct weir_app a = start(&c, seed, 3);
		u64 last_ns = 0;
		for (u32 i = 0; i < n; i++) {
			gap[i] = (double)(a.wake_ns - last_ns) / 1e6;
			last_ns = a.wake_ns;
			weir_app_on_wake(&a, a.wake_ns, 0);
		}
		qsort(gap, n, sizeof *gap, by_value);
		double d = 0;
		for (u32 i = 0; i < n; i++) {
			double f = 1 - exp(-gap[i]);
			d = fmax(d, fmax(f - (double)i / n, (double)(i + 1) / n - f));
		}
		assert_true(d < 1.628 / sqrt(n));
	}
	free(gap);
}

/* Counts in disjoint windows: mean and variance of a Poisson law are equal, so gaps are independent too. */
static void poisson_counts_have_equal_mean_and_variance(void **state)
{
	(void)state;
	const struct weir_app_config c = {
	    .kind = WEIR_APP_POISSON, .rate_bps = 120000000, .chunk_bytes = 1500};
	struct weir_app a = start(&c, 5, 0);
	const u32 windows = 20000;
	double sum = 0, squares = 0;
	for (u32 w = 1; w <= windows; w++) {
		double k = 0;
		while (a.wake_ns < w * WEIR_NS_PER_MS) {
			weir_app_on_wake(&a, a.wake_ns, 0);
			k++;
		}
		sum += k;
		squares += k * k;
	}
	double mean = sum / windows, variance = squares / windows - mean * mean;
	assert_true(fabs(mean - 10) < .1);	      /* standard error .022 */
	assert_true(fabs(variance / mean - 1) < .04); /* standard error .01 */
}

static void streams_differ_by_seed_and_by_flow_only(void **state)
{
	(void)state;
	const struct weir_app_config c = {
	    .kind = WEIR_APP_POISSON, .rate_bps = 12000000, .chunk_bytes = 1500};
	struct weir_app a = start(&c, 1, 1), same = start(&c, 1, 1), seed = start(&c, 2, 1),
			flow = start(&c, 1, 2);
	assert_int_equal(a.wake_ns, same.wake_ns);
	assert_int_not_equal(a.wake_ns, seed.wake_ns);
	assert_int_not_equal(a.wake_ns, flow.wake_ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(cbr_sends_at_equal_gaps_from_the_start),
	    cmocka_unit_test(cbr_rate_is_exact_for_odd_rates),
	    cmocka_unit_test(poisson_mean_rate_is_exact),
	    cmocka_unit_test(poisson_gaps_are_exponential),
	    cmocka_unit_test(poisson_counts_have_equal_mean_and_variance),
	    cmocka_unit_test(streams_differ_by_seed_and_by_flow_only),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
