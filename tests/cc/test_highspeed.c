/* SPDX-License-Identifier: MIT */
/* The controllers that go by the window alone: Scalable, HighSpeed, BIC. */
#include "law.h"

/* From a cut to the old window: ln(1 / (1 - b)) / a = 13.35 windows, whatever the window is. (Kelly's 13.42
 * compound by the round instead of by the packet.) */
static void scalable_recovers_in_the_same_time_at_every_window(void **unused)
{
	(void)unused;
	static const u64 packets[] = {1000, 10000, 100000, 1000000};
	for (u32 i = 0; i < 4; i++) {
		struct feed f;
		law_open(&f, "scalable", packets[i]);
		feed_loss(&f);
		assert_int_equal(f.cwnd_bytes, packets[i] * FEED_MSS / 8 * 7);
		law_near("windows", law_windows_until(&f, (double)packets[i]), log(8. / 7) / .01, .01);
	}
}

/* At its legacy window it meets Reno: sqrt(1.5 / p) = a / (b p) at p = .08^2 / 1.5. */
static void scalable_is_reno_up_to_the_legacy_window(void **unused)
{
	(void)unused;
	double p = .08 * .08 / 1.5;
	assert_true(fabs(.08 / p - 18.75) < .01);
	struct feed f;
	law_open(&f, "scalable", 16);
	feed_loss(&f);
	assert_int_equal(f.cwnd_bytes, 8 * FEED_MSS);
	for (u64 w = 9; w <= 16; w++) {
		feed_round(&f);
		assert_int_equal(f.cwnd_bytes, w * FEED_MSS);
	}
	law_open(&f, "scalable", 40);
	feed_loss(&f);
	assert_int_equal(f.cwnd_bytes, 35 * FEED_MSS);
	feed_ack(&f, 100 * FEED_MSS);
	assert_int_equal(f.cwnd_bytes, 36 * FEED_MSS);
}

/* Rows of RFC 3649, appendix B: window, a, b. */
static void highspeed_has_the_table_of_rfc3649(void **unused)
{
	(void)unused;
	static const struct {
		u64 window;
		double a, b;
	} row[] = {{38, 1, .50},  {118, 2, .44}, {221, 3, .41},	 {347, 4, .38},	   {495, 5, .37},
		   {663, 6, .35}, {851, 7, .34}, {1058, 8, .33}, {10661, 30, .21}, {83000, 70.7, .10}};
	for (u32 i = 0; i < sizeof row / sizeof row[0]; i++) {
		struct feed f;
		law_open(&f, "highspeed", row[i].window);
		feed_loss(&f);
		double a = (double)feed_signal_value(&f, "increase") / 1e6;
		double b = (double)feed_signal_value(&f, "decrease") / 1e6;
		if (!(fabs(b - row[i].b) <= .0051) || !(fabs(a / row[i].a - 1) <= .006))
			fail_msg("w %llu: a %.3f b %.4f", row[i].window, a, b);
		law_near("window left", law_packets(&f), (double)row[i].window * (1 - b), .001);
	}
}

/* Against the formulas in floating point, at every window; beyond 83000 b stays. */
static void highspeed_follows_its_formulas(void **unused)
{
	(void)unused;
	for (double w = 39; w < 2e7; w *= 1.37) {
		struct feed f;
		law_open(&f, "highspeed", (u64)w);
		feed_loss(&f);
		double n = floor(w);
		double b = fmax(.5 - .4 * log(n / 38) / log(83000. / 38), .1);
		double a = fmax(.156 * pow(n, .8) * b / (2 - b), 1);
		law_near("a", (double)feed_signal_value(&f, "increase") / 1e6, a, 3e-4);
		law_near("b", (double)feed_signal_value(&f, "decrease") / 1e6, b, 1e-4);
	}
}

/* RFC 3649 section 5: a mean window of .12 / p^.835 packets when every 1/p-th packet is lost. */
static void highspeed_has_its_response_function(void **unused)
{
	(void)unused;
	static const double ps[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7};
	for (u32 i = 0; i < 5; i++) {
		struct feed f;
		double right = .12 / pow(ps[i], .835), acked = 0, windows = 0;
		law_open(&f, "highspeed", (u64)right);
		feed_loss(&f);
		for (u32 teeth = 0; teeth < 20; teeth++) {
			double until = (teeth + 1.) / ps[i];
			if (teeth == 10)
				windows = 0;
			while (acked < until) {
				u64 n = weir_max(f.cwnd_bytes / 100, FEED_MSS);
				windows += (double)n / (double)f.cwnd_bytes;
				acked += (double)n / FEED_MSS;
				feed_ack(&f, n);
			}
			feed_loss(&f);
		}
		double mean = 10 / ps[i] / windows;
		print_message("p %g: %.1f packets, RFC %.1f\n", ps[i], mean, right);
		law_near("mean window", mean, right, .12);
	}
}

/* At most 16 a round down to a distance of 64, a quarter of the distance down to 4, then 1/5; beyond W_max
 * the same with a third: 4 ln 16 and 3 ln 12 windows in the two curved parts. */
static void bic_converges_as_a_bisection(void **unused)
{
	(void)unused;
	struct feed f;
	law_open(&f, "bic", 1000);
	feed_loss(&f);
	assert_int_equal(f.cwnd_bytes, 800 * FEED_MSS);
	law_near("linear", law_windows_until(&f, 936), 136. / 16, .02);
	law_near("bisection", law_windows_until(&f, 996), 4 * log(16), .06);
	law_near("at W_max", law_windows_until(&f, 1004), 8 / .2, .05);
	law_near("beyond", law_windows_until(&f, 1048), 3 * log(12), .08);
	law_near("linear", law_windows_until(&f, 1208), 160. / 16, .02);
}

static void bic_releases_bandwidth_once_a_loss(void **unused)
{
	(void)unused;
	struct feed f;
	law_open(&f, "bic", 1000);
	feed_loss(&f);
	feed_loss(&f); /* below W_max */
	assert_int_equal(f.cwnd_bytes, 640 * FEED_MSS);
	assert_int_equal(feed_signal_value(&f, "w_max"), 720 * FEED_MSS);
	feed_undo(&f);
	assert_int_equal(f.cwnd_bytes, 800 * FEED_MSS);
	assert_int_equal(feed_signal_value(&f, "w_max"), 1000 * FEED_MSS);
	feed_timeout(&f);
	assert_int_equal(f.cwnd_bytes, FEED_MSS);
	assert_int_equal(feed_signal_value(&f, "w_max"), 1000 * FEED_MSS);
}

static void bic_is_reno_in_small_windows(void **unused)
{
	(void)unused;
	struct feed f;
	law_open(&f, "bic", 14);
	feed_loss(&f);
	for (u64 w = 7; w <= 14; w++) {
		assert_int_equal(f.cwnd_bytes, w * FEED_MSS);
		feed_round(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(scalable_recovers_in_the_same_time_at_every_window),
	    cmocka_unit_test(scalable_is_reno_up_to_the_legacy_window),
	    cmocka_unit_test(highspeed_has_the_table_of_rfc3649),
	    cmocka_unit_test(highspeed_follows_its_formulas),
	    cmocka_unit_test(highspeed_has_its_response_function),
	    cmocka_unit_test(bic_converges_as_a_bisection),
	    cmocka_unit_test(bic_releases_bandwidth_once_a_loss),
	    cmocka_unit_test(bic_is_reno_in_small_windows),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
