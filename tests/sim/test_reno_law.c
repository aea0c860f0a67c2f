/* SPDX-License-Identifier: MIT */
/* Reno against its laws, on a path of constant RTT: the link is next to empty, the loss is the model's.
 * An ACK for each packet. Mathis, Semke, Mahdavi, Ott: The Macroscopic Behavior of the TCP Congestion
 * Avoidance Algorithm, CCR 27(3), 1997; the constant 1.31 for random loss is from there, too. */
#include "dumbbell.h"

#include <math.h>

#define RTT_NS (100 * WEIR_NS_PER_MS)

#define NEXT_TO_EMPTY_BPS 100000000000ULL

static struct dumbbell lossy(u64 rate_bps, struct weir_loss_config loss, u64 seed, u32 *flow)
{
	struct weir_hop_config hop = dumbbell_hop(rate_bps, RTT_NS);
	hop.after.loss = loss;
	struct dumbbell d = dumbbell_new(&hop, seed);
	struct weir_flow_config f = dumbbell_flow(&d, "reno");
	f.endpoint.ack_every = 1;
	*flow = dumbbell_add(&d, f);
	return d;
}

/* Packets delivered each RTT over so many losses, after a tenth of that time. */
static double packets_per_rtt(u64 rate_bps, struct weir_loss_config loss, u64 seed, double expected,
			      u64 losses)
{
	u32 flow;
	struct dumbbell d = lossy(rate_bps, loss, seed, &flow);
	double p = loss.model == WEIR_LOSS_PERIODIC ? 1. / (double)loss.period_packets : loss.p;
	u64 rtts = (u64)((double)losses / (p * expected));
	u64 warmup_ns = rtts / 10 * RTT_NS, end_ns = warmup_ns + rtts * RTT_NS;

	dumbbell_run(&d, warmup_ns);
	struct weir_flow_totals before = dumbbell_totals(&d, flow);
	dumbbell_run(&d, end_ns);
	struct weir_flow_totals after = dumbbell_totals(&d, flow);
	double packets = (double)(after.delivered_bytes - before.delivered_bytes) / DUMBBELL_MSS;
	assert_int_equal(after.spurious, 0);
	assert_int_equal(after.timeouts, before.timeouts);
	dumbbell_free(&d);
	return packets / (double)rtts;
}

static void reno_at_periodic_loss(void **state)
{
	(void)state;
	static const u64 periods[] = {3334, 10000, 30000, 100000};
	for (u32 i = 0; i < sizeof periods / sizeof periods[0]; i++) {
		const struct weir_loss_config loss = {.model = WEIR_LOSS_PERIODIC,
						      .period_packets = periods[i]};
		double right = sqrt(1.5 * (double)periods[i]);
		double w = packets_per_rtt(NEXT_TO_EMPTY_BPS, loss, 1, right, 40);
		print_message("1/p %llu: %.2f packets each RTT, %.4f / sqrt(p)\n", periods[i], w,
			      w / sqrt((double)periods[i]));
		assert_close(w, right, .03);
	}
}

/* A window that leaves in one instant: times of sending tie, and must not make retransmissions look lost. */
static void reno_at_periodic_loss_on_an_infinitely_fast_path(void **state)
{
	(void)state;
	const struct weir_loss_config loss = {.model = WEIR_LOSS_PERIODIC, .period_packets = 10000};
	assert_close(packets_per_rtt(0, loss, 1, 122.5, 40), 122.5, .03);
}

static void reno_at_bernoulli_loss(void **state)
{
	(void)state;
	static const double ps[] = {1e-3, 3e-4, 1e-4};
	for (u32 i = 0; i < sizeof ps / sizeof ps[0]; i++) {
		const struct weir_loss_config loss = {.model = WEIR_LOSS_BERNOULLI, .p = ps[i]};
		double right = 1.31 / sqrt(ps[i]);
		double w = packets_per_rtt(NEXT_TO_EMPTY_BPS, loss, 7, right, 4000 >> i);
		print_message("p %g: %.2f packets each RTT, %.4f / sqrt(p)\n", ps[i], w, w * sqrt(ps[i]));
		assert_close(w, right, .05);
	}
}

/* Between W/2 and W in a straight line: the mean over time is 3/4 of the peak. */
static void aimd_sawtooth_has_a_mean_of_three_quarters(void **state)
{
	(void)state;
	const struct weir_loss_config loss = {.model = WEIR_LOSS_PERIODIC, .period_packets = 30000};
	u32 flow;
	struct dumbbell d = lossy(NEXT_TO_EMPTY_BPS, loss, 1, &flow);
	u64 at_ns = 200 * WEIR_NS_PER_S; /* the slow start is over */
	double sum = 0, peaks = 0, last = 0, top = 0;
	u64 n = 0, n_peaks = 0;

	dumbbell_run(&d, at_ns);
	while (n_peaks < 20) {
		at_ns += RTT_NS / 4;
		dumbbell_run(&d, at_ns);
		double w = dumbbell_cwnd_packets(&d, flow);
		if (w < .8 * top) { /* a cut: a cycle is complete */
			if (n_peaks == 0)
				sum = 0, n = 0;
			peaks += n_peaks ? top : 0;
			n_peaks++;
			top = 0;
		}
		top = fmax(top, w);
		last = w;
		sum += w;
		n++;
	}
	sum -= last; /* the first sample of the cycle after the last one */
	n--;
	double mean = sum / (double)n, peak = peaks / (double)(n_peaks - 1);
	print_message("mean %.2f of peak %.2f packets: %.4f\n", mean, peak, mean / peak);
	assert_close(mean / peak, .75, .015);
	dumbbell_free(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(reno_at_periodic_loss),
	    cmocka_unit_test(reno_at_periodic_loss_on_an_infinitely_fast_path),
	    cmocka_unit_test(reno_at_bernoulli_loss),
	    cmocka_unit_test(aimd_sawtooth_has_a_mean_of_three_quarters),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
