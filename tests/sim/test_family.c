/* SPDX-License-Identifier: MIT */
/* Every shipped controller alone on a clean path, which it must fill, and on a lossy one, where its window
 * must stay what the loss allows. */
#include "dumbbell.h"

#define RATE_BPS 96000000ULL
#define RTT_NS (20 * WEIR_NS_PER_MS)
#define BDP_BYTES (RATE_BPS / 8 / 50)

static struct dumbbell path(double loss)
{
	struct weir_hop_config hop = dumbbell_hop(RATE_BPS, RTT_NS);
	hop.queue.limit_bytes = BDP_BYTES;
	if (loss > 0)
		hop.after.loss = (struct weir_loss_config){.model = WEIR_LOSS_BERNOULLI, .p = loss};
	return dumbbell_new(&hop, 1);
}

static double goodput_bps(const struct dumbbell *d, u32 flow, u64 ns)
{
	return (double)dumbbell_totals(d, flow).delivered_bytes * 8e9 / (double)ns;
}

/* 96 Mbit/s, 20 ms, a buffer of one BDP: 90 % of the path in 30 s, all of what it carries besides headers. */
static void each_fills_a_clean_path(void **state)
{
	(void)state;
	const u64 end_ns = 30 * WEIR_NS_PER_S;
	for (u32 i = 0; i < weir_cc_count(); i++) {
		struct dumbbell d = path(0);
		u32 flow = dumbbell_bulk(&d, weir_cc_at(i)->name, 0);
		dumbbell_run(&d, end_ns);
		double share = goodput_bps(&d, flow, end_ns) / RATE_BPS;
		print_message("%-10s %.3f of the path, %llu lost\n", weir_cc_at(i)->name, share,
			      dumbbell_totals(&d, flow).lost_packets);
		if (!(share > .9))
			fail_msg("%s: %.3f of the path", weir_cc_at(i)->name, share);
		assert_int_equal(dumbbell_totals(&d, flow).timeouts, 0);
		dumbbell_free(&d);
	}
}

/* 1 % of random loss: the window stays below what the path and its buffer hold (of BBR, its startup's gain of
 * 2.885), never under two packets for long, and the flow goes on. Reno has 1.31 / sqrt(p) = 13 packets there,
 * each round 20 ms. */
static void each_survives_random_loss(void **state)
{
	(void)state;
	const u64 end_ns = 20 * WEIR_NS_PER_S;
	const double bdp = (double)BDP_BYTES / DUMBBELL_MSS;
	for (u32 i = 0; i < weir_cc_count(); i++) {
		struct dumbbell d = path(.01);
		u32 flow = dumbbell_bulk(&d, weir_cc_at(i)->name, 0);
		double largest = 0;
		for (u64 t = WEIR_NS_PER_S; t <= end_ns; t += 10 * WEIR_NS_PER_MS) {
			dumbbell_run(&d, t);
			double w = dumbbell_cwnd_packets(&d, flow);
			largest = w > largest ? w : largest;
			assert_true(w >= 1);
		}
		double most = strcmp(weir_cc_at(i)->name, "bbr") == 0 ? 3 * bdp : 2.2 * bdp;
		double bps = goodput_bps(&d, flow, end_ns);
		print_message("%-10s %.1f Mbit/s, at most %.1f packets\n", weir_cc_at(i)->name, bps / 1e6,
			      largest);
		if (!(largest < most) || !(bps > 5e6))
			fail_msg("%s: %.1f packets, %.1f Mbit/s", weir_cc_at(i)->name, largest, bps / 1e6);
		dumbbell_free(&d);
	}
}

/* Two flows of each kind, the second 2 s late: nobody is starved for good. */
static void two_of_a_kind_share(void **state)
{
	(void)state;
	for (u32 i = 0; i < weir_cc_count(); i++) {
		struct dumbbell d = path(0);
		u32 first = dumbbell_bulk(&d, weir_cc_at(i)->name, 0);
		u32 second = dumbbell_bulk(&d, weir_cc_at(i)->name, 2 * WEIR_NS_PER_S);
		dumbbell_run(&d, 20 * WEIR_NS_PER_S);
		u64 a = dumbbell_totals(&d, first).delivered_bytes,
		    b = dumbbell_totals(&d, second).delivered_bytes;
		dumbbell_run(&d, 40 * WEIR_NS_PER_S);
		double x = (double)(dumbbell_totals(&d, first).delivered_bytes - a);
		double y = (double)(dumbbell_totals(&d, second).delivered_bytes - b);
		double jain = (x + y) * (x + y) / (2 * (x * x + y * y));
		print_message("%-10s Jain %.3f\n", weir_cc_at(i)->name, jain);
		if (!(jain > .6))
			fail_msg("%s: Jain %.3f", weir_cc_at(i)->name, jain);
		dumbbell_free(&d);
	}
}

static double agile_sd_share(u64 lambda_max, u64 pacing)
{
	const u64 from_ns = 15 * WEIR_NS_PER_S, to_ns = 30 * WEIR_NS_PER_S;
	struct weir_hop_config hop = dumbbell_hop(1000000000, 10 * WEIR_NS_PER_MS);
	hop.queue.limit_packets = 4;
	struct dumbbell d = dumbbell_new(&hop, 1);
	struct weir_flow_config f = dumbbell_flow(&d, "agile-sd");
	u64 params[64];
	weir_cc_defaults(f.cc, params);
	assert_string_equal(f.cc->params[0].name, "lambda_max");
	assert_string_equal(f.cc->params[4].name, "pacing");
	params[0] = lambda_max;
	params[4] = pacing;
	f.params = params;
	f.endpoint.recovery = WEIR_RECOVERY_NEWRENO;
	f.endpoint.ack_every = 1;
	f.endpoint.mss_bytes = 948; /* 1000 bytes on the wire */
	dumbbell_add(&d, f);
	dumbbell_run(&d, from_ns);
	u64 before = dumbbell_sent_bytes(&d);
	dumbbell_run(&d, to_ns);
	double bytes = (double)(dumbbell_sent_bytes(&d) - before);
	dumbbell_free(&d);
	return bytes * 8 / (double)(to_ns - from_ns);
}

/* The paper's own path: 1 Gbit/s, 10 ms, a buffer of four packets, no SACK. Reno has its sawtooth's .75. The
 * clump of ACKs after a reduction overflows the buffer with lambda packets a round, again and again; spread
 * by pacing, the window has the .830 that the model promises. */
static void agile_sd_at_a_tiny_buffer_needs_pacing(void **state)
{
	(void)state;
	double reno = agile_sd_share(1000000, 0), agile = agile_sd_share(5000000, 0);
	double paced = agile_sd_share(5000000, 1250000);
	print_message("buffer 4: lambda_max 1 %.3f, 5 %.3f, paced %.3f\n", reno, agile, paced);
	assert_close(reno, .752, .01);
	assert_true(agile < .65);
	assert_close(paced, .830, .01);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_fills_a_clean_path),
	    cmocka_unit_test(each_survives_random_loss),
	    cmocka_unit_test(two_of_a_kind_share),
	    cmocka_unit_test(agile_sd_at_a_tiny_buffer_needs_pacing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
