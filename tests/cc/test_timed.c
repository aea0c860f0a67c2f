/* SPDX-License-Identifier: MIT */
/* The controllers whose increase depends on time or on the mean delay: H-TCP, Illinois. */
#include "law.h"

static double ratio(const struct feed *f, const char *signal)
{
	return (double)feed_signal_value(f, signal) / 1e6;
}

/* At 100 ms the scaling is 1 and, with beta 1/2, alpha is f(Delta). */
static void htcp_follows_its_curve(void **unused)
{
	(void)unused;
	struct feed f;
	law_open(&f, "htcp", 1000);
	feed_loss(&f);
	for (u32 round = 0; round < 400; round++) {
		u64 before = f.cwnd_bytes;
		law_round(&f, LAW_RTT_NS);
		law_near("Delta", (double)feed_signal_value(&f, "delta") / 1e9, .1 * (round + 1), .001);
		/* alpha is that of the first of the round's 200 ACKs */
		double d = .1 * round + .0005, alpha = ratio(&f, "alpha");
		law_near("alpha", alpha, d <= 1 ? 1 : 1 + 10 * (d - 1) + (d - 1) * (d - 1) / 4, .005);
		if (round > 50)
			law_near("growth", (double)(f.cwnd_bytes - before) / FEED_MSS, alpha, .05);
	}
}

/* A flow of 10 ms gains a tenth a round of one of 100 ms, one of 400 ms twice: alike in time. */
static void htcp_scales_by_the_round_trip(void **unused)
{
	(void)unused;
	static const struct {
		u64 rtt_ms;
		double alpha;
	} c[] = {{100, 135.}, {10, 13.5}, {50, 67.5}, {400, 270}, {1, 13.5}};
	for (u32 i = 0; i < 5; i++) {
		struct feed f;
		law_open(&f, "htcp", 1000);
		f.rtt_ns = f.view.srtt_ns = f.view.min_rtt_ns = c[i].rtt_ms * FEED_MS;
		feed_loss(&f);
		f.view.now_ns += 11 * WEIR_NS_PER_S; /* f = 1 + 100 + 25, and 126 (1 + 0) below */
		f.view.flags |= WEIR_ROUND_START;
		feed_ack(&f, FEED_MSS);
		law_near("alpha", ratio(&f, "alpha"), c[i].alpha / 135 * 126, .001);
	}
}

static void htcp_empties_the_queue_when_the_throughput_is_steady(void **unused)
{
	(void)unused;
	static const struct {
		double rise, beta;
	} c[] = {{1.1, .8}, {1.4, .714286}, {1.9, .526316}, {3, .5}};
	for (u32 i = 0; i < 4; i++) {
		struct feed f;
		law_open(&f, "htcp", 1000);
		f.view.delivery_Bps = 10000000;
		for (u32 epoch = 0; epoch < 3; epoch++) {
			for (u32 n = 0; n < 30; n++)
				law_round(&f, (u64)(LAW_RTT_NS * c[i].rise));
			u64 before = f.cwnd_bytes;
			feed_loss(&f);
			double left = (double)f.cwnd_bytes / (double)before;
			law_near("window left", left, epoch == 0 ? .5 : c[i].beta, .01);
		}
		/* 40 % less; the filter is through with it in the second epoch of that */
		f.view.delivery_Bps = 6000000;
		for (u32 epoch = 0; epoch < 2; epoch++) {
			for (u32 n = 0; n < 30; n++)
				law_round(&f, (u64)(LAW_RTT_NS * c[i].rise));
			u64 before = f.cwnd_bytes;
			feed_loss(&f);
			if (epoch == 1)
				law_near("window left", (double)f.cwnd_bytes / (double)before, .5, .001);
		}
	}
}

