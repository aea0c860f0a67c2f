/* SPDX-License-Identifier: MIT */
/* Round trips seen beside a sender, from sequence numbers and times alone. */
#include "core/rng.h"
#include "run/witness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define MS WEIR_NS_PER_MS
#define SEGMENT 1000U

static u64 ack(struct weir_witness *w, u64 now_ns, u32 number)
{
	return weir_witness_acked(w, now_ns, number, NULL, 0);
}

static u64 sack(struct weir_witness *w, u64 now_ns, u32 number, u32 left, u32 right)
{
	struct weir_witness_block block = {left, right};
	return weir_witness_acked(w, now_ns, number, &block, 1);
}

/* n segments from `first`, one a millisecond from from_ms. */
static void send(struct weir_witness *w, u32 first, u32 n, u64 from_ms)
{
	for (u32 i = 0; i < n; i++)
		assert_int_equal(weir_witness_sent(w, (from_ms + i) * MS, first + i * SEGMENT, SEGMENT), 0);
}

static void one_sample_of_the_newest_segment(void **state)
{
	(void)state;
	struct weir_witness w = {0};
	assert_true(ack(&w, 5 * MS, 77) == WEIR_NEVER); /* nothing was sent */
	send(&w, 1, 4, 10);
	assert_int_equal(ack(&w, 60 * MS, 1 + 2 * SEGMENT), 49 * MS); /* of the second one, sent at 11 */
	assert_true(ack(&w, 61 * MS, 1 + 2 * SEGMENT) == WEIR_NEVER); /* says nothing new */
	assert_int_equal(ack(&w, 70 * MS, 1 + 4 * SEGMENT), 57 * MS);
	assert_true(ack(&w, 71 * MS, 1 + 9 * SEGMENT) == WEIR_NEVER); /* was never sent */
	weir_witness_free(&w);
}

/* What came is told when all before it is there, as of its first sending. */
static void arrivals_are_told_in_order(void **state)
{
	(void)state;
	struct weir_witness w = {0};
	assert_true(weir_witness_arrived(&w, 1, SEGMENT) == WEIR_NEVER);
	send(&w, 1, 5, 10);
	assert_int_equal(weir_witness_arrived(&w, 1, SEGMENT), 10 * MS);
	assert_true(weir_witness_arrived(&w, 1 + 2 * SEGMENT, SEGMENT) == WEIR_NEVER);
	assert_true(weir_witness_arrived(&w, 1 + 3 * SEGMENT, SEGMENT) == WEIR_NEVER);
	assert_int_equal(ack(&w, 40 * MS, 1 + SEGMENT), 30 * MS);
	send(&w, 1 + SEGMENT, 1, 100); /* again */
	assert_int_equal(weir_witness_arrived(&w, 1 + SEGMENT, SEGMENT), 13 * MS);
	assert_true(weir_witness_arrived(&w, 1 + SEGMENT, SEGMENT) == WEIR_NEVER); /* a copy */
	assert_int_equal(weir_witness_arrived(&w, 1 + 4 * SEGMENT, SEGMENT), 14 * MS);
	assert_true(weir_witness_arrived(&w, 1 + 5 * SEGMENT, SEGMENT) == WEIR_NEVER); /* was never sent */
	weir_witness_free(&w);
}

static void nothing_of_what_was_sent_twice(void **state)
{
	(void)state;
	struct weir_witness w = {0};
	send(&w, 0, 3, 0);
	send(&w, SEGMENT, 1, 200); /* again */
	assert_int_equal(ack(&w, 210 * MS, SEGMENT), 210 * MS);
	assert_true(ack(&w, 250 * MS, 2 * SEGMENT) == WEIR_NEVER);
	assert_int_equal(ack(&w, 260 * MS, 3 * SEGMENT), 258 * MS);
	weir_witness_free(&w);
}

/* The second of five is lost: what follows is reported by SACK, each at its time; when the repair comes,
 * the jump over all of them says nothing of when they arrived. */
static void holes_are_reported_by_sack(void **state)
{
	(void)state;
	struct weir_witness w = {0};
	send(&w, 0, 5, 0);
	assert_int_equal(ack(&w, 40 * MS, SEGMENT), 40 * MS);
	assert_int_equal(sack(&w, 42 * MS, SEGMENT, 2 * SEGMENT, 3 * SEGMENT), 40 * MS);
	assert_true(sack(&w, 42 * MS, SEGMENT, 2 * SEGMENT, 3 * SEGMENT) == WEIR_NEVER);
	assert_int_equal(sack(&w, 43 * MS, SEGMENT, 2 * SEGMENT, 4 * SEGMENT), 40 * MS);
	send(&w, SEGMENT, 1, 45);
	assert_int_equal(sack(&w, 45 * MS, SEGMENT, 2 * SEGMENT, 5 * SEGMENT), 41 * MS);
	assert_true(ack(&w, 85 * MS, 5 * SEGMENT) == WEIR_NEVER);
	send(&w, 5 * SEGMENT, 1, 90);
	assert_int_equal(ack(&w, 131 * MS, 6 * SEGMENT), 41 * MS);
	weir_witness_free(&w);
}

