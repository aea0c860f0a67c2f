/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/rng.h"
#include "emu/pool.h"

#define MIB (1ULL << 20)

static int by_place(const void *a, const void *b)
{
	const struct weir_slot *const *x = a, *const *y = b;
	return *x < *y ? -1 : *x > *y;
}

/* Random getting and dropping until memory is used up, again and again: no two slots meet, each is whole, and
 * what was freed is there again. */
static void slots_never_meet(void **unused)
{
	(void)unused;
	enum { MOST = 16 << 9 };
	static struct weir_slot *held[MOST], *sorted[MOST];
	struct weir_packet_pool p;
	struct weir_rng r;
	u32 n = 0, refused = 0;
	weir_rng_init(&r, 1, weir_rng_point("pool"), 0);
	assert_int_equal(weir_packet_pool_init(&p, 16 * MIB), 0);
	for (u32 i = 0; i < 200000; i++) {
		u32 kind = (u32)weir_rng_below(&r, 3);
		if (weir_rng_below(&r, 1000) < (i / 20000 % 2 ? 450 : 550)) {
			struct weir_slot *s = weir_slot_get(&p, kind);
			refused += !s;
			if (s) {
				assert_int_equal(s->kind, kind);
				assert_int_equal(s->users, 1);
				assert_ptr_equal(weir_slot_at(&p, s->self), s);
				held[n++] = s;
			}
		} else if (n) {
			u32 k = (u32)weir_rng_below(&r, n);
			weir_slot_drop(&p, held[k]);
			held[k] = held[--n];
		}
		if (i % 5000)
			continue;
		memcpy(sorted, held, n * sizeof *held);
		qsort(sorted, n, sizeof *sorted, by_place);
		for (u32 k = 0; k < n; k++) {
			u8 *end = (u8 *)sorted[k] + weir_slot_bytes[sorted[k]->kind];
			assert_true(end <= (k + 1 < n ? (u8 *)sorted[k + 1] : p.base + p.bytes));
		}
	}
	assert_true(refused > 1000);
	while (n)
		weir_slot_drop(&p, held[--n]);
	for (u32 i = 0; i < WEIR_SLOT_KINDS; i++)
		assert_int_equal(p.used[i], 0);
	weir_packet_pool_fini(&p);
}

static void the_last_user_frees(void **unused)
{
	(void)unused;
	struct weir_packet_pool p;
	assert_int_equal(weir_packet_pool_init(&p, 4 * MIB), 0);
	struct weir_slot *s = weir_slot_get(&p, WEIR_SLOT_LARGE);
	s->users = 3;
	weir_slot_drop(&p, s);
	weir_slot_drop(&p, s);
	assert_int_equal(p.used[WEIR_SLOT_LARGE], 1);
	weir_slot_drop(&p, s);
	assert_int_equal(p.used[WEIR_SLOT_LARGE], 0);
	assert_ptr_equal(weir_slot_get(&p, WEIR_SLOT_LARGE), s); /* the warmest first */
	weir_packet_pool_fini(&p);
}

/* A pool of 4 MiB has so many slots and no more, and number 0 is none of them. */
static void memory_is_bounded(void **unused)
{
	(void)unused;
	struct weir_packet_pool p;
	for (u32 kind = 0; kind < WEIR_SLOT_KINDS; kind++) {
		u32 n = 0;
		assert_int_equal(weir_packet_pool_init(&p, 4 * MIB), 0);
		for (struct weir_slot *s; (s = weir_slot_get(&p, kind)); n++) {
			assert_int_not_equal(s->self, WEIR_SLOT_NONE);
			memset(s + 1, 0xff, weir_slot_bytes[kind] - sizeof *s);
		}
		u32 a_step = (u32)(MIB / weir_slot_bytes[kind]);
		u32 the_first = (u32)((MIB - 64) / weir_slot_bytes[kind]);
		assert_int_equal(n, 3 * a_step + the_first);
		weir_packet_pool_fini(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(slots_never_meet),
	    cmocka_unit_test(the_last_user_frees),
	    cmocka_unit_test(memory_is_bounded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
