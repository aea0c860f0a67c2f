/* SPDX-License-Identifier: MIT */
#include "ends.h"

#include "core/draw.h"
#include "core/rng.h"

#include <stdlib.h>

static struct weir_age_spread spread;

/* Period T, constant delay D: the age runs from D to D + T and is uniform in between. */
static void a_deterministic_stream(void **unused)
{
	(void)unused;
	struct weir_ledger l;
	const u64 period_ns = 100 * ENDS_MS, delay_ns = 30 * ENDS_MS;
	weir_ledger_init(&l, 80 * ENDS_MS);
	memset(&spread, 0, sizeof spread);
	for (u64 i = 1; i <= 1001; i++)
		assert_true(weir_ledger_value(&l, &spread, i * period_ns + delay_ns, i * period_ns));
	NEAR(weir_ledger_time_s(&l), 100, 1e-9);
	NEAR(weir_ledger_mean_s(&l), .03 + .05, 1e-12);
	NEAR(weir_ledger_peak_mean_s(&l), .13, 1e-12);
	NEAR(l.peak_max_s, .13, 1e-12);
	NEAR(weir_ledger_over_fraction(&l), .5, 1e-12); /* (130 - 80) / 100 */
	for (double q = .01; q < 1; q += .07)
		NEAR(weir_age_spread_quantile_s(&spread, q), .03 + .1 * q, .0013);
	NEAR(weir_age_spread_quantile_s(&spread, .99), .129, 3e-4);
	NEAR(weir_age_spread_quantile_s(&spread, 1), .13, .0015);
	/* reading in the middle of a tooth changes nothing */
	for (u64 at_ns = 100130 * ENDS_MS; at_ns <= 100200 * ENDS_MS; at_ns += 7 * ENDS_MS)
		weir_ledger_advance(&l, &spread, at_ns);
	assert_true(weir_ledger_value(&l, &spread, 100230 * ENDS_MS, 100200 * ENDS_MS));
	NEAR(weir_ledger_mean_s(&l), .08, 1e-12);
	NEAR(weir_age_spread_quantile_s(&spread, .5), .08, .0013);
}

/* Against a plain sum over small steps, for random values and delays, out of order too. */
static void the_same_as_summed_in_steps(void **unused)
{
	(void)unused;
	struct weir_rng rng;
	weir_rng_init(&rng, 5, 6, 7);
	struct weir_ledger l;
	weir_ledger_init(&l, 0);
	memset(&spread, 0, sizeof spread);
	u64 now_ns = ENDS_S, newest_ns = 0;
	static double ages_s[200000];
	u32 n = 0;
	double sum_s = 0;
	for (u32 i = 0; i < 2000; i++) {
		u64 generated_ns = now_ns - weir_rng_below(&rng, 40 * ENDS_MS);
		bool newer = weir_ledger_value(&l, &spread, now_ns, generated_ns);
		assert_int_equal(newer, generated_ns > newest_ns);
		newest_ns = newer ? generated_ns : newest_ns;
		u64 steps = 1 + weir_rng_below(&rng, 100);
		for (u64 k = 0; k < steps && n < 200000; k++, now_ns += ENDS_MS / 10) {
			ages_s[n] = (double)(now_ns - newest_ns) * 1e-9 + .00005;
			sum_s += ages_s[n++];
		}
	}
	weir_ledger_advance(&l, &spread, now_ns);
	NEAR(weir_ledger_mean_s(&l), sum_s / n, 1e-9);
	static const double q[] = {.1, .5, .9, .99};
	for (u32 i = 0; i < 4; i++) {
		u32 below = 0;
		double x_s = weir_age_spread_quantile_s(&spread, q[i]);
		for (u32 k = 0; k < n; k++)
			below += ages_s[k] <= x_s;
		NEAR((double)below / n, q[i], .01);
	}
}

static void nothing_is_counted_before_the_first_value(void **unused)
{
	(void)unused;
	struct weir_ledger l;
	weir_ledger_init(&l, 0);
	weir_ledger_advance(&l, NULL, 50 * ENDS_S);
	assert_false(l.known);
	assert_true(weir_ledger_mean_s(&l) == 0 && weir_ledger_age_s(&l, 60 * ENDS_S) == 0);
	assert_true(weir_ledger_value(&l, NULL, 60 * ENDS_S, 59 * ENDS_S));
	weir_ledger_advance(&l, NULL, 61 * ENDS_S);
	NEAR(weir_ledger_mean_s(&l), 1.5, 1e-12);
}

static void a_warm_up_is_forgotten_and_the_value_kept(void **unused)
{
	(void)unused;
	struct weir_ledger l;
	weir_ledger_init(&l, 0);
	memset(&spread, 0, sizeof spread);
	weir_ledger_value(&l, &spread, 10 * ENDS_S, ENDS_S);
	weir_ledger_restart(&l, &spread, 11 * ENDS_S);
	weir_ledger_advance(&l, &spread, 13 * ENDS_S);
	NEAR(weir_ledger_time_s(&l), 2, 1e-12);
	NEAR(weir_ledger_mean_s(&l), 11, 1e-12);
	NEAR(weir_age_spread_quantile_s(&spread, .5), 11, .2);
}

/* C11: a clock that goes back, and values of the future, make no negative age. */
static void c11_no_negative_age(void **unused)
{
	(void)unused;
	struct weir_ledger l;
	weir_ledger_init(&l, 0);
	weir_ledger_value(&l, NULL, 10 * ENDS_S, 20 * ENDS_S);
	weir_ledger_advance(&l, NULL, 5 * ENDS_S);
	weir_ledger_value(&l, NULL, 9 * ENDS_S, 9 * ENDS_S);
	weir_ledger_advance(&l, NULL, 12 * ENDS_S);
	NEAR(weir_ledger_mean_s(&l), 1, 1e-12);
	assert_true(l.peak_max_s >= 0);
	weir_ledger_replace(&l, NULL, 12 * ENDS_S, 2 * ENDS_S);
	NEAR(weir_ledger_age_s(&l, 12 * ENDS_S), 10, 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_deterministic_stream),
	    cmocka_unit_test(the_same_as_summed_in_steps),
	    cmocka_unit_test(nothing_is_counted_before_the_first_value),
	    cmocka_unit_test(a_warm_up_is_forgotten_and_the_value_kept),
	    cmocka_unit_test(c11_no_negative_age),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
