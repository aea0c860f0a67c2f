/* SPDX-License-Identifier: MIT */
#include "core/rng.h"
#include "pilot/detector_state.h"
#include "pilot/mu.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define MS WEIR_NS_PER_MS
#define PI 3.14159265358979323846
#define MU 12e6 /* 96 Mbit/s */

static struct weir_detector d;
static struct weir_elasticity e;
static u64 now_ns;

/* A report of a path that sends at S while others send at z. */
static struct weir_report report_of(double send_Bps, double z_Bps)
{
	now_ns += 10 * MS;
	double receive_Bps = MU * send_Bps / (send_Bps + z_Bps);
	return (struct weir_report){.now_ns = now_ns,
				    .interval_ns = 10 * MS,
				    .rtt_n = 10,
				    .rtt_sum_ns = 10 * 60 * MS,
				    .sample_bytes = (u64)(send_Bps * .05),
				    .send_interval_ns = 50 * MS,
				    .ack_interval_ns = (u64)(50e6 * send_Bps / receive_Bps),
				    .srtt_ns = 60 * MS,
				    .min_rtt_ns = 50 * MS,
				    .latest_rtt_ns = 60 * MS,
				    .mss_bytes = 1448};
}

static void start(void)
{
	struct weir_detector_config c;
	weir_detector_defaults(&c);
	weir_detector_init(&d, &c);
	now_ns = 17 * WEIR_NS_PER_S;
}

static double wave(double hz)
{
	return sin(2 * PI * hz * (double)now_ns * 1e-9);
}

static void step(double hz, double z_Bps)
{
	struct weir_report r = report_of(6e6 + 1.2e6 * wave(hz), z_Bps);
	weir_detector_report(&d, &r, MU, hz, 3e6);
	weir_detector_read(&d, &e);
}

/* Two tones: eta is the quotient of their amplitudes, wherever the window begins. */
static void eta_is_the_quotient_of_tones(void **unused)
{
	(void)unused;
	for (u32 hz = 5; hz <= 6; hz++) {
		start();
		for (u32 i = 0; i < 499; i++) {
			step(hz, 5e6);
			assert_int_equal(e.reason, WEIR_REASON_WARMING_UP);
			assert_true(isnan(e.eta));
		}
		for (u32 i = 0; i < 700; i++)
			step(hz, 5e6 + 9e5 * wave(hz) + 3e5 * wave(8.2) + 4e6 * wave(2 * hz) + 4e6 * wave(3));
		assert_true(fabs(e.eta - 3) < .01);
		assert_true(fabs(e.peak - 9e5) < 2e3 && fabs(e.other - 3e5) < 2e3);
		assert_int_equal(e.verdict, WEIR_ELASTIC);
		assert_int_equal(e.reason, WEIR_REASON_NONE);
		assert_true(e.confidence > .19 && e.confidence < .21); /* (3 - 2) / (3 + 2) */
		for (u32 i = 0; i < 700; i++)
			step(hz, 5e6 + 9e5 * wave(hz) + 6e5 * wave(8.2));
		assert_true(fabs(e.eta - 1.5) < .01);
		assert_int_equal(e.verdict, WEIR_INELASTIC);
	}
}

/* White noise of standard deviation s: each bin's power is exponential with mean 4 s^2 / n, so that the
 * largest of the 20 bins from 5.6 to 9.4 Hz has mean H_20 4 s^2 / n, and a tone alone stands out by its
 * amplitude over that. Of noise alone eta >= 2 has a probability of 4 B(21, 4) = 9e-5. */
static void noise_is_what_it_should_be(void **unused)
{
	(void)unused;
	struct weir_rng rng;
	weir_rng_init(&rng, 8, 1, 1);
	const double s = 1e6, tone = 1.2e6;
	double harmonic = 0, square = 0;
	for (u32 k = 1; k <= 20; k++)
		harmonic += 1. / k;
	u32 windows = 60, elastic = 0, found = 0;
	for (u32 with = 0; with < 2; with++) {
		start();
		for (u32 i = 1; i <= windows * 500; i++) {
			double sum = -6;
			for (u32 k = 0; k < 12; k++)
				sum += weir_rng_unit(&rng);
			step(5, 9e6 + s * sum + (with ? tone * wave(5) : 0));
			if (i % 500)
				continue;
			square += with ? e.other * e.other / windows : 0;
			found += with && e.verdict == WEIR_ELASTIC;
			elastic += !with && e.verdict == WEIR_ELASTIC;
		}
	}
	assert_true(fabs(square / (harmonic * 4 * s * s / 500) - 1) < .15);
	assert_int_equal(elastic, 0);
	assert_true(found > windows * 95 / 100); /* tone / sqrt(H_20 4 s^2 / n) = 7 */
}