static void htcp_counts_no_silence(void **unused)
{
	(void)unused;
	struct feed f;
	law_open(&f, "htcp", 1000);
	feed_loss(&f);
	for (u32 n = 0; n < 20; n++)
		law_round(&f, LAW_RTT_NS);
	u64 delta = feed_signal_value(&f, "delta");
	feed_idle(&f, 20 * WEIR_NS_PER_S);
	f.view.flags = WEIR_ROUND_START;
	f.view.now_ns += 30 * WEIR_NS_PER_S; /* and no application-limited time */
	feed_ack(&f, FEED_MSS);
	assert_int_equal(feed_signal_value(&f, "delta"), delta);
}

/* The curves of alpha and beta over the mean queueing delay, largest delay 100 ms. */
static void illinois_has_its_curves(void **unused)
{
	(void)unused;
	for (u32 d = 0; d <= 100; d += 4) {
		struct feed f;
		law_open(&f, "illinois", 100);
		law_round(&f, LAW_RTT_NS);
		law_round(&f, 2 * LAW_RTT_NS);
		feed_loss(&f);
		for (u32 n = 0; n < 8; n++)
			law_round(&f, LAW_RTT_NS + d * FEED_MS);
		f.view.flags |= WEIR_ROUND_START;
		feed_ack(&f, FEED_MSS);
		double d_1 = 1, d_m = 100, k_1 = (d_m - d_1) * .3 * 10 / (10 - .3), k_2 = k_1 / 10 - d_1;
		double alpha = d <= d_1 ? 10 : k_1 / (k_2 + d);
		double beta = d <= 10 ? .125 : d >= 80 ? .5 : .125 + .375 * (d - 10) / 70.;
		law_near("alpha", ratio(&f, "alpha"), alpha, .001);
		law_near("beta", ratio(&f, "beta"), beta, .001);
		u64 before = f.cwnd_bytes;
		feed_loss(&f);
		law_near("window left", (double)f.cwnd_bytes / (double)before, 1 - beta, .001);
	}
}

/* Once the delay was high, it must be low for theta rounds before alpha is 10 again. */
static void illinois_waits_theta_rounds(void **unused)
{
	(void)unused;
	struct feed f;
	law_open(&f, "illinois", 100);
	law_round(&f, LAW_RTT_NS);
	law_round(&f, 2 * LAW_RTT_NS);
	feed_loss(&f);
	law_round(&f, 2 * LAW_RTT_NS);
	for (u32 n = 0; n < 5; n++) {
		law_round(&f, LAW_RTT_NS);
		assert_true(ratio(&f, "alpha") < .31);
	}
	law_round(&f, LAW_RTT_NS); /* five low ones are over */
	law_near("alpha", ratio(&f, "alpha"), 10, 1e-6);
	u64 before = f.cwnd_bytes;
	law_round(&f, LAW_RTT_NS);
	law_near("growth", (double)(f.cwnd_bytes - before) / FEED_MSS, 10, .11);
}

static void illinois_after_a_timeout_and_its_undo(void **unused)
{
	(void)unused;
	struct feed f;
	law_open(&f, "illinois", 100);
	law_round(&f, LAW_RTT_NS);
	feed_timeout(&f);
	assert_true(ratio(&f, "alpha") == 1 && ratio(&f, "beta") == .5);
	feed_undo(&f);
	assert_true(ratio(&f, "alpha") == 10);
	law_open(&f, "illinois", 14);
	feed_loss(&f);
	assert_int_equal(f.cwnd_bytes, 7 * FEED_MSS); /* Reno below 15 */
	feed_round(&f);
	assert_int_equal(f.cwnd_bytes, 8 * FEED_MSS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(htcp_follows_its_curve),
	    cmocka_unit_test(htcp_scales_by_the_round_trip),
	    cmocka_unit_test(htcp_empties_the_queue_when_the_throughput_is_steady),
	    cmocka_unit_test(htcp_counts_no_silence),
	    cmocka_unit_test(illinois_has_its_curves),
	    cmocka_unit_test(illinois_waits_theta_rounds),
	    cmocka_unit_test(illinois_after_a_timeout_and_its_undo),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
