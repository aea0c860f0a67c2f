/* SPDX-License-Identifier: MIT */
#include "cc/cubic.h"
#include "feed.h"

#include <math.h>

/* At `packets`, then one loss: the first growth starts a curve with W_max = packets. */
static void open_at(struct feed *f, u64 rtt_ns, u64 packets)
{
	feed_open(f, "cubic", rtt_ns);
	f->view.initial_bytes = packets * FEED_MSS;
	feed_init(f);
	f->view.initial_bytes = 10 * FEED_MSS;
}

static void a_loss_leaves_seven_tenths(void **unused)
{
	(void)unused;
	struct feed f;
	open_at(&f, 100 * FEED_MS, 1000);
	feed_loss(&f);
	assert_int_equal(f.cwnd_bytes, 700000);
	assert_int_equal(feed_signal_value(&f, "w_max"), 1000000);
	feed_ack(&f, FEED_MSS);
	/* K = cbrt(300 / .4) = 9.0856 s; the signal is in ns */
	assert_in_range(feed_signal_value(&f, "to_plateau"), 9085500000, 9085700000);
}

/* C t^3 in bytes and its inverse, against exact arithmetic. */
static void the_curve_is_exact_to_millionths(void **unused)
{
	(void)unused;
	u32 slope = (u32)(400000ULL * 1448 * 1024 / 1000000);
	for (u64 t_ns = 1000000; t_ns < 4000 * WEIR_NS_PER_S; t_ns = t_ns * 11 / 10) {
		double t = (double)t_ns / 1e9, exact = .4 * 1448 * t * t * t;
		double got = (double)cubic_rise_bytes(slope, t_ns);
		/* time has steps of 15 us, bytes are whole, C has 20 bits */
		double allowed = 1 + exact * 4e-6 + 3 * .4 * 1448 * t * t * 16e-6;
		assert_true(fabs(got - exact) <= allowed);
	}
	for (u64 bytes = 1; bytes < WEIR_WINDOW_MAX_BYTES; bytes = bytes * 5 / 4 + 1) {
		double exact = cbrt((double)bytes / (.4 * 1448));
		double got = (double)cubic_time_ns(slope, bytes) / 1e9;
		assert_true(fabs(got - exact) <= 8e-6 + exact * 2e-6);
	}
	assert_int_equal(cubic_time_ns(slope, 0), 0);
	assert_int_equal(cubic_rise_bytes(slope, 0), 0);
	assert_int_equal(cubic_rise_bytes(0xffffffff, WEIR_NEVER), WEIR_WINDOW_MAX_BYTES);
}

static void after_an_idle_period_the_curve_continues_G1(void **unused)
{
	(void)unused;
	static const u64 idle_s[] = {5, 20, 60};
	for (u32 i = 0; i < 3; i++) {
		struct feed f;
		open_at(&f, 100 * FEED_MS, 1000);
		feed_param(&f, "idle_restart", 0);
		feed_loss(&f);
		for (int n = 0; n < 20; n++)
			feed_round(&f);
		u64 left_ns = feed_signal_value(&f, "to_plateau"), before = f.cwnd_bytes;
		feed_idle(&f, idle_s[i] * WEIR_NS_PER_S);
		assert_int_equal(f.cwnd_bytes, before);
		feed_round(&f);
		u64 moved_ns = left_ns - feed_signal_value(&f, "to_plateau");
		assert_in_range(moved_ns, 99 * FEED_MS, 101 * FEED_MS);
		assert_in_range(f.cwnd_bytes, before, before + 12 * FEED_MSS);
	}
}

static void after_an_idle_period_the_window_decays_and_finds_its_curve_again_G1(void **unused)
{
	(void)unused;
	struct feed f;
	open_at(&f, 100 * FEED_MS, 1000);
	feed_loss(&f);
	for (int n = 0; n < 20; n++)
		feed_round(&f);
	u64 before = f.cwnd_bytes, left_ns = feed_signal_value(&f, "to_plateau");
	feed_idle(&f, 3 * WEIR_NS_PER_S);
	assert_int_equal(f.cwnd_bytes, before / 8);
	while (f.cwnd_bytes < before) {
		u64 window = f.cwnd_bytes;
		feed_round(&f);
		assert_in_range(f.cwnd_bytes, window + 1, 2 * window + FEED_MSS);
	}
	/* slow start and catching up took some rounds, silence took nothing */
	assert_true(left_ns - feed_signal_value(&f, "to_plateau") < WEIR_NS_PER_S);
	assert_true(f.cwnd_bytes < before + 60 * FEED_MSS);
}

