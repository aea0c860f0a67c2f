/* SPDX-License-Identifier: MIT */
#include "core/pool.h"
#include "core/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define PIECES 400

/* Pieces of random sizes come and go; none ever overlaps another, whatever was cut from what. */
static void pieces_never_overlap(void **state)
{
	struct weir_pool pool = {0};
	struct weir_rng rng;
	struct {
		u8 *at;
		size_t bytes;
		u8 mark;
	} piece[PIECES] = {{0}};
	(void)state;
	weir_rng_init(&rng, 1, weir_rng_point("pool"), 0);
	for (u32 round = 0; round < 40000; round++) {
		u32 i = (u32)weir_rng_below(&rng, PIECES);
		if (piece[i].at) {
			for (size_t k = 0; k < piece[i].bytes; k++)
				assert_int_equal(piece[i].at[k], piece[i].mark);
			weir_pool_put(&pool, piece[i].at, piece[i].bytes);
			piece[i].at = NULL;
			continue;
		}
		piece[i].bytes = 1 + (size_t)weir_rng_below(&rng, 1ULL << weir_rng_below(&rng, 17));
		piece[i].mark = (u8)round;
		piece[i].at = weir_pool_get(&pool, piece[i].bytes);
		assert_non_null(piece[i].at);
		assert_int_equal((uintptr_t)piece[i].at % 16, 0);
		memset(piece[i].at, piece[i].mark, piece[i].bytes);
	}
	for (u32 i = 0; i < PIECES; i++)
		weir_pool_put(&pool, piece[i].at, piece[i].bytes);
	weir_pool_free(&pool);
}

static void without_a_pool_the_heap_serves(void **state)
{
	(void)state;
	u8 *p = weir_pool_get(NULL, 100);
	assert_non_null(p);
	memset(p, 1, 100);
	weir_pool_put(NULL, p, 100);
	weir_pool_put(NULL, NULL, 100);
}

#ifndef WEIR_DEBUG_CHECKS /* where sanitizers watch, the heap serves */
/* A flow's scoreboard that doubles leaves what the next flow begins with. */
static void what_is_put_is_got_again(void **state)
{
	struct weir_pool pool = {0};
	(void)state;
	u8 *large = weir_pool_get(&pool, 1024);
	weir_pool_put(&pool, large, 1024);
	u8 *half = weir_pool_get(&pool, 512), *other = weir_pool_get(&pool, 500);
	assert_ptr_equal(half, large);
	assert_ptr_equal(other, large + 512);
	weir_pool_free(&pool);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(pieces_never_overlap),
	    cmocka_unit_test(without_a_pool_the_heap_serves),
#ifndef WEIR_DEBUG_CHECKS
	    cmocka_unit_test(what_is_put_is_got_again),
#endif
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
