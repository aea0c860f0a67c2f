/* SPDX-License-Identifier: MIT */
/* Processor sharing by hand: what a long flow has beside flows that come and go. */
#include "run/fair_share.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define MB 1000000ULL

static void is_near(double x, double wanted, double tolerance)
{
	assert_true(fabs(x - wanted) <= tolerance);
}

static void beside_two(void **state)
{
	(void)state;
	/* A megabyte a second. The first, of 1 MB, comes at 0 s; the second, of 500 kB, at 1 s. From 1 s on
	 * three share: after 1.5 s more both have moved another 500 kB and are through. Alone before and
	 * after. */
	u64 start_ns[] = {0, WEIR_NS_PER_S}, size_bytes[] = {MB, MB / 2}, mean_bps[] = {8 * MB};
	u32 hop = 0;
	struct weir_scenario_path path = {.n_hops = 1, .hops = &hop};
	struct weir_scenario scenario = {.n_paths = 1, .paths = &path, .n_hops = 1};
	struct weir_scenario_flow flow = {.endpoint = {.mss_bytes = 1448}};
	struct weir_build_entry entry = {.flow = &flow, .count = 2, .arrivals = true};
	struct weir_build b = {.scenario = &scenario,
			       .n_entries = 1,
			       .entry = &entry,
			       .start_ns = start_ns,
			       .size_bytes = size_bytes,
			       .mean_bps = mean_bps};
	struct weir_fair_share f;
	assert_int_equal(weir_fair_share_begin(&f, &b, 0), 0);
	is_near(weir_fair_share_until(&f, &b, WEIR_NS_PER_S), .5e6, 1);
	is_near(weir_fair_share_until(&f, &b, 25 * WEIR_NS_PER_S / 10), .5e6, 1);
	is_near(weir_fair_share_until(&f, &b, 25 * WEIR_NS_PER_S / 10), 0, 1e-9);
	is_near(weir_fair_share_until(&f, &b, 4 * WEIR_NS_PER_S), 1.5e6, 1);
	weir_fair_share_free(&f);

	/* with headers of a tenth the same takes so much longer */
	flow.endpoint = (struct weir_scenario_endpoint){.mss_bytes = 1000, .header_bytes = 100};
	assert_int_equal(weir_fair_share_begin(&f, &b, 0), 0);
	is_near(weir_fair_share_until(&f, &b, 4 * WEIR_NS_PER_S), 4e6 - 1.65e6, 1);
	weir_fair_share_free(&f);

	entry.arrivals = false;
	assert_int_equal(weir_fair_share_begin(&f, &b, 0), 0);
	assert_int_equal(f.n_entries, 0);
	weir_fair_share_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(beside_two)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