/* Two packets in flight: the gap between an ACK and the next packet is no silence. The second turn hands
 * in whole round trips as silence, as the faulty hosts did; even then the window must come back. */
static void a_tiny_window_is_not_idle_G2(void **unused)
{
	(void)unused;
	for (int faulty = 0; faulty < 2; faulty++) {
		struct feed f;
		open_at(&f, 100 * FEED_MS, 10);
		for (int n = 0; n < 20; n++) {
			feed_loss(&f);
			feed_round(&f);
		}
		feed_loss(&f);
		assert_in_range(f.cwnd_bytes, 2 * FEED_MSS, 3 * FEED_MSS - 1);
		for (int n = 0; n < 100; n++) {
			feed_round(&f);
			struct weir_out o = {0};
			u64 idle_ns = faulty ? f.rtt_ns : 1000;
			f.ops->on_idle(f.state, f.params, &f.view, idle_ns, &o);
		}
		assert_true(f.cwnd_bytes > (faulty ? 50 : 200) * FEED_MSS);
	}
}

static void an_ack_never_lowers_the_window_G4(void **unused)
{
	(void)unused;
	struct feed f;
	open_at(&f, 10 * FEED_MS, 400);
	feed_loss(&f);
	for (u32 n = 0; n < 3000; n++) {
		u64 before = f.cwnd_bytes;
		f.view.now_ns += 100000;
		feed_ack(&f, n % 7 * 100);
		assert_true(f.cwnd_bytes >= before);
		assert_true(f.cwnd_bytes <= before + FEED_MSS);
	}
}

/* A window above the curve: short RTT, so that W_est leads, then a cut whose W_max lies below. */
static void a_curve_below_the_window_does_not_wrap_G5(void **unused)
{
	(void)unused;
	struct feed f;
	open_at(&f, FEED_MS, 1000);
	feed_loss(&f);
	for (int n = 0; n < 50; n++)
		feed_round(&f);
	u64 est = feed_signal_value(&f, "w_est");
	assert_int_equal(f.cwnd_bytes, est);
	assert_in_range(est, 720 * FEED_MSS, 730 * FEED_MSS);
	/* repeated cuts with fast convergence: W_max falls below what a later undo brings back */
	feed_loss(&f);
	feed_loss(&f);
	feed_undo(&f);
	for (int n = 0; n < 50; n++) {
		u64 before = f.cwnd_bytes;
		feed_round(&f);
		assert_in_range(f.cwnd_bytes, before, before + 5 * FEED_MSS);
	}
}

static void fast_convergence_lowers_w_max_once_not_the_window_G7(void **unused)
{
	(void)unused;
	struct feed f;
	open_at(&f, 100 * FEED_MS, 1000);
	feed_loss(&f);
	assert_int_equal(f.cwnd_bytes, 700000);
	assert_int_equal(feed_signal_value(&f, "w_max"), 1000000);
	feed_loss(&f);
	assert_int_equal(f.cwnd_bytes, 490000);
	assert_int_equal(feed_signal_value(&f, "w_max"), 595000); /* .85 of 700000 */

	open_at(&f, 100 * FEED_MS, 1000);
	feed_param(&f, "fast_convergence", 0);
	feed_loss(&f);
	feed_loss(&f);
	assert_int_equal(feed_signal_value(&f, "w_max"), 700000);
}

static void a_timeout_keeps_w_max_G10(void **unused)
{
	(void)unused;
	struct feed f;
	open_at(&f, 100 * FEED_MS, 1000);
	feed_loss(&f);
	feed_timeout(&f);
	assert_int_equal(f.cwnd_bytes, FEED_MSS);
	assert_int_equal(feed_signal_value(&f, "w_max"), 1000000);
	assert_int_equal(feed_signal_value(&f, "ssthresh"), 490000);
	while (f.cwnd_bytes < 490000)
		feed_round(&f);
	feed_round(&f);
	/* concave again towards the old peak: K = cbrt(510 / .4) = 10.84 s */
	assert_in_range(feed_signal_value(&f, "to_plateau"), 10600000000, 10850000000);
}

