/* SPDX-License-Identifier: MIT */
/* The oracle is libm in long double; the last bits of our own results are pinned by a hash. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/draw.h"

#define N 400000

static double ulps(double got, long double right)
{
	double nearest = (double)right;
	if (got == nearest || (isnan(got) && isnan(nearest)))
		return 0;
	double size = fabs(nearest), ulp = nextafter(size, WEIR_INFINITY) - size;
	if (!isfinite(ulp))
		ulp = size - nextafter(size, 0);
	return (double)(fabsl((long double)got - right) / (long double)ulp);
}

/* Positive, with any exponent in [-range, range]. */
static double any_positive(struct weir_rng *r, u64 range)
{
	return ldexp(1 + weir_rng_unit(r), (int)weir_rng_below(r, 2 * range) - (int)range);
}

static void log_within_one_ulp(void **state)
{
	(void)state;
	struct weir_rng r;
	weir_rng_init(&r, 1, weir_rng_point("log"), 0);
	double worst = 0;
	for (int i = 0; i < N; i++) {
		double wide = any_positive(&r, 1074), near_one = .5 + 1.5 * weir_rng_unit(&r);
		worst = fmax(worst, ulps(weir_log(wide), logl((long double)wide)));
		worst = fmax(worst, ulps(weir_log(near_one), logl((long double)near_one)));
	}
	assert_true(worst < 1);
	assert_true(weir_log(1) == 0);
	assert_true(weir_log(0) == -WEIR_INFINITY && isnan(weir_log(-1)) &&
		    weir_log(WEIR_INFINITY) == WEIR_INFINITY);
}

static void exp_within_one_ulp(void **state)
{
	(void)state;
	struct weir_rng r;
	weir_rng_init(&r, 1, weir_rng_point("exp"), 0);
	double worst = 0;
	for (int i = 0; i < N; i++) {
		double wide = (weir_rng_unit(&r) - .5) * 1480, small = weir_rng_unit(&r) - .5;
		if (wide < 709.7)
			worst = fmax(worst, ulps(weir_exp(wide), expl((long double)wide)));
		worst = fmax(worst, ulps(weir_exp(small), expl((long double)small)));
	}
	assert_true(worst < 1);
	assert_true(weir_exp(0) == 1 && weir_exp(1000) == WEIR_INFINITY && weir_exp(-1000) == 0);
	assert_true(isnan(weir_exp(WEIR_NAN)) && weir_exp(-WEIR_INFINITY) == 0);
}

static void sin_and_cos_within_one_ulp(void **state)
{
	(void)state;
	struct weir_rng r;
	weir_rng_init(&r, 1, weir_rng_point("sin"), 0);
	double worst = 0;
	for (int i = 0; i < N; i++) {
		double wide = (weir_rng_unit(&r) - .5) * 0x1p21, turn = (weir_rng_unit(&r) - .5) * 14;
		double near_zero = (double)weir_rng_below(&r, 600000) * 0x1.921fb54442d18p+0;
		worst = fmax(worst, ulps(weir_sin(wide), sinl((long double)wide)));
		worst = fmax(worst, ulps(weir_cos(wide), cosl((long double)wide)));
		worst = fmax(worst, ulps(weir_sin(turn), sinl((long double)turn)));
		worst = fmax(worst, ulps(weir_cos(turn), cosl((long double)turn)));
		long double rest = sinl((long double)near_zero);
		if (fabsl((long double)weir_sin(near_zero) - rest) > 0x1p-100L)
			worst = fmax(worst, ulps(weir_sin(near_zero), rest));
	}
	assert_true(worst < 1);
	assert_true(weir_sin(0) == 0 && weir_cos(0) == 1 && isnan(weir_sin(WEIR_INFINITY)) &&
		    isnan(weir_cos(WEIR_NAN)));
}

static void pow_within_two_ulps(void **state)
{
	(void)state;
	struct weir_rng r;
	weir_rng_init(&r, 1, weir_rng_point("pow"), 0);
	double worst = 0;
	for (int i = 0; i < N; i++) {
		double x = any_positive(&r, 40), y = (weir_rng_unit(&r) - .5) * 50;
		long double right = powl((long double)x, (long double)y);
		if (right > 0x1p-1000L && right < 0x1p1000L)
			worst = fmax(worst, ulps(weir_pow(x, y), right));
		double near_one = 1 + (weir_rng_unit(&r) - .5) / 512, high = weir_rng_unit(&r) * 1e5;
		worst = fmax(worst,
			     ulps(weir_pow(near_one, high), powl((long double)near_one, (long double)high)));
	}
	assert_true(worst < 2);
	assert_true(weir_pow(.998, 0) == 1 && weir_pow(-2, 3) == -8 && weir_pow(-2, 2) == 4 &&
		    weir_pow(10, 3) == 1000);
	assert_true(isnan(weir_pow(-2, .5)) && weir_pow(0, 2) == 0 && weir_pow(0, -1) == WEIR_INFINITY);
	assert_true(weir_pow(2, 2000) == WEIR_INFINITY && weir_pow(2, -2000) == 0);
}

static void fold(u64 *hash, double x)
{
	*hash = (*hash ^ weir_double_bits(x)) * 0x100000001b3ULL;
}

static void same_bits_on_every_compiler(void **state)
{
	(void)state;
	struct weir_rng r;
	weir_rng_init(&r, 7, weir_rng_point("bits"), 0);
	u64 hash = 0xcbf29ce484222325ULL;
	for (int i = 0; i < 50000; i++) {
		double u = weir_rng_unit(&r);
		fold(&hash, weir_log(u));
		fold(&hash, weir_exp(u * 100 - 50));
		fold(&hash, weir_sin(u * 1000));
		fold(&hash, weir_pow(u, 3.7));
		fold(&hash, weir_draw_normal(&r));
	}
	assert_true(hash == 0xe96eccf422b98c33ULL);
}

static void draws_have_their_moments(void **state)
{
	(void)state;
	struct weir_rng r;
	weir_rng_init(&r, 3, weir_rng_point("draw"), 0);
	const double n = 1e6;
	double sum = 0, square = 0, cube = 0, fourth = 0, e = 0, e2 = 0;
	for (int i = 0; i < 1000000; i++) {
		double x = weir_draw_normal(&r), y = weir_draw_exponential(&r, 2);
		sum += x;
		square += x * x;
		cube += x * x * x;
		fourth += x * x * x * x;
		e += y;
		e2 += y * y;
	}
	/* five standard errors: 1, 2, 15 and 96 are the variances of x, x^2, x^3, x^4 */
	assert_true(fabs(sum / n) < 5e-3);
	assert_true(fabs(square / n - 1) < 5e-3 * sqrt(2.));
	assert_true(fabs(cube / n) < 5e-3 * sqrt(15.));
	assert_true(fabs(fourth / n - 3) < 5e-3 * sqrt(96.));
	assert_true(fabs(e / n - 2) < 5e-3 * 2);
	assert_true(fabs(e2 / n - 8) < 5e-3 * 4 * sqrt(20.));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(log_within_one_ulp),	   cmocka_unit_test(exp_within_one_ulp),
	    cmocka_unit_test(sin_and_cos_within_one_ulp),  cmocka_unit_test(pow_within_two_ulps),
	    cmocka_unit_test(same_bits_on_every_compiler), cmocka_unit_test(draws_have_their_moments),
	};
	return cmocka_run_group_tests_name("core-fmath", tests, NULL, NULL);
}
