/* SPDX-License-Identifier: MIT */
/* The controllers against the formulas of their papers, in floating point, written independently. */
#include "feed.h"

#include <math.h>
#include <stdio.h>

/* RFC 9438 figures 1, 2 and 4 in packets. */
struct reference {
	double c, beta, w_max, k, w_est, prior;
};

static double reference_curve(const struct reference *r, double t)
{
	return r->c * pow(t - r->k, 3) + r->w_max;
}

static void reference_ack(struct reference *r, double acked, double cwnd)
{
	double alpha = r->w_est < r->prior ? 3 * (1 - r->beta) / (1 + r->beta) : 1;
	r->w_est += alpha * acked / cwnd;
}

/* Grows to about `packets`, loses, and follows the window for a minute; returns the largest distance from
 * the reference in packets. */
static double follow(u64 rtt_ns, u32 packets, u32 mss_bytes, u64 c)
{
	struct feed f;
	feed_open(&f, "cubic", rtt_ns);
	feed_param(feed_param(&f, "hystart", 0), "c", c);
	f.view.mss_bytes = mss_bytes;
	f.view.initial_bytes = (u64)packets * mss_bytes;
	feed_init(&f);
	feed_loss(&f);

	struct reference r = {.c = (double)c / 1e6, .beta = .7, .w_max = packets, .prior = packets};
	double mss = mss_bytes, start = (double)f.cwnd_bytes / mss, worst = 0;
	r.k = cbrt((r.w_max - start) / r.c);
	r.w_est = start;
	u64 start_ns = f.view.now_ns;
	while (f.view.now_ns - start_ns < 60 * WEIR_NS_PER_S) {
		/* fifty ACKs a round: enough that the window follows the curve closely */
		u64 acked = weir_max(f.cwnd_bytes / 50, mss_bytes);
		double cwnd = (double)f.cwnd_bytes / mss, t = (double)(f.view.now_ns - start_ns) / 1e9;
		reference_ack(&r, (double)acked / mss, cwnd);
		feed_ack(&f, acked);
		double expected = fmax(reference_curve(&r, t), r.w_est);
		worst = fmax(worst, fabs((double)f.cwnd_bytes / mss - fmax(expected, start)));
		f.view.now_ns += weir_muldiv(rtt_ns, acked, f.cwnd_bytes);
	}
	return worst;
}

static void cubic_is_within_a_packet_of_its_curve_for_a_minute_G8(void **unused)
{
	(void)unused;
	static const u64 rtt_ms[] = {2, 10, 50, 100, 200, 400};
	static const u32 packets[] = {20, 100, 1000, 5000, 40000};
	static const u32 mss[] = {536, 1448, 8948};
	for (u32 i = 0; i < 6; i++)
		for (u32 k = 0; k < 5; k++) {
			double worst = follow(rtt_ms[i] * FEED_MS, packets[k], mss[(i + k) % 3], 400000);
			if (worst > 1)
				fail_msg("RTT %llu ms, W_max %u: %.3f packets away", rtt_ms[i], packets[k],
					 worst);
		}
	assert_true(follow(50 * FEED_MS, 500, 1448, 2000000) <= 1);
}

/* A link that holds `packets`: the window above it loses one packet. Mean window over whole teeth. */
static void reno_sawtooth_has_a_mean_of_three_quarters(void **unused)
{
	(void)unused;
	static const u32 packets[] = {40, 200, 1000};
	for (u32 i = 0; i < 3; i++) {
		struct feed f;
		feed_open(&f, "reno", 100 * FEED_MS);
		u64 peak = (u64)packets[i] * FEED_MSS, rounds = 0;
		double sum = 0;
		for (u32 teeth = 0; teeth < 12;) {
			feed_round(&f);
			if (teeth > 1) {
				sum += (double)f.cwnd_bytes / (double)peak;
				rounds++;
			}
			if (f.cwnd_bytes >= peak) {
				feed_loss(&f);
				teeth++;
			}
		}
		double mean = sum / (double)rounds, step = 1.0 / packets[i];
		assert_true(fabs(mean - .75) < step);
	}
}

/* Reno-friendly CUBIC on a short path keeps Reno's mean rate: RFC 9438 4.3 derives alpha from it. Mean
 * window of AIMD(alpha, beta) with a tooth from beta W to W: (1 + beta) / 2 W. */
static void cubic_in_renos_region_has_renos_mean(void **unused)
{
	(void)unused;
	struct feed f;
	feed_open(&f, "cubic", 1 * FEED_MS);
	feed_param(feed_param(&f, "hystart", 0), "fast_convergence", 0);
	u64 peak = 60 * FEED_MSS, rounds = 0, acked = 0;
	for (u32 teeth = 0; teeth < 30;) {
		acked += f.cwnd_bytes;
		feed_round(&f);
		if (teeth == 2)
			rounds = acked = 0;
		if (teeth > 2)
			rounds++;
		if (f.cwnd_bytes >= peak) {
			feed_loss(&f);
			teeth++;
		}
	}
	/* 27 teeth; Reno sends 3/8 W^2 between two losses, with W such that the loss rates agree */
	double per_loss = (double)acked / FEED_MSS / 27, reno_peak = sqrt(per_loss * 8 / 3);
	double mean = (double)acked / FEED_MSS / (double)rounds;
	printf("cubic %.2f packets, reno %.2f at the same loss rate\n", mean, .75 * reno_peak);
	assert_true(fabs(mean / (.75 * reno_peak) - 1) < .04);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(cubic_is_within_a_packet_of_its_curve_for_a_minute_G8),
	    cmocka_unit_test(reno_sawtooth_has_a_mean_of_three_quarters),
	    cmocka_unit_test(cubic_in_renos_region_has_renos_mean),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