static void constant_traffic_is_inelastic(void **unused)
{
	(void)unused;
	start();
	for (u32 i = 0; i < 600; i++)
		step(5, 4e6);
	assert_int_equal(e.verdict, WEIR_INELASTIC);
	assert_true(e.eta < .5);
	assert_true(fabs(weir_detector_z_mean(&d, .25) - 4e6) < 1e4);
}

/* A wave that changes its frequency is judged when the window holds nothing else. */
static void another_wave_needs_its_own_window(void **unused)
{
	(void)unused;
	start();
	for (u32 i = 0; i < 600; i++)
		step(5, 5e6 - 8e5 * wave(5));
	assert_int_equal(e.verdict, WEIR_ELASTIC);
	for (u32 i = 0; i < 499; i++) {
		step(6, 5e6 - 8e5 * wave(6));
		assert_int_equal(e.reason, WEIR_REASON_WARMING_UP);
	}
	step(6, 5e6 - 8e5 * wave(6));
	assert_int_equal(e.verdict, WEIR_ELASTIC);
	assert_true(weir_detector_receive_at(&d, 6) > 10 * weir_detector_receive_at(&d, 5));
}

static void reason_after(struct weir_report change, double mu_Bps, double hz, double wave_Bps,
			 enum weir_answer_reason want)
{
	start();
	for (u32 i = 0; i < 600; i++) {
		struct weir_report r = report_of(6e6 + .4 * wave_Bps * wave(hz), 5e6 - 8e5 * wave(hz));
		if (change.send_interval_ns) {
			r.sample_bytes = r.sample_bytes * change.send_interval_ns / (50 * MS);
			r.ack_interval_ns = r.ack_interval_ns * change.send_interval_ns / (50 * MS);
			r.send_interval_ns = change.send_interval_ns;
		}
		if (change.srtt_ns)
			r.srtt_ns = change.srtt_ns;
		if (change.min_rtt_ns)
			r.min_rtt_ns = change.min_rtt_ns;
		r.flags = change.flags;
		weir_detector_report(&d, &r, mu_Bps, hz, wave_Bps);
	}
	weir_detector_read(&d, &e);
	assert_string_equal(weir_answer_reason_word(e.reason), weir_answer_reason_word(want));
	assert_int_equal(e.verdict == WEIR_NOT_APPLICABLE, want != WEIR_REASON_NONE);
}

static void what_cannot_be_judged_says_why(void **unused)
{
	(void)unused;
	struct weir_report none = {0};
	reason_after(none, MU, 5, 3e6, WEIR_REASON_NONE);
	reason_after(none, MU, 0, 3e6, WEIR_REASON_NO_WAVE);
	reason_after(none, 0, 5, 3e6, WEIR_REASON_NO_RATE);
	reason_after(none, (double)NAN, 5, 3e6, WEIR_REASON_NO_RATE);
	reason_after(none, MU, 5, 1e5, WEIR_REASON_SMALL_PULSE);
	reason_after((struct weir_report){.min_rtt_ns = 60 * MS}, MU, 5, 3e6, WEIR_REASON_EMPTY_QUEUE);
	reason_after((struct weir_report){.flags = WEIR_REPORT_APP_LIMITED}, MU, 5, 3e6,
		     WEIR_REASON_APP_LIMITED);
	/* over one round trip of one period a wave averages to nothing; half a period leaves 2/pi */
	reason_after((struct weir_report){.send_interval_ns = 200 * MS}, MU, 5, 3e6, WEIR_REASON_LONG_RTT);
	reason_after((struct weir_report){.send_interval_ns = 100 * MS}, MU, 5, 3e6, WEIR_REASON_NONE);
}

static void d1_a_geostationary_path_is_not_applicable(void **unused)
{
	(void)unused;
	reason_after(
	    (struct weir_report){.srtt_ns = 600 * MS, .min_rtt_ns = 580 * MS, .send_interval_ns = 600 * MS},
	    MU, 5, 3e6, WEIR_REASON_LONG_RTT);
}

