/* SPDX-License-Identifier: MIT */
/* Poisson datagrams through a whole simulation against queueing theory: waits and losses within 2 %. */
#include "dumbbell.h"

#include <math.h>

#define RATE_BPS 100000000ULL

/* Pollaczek and Khinchine: the mean wait is rho / (2 (1 - rho)) services. */
static void md1_mean_wait(void **state)
{
	(void)state;
	static const double rhos[] = {.3, .5, .8, .9};
	const double service_ns = DUMBBELL_WIRE * 8e9 / (double)RATE_BPS;
	for (u32 i = 0; i < sizeof rhos / sizeof rhos[0]; i++) {
		struct weir_hop_config hop = dumbbell_hop(RATE_BPS, 10 * WEIR_NS_PER_MS);
		struct dumbbell d = dumbbell_new(&hop, 3);
		struct weir_hist *wait_ns = calloc(2, sizeof *wait_ns), *hop_wait_ns = wait_ns + 1;
		assert_non_null(wait_ns);
		struct weir_flow_config f = dumbbell_flow(&d, NULL);
		f.app = (struct weir_app_config){.kind = WEIR_APP_POISSON,
						 .rate_bps = (u64)(rhos[i] * (double)RATE_BPS),
						 .chunk_bytes = DUMBBELL_WIRE};
		f.queue_ns = wait_ns;
		u32 flow = dumbbell_add(&d, f);
		weir_world_set_hop_wait(d.world, DUMBBELL_BOTTLENECK, hop_wait_ns);
		/* four million packets: the standard error at .9 is 1 % */
		dumbbell_run(&d, (u64)(4e6 * service_ns / rhos[i]));
		double wait = weir_hist_mean(wait_ns) / service_ns;
		double right = rhos[i] / (2 * (1 - rhos[i]));
		print_message("M/D/1 at %.1f: wait %.4f services, %.4f by theory\n", rhos[i], wait, right);
		assert_close(wait, right, .02);
		assert_close(weir_hist_mean(hop_wait_ns), weir_hist_mean(wait_ns), .001);
		assert_int_equal(dumbbell_totals(&d, flow).lost_packets, 0);
		free(wait_ns);
		dumbbell_free(&d);
	}
}

/* Exponential service comes from sizes: many Poisson flows of equal packet rate, each with the mean of one
 * of as many equally likely slices of an exponential distribution. */
#define SIZES 250
#define MEAN_BYTES 1500.
static double slice_mean(u32 i)
{
	double low = -log(1 - (double)i / SIZES), high = i + 1 < SIZES ? -log(1 - (i + 1.) / SIZES) : 0;
	double below = (low + 1) * exp(-low), above = i + 1 < SIZES ? (high + 1) * exp(-high) : 0;
	return (below - above) * SIZES * MEAN_BYTES;
}

static void mm1k_waits_and_losses(void **state)
{
	(void)state;
	static const struct {
		double rho;
		u32 k;
	} cases[] = {{.5, 4}, {.8, 8}, {.95, 20}, {1.2, 10}};
	const double service_ns = MEAN_BYTES * 8e9 / (double)RATE_BPS;
	for (u32 c = 0; c < sizeof cases / sizeof cases[0]; c++) {
		double rho = cases[c].rho, k = cases[c].k;
		struct weir_hop_config hop = dumbbell_hop(RATE_BPS, 10 * WEIR_NS_PER_MS);
		hop.queue.limit_packets = cases[c].k - 1; /* k with the one in service */
		struct dumbbell d = dumbbell_new(&hop, 5);
		struct weir_hist *wait_ns = calloc(1, sizeof *wait_ns);
		assert_non_null(wait_ns);
		for (u32 i = 0; i < SIZES; i++) {
			struct weir_flow_config f = dumbbell_flow(&d, NULL);
			double bytes = round(slice_mean(i));
			bytes = bytes < 1 ? 1 : bytes;
			double packets_per_s = rho * 1e9 / service_ns / SIZES;
			f.app = (struct weir_app_config){.kind = WEIR_APP_POISSON,
							 .rate_bps = (u64)(packets_per_s * bytes * 8),
							 .chunk_bytes = (u64)bytes};
			f.endpoint.header_bytes = 0;
			f.queue_ns = wait_ns;
			dumbbell_add(&d, f);
		}
		dumbbell_run(&d, (u64)(2e6 * service_ns / rho));
		u64 sent = 0, lost = 0;
		for (u32 i = 0; i < SIZES; i++) {
			struct weir_flow_totals t = dumbbell_totals(&d, i);
			sent += t.sent_packets;
			lost += t.lost_packets;
		}
		/* P(n in system) ~ rho^n, n = 0..k; who enters at n waits n services in the mean */
		double sum = 0, entering = 0, waits = 0, full = 0;
		for (double n = 0; n <= k; n++) {
			double p = pow(rho, n);
			sum += p;
			entering += n < k ? p : 0;
			waits += n < k ? n * p : 0;
			full = p;
		}
		double wait = weir_hist_mean(wait_ns) / service_ns, loss = (double)lost / (double)sent;
		print_message("M/M/1/%g at %.2f: wait %.4f (%.4f) services, loss %.5f (%.5f)\n", k, rho, wait,
			      waits / entering, loss, full / sum);
		assert_close(wait, waits / entering, .02);
		assert_close(loss, full / sum, .02);
		free(wait_ns);
		dumbbell_free(&d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(md1_mean_wait),
	    cmocka_unit_test(mm1k_waits_and_losses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
