/* SPDX-License-Identifier: MIT */
/* The receiver alone: what it acknowledges, when, and what it reports of data out of order. */
#include "transport/receiver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define MSS 1000u
#define DELAYED_NS (200 * WEIR_NS_PER_MS)

struct rx {
	struct weir_receiver r;
	struct weir_ack_segment ack, flushed;
	bool acked, flush;
	u64 now_ns, first;
};

static struct rx rx_new(u32 ack_every, u64 first)
{
	struct weir_endpoint_config c = weir_endpoint_defaults();
	struct rx x = {.first = first};
	c.mss_bytes = MSS;
	c.ack_every = ack_every;
	c.first_sequence = first;
	c.rwnd_bytes = 1 << 20;
	weir_receiver_init(&x.r, &c);
	return x;
}

/* As the world does it: the plain way first, then the other; an ACK where the verdict says so. */
static void arrive(struct rx *x, u64 offset, u32 bytes, u8 attempt, bool ce)
{
	u32 low = (u32)(x->first + offset);
	enum weir_receive_verdict verdict;
	x->flush = false;
	if (!weir_receiver_in_order(&x->r, x->now_ns, low, bytes, attempt, ce, &verdict))
		verdict =
		    weir_receiver_on_data(&x->r, x->now_ns, low, bytes, attempt, ce, &x->flush, &x->flushed);
	x->acked = verdict == WEIR_RECEIVE_ACK;
	if (x->acked)
		weir_receiver_ack(&x->r, &x->ack);
}

static void segment(struct rx *x, u64 offset)
{
	arrive(x, offset, MSS, 0, false);
}

#define assert_acks(x, offset)                                                                               \
	do {                                                                                                 \
		assert_true((x).acked);                                                                      \
		assert_int_equal((x).ack.ack, (u32)((x).first + (offset)));                                  \
	} while (0)

static void assert_block(const struct rx *x, u32 i, u64 start, u64 end)
{
	assert_true(i < x->ack.n_sack);
	assert_int_equal(x->ack.sack[i].start, (u32)(x->first + start));
	assert_int_equal(x->ack.sack[i].end, (u32)(x->first + end));
}

static void each_packet_at_once(void **state)
{
	(void)state;
	struct rx x = rx_new(1, 0);
	for (u64 i = 0; i < 5; i++) {
		segment(&x, i * MSS);
		assert_acks(x, (i + 1) * MSS);
		assert_int_equal(x.ack.n_sack, 0);
	}
	arrive(&x, 5 * MSS, 1, 0, false); /* however short */
	assert_acks(x, 5 * MSS + 1);
	weir_receiver_free(&x.r);
}

static void each_second_packet_or_after_a_while(void **state)
{
	(void)state;
	struct rx x = rx_new(2, 0);
	x.now_ns = 7;
	segment(&x, 0);
	assert_false(x.acked);
	assert_int_equal(x.r.delayed_ns, 7 + DELAYED_NS);
	x.now_ns = 1000;
	segment(&x, MSS);
	assert_acks(x, 2 * MSS);
	assert_int_equal(x.r.delayed_ns, WEIR_NEVER);
	segment(&x, 2 * MSS);
	assert_false(x.acked);
	assert_int_equal(x.r.delayed_ns, 1000 + DELAYED_NS);
	/* Short segments count by their bytes (RFC 5681 section 4.2), and the wait is that of the first. */
	x.now_ns = 2000;
	arrive(&x, 3 * MSS, 100, 0, false);
	assert_false(x.acked);
	assert_int_equal(x.r.delayed_ns, 1000 + DELAYED_NS);
	weir_receiver_ack(&x.r, &x.ack);
	assert_int_equal(x.ack.ack, 3 * MSS + 100);
	weir_receiver_free(&x.r);
}