/* RFC 2883: the first block may be of something that came twice. */
static void duplicates_say_nothing(void **state)
{
	(void)state;
	struct weir_witness w = {0};
	send(&w, 0, 2, 0);
	assert_int_equal(ack(&w, 40 * MS, 2 * SEGMENT), 39 * MS);
	assert_true(sack(&w, 50 * MS, 2 * SEGMENT, 0, SEGMENT) == WEIR_NEVER);
	weir_witness_free(&w);
}

static void numbers_wrap(void **state)
{
	(void)state;
	struct weir_witness w = {0};
	u32 first = 0U - 2 * SEGMENT;
	send(&w, first, 5, 0);
	assert_int_equal(ack(&w, 40 * MS, first + 3 * SEGMENT), 38 * MS);
	assert_int_equal(ack(&w, 50 * MS, first + 5 * SEGMENT), 46 * MS);
	weir_witness_free(&w);
}

static void more_in_flight_than_it_remembers(void **state)
{
	(void)state;
	struct weir_witness w = {0};
	send(&w, 0, WEIR_WITNESS_SEGMENTS + 10, 0);
	assert_int_equal(ack(&w, 100000 * MS, (WEIR_WITNESS_SEGMENTS + 10) * SEGMENT),
			 (100000 - WEIR_WITNESS_SEGMENTS - 9) * MS);
	assert_int_equal(w.n, 0);
	weir_witness_free(&w);
}

static void blocks_are_read_from_options(void **state)
{
	(void)state;
	struct weir_witness_block b[WEIR_WITNESS_BLOCKS];
	const u8 two[] = {1, 1, 8, 10,	0, 0, 0, 1,   0, 0, 0, 2, 1, 1, 5, 18,
			  0, 0, 3, 232, 0, 0, 7, 208, 0, 0, 0, 5, 0, 0, 0, 9};
	assert_int_equal(weir_witness_blocks(two, sizeof two, b), 2);
	assert_int_equal(b[0].left, 1000);
	assert_int_equal(b[0].right, 2000);
	assert_int_equal(b[1].right, 9);
	const u8 bad[][4] = {{5, 0, 0, 0}, {5, 1, 0, 0}, {5, 34, 0, 0}, {3, 200, 0, 0}, {0, 5, 10, 1}};
	for (u32 i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_int_equal(weir_witness_blocks(bad[i], 4, b), 0);
	assert_int_equal(weir_witness_blocks(two, 0, b), 0);
	for (u32 n = 0; n < sizeof two; n++) /* cut off anywhere */
		assert_true(weir_witness_blocks(two, n, b) <= 2);
}

/* Whatever comes: a sample is never longer than the time since the first segment, and memory holds. */
static void anything_goes(void **state)
{
	(void)state;
	struct weir_rng rng;
	struct weir_witness w = {0};
	weir_rng_init(&rng, 1, 2, 3);
	for (u64 now_ns = 1; now_ns < 200000; now_ns++) {
		struct weir_witness_block b[WEIR_WITNESS_BLOCKS];
		u32 number = (u32)weir_rng_below(&rng, 50 * SEGMENT);
		if (weir_rng_below(&rng, 2)) {
			assert_int_equal(
			    weir_witness_sent(&w, now_ns, number, (u32)weir_rng_below(&rng, 3 * SEGMENT)), 0);
			continue;
		}
		b[0].left = (u32)weir_rng_below(&rng, 50 * SEGMENT);
		b[0].right = (u32)weir_rng_below(&rng, 50 * SEGMENT);
		u64 rtt_ns = weir_witness_acked(&w, now_ns, number, b, (u32)weir_rng_below(&rng, 2));
		assert_true(rtt_ns == WEIR_NEVER || rtt_ns < now_ns);
		u64 sent_ns = weir_witness_arrived(&w, b[0].left, b[0].right);
		assert_true((sent_ns == WEIR_NEVER || sent_ns <= now_ns) && w.told <= w.n);
		assert_true(w.n <= WEIR_WITNESS_SEGMENTS);
	}
	weir_witness_free(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(one_sample_of_the_newest_segment),
	    cmocka_unit_test(arrivals_are_told_in_order),
	    cmocka_unit_test(nothing_of_what_was_sent_twice),
	    cmocka_unit_test(holes_are_reported_by_sack),
	    cmocka_unit_test(duplicates_say_nothing),
	    cmocka_unit_test(numbers_wrap),
	    cmocka_unit_test(more_in_flight_than_it_remembers),
	    cmocka_unit_test(blocks_are_read_from_options),
	    cmocka_unit_test(anything_goes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
