/* SPDX-License-Identifier: MIT */
/* Known answers come from an implementation of the published algorithms in another language. */
#include "core/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void splitmix64_known_answers(void **unused)
{
	(void)unused;
	u64 x = 1234567;
	assert_int_equal(weir_splitmix64(&x), 6457827717110365317ULL);
	assert_int_equal(weir_splitmix64(&x), 3203168211198807973ULL);
	assert_int_equal(weir_splitmix64(&x), 9817491932198370423ULL);
	assert_int_equal(weir_splitmix64(&x), 4593380528125082431ULL);
	assert_int_equal(weir_splitmix64(&x), 16408922859458223821ULL);
	x = 0;
	assert_int_equal(weir_splitmix64(&x), 0xe220a8397b1dcdafULL);
	assert_int_equal(weir_splitmix64(&x), 0x6e789e6aa1b965f4ULL);
}

static void xoshiro256pp_known_answers(void **unused)
{
	(void)unused;
	static const u64 expected[] = {41943041ULL,
				       58720359ULL,
				       3588806011781223ULL,
				       3591011842654386ULL,
				       9228616714210784205ULL,
				       9973669472204895162ULL,
				       14011001112246962877ULL,
				       12406186145184390807ULL,
				       15849039046786891736ULL,
				       10450023813501588000ULL};
	struct weir_rng r = {{1, 2, 3, 4}};
	for (u32 i = 0; i < 10; i++)
		assert_int_equal(weir_rng_u64(&r), expected[i]);
}

static void points_are_fnv1a(void **unused)
{
	(void)unused;
	assert_int_equal(weir_rng_point(""), 0xcbf29ce484222325ULL);
	assert_int_equal(weir_rng_point("a"), 0xaf63dc4c8601ec8cULL);
	assert_int_equal(weir_rng_point("foobar"), 0x85944171f73967e8ULL);
}

static void streams_differ_by_seed_point_and_flow(void **unused)
{
	(void)unused;
	u64 point = weir_rng_point("bottleneck.loss");
	const struct {
		u64 seed, point, flow, first, second, third;
	} c[] = {
	    {0, 0, 0, 0x3ed1653f0682083aULL, 0x852cecd8e7418ff7ULL, 0x8deb058ebaf6ffc3ULL},
	    {1, point, 0, 0x97d24119fe7b8a01ULL, 0x8855990a113b49abULL, 0x9251a731b8fd23dULL},
	    {1, point, 1, 0x460d8ee2e4d4fecfULL, 0xfb365ae779a3303eULL, 0xaf895118673fc684ULL},
	    {2, point, 0, 0x7236befc2e07f302ULL, 0x15598f92d9f3a5c2ULL, 0x57184e987a917182ULL},
	};
	for (u32 i = 0; i < 4; i++) {
		struct weir_rng r;
		weir_rng_init(&r, c[i].seed, c[i].point, c[i].flow);
		assert_int_equal(weir_rng_u64(&r), c[i].first);
		assert_int_equal(weir_rng_u64(&r), c[i].second);
		assert_int_equal(weir_rng_u64(&r), c[i].third);
	}
}

static void uniform_draws_stay_inside_and_even(void **unused)
{
	(void)unused;
	struct weir_rng r;
	weir_rng_init(&r, 3, 0, 0);
	u32 count[10] = {0};
	double sum = 0;
	for (u32 i = 0; i < 100000; i++) {
		double x = weir_rng_unit(&r);
		assert_true(x > 0 && x < 1);
		sum += x;
		count[weir_rng_below(&r, 10)]++;
	}
	assert_true(fabs(sum / 100000 - .5) < .004); /* four standard errors */
	for (u32 i = 0; i < 10; i++)
		assert_in_range(count[i], 9620, 10380);
	assert_int_equal(weir_rng_below(&r, 0), 0);
	assert_int_equal(weir_rng_below(&r, 1), 0);
	for (u32 i = 0; i < 1000; i++) {
		assert_true(weir_rng_chance(&r, 1));
		assert_false(weir_rng_chance(&r, 0));
		assert_true(weir_rng_chance(&r, 7));
		assert_false(weir_rng_chance(&r, -1));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(splitmix64_known_answers),
	    cmocka_unit_test(xoshiro256pp_known_answers),
	    cmocka_unit_test(points_are_fnv1a),
	    cmocka_unit_test(streams_differ_by_seed_point_and_flow),
	    cmocka_unit_test(uniform_draws_stay_inside_and_even),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
