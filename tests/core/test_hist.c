/* SPDX-License-Identifier: MIT */
#include "core/hist.h"
#include "core/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define VALUES 20000
#define BOUND .008 /* what the header promises */

static int by_size(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;
	return x < y ? -1 : x > y;
}

static void every_value_falls_into_a_bucket_around_it(void **unused)
{
	(void)unused;
	u32 last = 0;
	for (u64 x = 0; x < 1ULL << 62; x = x < 5000 ? x + 1 : x + x / 301) {
		u32 i = weir_hist_index(x);
		assert_true(i < WEIR_HIST_BUCKETS);
		assert_true(i >= last);
		last = i;
		assert_true(fabs(weir_hist_middle(i) - (double)x) <= (double)x * BOUND);
		if (x < 2 * WEIR_HIST_SUB)
			assert_true(weir_hist_middle(i) == (double)x);
	}
	assert_int_equal(weir_hist_index(WEIR_NEVER), WEIR_HIST_BUCKETS - 1);
}

/* Against the sorted values, for shapes from flat to spread over sixteen powers of two. */
static void quantiles_are_within_the_bound(void **unused)
{
	(void)unused;
	static struct weir_hist h;
	static u64 value[VALUES];
	struct weir_rng r;
	weir_rng_init(&r, 1, weir_rng_point("hist"), 0);
	for (u32 shape = 0; shape < 4; shape++) {
		memset(&h, 0, sizeof h);
		double sum = 0;
		for (u32 i = 0; i < VALUES; i++) {
			value[i] = weir_rng_u64(&r) >> (shape ? 20 + weir_rng_below(&r, shape * 8) : 34);
			weir_hist_add(&h, value[i]);
			sum += (double)value[i];
		}
		qsort(value, VALUES, sizeof value[0], by_size);
		for (double q = 0; q <= 1; q += .0625) {
			u64 rank = (u64)ceil(q * VALUES);
			double exact = (double)value[rank ? rank - 1 : 0];
			assert_true(fabs(weir_hist_quantile(&h, q) - exact) <= exact * BOUND);
		}
		assert_true(fabs(weir_hist_quantile(&h, 1) - (double)value[VALUES - 1]) <=
			    (double)value[VALUES - 1] * BOUND);
		assert_int_equal(h.min, value[0]);
		assert_int_equal(h.max, value[VALUES - 1]);
		assert_true(fabs(weir_hist_mean(&h) - sum / VALUES) <= sum / VALUES * 1e-12);
	}
}

static void one_value_is_itself_and_none_is_zero(void **unused)
{
	(void)unused;
	static struct weir_hist h;
	assert_true(weir_hist_quantile(&h, .5) == 0);
	assert_true(weir_hist_mean(&h) == 0);
	weir_hist_add(&h, 123456789);
	for (double q = 0; q <= 1; q += .25)
		assert_true(weir_hist_quantile(&h, q) == 123456789);
	assert_int_equal(h.min, 123456789);
	assert_int_equal(h.max, 123456789);
}

static void merging_is_adding(void **unused)
{
	(void)unused;
	static struct weir_hist all, part[2], empty;
	struct weir_rng r;
	weir_rng_init(&r, 2, weir_rng_point("hist"), 0);
	for (u32 i = 0; i < 5000; i++) {
		u64 x = weir_rng_u64(&r) >> 30;
		weir_hist_add(&all, x);
		weir_hist_add(&part[i % 3 == 0], x);
	}
	weir_hist_merge(&part[0], &empty);
	weir_hist_merge(&part[0], &part[1]);
	assert_int_equal(part[0].n, all.n);
	assert_int_equal(part[0].min, all.min);
	assert_int_equal(part[0].max, all.max);
	assert_memory_equal(part[0].bucket, all.bucket, sizeof all.bucket);
	weir_hist_merge(&empty, &all);
	assert_int_equal(empty.min, all.min);
	assert_int_equal(empty.n, all.n);
}

static void clearing_leaves_nothing(void **unused)
{
	(void)unused;
	static struct weir_hist h, nothing;
	weir_hist_clear(&h);
	assert_memory_equal(&h, &nothing, sizeof h);
	for (u64 x = 3; x < 1ULL << 60; x *= 7)
		weir_hist_add(&h, x);
	weir_hist_clear(&h);
	assert_memory_equal(&h, &nothing, sizeof h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_value_falls_into_a_bucket_around_it),
	    cmocka_unit_test(quantiles_are_within_the_bound),
	    cmocka_unit_test(one_value_is_itself_and_none_is_zero),
	    cmocka_unit_test(merging_is_adding),
	    cmocka_unit_test(clearing_leaves_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