static void a_hole_is_told_at_once_and_so_is_its_filling(void **state)
{
	(void)state;
	struct rx x = rx_new(2, 0);
	segment(&x, 0);
	segment(&x, 2 * MSS); /* the one before has waited: this ACK covers it too */
	assert_acks(x, MSS);
	assert_int_equal(x.ack.n_sack, 1);
	assert_block(&x, 0, 2 * MSS, 3 * MSS);
	assert_int_equal(x.r.delayed_ns, WEIR_NEVER);
	segment(&x, 4 * MSS);
	assert_acks(x, MSS);
	segment(&x, MSS); /* fills the first hole only: at once, RFC 5681 section 4.2 */
	assert_acks(x, 3 * MSS);
	assert_int_equal(x.ack.n_sack, 1);
	assert_block(&x, 0, 4 * MSS, 5 * MSS);
	segment(&x, 3 * MSS);
	assert_acks(x, 5 * MSS);
	assert_int_equal(x.ack.n_sack, 0);
	weir_receiver_free(&x.r);
}

/* RFC 2018 section 7: eight segments of 500 bytes from 5000 on. Case 2: the first is dropped; the block grows
 * with each arrival. Case 3: the second, fourth, sixth and eighth are dropped, then the fourth arrives, then
 * the second. */
static void rfc2018_examples(void **state)
{
	(void)state;
	struct rx x = rx_new(1, 5000);
	for (u64 i = 1; i < 8; i++) {
		arrive(&x, 500 * i, 500, 0, false);
		assert_acks(x, 0);
		assert_int_equal(x.ack.n_sack, 1);
		assert_block(&x, 0, 500, 500 * (i + 1));
	}
	weir_receiver_free(&x.r);

	x = rx_new(1, 5000);
	arrive(&x, 0, 500, 0, false);
	assert_acks(x, 500);
	arrive(&x, 1000, 500, 0, false);
	assert_int_equal(x.ack.n_sack, 1);
	assert_block(&x, 0, 1000, 1500);
	arrive(&x, 2000, 500, 0, false);
	assert_int_equal(x.ack.n_sack, 2);
	assert_block(&x, 0, 2000, 2500);
	assert_block(&x, 1, 1000, 1500);
	arrive(&x, 3000, 500, 0, false);
	assert_acks(x, 500);
	assert_int_equal(x.ack.n_sack, 3);
	assert_block(&x, 0, 3000, 3500);
	assert_block(&x, 1, 2000, 2500);
	assert_block(&x, 2, 1000, 1500);
	arrive(&x, 1500, 500, 0, false); /* the fourth: two blocks become one, and it comes first */
	assert_acks(x, 500);
	assert_int_equal(x.ack.n_sack, 2);
	assert_block(&x, 0, 1000, 2500);
	assert_block(&x, 1, 3000, 3500);
	arrive(&x, 500, 500, 0, false);
	assert_acks(x, 2500);
	assert_int_equal(x.ack.n_sack, 1);
	assert_block(&x, 0, 3000, 3500);
	weir_receiver_free(&x.r);
}

/* RFC 2883 section 4: a duplicate is the first block, below the ACK or inside the second block. */
static void rfc2883_duplicates(void **state)
{
	(void)state;
	struct rx x = rx_new(2, 0);
	segment(&x, 0);
	segment(&x, MSS);
	segment(&x, 0); /* delivered before */
	assert_acks(x, 2 * MSS);
	assert_int_equal(x.ack.n_sack, 1);
	assert_block(&x, 0, 0, MSS);
	segment(&x, 2 * MSS);
	assert_false(x.acked);
	segment(&x, 4 * MSS);
	assert_int_equal(x.ack.n_sack, 1); /* reported once, then forgotten */
	assert_block(&x, 0, 4 * MSS, 5 * MSS);
	segment(&x, 5 * MSS);
	segment(&x, 4 * MSS); /* waits above a hole already: the block that holds it comes second */
	assert_acks(x, 3 * MSS);
	assert_int_equal(x.ack.n_sack, 2);
	assert_block(&x, 0, 4 * MSS, 5 * MSS);
	assert_block(&x, 1, 4 * MSS, 6 * MSS);
	weir_receiver_free(&x.r);
}

static void duplicate_and_three_blocks_fit_in_three(void **state)
{
	(void)state;
	struct rx x = rx_new(1, 0);
	for (u64 i = 1; i <= 9; i += 2)
		segment(&x, i * MSS);
	assert_int_equal(x.ack.n_sack, 3);
	segment(&x, 3 * MSS);
	assert_int_equal(x.ack.n_sack, 3);
	assert_block(&x, 0, 3 * MSS, 4 * MSS);
	assert_block(&x, 1, 3 * MSS, 4 * MSS);
	assert_block(&x, 2, 9 * MSS, 10 * MSS);
	weir_receiver_free(&x.r);
}

