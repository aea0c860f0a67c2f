/* SPDX-License-Identifier: MIT */
/* The wave against the paper's formula: p(t) = A sin(pi t / (T/4)) for t < T/4, then
 * -(A/3) sin(pi (t - T/4) / (3T/4)). */
#include "core/wave.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const double pi = 3.14159265358979323846;

static double of_paper(double t)
{
	return t < .25 ? sin(4 * pi * t) : -sin(4 * pi / 3 * (t - .25)) / 3;
}

static void it_is_the_papers_wave(void **unused)
{
	(void)unused;
	double worst = 0;
	for (u64 phase = 0; phase < 1ULL << 32; phase += 65521) {
		double want = of_paper((double)phase / 4294967296.);
		worst = fmax(worst, fabs((double)weir_wave_height((u32)phase) / WEIR_WAVE_ONE - want));
	}
	assert_true(worst < 1e-4);
}

static void its_turns_are_exact(void **unused)
{
	(void)unused;
	assert_int_equal(weir_wave_height(0), 0);
	assert_int_equal(weir_wave_height(1U << 29), WEIR_WAVE_ONE);	  /* an eighth of the period */
	assert_int_equal(weir_wave_height(1U << 30), 0);		  /* a quarter */
	assert_int_equal(weir_wave_height(5U << 29), -WEIR_WAVE_ONE / 3); /* five eighths */
	assert_int_equal(weir_wave_height(0xffffffffU), 0);
}

/* Nothing is sent more or less over a period; the burst above the mean is A T / (2 pi). */
static void its_mean_is_zero_and_its_burst_the_papers(void **unused)
{
	(void)unused;
	double sum = 0, above = 0;
	u32 n = 40000;
	for (u32 i = 0; i < n; i++) {
		double h = weir_wave_height((u32)((u64)i * (1ULL << 32) / n));
		sum += h;
		above += h > 0 ? h : 0;
	}
	assert_true(fabs(sum / n / WEIR_WAVE_ONE) < 1e-4);
	assert_true(fabs(above / n / WEIR_WAVE_ONE - 1 / (2 * pi)) < 1e-4);
}

static void time_moves_it_on(void **unused)
{
	(void)unused;
	u64 period_ns = 200 * WEIR_NS_PER_MS;
	assert_int_equal(weir_wave_advance(50 * WEIR_NS_PER_MS, period_ns), 1U << 30);
	assert_int_equal(weir_wave_advance(period_ns, period_ns), 0);
	assert_int_equal(weir_wave_advance(5 * period_ns + 50 * WEIR_NS_PER_MS, period_ns), 1U << 30);
	assert_int_equal(weir_wave_advance(1, 0), 0);
	u32 phase = 0; /* small steps lose next to nothing: 80,000 of 125 us are 50 periods */
	for (u32 i = 0; i < 80000; i++)
		phase += weir_wave_advance(125 * WEIR_NS_PER_US, period_ns);
	assert_true(0U - phase < 1U << 18);
}

static void over_a_rate_it_stays_in_bounds(void **unused)
{
	(void)unused;
	assert_int_equal(weir_wave_over_Bps(1000000, 250000, 1U << 29, 0), 1250000);
	assert_int_equal(weir_wave_over_Bps(1000000, 300000, 5U << 29, 0), 900002);
	assert_int_equal(weir_wave_over_Bps(10, 300000, 5U << 29, 7), 7);
	assert_int_equal(weir_wave_over_Bps(~0ULL, ~0ULL, 1U << 29, 0), ~0ULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(it_is_the_papers_wave),
	    cmocka_unit_test(its_turns_are_exact),
	    cmocka_unit_test(its_mean_is_zero_and_its_burst_the_papers),
	    cmocka_unit_test(time_moves_it_on),
	    cmocka_unit_test(over_a_rate_it_stays_in_bounds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
