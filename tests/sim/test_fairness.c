/* SPDX-License-Identifier: MIT */
/* Two equal flows share a bottleneck equally in the long run. */
#include "dumbbell.h"

#include "core/stats.h"

/* Jain's index of two flows over 300 s, the mean of ten seeds, which move the start of the second. */
static void two_equal_flows(const char *controller, double least)
{
	double sum = 0;
	for (u64 seed = 1; seed <= 10; seed++) {
		struct weir_hop_config hop = dumbbell_hop(10000000, 40 * WEIR_NS_PER_MS);
		hop.queue.limit_bytes = 50000; /* one BDP */
		struct dumbbell d = dumbbell_new(&hop, seed);
		struct weir_rng rng;
		weir_rng_init(&rng, seed, weir_rng_point("start"), 0);
		u32 a = dumbbell_bulk(&d, controller, weir_rng_below(&rng, WEIR_NS_PER_S));
		u32 b = dumbbell_bulk(&d, controller, weir_rng_below(&rng, WEIR_NS_PER_S));
		dumbbell_run(&d, 300 * WEIR_NS_PER_S);
		const double share[] = {(double)dumbbell_totals(&d, a).delivered_bytes,
					(double)dumbbell_totals(&d, b).delivered_bytes};
		double jain = weir_jain(share, 2);
		print_message("%s, seed %llu: %.4f\n", controller, seed, jain);
		sum += jain / 10;
		dumbbell_free(&d);
	}
	print_message("%s: %.4f in the mean\n", controller, sum);
	assert_true(sum >= least);
}

static void two_equal_reno_flows(void **state)
{
	(void)state;
	two_equal_flows("reno", .98);
}

static void two_equal_cubic_flows(void **state)
{
	(void)state;
	two_equal_flows("cubic", .95);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(two_equal_reno_flows),
	    cmocka_unit_test(two_equal_cubic_flows),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