/* What was reported last is delivered, older data is not: an ACK does not go without it (RFC 2018 section 4).
 */
static void old_data_out_of_order_is_reported_still(void **state)
{
	(void)state;
	struct rx x = rx_new(1, 0);
	segment(&x, 9 * MSS);
	for (u64 i = 6; i >= 2; i -= 2)
		segment(&x, i * MSS);
	for (u64 i = 0; i <= 5; i++)
		if (i % 2 || i == 0)
			segment(&x, i * MSS);
	assert_acks(x, 7 * MSS);
	assert_int_equal(x.ack.n_sack, 1);
	assert_block(&x, 0, 9 * MSS, 10 * MSS);
	weir_receiver_free(&x.r);
}

/* RFC 8257 section 3.2: an ACK never mixes marked and unmarked data. */
static void change_of_mark_flushes(void **state)
{
	(void)state;
	struct rx x = rx_new(2, 0);
	segment(&x, 0);
	assert_false(x.acked);
	arrive(&x, MSS, MSS, 0, true);
	assert_true(x.flush);
	assert_int_equal(x.flushed.ack, MSS);
	assert_false(x.flushed.ce);
	assert_false(x.acked); /* the marked one waits for a second */
	arrive(&x, 2 * MSS, MSS, 0, true);
	assert_false(x.flush);
	assert_acks(x, 3 * MSS);
	assert_true(x.ack.ce);
	segment(&x, 3 * MSS); /* nothing waits: nothing to flush */
	assert_false(x.flush);
	assert_false(x.acked);
	segment(&x, 4 * MSS);
	assert_acks(x, 5 * MSS);
	assert_false(x.ack.ce);
	weir_receiver_free(&x.r);
}

static void beyond_the_window_is_not_kept(void **state)
{
	(void)state;
	struct rx x = rx_new(1, 0);
	u64 window_bytes = 1 << 20;
	assert_int_equal(x.r.window << WEIR_WINDOW_SHIFT, window_bytes);
	segment(&x, window_bytes - MSS + 1);
	assert_acks(x, 0);
	assert_int_equal(x.ack.n_sack, 0);
	assert_int_equal(x.r.n_ranges, 0);
	segment(&x, window_bytes - MSS);
	assert_int_equal(x.ack.n_sack, 1);
	assert_int_equal(x.r.n_ranges, 1);
	weir_receiver_free(&x.r);
}

static void zero_length_changes_nothing(void **state)
{
	(void)state;
	struct rx x = rx_new(2, 0);
	segment(&x, 0);
	arrive(&x, MSS, 0, 0, true);
	assert_acks(x, MSS);
	assert_false(x.flush);
	assert_int_equal(x.ack.n_sack, 0);
	arrive(&x, 5 * MSS, 0, 0, false);
	assert_acks(x, MSS);
	assert_int_equal(x.ack.n_sack, 0);
	assert_int_equal(x.r.n_ranges, 0);
	weir_receiver_free(&x.r);
}

/* Not what our sender does, but it is what the wire could bring: pieces that overlap are merged. */
static void overlaps_merge(void **state)
{
	(void)state;
	struct rx x = rx_new(1, 0);
	arrive(&x, 2000, 1000, 0, false);
	arrive(&x, 4000, 1000, 0, false);
	arrive(&x, 2500, 2000, 0, false);
	assert_int_equal(x.r.n_ranges, 1);
	assert_block(&x, 0, 2000, 5000);
	arrive(&x, 1500, 500, 0, false); /* touches */
	assert_int_equal(x.r.n_ranges, 1);
	assert_block(&x, 0, 1500, 5000);
	arrive(&x, 0, 1700, 0, false);
	assert_acks(x, 5000);
	assert_int_equal(x.ack.n_sack, 0);
	arrive(&x, 4500, 1000, 0, false); /* half of it is new */
	assert_acks(x, 5500);
	weir_receiver_free(&x.r);
}

