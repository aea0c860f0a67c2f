/* SPDX-License-Identifier: MIT */
#include "core/rng.h"
#include "num_bpf.h"
#include "weir/num.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define MOST (~0ULL)

__extension__ typedef unsigned __int128 u128;

static u64 any(struct weir_rng *r)
{
	u64 bits = weir_rng_below(r, 65);
	return bits ? weir_rng_u64(r) >> (64 - bits) : 0;
}

static u64 wide_muldiv(u64 a, u64 b, u64 c)
{
	if (!c)
		return 0;
	u128 q = (u128)a * b / c;
	return q > MOST ? MOST : (u64)q;
}

static void muldiv_known_values(void **unused)
{
	(void)unused;
	static const u64 c[][4] = {
	    {0, 0, 0, 0},
	    {7, 6, 0, 0},
	    {7, 6, 5, 8},
	    {MOST, MOST, MOST, MOST},
	    {MOST, MOST, MOST - 1, MOST},
	    {MOST, 2, 2, MOST},
	    {MOST, 2, 1, MOST},
	    {1ULL << 63, 2, 4, 1ULL << 62},
	    {1ULL << 32, 1ULL << 32, 1ULL << 32, 1ULL << 32},
	    {1ULL << 32, 1ULL << 32, 3, 6148914691236517205ULL},
	    {0xffffffff, 0xffffffff, 1, 0xfffffffe00000001ULL},
	    {1000000007, 1000000000000000ULL, 998244353, 1001758741729641ULL},
	};
	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		assert_int_equal(weir_muldiv(c[i][0], c[i][1], c[i][2]), c[i][3]);
		assert_int_equal(num_bpf_muldiv(c[i][0], c[i][1], c[i][2]), c[i][3]);
	}
}

/* The BPF branch has no 128-bit product; it must give the same quotient everywhere. */
static void muldiv_is_exact_on_both_targets(void **unused)
{
	(void)unused;
	struct weir_rng r;
	weir_rng_init(&r, 1, weir_rng_point("num"), 0);
	for (u32 i = 0; i < 300000; i++) {
		u64 a = any(&r), b = any(&r), c = any(&r), expected = wide_muldiv(a, b, c);
		assert_int_equal(weir_muldiv(a, b, c), expected);
		assert_int_equal(num_bpf_muldiv(a, b, c), expected);
	}
}

/* (root)^3 <= x < (root + 1)^3 */
static void is_cube_root(u64 x)
{
	u64 root = weir_cbrt(x);
	assert_true((u128)root * root * root <= x);
	assert_true((u128)(root + 1) * (root + 1) * (root + 1) > x);
}

static void cbrt_is_exact(void **unused)
{
	(void)unused;
	for (u64 x = 0; x < 3000; x++)
		is_cube_root(x);
	assert_int_equal(weir_cbrt(MOST), 2642245);
	for (u64 root = 1; root <= 2642245; root += root / 1000 + 1) {
		u64 cube = root * root * root;
		assert_int_equal(weir_cbrt(cube), root);
		assert_int_equal(weir_cbrt(cube - 1), root - 1);
		is_cube_root(cube + 1);
	}
	struct weir_rng r;
	weir_rng_init(&r, 2, weir_rng_point("num"), 0);
	for (u32 i = 0; i < 200000; i++)
		is_cube_root(any(&r));
}

static void ilog2_is_exact(void **unused)
{
	(void)unused;
	assert_int_equal(weir_ilog2(0), 0);
	for (u32 bit = 0; bit < 64; bit++) {
		u64 x = 1ULL << bit;
		assert_int_equal(weir_ilog2(x), bit);
		assert_int_equal(weir_ilog2(x | (x - 1)), bit);
		assert_int_equal(num_bpf_ilog2(x | (x >> 1)), bit);
	}
}

static void sums_saturate(void **unused)
{
	(void)unused;
	assert_int_equal(weir_add(MOST, 1), MOST);
	assert_int_equal(weir_add(MOST - 1, 1), MOST);
	assert_int_equal(weir_add(1, 2), 3);
	assert_int_equal(weir_sub(1, 2), 0);
	assert_int_equal(weir_sub(2, 1), 1);
	assert_int_equal(weir_sub(0, MOST), 0);
	assert_int_equal(weir_div(5, 0), 0);
	assert_int_equal(weir_div(5, 2), 2);
	assert_int_equal(weir_clamp(5, 7, 9), 7);
	assert_int_equal(weir_clamp(8, 7, 9), 8);
	assert_int_equal(weir_clamp(10, 7, 9), 9);
	assert_int_equal(weir_clamp(8, 9, 7), 9); /* the lower bound wins */
	assert_int_equal(weir_min(1, MOST), 1);
	assert_int_equal(weir_max(1, MOST), MOST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(muldiv_known_values), cmocka_unit_test(muldiv_is_exact_on_both_targets),
	    cmocka_unit_test(cbrt_is_exact),	   cmocka_unit_test(ilog2_is_exact),
	    cmocka_unit_test(sums_saturate),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