static void our_wave_must_be_sent(void **unused)
{
	(void)unused;
	start();
	for (u32 i = 0; i < 600; i++) {
		struct weir_report r = report_of(6e6, 5e6 - 8e5 * wave(5));
		weir_detector_report(&d, &r, MU, 5, 3e6);
	}
	weir_detector_read(&d, &e);
	assert_int_equal(e.reason, WEIR_REASON_INVISIBLE_PULSE);
}

/* Fair queueing: R is our share, whatever we send. */
static void a_queue_of_our_own_is_told(void **unused)
{
	(void)unused;
	start();
	for (u32 i = 0; i < 600; i++) {
		double send_Bps = 6e6 + 1.2e6 * wave(5);
		struct weir_report r = report_of(send_Bps, send_Bps * (MU / 6e6 - 1));
		weir_detector_report(&d, &r, MU, 5, 3e6);
	}
	weir_detector_read(&d, &e);
	assert_int_equal(e.verdict, WEIR_ELASTIC);
	assert_int_equal(e.reason, WEIR_REASON_ISOLATED_QUEUE);
	assert_true(e.confidence < .26);
}

static bool finite_now(void)
{
	weir_detector_read(&d, &e);
	return isfinite(e.z_Bps) && isfinite(e.send_Bps) && isfinite(e.receive_Bps) && isfinite(e.peak) &&
	       isfinite(e.other) && isfinite(e.own_peak) && e.confidence >= 0 && e.confidence <= 1 &&
	       isfinite(weir_detector_z_mean(&d, .25)) &&
	       (isfinite(e.eta) || e.verdict == WEIR_NOT_APPLICABLE);
}

static void d2_an_outage_is_a_missing_sample(void **unused)
{
	(void)unused;
	start();
	for (u32 i = 0; i < 600; i++)
		step(5, 5e6 - 8e5 * wave(5));
	double eta = e.eta;
	for (u32 i = 0; i < 3; i++) {
		struct weir_report r = report_of(6e6, 5e6);
		r.sample_bytes = i == 0 ? 0 : r.sample_bytes;
		r.ack_interval_ns = i == 1 ? 0 : r.ack_interval_ns;
		r.send_interval_ns = i == 2 ? 0 : r.send_interval_ns;
		weir_detector_report(&d, &r, MU, 5, 3e6);
		assert_true(finite_now());
		assert_int_equal(e.verdict, WEIR_ELASTIC);
		step(5, 5e6 - 8e5 * wave(5));
	}
	for (u32 i = 0; i < 600; i++)
		step(5, 5e6 - 8e5 * wave(5));
	assert_true(fabs(e.eta / eta - 1) < .2); /* recovered */
}

static void d4_a_gap_begins_the_window_anew(void **unused)
{
	(void)unused;
	start();
	for (u32 i = 0; i < 600; i++)
		step(5, 5e6 - 8e5 * wave(5));
	assert_int_equal(e.verdict, WEIR_ELASTIC);
	now_ns += 30 * WEIR_NS_PER_S;
	step(5, 5e6);
	assert_int_equal(e.reason, WEIR_REASON_WARMING_UP);
	assert_true(weir_detector_filled(&d) < .003);
	for (u32 i = 0; i < 499; i++)
		step(5, 5e6);
	assert_int_equal(e.verdict, WEIR_INELASTIC);
	/* reports that come, but without any sample, are a gap too */
	for (u32 i = 0; i < 7; i++) {
		struct weir_report r = report_of(6e6, 5e6);
		r.sample_bytes = 0;
		weir_detector_report(&d, &r, MU, 5, 3e6);
	}
	assert_true(weir_detector_filled(&d) <= 0);
}

/* Alone, by a mu that is 1 or 6 % too large: eq. 6 makes as much of our wave into z, and no answer. What
 * gives way by an eighth of our wave is one. */
static void an_error_of_mu_is_no_answer(void **unused)
{
	(void)unused;
	const double error[] = {.01, -.01, .06};
	for (u32 k = 0; k < 3; k++) {
		start();
		for (u32 i = 0; i < 700; i++) {
			double send_Bps = 11e6 + 1.2e6 * wave(5);
			struct weir_report r = report_of(send_Bps, MU - send_Bps); /* R = mu */
			r.ack_interval_ns = (u64)(50e6 * send_Bps / 11e6);
			weir_detector_report(&d, &r, 11e6 * (1 + error[k]), 5, 3e6);
		}
		weir_detector_read(&d, &e);
		assert_int_equal(e.verdict, WEIR_INELASTIC);
		assert_true(e.eta < 2);
	}
	start();
	for (u32 i = 0; i < 600; i++)
		step(5, 1.5e6 - .125 * 1.2e6 * wave(5) + 3e4 * wave(8.2));
	assert_int_equal(e.verdict, WEIR_ELASTIC);
}