/* G32: numbers wrap in the middle of the data, of a block and of a hole. */
static void g32_wrap(void **state)
{
	(void)state;
	const u64 first[] = {0, 0xffffffffULL - 3 * MSS, 0x80000000ULL - 3 * MSS, 0xffffffff80000000ULL};
	for (u32 k = 0; k < 4; k++) {
		struct rx x = rx_new(1, first[k]);
		segment(&x, 0);
		for (u64 i = 2; i < 8; i++)
			segment(&x, i * MSS);
		assert_acks(x, MSS);
		assert_int_equal(x.ack.n_sack, 1);
		assert_block(&x, 0, 2 * MSS, 8 * MSS);
		segment(&x, MSS);
		assert_acks(x, 8 * MSS);
		assert_int_equal(x.r.next, first[k] + 8 * MSS);
		segment(&x, 3 * MSS);
		assert_block(&x, 0, 3 * MSS, 4 * MSS);
		weir_receiver_free(&x.r);
	}
}

/* The echo is that of the earliest segment which the ACK answers, as RFC 7323 section 4.3 has it for time
 * stamps: data out of order leaves it alone, and so does an old copy. */
static void echo_of_the_earliest(void **state)
{
	(void)state;
	struct rx x = rx_new(2, 0);
	arrive(&x, 0, MSS, 3, false);
	arrive(&x, MSS, MSS, 0, false);
	assert_acks(x, 2 * MSS);
	assert_int_equal(x.ack.attempt, 3);
	arrive(&x, 3 * MSS, MSS, 0, false);
	assert_int_equal(x.ack.attempt, 3);
	arrive(&x, 2 * MSS, MSS, 1, false);
	assert_int_equal(x.ack.attempt, 1);
	arrive(&x, 5 * MSS, MSS, 0, false);
	assert_int_equal(x.ack.attempt, 1);
	arrive(&x, 2 * MSS, MSS, 2, false); /* a duplicate sent later */
	assert_int_equal(x.ack.attempt, 2);
	arrive(&x, 2 * MSS, MSS, 0, false);
	assert_int_equal(x.ack.attempt, 2);
	arrive(&x, 4 * MSS, MSS, 0, false);
	assert_int_equal(x.ack.attempt, 0);
	weir_receiver_free(&x.r);
}

/* A hole in every second place of a large window: bounded memory, nothing lost below the bound, and no time
 * that grows with the square. */
static void many_holes(void **state)
{
	(void)state;
	struct rx x = rx_new(1, 0);
	x.r.window = 0xffffffffU;
	const u64 n = 200000;
	for (u64 i = 1; i < n; i += 2)
		arrive(&x, 10 * i, 10, 0, false);
	assert_int_equal(x.r.n_ranges, n / 2);
	for (u64 i = 0; i < n; i += 2) {
		arrive(&x, 10 * i, 10, 1, false);
		assert_acks(x, 10 * (i + 2));
	}
	assert_int_equal(x.r.n_ranges, 0);
	assert_false(x.r.failed);

	for (u64 i = 1; i < 3u << 20; i += 2) /* more than is kept: the rest counts as never received */
		arrive(&x, 10 * (n + i), 10, 0, false);
	assert_false(x.r.failed);
	assert_true(x.r.n_ranges <= 1 << 20 && x.r.n_ranges > 1 << 19);
	segment(&x, 10 * n - 500);
	assert_acks(x, 10 * n + 500);
	weir_receiver_free(&x.r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_packet_at_once),
	    cmocka_unit_test(each_second_packet_or_after_a_while),
	    cmocka_unit_test(a_hole_is_told_at_once_and_so_is_its_filling),
	    cmocka_unit_test(rfc2018_examples),
	    cmocka_unit_test(rfc2883_duplicates),
	    cmocka_unit_test(duplicate_and_three_blocks_fit_in_three),
	    cmocka_unit_test(old_data_out_of_order_is_reported_still),
	    cmocka_unit_test(change_of_mark_flushes),
	    cmocka_unit_test(beyond_the_window_is_not_kept),
	    cmocka_unit_test(zero_length_changes_nothing),
	    cmocka_unit_test(overlaps_merge),
	    cmocka_unit_test(g32_wrap),
	    cmocka_unit_test(echo_of_the_earliest),
	    cmocka_unit_test(many_holes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
