/* SPDX-License-Identifier: MIT */
/* CUBIC in a whole simulation against W(t) = C (t - K)^3 + W_max of RFC 9438, and on a bottleneck. */
#include "dumbbell.h"

#include <math.h>

/* A bottleneck that is always busy, so that ACKs come evenly, and whose buffer is never filled but once: at
 * 3 s a burst of datagrams makes the flow lose some packets. */
static struct dumbbell one_loss(u32 *flow, struct weir_flow_config *f)
{
	struct weir_hop_config hop = dumbbell_hop(1000000000, 50 * WEIR_NS_PER_MS);
	hop.queue.limit_packets = 42000;
	struct dumbbell d = dumbbell_new(&hop, 1);
	struct weir_flow_config burst = dumbbell_flow(&d, NULL);

	*f = dumbbell_flow(&d, "cubic");
	f->endpoint.ack_every = 1;
	*flow = dumbbell_add(&d, *f);
	burst.app = (struct weir_app_config){
	    .kind = WEIR_APP_CBR, .rate_bps = 100000000000ULL, .chunk_bytes = DUMBBELL_WIRE};
	burst.start_ns = 3 * WEIR_NS_PER_S;
	burst.stop_ns = burst.start_ns + 5 * WEIR_NS_PER_MS; /* more than the buffer holds */
	dumbbell_add(&d, burst);
	return d;
}

/* G8: for 60 s within a packet of the curve, whatever the remainders. The curve begins with the first ACK
 * after recovery, at the window that the cut left. */
static void cubic_G8_follows_the_curve_for_60_s(void **state)
{
	(void)state;
	u32 flow;
	struct weir_flow_config f;
	u64 now_ns = 3 * WEIR_NS_PER_S, begin_ns;
	struct dumbbell d = one_loss(&flow, &f);
	double worst = 0;

	while (dumbbell_totals(&d, flow).recoveries == 0)
		dumbbell_run(&d, now_ns += WEIR_NS_PER_MS);
	while (dumbbell_now(&d, flow).in_recovery)
		dumbbell_run(&d, now_ns += WEIR_NS_PER_MS / 100);
	begin_ns = now_ns;
	struct weir_flow_now now = dumbbell_now(&d, flow);
	assert_string_equal(f.cc->signals[1].name, "w_max");
	double w_max = (double)now.signal[1] / DUMBBELL_MSS, w = (double)now.cwnd_bytes / DUMBBELL_MSS;
	double k = cbrt((w_max - w) / .4);
	assert_true(k > 10 && k < 40);
	assert_close(w, .7 * w_max, .001);
	while (now_ns < begin_ns + 60 * WEIR_NS_PER_S) {
		dumbbell_run(&d, now_ns += 37 * WEIR_NS_PER_MS);
		double t = (double)(now_ns - begin_ns) / 1e9;
		double right = .4 * pow(t - k, 3) + w_max, off = dumbbell_cwnd_packets(&d, flow) - right;
		worst = fabs(off) > fabs(worst) ? off : worst;
	}
	print_message("W_max %.1f, K %.3f s: at most %.3f packets off the curve\n", w_max, k, worst);
	assert_int_equal(dumbbell_totals(&d, flow).recoveries, 1);
	assert_true(fabs(worst) <= 1);
	dumbbell_free(&d);
}

/* 96 Mbit/s, RTT 50 ms, two BDP of buffer: full after 10 s. */
static void cubic_fills_a_link_of_two_bdp(void **state)
{
	(void)state;
	struct weir_hop_config hop = dumbbell_hop(96000000, 50 * WEIR_NS_PER_MS);
	hop.queue.limit_bytes = 2 * 96000000 / 8 / 20;
	struct dumbbell d = dumbbell_new(&hop, 1);
	dumbbell_bulk(&d, "cubic", 0);
	dumbbell_run(&d, 10 * WEIR_NS_PER_S);
	u64 before = dumbbell_sent_bytes(&d);
	for (u64 end_s = 20; end_s <= 120; end_s += 50) {
		dumbbell_run(&d, end_s * WEIR_NS_PER_S);
		double share = (double)(dumbbell_sent_bytes(&d) - before) / (12e6 * (double)(end_s - 10));
		print_message("from 10 to %llu s: %.4f of the link\n", end_s, share);
		assert_true(share >= .99);
	}
	dumbbell_free(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(cubic_G8_follows_the_curve_for_60_s),
	    cmocka_unit_test(cubic_fills_a_link_of_two_bdp),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
