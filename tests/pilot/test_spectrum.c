/* SPDX-License-Identifier: MIT */
#include "core/rng.h"
#include "pilot/spectrum.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define MS WEIR_NS_PER_MS
#define PI 3.14159265358979323846

static struct weir_spectrum_frame frame;
static struct weir_spectrum series;

static void put(double x)
{
	weir_spectrum_put(&series, &frame, x);
	weir_spectrum_frame_advance(&frame);
}

/* The transform as its definition says, by libm; oldest sample first. */
static double plain(const double *x, u32 n, u32 bin)
{
	double re = 0, im = 0;
	for (u32 i = 0; i < n; i++) {
		double angle = 2 * PI * (double)((u64)bin * i % n) / n;
		re += x[i] * cos(angle);
		im -= x[i] * sin(angle);
	}
	return 2 * sqrt(re * re + im * im) / n;
}

static void sliding_equals_plain_of(u32 n)
{
	static double x[4000];
	weir_spectrum_frame_init(&frame, n, 10 * MS, 1, 15);
	weir_spectrum_clear(&series);
	struct weir_rng rng;
	weir_rng_init(&rng, n, 1, 1);
	for (u32 i = 0; i < 4000; i++) {
		x[i] = weir_rng_unit(&rng) * 1e8;
		put(x[i]);
		if (i + 1 < n || i % 701)
			continue;
		for (u32 k = 0; k < frame.bins; k++)
			assert_true(fabs(weir_spectrum_amplitude(&series, &frame, k) -
					 plain(x + i + 1 - n, n, frame.first_bin + k)) < 1e-9 * 1e8);
	}
}

static void sliding_equals_plain(void **unused)
{
	(void)unused;
	sliding_equals_plain_of(500);
	sliding_equals_plain_of(1000);
	sliding_equals_plain_of(997);
	sliding_equals_plain_of(64);
}

/* 500 samples of 10 ms: 5 Hz is bin 25 and 6 Hz bin 30, and neither leaks; with 512 both would. */
static void bins_of_5_and_6_hz_are_exact(void **unused)
{
	(void)unused;
	for (u32 hz = 5; hz <= 6; hz++) {
		weir_spectrum_frame_init(&frame, 500, 10 * MS, 1, 15);
		weir_spectrum_clear(&series);
		assert_int_equal(frame.first_bin, 5);
		assert_int_equal(frame.bins, 71);
		for (u32 i = 0; i < 1234; i++)
			put(7e6 + 3e6 * sin(2 * PI * hz * i / 100 + .3));
		u32 at = weir_spectrum_index(&frame, hz);
		assert_int_equal(frame.first_bin + at, 5 * hz);
		for (u32 k = 0; k < frame.bins; k++) {
			double want = k == at ? 3e6 : 0;
			assert_true(fabs(weir_spectrum_amplitude(&series, &frame, k) - want) < 1e-2);
		}
		assert_true(weir_spectrum_between(&series, &frame, hz, 2 * hz) < 1e-2);
		assert_true(weir_spectrum_between(&series, &frame, hz - .5, 2 * hz) > 2.999e6);
		assert_true(fabs(weir_spectrum_mean(&series, &frame, 500) - 7e6) < 1e-2);
	}
}

/* What was large leaves nothing behind when it is gone. */
static void rounding_does_not_stay(void **unused)
{
	(void)unused;
	weir_spectrum_frame_init(&frame, 500, 10 * MS, 1, 15);
	weir_spectrum_clear(&series);
	for (u32 i = 0; i < 500; i++)
		put(i % 7 ? 1e13 : -1e13);
	for (u32 i = 0; i < 500 + 8 * 71; i++)
		put(0);
	for (u32 k = 0; k < frame.bins; k++)
		assert_true(weir_spectrum_amplitude(&series, &frame, k) <= 0);
}

static void any_shape_of_frame_is_brought_into_bounds(void **unused)
{
	(void)unused;
	const double hz[] = {-1, 0, 1, 15, 1e9, (double)NAN, (double)INFINITY};
	const u32 n[] = {0, 1, 4, 999, 5000, ~0U};
	const u64 ns[] = {0, 1, 10 * MS, ~0ULL};
	for (u32 i = 0; i < 7 * 7 * 6 * 4; i++) {
		weir_spectrum_frame_init(&frame, n[i % 6], ns[i / 6 % 4], hz[i / 24 % 7], hz[i / 168]);
		assert_in_range(frame.n, 4, WEIR_SPECTRUM_SAMPLES_MAX);
		assert_in_range(frame.bins, 1, WEIR_SPECTRUM_BINS_MAX);
		assert_true(frame.first_bin >= 1 && frame.first_bin + frame.bins - 1 <= frame.n / 2);
		for (u32 j = 0; j < 7; j++)
			assert_true(weir_spectrum_index(&frame, hz[j]) < frame.bins);
	}
}

/* Two tones of one frequency: the cosine of what is between them, at any lag; mixed with as much that has
 * nothing to do with it, 1 / sqrt(2) of that. */
static void correlation_is_the_cosine_of_the_phase(void **unused)
{
	(void)unused;
	static struct weir_spectrum other;
	weir_spectrum_frame_init(&frame, 500, 10 * MS, 1, 15);
	weir_spectrum_clear(&series);
	weir_spectrum_clear(&other);
	assert_true(isnan(weir_spectrum_correlation(&series, &other, &frame, 0)));
	for (u32 i = 0; i < 1234; i++) {
		weir_spectrum_put(&other, &frame,
				  4e6 - 2e5 * sin(2 * PI * (i - 6.) / 20) + 2e5 * sin(2 * PI * i / 12.5));
		put(7e6 + 3e6 * sin(2 * PI * i / 20.));
	}
	for (u32 lag = 0; lag < 40; lag++) {
		double got = weir_spectrum_correlation(&series, &other, &frame, lag);
		assert_true(fabs(got + cos(2 * PI * (lag - 6.) / 20) / sqrt(2)) < .02);
	}
	assert_true(fabs(weir_spectrum_correlation(&series, &series, &frame, 0) - 1) < 1e-9);
	assert_true(isnan(weir_spectrum_correlation(&series, &other, &frame, 499)));
	assert_true(isnan(weir_spectrum_correlation(&series, &other, &frame, ~0U)));
	for (u32 i = 0; i < 500; i++)
		put(.1); /* `other` holds what it had */
	assert_true(isnan(weir_spectrum_correlation(&series, &other, &frame, 0)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(sliding_equals_plain),
	    cmocka_unit_test(bins_of_5_and_6_hz_are_exact),
	    cmocka_unit_test(rounding_does_not_stay),
	    cmocka_unit_test(any_shape_of_frame_is_brought_into_bounds),
	    cmocka_unit_test(correlation_is_the_cosine_of_the_phase),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