/* The samples of a repair are of packets out of order: z stands, and the window goes on. */
static void a_repair_is_no_traffic(void **unused)
{
	(void)unused;
	start();
	for (u32 i = 0; i < 600; i++)
		step(5, 5e6 - 8e5 * wave(5));
	for (u32 i = 0; i < 15; i++) {
		struct weir_report r = report_of(1e6, 11e6);
		r.flags = WEIR_REPORT_RECOVERY;
		weir_detector_report(&d, &r, MU, 5, 3e6);
		weir_detector_read(&d, &e);
		assert_int_equal(e.verdict, WEIR_ELASTIC);
	}
	step(5, 5e6 - 8e5 * wave(5));
	assert_true(weir_detector_filled(&d) >= 1);
	assert_int_equal(e.verdict, WEIR_ELASTIC);
	/* but a window of nothing else says nothing */
	for (u32 i = 0; i < 260; i++) {
		struct weir_report r = report_of(1e6, 11e6);
		r.flags = WEIR_REPORT_RECOVERY;
		weir_detector_report(&d, &r, MU, 5, 3e6);
	}
	weir_detector_read(&d, &e);
	assert_int_equal(e.reason, WEIR_REASON_WARMING_UP);
}

/* No member points anywhere, and what is held does not grow: a long flow judges as a short one. */
static void d5_a_long_flow_is_as_a_short_one(void **unused)
{
	(void)unused;
	_Static_assert(sizeof(struct weir_detector) < 64 << 10, "a pilot's state holds it");
	start();
	for (u32 i = 0; i < 300 * 1000; i++) {
		struct weir_report r = report_of(i % 20 < 5 ? 7e6 : 5.6e6, i % 20 < 5 ? 4e6 : 5e6);
		weir_detector_report(&d, &r, MU, 5, 3e6);
	}
	struct weir_elasticity after_long;
	weir_detector_read(&d, &after_long);
	struct weir_detector_config c;
	weir_detector_defaults(&c);
	weir_detector_init(&d, &c);
	for (u32 i = 0; i < 1000; i++) {
		struct weir_report r = report_of(i % 20 < 5 ? 7e6 : 5.6e6, i % 20 < 5 ? 4e6 : 5e6);
		weir_detector_report(&d, &r, MU, 5, 3e6);
	}
	weir_detector_read(&d, &e);
	assert_true(fabs(after_long.peak / e.peak - 1) < 1e-9);
	assert_int_equal(after_long.verdict, e.verdict);
}

/* A path that stops for a part of every 200 ms swings z farther than our wave could. */
static void d11_a_cycle_of_the_path_is_doubted(void **unused)
{
	(void)unused;
	start();
	for (u32 i = 0; i < 600; i++)
		step(5, 5e6 + 4e6 * wave(5));
	assert_int_equal(e.verdict, WEIR_ELASTIC);
	assert_int_equal(e.reason, WEIR_REASON_PATH_CYCLE);
	assert_true(e.confidence < .26);
	/* beside a wave of 6 Hz a cycle of 5 Hz is not taken for its answer */
	start();
	for (u32 i = 0; i < 600; i++)
		step(6, 5e6 + 4e6 * wave(5) + 2e5 * wave(8));
	assert_int_equal(e.verdict, WEIR_INELASTIC);
	assert_true(weir_detector_z_at(&d, 5) > 3.9e6);
}

