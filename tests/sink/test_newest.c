/* SPDX-License-Identifier: MIT */
/* A store of newest values against a plain model: who waits longest comes first, newest only, never more than
 * fit. */
#include "core/rng.h"
#include "sink/newest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define PLACES 3000

static struct weir_told told(u32 place, u64 sequence)
{
	static struct weir_told v;
	v.place = place;
	v.sequence = sequence;
	v.bytes = (u32)(sequence % WEIR_TOLD_VALUE_BYTES);
	memset(v.data, (int)(sequence & 0xff), v.bytes);
	return v;
}

static bool is_even(void *owner, u32 place)
{
	(void)owner;
	return place % 2 == 0;
}

static void test_against_a_list(void **state)
{
	static u32 list[WEIR_NEWEST_SLOTS];
	static u64 newest[PLACES];
	struct weir_newest *n = weir_newest_new();
	struct weir_rng rng;
	u32 count = 0, full = 0, replaced = 0;
	(void)state;
	weir_rng_init(&rng, 1, 2, 3);
	for (u64 step = 1; step < 40000; step++) {
		if (weir_rng_below(&rng, 100) < (step / 4000 % 2 ? 20 : 90)) {
			u32 place = (u32)weir_rng_below(&rng, PLACES);
			struct weir_told v = told(place, step);
			enum weir_newest_put put = weir_newest_put(n, &v);
			if (newest[place]) {
				assert_int_equal(put, WEIR_NEWEST_REPLACED);
				replaced++;
			} else if (count == WEIR_NEWEST_SLOTS) {
				assert_int_equal(put, WEIR_NEWEST_FULL);
				full++;
				continue;
			} else {
				assert_int_equal(put, WEIR_NEWEST_WAITS);
				list[count++] = place;
			}
			newest[place] = step;
		} else {
			bool even = weir_rng_chance(&rng, .3);
			u32 i = 0;
			while (i < count && even && list[i] % 2)
				i++;
			const struct weir_told *v = weir_newest_first(n, even ? is_even : NULL, NULL);
			assert_int_equal(v != NULL, i < count);
			if (!v)
				continue;
			assert_int_equal(v->place, list[i]);
			assert_int_equal(v->sequence, newest[v->place]);
			assert_int_equal(v->bytes, v->sequence % WEIR_TOLD_VALUE_BYTES);
			assert_true(v->bytes == 0 || v->data[v->bytes - 1] == (u8)v->sequence);
			newest[v->place] = 0;
			weir_newest_take(n, v);
			memmove(&list[i], &list[i + 1], (--count - i) * sizeof list[0]);
		}
		assert_int_equal(weir_newest_count(n), count);
	}
	assert_true(full > 100 && replaced > 100);
	weir_newest_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_a_list)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
