/* SPDX-License-Identifier: MIT */
/* The queue of events: heads of hops and timers of flows come in the order of time, and of the tie rule. */
#include "core/rng.h"
#include "net.h"
#include "sim/heads.h"
#include "sim/timers.h"

/* Scan and tournament: the earliest, at equal times the first. */
static void heads(void **state)
{
	(void)state;
	struct weir_rng r;
	weir_rng_init(&r, 1, 2, 3);
	for (u32 n = 1; n <= 40; n++) {
		struct weir_heads h;
		u64 at[40];
		assert_true(weir_heads_init(&h, n));
		for (u32 i = 0; i < n; i++)
			at[i] = WEIR_NEVER;
		for (u32 step = 0; step < 2000; step++) {
			u32 i = (u32)weir_rng_below(&r, n), right = 0;
			at[i] = weir_rng_below(&r, 8) ? weir_rng_below(&r, 6) : WEIR_NEVER;
			weir_heads_set(&h, i, at[i]);
			for (u32 k = 1; k < n; k++)
				right = at[k] < at[right] ? k : right;
			assert_int_equal(h.at_ns[weir_heads_first(&h)], at[right]);
			if (at[right] != WEIR_NEVER)
				assert_int_equal(weir_heads_first(&h), right);
		}
		weir_heads_free(&h);
	}
}

/* Time, then kind, then flow. */
static void timers(void **state)
{
	(void)state;
	struct weir_timers t = {0};
	struct weir_rng r;
	weir_rng_init(&r, 4, 5, 6);
	for (u32 round = 0; round < 20; round++) {
		u32 n = 1 + (u32)weir_rng_below(&r, 500);
		for (u32 i = 0; i < n; i++)
			assert_true(
			    weir_timers_push(&t, weir_rng_below(&r, 10),
					     (enum weir_timer_kind)weir_rng_below(&r, WEIR_TIMER_KINDS),
					     (u32)weir_rng_below(&r, 5)));
		struct weir_timer_entry last = {0};
		for (u32 i = 0; i < n; i++) {
			assert_int_equal(weir_timers_head_ns(&t), t.heap[0].at_ns);
			struct weir_timer_entry e = weir_timers_pop(&t);
			assert_true(e.at_ns > last.at_ns || (e.at_ns == last.at_ns && e.key >= last.key));
			last = e;
		}
		assert_int_equal(weir_timers_head_ns(&t), WEIR_NEVER);
	}
	weir_timers_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(heads),
	    cmocka_unit_test(timers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