static void mu_is_not_raised_by_compressed_acks(void **unused)
{
	(void)unused;
	struct weir_mu m;
	weir_mu_init(&m, 10 * WEIR_NS_PER_S);
	assert_true(weir_mu_Bps(&m) <= 0);
	for (u32 i = 0; i < 100; i++) {
		struct weir_report r = report_of(8e6, 4e6); /* R = 8e6 */
		weir_mu_report(&m, &r);
	}
	assert_true(fabs(weir_mu_Bps(&m) / 8e6 - 1) < 1e-6);
	struct weir_report r = report_of(8e6, 4e6);
	r.ack_interval_ns = 5 * MS;
	weir_mu_report(&m, &r);
	assert_true(fabs(weir_mu_Bps(&m) / 8e6 - 1) < 1e-6);
	/* sent faster than it arrived: what arrived counts */
	r = report_of(16e6, 4e6);
	weir_mu_report(&m, &r);
	assert_true(fabs(weir_mu_Bps(&m) / 9.6e6 - 1) < 1e-6);
	/* the application's rate neither lowers nor ages it */
	for (u32 i = 0; i < 3000; i++) {
		r = report_of(1e6, 11e6);
		r.flags = WEIR_REPORT_APP_LIMITED;
		weir_mu_report(&m, &r);
	}
	assert_true(fabs(weir_mu_Bps(&m) / 9.6e6 - 1) < 1e-6);
	/* but may raise it */
	r = report_of(11e6, 1e6);
	r.flags = WEIR_REPORT_APP_LIMITED;
	weir_mu_report(&m, &r);
	assert_true(fabs(weir_mu_Bps(&m) / 11e6 - 1) < 1e-6);
	/* a slower link is seen when the window has passed */
	for (u32 i = 0; i < 1001; i++) {
		r = report_of(5e6, 7e6);
		weir_mu_report(&m, &r);
	}
	assert_true(fabs(weir_mu_Bps(&m) / 5e6 - 1) < 1e-6);
}

static u64 any(struct weir_rng *rng)
{
	u64 x = weir_rng_u64(rng);
	switch (x >> 61) {
	case 0:
		return 0;
	case 1:
		return ~0ULL;
	case 2:
		return x;
	case 3:
		return x & 0xff;
	default:
		return (x & 0xffffffff) >> (x >> 56 & 15);
	}
}

static void hostile_reports_leave_all_finite(void **unused)
{
	(void)unused;
	struct weir_rng rng;
	weir_rng_init(&rng, 99, 1, 1);
	const double hz[] = {5, 6, 2, 0, -5, (double)NAN, 1e300, 7.5};
	const double mu[] = {MU, 0, -1, (double)NAN, (double)INFINITY, 1e13, 1e-300, 1e300};
	struct weir_mu m;
	weir_mu_init(&m, 1);
	start();
	for (u32 i = 0; i < 60 * 1000; i++) {
		struct weir_report r = report_of(6e6, 5e6);
		u64 *member = (u64 *)&r;
		u64 which = weir_rng_u64(&rng);
		if (which & 1)
			member[which % 26] = any(&rng);
		if (which % 64 == 2)
			for (u32 k = 0; k < sizeof r / 8; k++)
				member[k] = any(&rng);
		u32 calm = i / 2000 % 2 ? 0 : (u32)(which >> 8) % 8;
		weir_detector_report(&d, &r, mu[calm], hz[calm ? (which >> 16) % 8 : 0],
				     mu[(which >> 20) % 8]);
		weir_mu_report(&m, &r);
		assert_true(finite_now());
		assert_true(isfinite(weir_mu_Bps(&m)) && weir_mu_Bps(&m) >= 0);
		double filled = weir_detector_filled(&d);
		assert_true(filled >= 0 && filled <= 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(eta_is_the_quotient_of_tones),
	    cmocka_unit_test(noise_is_what_it_should_be),
	    cmocka_unit_test(constant_traffic_is_inelastic),
	    cmocka_unit_test(another_wave_needs_its_own_window),
	    cmocka_unit_test(what_cannot_be_judged_says_why),
	    cmocka_unit_test(d1_a_geostationary_path_is_not_applicable),
	    cmocka_unit_test(our_wave_must_be_sent),
	    cmocka_unit_test(a_queue_of_our_own_is_told),
	    cmocka_unit_test(d2_an_outage_is_a_missing_sample),
	    cmocka_unit_test(d4_a_gap_begins_the_window_anew),
	    cmocka_unit_test(an_error_of_mu_is_no_answer),
	    cmocka_unit_test(a_repair_is_no_traffic),
	    cmocka_unit_test(d5_a_long_flow_is_as_a_short_one),
	    cmocka_unit_test(d11_a_cycle_of_the_path_is_doubted),
	    cmocka_unit_test(mu_is_not_raised_by_compressed_acks),
	    cmocka_unit_test(hostile_reports_leave_all_finite),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
