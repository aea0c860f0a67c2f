/* SPDX-License-Identifier: MIT */
/* Many sources on one machine share it: none starves, Jain's index of what arrived is at least .95 (issue 7,
 * "Fast"). In every check a few; FLEET_SOURCES and FLEET_SECONDS ask for more, as `make check-long` does. */
#include "fleet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#ifndef FLEET_SOURCES
#define FLEET_SOURCES 100
#define FLEET_SECONDS 1
#endif

static void test_none_starves(void **state)
{
	struct fleet_result r;
	(void)state;
	if (!fleet_run(FLEET_SOURCES, 20, FLEET_SECONDS, &r))
		skip();
	print_message("%u sources, %d s: %llu values, %llu to %llu each, Jain %.4f; age %.1f ms, worst %.1f "
		      "ms; CPU %.2f s "
		      "monitor, %.2f s sources; %llu lost in the buffer\n",
		      r.sources, FLEET_SECONDS, r.fresh, r.fresh_min, r.fresh_max, r.jain, r.age_mean_ms,
		      r.age_worst_ms, r.monitor_cpu_s, r.sources_cpu_s, r.overflowed);
	assert_int_equal(r.stale, 0);
	assert_true(r.fresh_min * 4 >= r.fresh / r.sources);
	assert_true(r.fresh_max <= (20 * FLEET_SECONDS) * 5 / 4 + 2);
	assert_true(r.jain >= .95);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_none_starves)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
