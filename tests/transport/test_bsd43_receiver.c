/* SPDX-License-Identifier: MIT */
/* (iv): when the receivers of 1986 and 1988 acknowledge. */
#include "transport/receiver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define SEGMENT 512U
#define MS WEIR_NS_PER_MS

static struct weir_receiver receiver(enum weir_ack_policy policy, u64 window, bool late, u32 phase_ns)
{
	struct weir_endpoint_config e = weir_endpoint_defaults();
	struct weir_receiver r;
	e.mss_bytes = SEGMENT;
	e.rwnd_bytes = window;
	e.ack_policy = policy;
	e.ack_out_of_order_late = late;
	e.plain_acks = true;
	e.ack_phase_ns = phase_ns;
	weir_receiver_init(&r, &e);
	return r;
}

static struct weir_ack_segment answer(struct weir_receiver *r)
{
	struct weir_ack_segment ack;
	weir_receiver_ack(r, &ack);
	assert_int_equal(ack.n_sack, 0);
	return ack;
}

/* The n-th segment arrives: by the short way where there is one, as in a world. */
static bool arrives(struct weir_receiver *r, u64 now_ns, u32 n)
{
	enum weir_receive_verdict verdict;
	struct weir_ack_segment flushed;
	bool flush = false;
	if (!weir_receiver_in_order(r, now_ns, n * SEGMENT, SEGMENT, 0, false, &verdict))
		verdict = weir_receiver_on_data(r, now_ns, n * SEGMENT, SEGMENT, 0, false, &flush, &flushed);
	assert_false(flush);
	return verdict == WEIR_RECEIVE_ACK;
}

/* How many segments in order are answered at once. */
static u32 threshold(enum weir_ack_policy policy, u64 window)
{
	struct weir_receiver r = receiver(policy, window, true, 0);
	for (u32 n = 0;; n++)
		if (arrives(&r, MS, n)) {
			assert_int_equal(answer(&r).ack, (n + 1) * SEGMENT);
			return n + 1;
		}
}

/* 35 % of 16 KB is 5734.4 bytes: 12 segments; of 4 KB 1433.6: 3. New receivers: each second one. */
static void iv_thresholds_by_hand(void **unused)
{
	(void)unused;
	assert_int_equal(threshold(WEIR_ACK_BSD_OLD, 16384), 12);
	assert_int_equal(threshold(WEIR_ACK_BSD_OLD, 8192), 6);
	assert_int_equal(threshold(WEIR_ACK_BSD_OLD, 4096), 3);
	assert_int_equal(threshold(WEIR_ACK_BSD_OLD, 2048), 2);
	assert_int_equal(threshold(WEIR_ACK_BSD_OLD, 1024), 1);
	assert_int_equal(threshold(WEIR_ACK_BSD_NEW, 16384), 2);
	assert_int_equal(threshold(WEIR_ACK_BSD_NEW, 1024), 1);
	struct weir_receiver r = receiver(WEIR_ACK_BSD_OLD, 10000, true, 0);
	assert_int_equal(r.ack_bytes, 3500); /* exactly 35 % is enough */
	r = receiver(WEIR_ACK_BSD_OLD, 10001, true, 0);
	assert_int_equal(r.ack_bytes, 3501);
}

/* The fast timer runs all the time: an ACK waits for its next firing, 0 to 200 ms; at the moment of one it
 * waits for the one after. */
static void iv_ticks_of_200_ms(void **unused)
{
	(void)unused;
	static const struct {
		u64 at_ms, phase_ms, due_ms;
	} hand[] = {{0, 0, 200}, {1, 0, 200},	{199, 0, 200},	   {200, 0, 400},
		    {0, 30, 30}, {30, 30, 230}, {1000, 199, 1199}, {1199, 199, 1399}};
	for (u32 i = 0; i < sizeof hand / sizeof hand[0]; i++) {
		struct weir_receiver r =
		    receiver(WEIR_ACK_BSD_OLD, 16384, true, (u32)(hand[i].phase_ms * MS));
		assert_false(arrives(&r, hand[i].at_ms * MS, 0));
		assert_int_equal(r.delayed_ns, hand[i].due_ms * MS);
		assert_false(arrives(&r, hand[i].at_ms * MS + 1, 1)); /* a second one does not move it */
		assert_int_equal(r.delayed_ns, hand[i].due_ms * MS);
		assert_int_equal(answer(&r).ack, 2 * SEGMENT);
		assert_int_equal(r.delayed_ns, WEIR_NEVER);
	}
}