static void extreme_windows_and_a_week_on_the_curve_G25(void **unused)
{
	(void)unused;
	static const u32 mss[] = {1, 536, 1448, 9000, 65535};
	for (u32 i = 0; i < 5; i++)
		for (u32 bits = 17; bits <= 45; bits += 4) {
			struct feed f;
			feed_open(&f, "cubic", 100 * FEED_MS);
			f.view.mss_bytes = mss[i];
			f.view.initial_bytes = 1ULL << bits;
			feed_init(&f);
			feed_loss(&f);
			u64 last = f.cwnd_bytes;
			for (int hour = 0; hour < 24 * 7; hour++) {
				f.view.now_ns += 3600 * WEIR_NS_PER_S;
				feed_ack(&f, f.cwnd_bytes);
				assert_in_range(f.cwnd_bytes, last, last + last / 2 + 2 * mss[i]);
				last = f.cwnd_bytes;
			}
		}
}

static void an_undo_resumes_the_old_curve_G20(void **unused)
{
	(void)unused;
	struct feed f;
	open_at(&f, 100 * FEED_MS, 500);
	feed_loss(&f);
	while (f.cwnd_bytes < 700 * FEED_MSS)
		feed_round(&f);
	u64 window = f.cwnd_bytes, ssthresh = feed_signal_value(&f, "ssthresh");
	feed_round(&f);
	u64 growth = f.cwnd_bytes - window;
	feed_loss(&f);
	f.view.now_ns += f.rtt_ns;
	feed_undo(&f);
	assert_int_equal(f.cwnd_bytes, window + growth);
	assert_int_equal(feed_signal_value(&f, "ssthresh"), ssthresh);
	assert_int_equal(feed_signal_value(&f, "w_max"), 500 * FEED_MSS);
	window = f.cwnd_bytes;
	feed_round(&f);
	assert_in_range(f.cwnd_bytes - window, growth, growth + growth / 8);
}

static void time_in_which_the_application_is_the_limit_does_not_count(void **unused)
{
	(void)unused;
	struct feed f;
	open_at(&f, 100 * FEED_MS, 1000);
	feed_loss(&f);
	feed_round(&f);
	u64 window = f.cwnd_bytes, left_ns = feed_signal_value(&f, "to_plateau");
	f.view.flags = WEIR_APP_LIMITED;
	for (int n = 0; n < 600; n++)
		feed_round(&f);
	assert_int_equal(f.cwnd_bytes, window);
	f.view.flags = WEIR_CWND_LIMITED;
	feed_round(&f);
	assert_in_range(left_ns - feed_signal_value(&f, "to_plateau"), 99 * FEED_MS, 101 * FEED_MS);
}

/* Handed over at 40 segments: a plateau there, and the cubic of RFC 9438 from it on. */
static void a_seed_is_the_plateau_of_the_first_curve(void **unused)
{
	(void)unused;
	struct feed f;
	struct weir_out o = {0};
	feed_open(&f, "cubic", 100 * FEED_MS);
	f.ops->on_seed(f.state, f.params, &f.view, 40 * FEED_MSS, &o);
	feed_take(&f, &o);
	assert_int_equal(f.cwnd_bytes, 40 * FEED_MSS);
	assert_int_equal(feed_signal_value(&f, "ssthresh"), 40 * FEED_MSS);
	feed_ack(&f, FEED_MSS);
	assert_int_equal(f.cwnd_bytes, 40 * FEED_MSS);
	assert_int_equal(feed_signal_value(&f, "w_max"), 40 * FEED_MSS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_loss_leaves_seven_tenths),
	    cmocka_unit_test(the_curve_is_exact_to_millionths),
	    cmocka_unit_test(after_an_idle_period_the_curve_continues_G1),
	    cmocka_unit_test(after_an_idle_period_the_window_decays_and_finds_its_curve_again_G1),
	    cmocka_unit_test(a_tiny_window_is_not_idle_G2),
	    cmocka_unit_test(an_ack_never_lowers_the_window_G4),
	    cmocka_unit_test(a_curve_below_the_window_does_not_wrap_G5),
	    cmocka_unit_test(fast_convergence_lowers_w_max_once_not_the_window_G7),
	    cmocka_unit_test(a_timeout_keeps_w_max_G10),
	    cmocka_unit_test(extreme_windows_and_a_week_on_the_curve_G25),
	    cmocka_unit_test(an_undo_resumes_the_old_curve_G20),
	    cmocka_unit_test(time_in_which_the_application_is_the_limit_does_not_count),
	    cmocka_unit_test(a_seed_is_the_plateau_of_the_first_curve),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
