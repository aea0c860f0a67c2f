/* SPDX-License-Identifier: MIT */
/* Queues against their closed forms: Kleinrock, Queueing Systems I, 1975, sections 3.6 and 5.7. */
#include "drive.h"

#define SEEDS 6
#define N 400000

static struct record run(const struct weir_hop_config *c, struct arrival *a)
{
	struct record r = drive(c, 1, a, N, 0);
	free(a);
	return r;
}

/* Mean wait of M/D/1: rho / (2 (1 - rho)) times the time of service. */
static void md1_wait(void **state)
{
	(void)state;
	static const double rhos[] = {.3, .5, .7, .8};
	for (int general = 0; general < 2; general++) {
		struct weir_hop_config c = {.name = "q", .rate.bps = 12000000, .general = general};
		for (size_t i = 0; i < 4; i++) {
			double rho = rhos[i], sum = 0;
			for (u64 seed = 1; seed <= SEEDS; seed++) {
				struct record r = run(&c, poisson_arrivals(N, 1e6 / rho, 1500, seed));
				sum += weir_hist_mean(&r.wait);
				record_free(&r);
			}
			double right = rho / (2 * (1 - rho)) * 1e6;
			assert_true(fabs(sum / SEEDS / right - 1) < .02);
		}
	}
}

static struct arrival *markov(double mean_gap_ns, double mean_bytes, u64 seed)
{
	struct arrival *a = poisson_arrivals(N, mean_gap_ns, 0, seed);
	struct weir_rng rng;
	weir_rng_init(&rng, seed, weir_rng_point("sizes"), 0);
	for (size_t i = 0; i < N; i++) {
		double bytes = weir_draw_exponential(&rng, mean_bytes);
		a[i].packet.bytes = (u16)weir_clamp((u64)(bytes + .5), 1, 65535);
	}
	return a;
}

/* M/M/1/K: K in the system, so K - 1 in the buffer. Loss (1 - rho) rho^K / (1 - rho^(K+1)), and the wait
 * of those let in by Little's law. */
static void mm1k_wait_and_loss(void **state)
{
	(void)state;
	static const struct {
		double rho;
		u64 k;
	} cases[] = {{.5, 4}, {.9, 5}, {1.2, 8}};
	for (size_t i = 0; i < 3; i++) {
		double rho = cases[i].rho, loss = 0, wait = 0, mean = 0, power = 1, total = 0;
		struct weir_hop_config c = {
		    .name = "q", .rate.bps = 8000000, .queue.limit_packets = cases[i].k - 1};
		const double service_ns = 4000. * 1000;
		for (u64 seed = 1; seed <= SEEDS; seed++) {
			struct record r = run(&c, markov(service_ns / rho, 4000, seed));
			loss += (double)r.n_drop / N / SEEDS;
			wait += weir_hist_mean(&r.wait) / SEEDS;
			record_free(&r);
		}
		for (u64 n = 0; n <= cases[i].k; n++, power *= rho) {
			total += power;
			mean += (double)n * power;
		}
		double full = power / rho / total;
		double right_wait = mean / total / (1 - full) * service_ns / rho - service_ns;
		assert_true(fabs(loss / full - 1) < .02);
		assert_true(fabs(wait / right_wait - 1) < .02);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(md1_wait), cmocka_unit_test(mm1k_wait_and_loss)};
	return cmocka_run_group_tests_name("link-theory", tests, NULL, NULL);
}