/* Before May 1988: data out of order is kept and answered with the tick; the segment that fills the hole
 * counts for all that it sets free. */
static void iv_holes_before_may_1988(void **unused)
{
	(void)unused;
	struct weir_receiver r = receiver(WEIR_ACK_BSD_OLD, 16384, true, 0);
	assert_false(arrives(&r, 10 * MS, 1));
	assert_int_equal(r.delayed_ns, 200 * MS);
	assert_int_equal(answer(&r).ack, 0);
	for (u32 n = 2; n <= 10; n++)
		assert_false(arrives(&r, 250 * MS, n));
	assert_int_equal(answer(&r).ack, 0);
	assert_false(arrives(&r, 450 * MS, 0)); /* 11 segments: one less than it takes */
	assert_int_equal(r.next, 11 * SEGMENT);
	assert_true(arrives(&r, 451 * MS, 11));
	assert_int_equal(answer(&r).ack, 12 * SEGMENT);
	for (u32 n = 13; n <= 23; n++)
		assert_false(arrives(&r, 500 * MS, n));
	assert_true(arrives(&r, 500 * MS, 12)); /* 12 at once */
	assert_int_equal(answer(&r).ack, 24 * SEGMENT);
	weir_receiver_free(&r);
}

static void iv_holes_since_may_1988(void **unused)
{
	(void)unused;
	struct weir_receiver r = receiver(WEIR_ACK_BSD_NEW, 16384, false, 0);
	for (u32 n = 1; n <= 3; n++) {
		assert_true(arrives(&r, MS, n));
		assert_int_equal(answer(&r).ack, 0);
	}
	assert_true(arrives(&r, MS, 0));
	assert_int_equal(answer(&r).ack, 4 * SEGMENT);
	weir_receiver_free(&r);
}

/* A segment that is known altogether is answered at once, in any year: the sender is losing ACKs. */
static void iv_duplicates_at_once(void **unused)
{
	(void)unused;
	struct weir_receiver r = receiver(WEIR_ACK_BSD_OLD, 16384, true, 0);
	assert_false(arrives(&r, MS, 0));
	assert_true(arrives(&r, MS, 0));
	assert_int_equal(answer(&r).ack, SEGMENT);
	assert_false(arrives(&r, MS, 2));
	assert_false(arrives(&r, MS, 2)); /* but this one is not delivered yet */
	assert_int_equal(r.n_ranges, 1);
	weir_receiver_free(&r);
}

/* The same timers under a modern sender, which gets its SACK blocks. */
static void iv_policy_and_sack_are_two_things(void **unused)
{
	(void)unused;
	struct weir_endpoint_config e = weir_endpoint_defaults();
	struct weir_receiver r;
	struct weir_ack_segment ack;
	e.mss_bytes = SEGMENT;
	e.rwnd_bytes = 16384;
	e.ack_policy = WEIR_ACK_BSD_OLD;
	weir_receiver_init(&r, &e);
	assert_true(arrives(&r, MS, 1));
	weir_receiver_ack(&r, &ack);
	assert_int_equal(ack.n_sack, 1);
	weir_receiver_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(iv_thresholds_by_hand),	cmocka_unit_test(iv_ticks_of_200_ms),
	    cmocka_unit_test(iv_holes_before_may_1988), cmocka_unit_test(iv_holes_since_may_1988),
	    cmocka_unit_test(iv_duplicates_at_once),	cmocka_unit_test(iv_policy_and_sack_are_two_things),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
