/* SPDX-License-Identifier: MIT */
#include "core/decimal.h"
#include "core/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void agrees_with_strtod(void **state)
{
	struct weir_rng rng;
	(void)state;
	weir_rng_init(&rng, 1, weir_rng_point("decimal"), 0);
	for (int i = 0; i < 200000; i++) {
		u64 digits = weir_rng_below(&rng, 1000000000000000ULL) >> weir_rng_below(&rng, 50);
		int after = (int)weir_rng_below(&rng, 9);
		char text[40];
		if (after)
			snprintf(text, sizeof text, "%s%llu.%0*llu", weir_rng_chance(&rng, .3) ? "-" : "",
				 digits / 100000000, after, digits % 10);
		else
			snprintf(text, sizeof text, "%llu", digits);
		double x = 0;
		assert_true(weir_decimal_plain(text, &x));
		if (x != strtod(text, NULL))
			fail_msg("%s reads as %.17g", text, x);
	}
}

static void leaves_the_rest_alone(void **state)
{
	static const char *const other[] = {"",
					    "-",
					    ".5",
					    "5.",
					    "1e3",
					    "+1",
					    " 1",
					    "1 ",
					    "nan",
					    "inf",
					    "0x1",
					    "1.2.3",
					    "--1",
					    "1234567890123456",
					    "0.1234567890123456"};
	(void)state;
	for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
		double x = 7;
		assert_false(weir_decimal_plain(other[i], &x));
		assert_true(x == 7);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(agrees_with_strtod),
	    cmocka_unit_test(leaves_the_rest_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
