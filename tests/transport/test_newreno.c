/* SPDX-License-Identifier: MIT */
/* Recovery without SACK: RFC 6582 and RFC 5681. */
#include "steady_path.h"

/* G29: several losses in one window: one cut; each partial ACK sends the next hole again, once, a round trip
 * after the one before; the window does not grow beyond what has left. */
static void g29_partial_acks(void **state)
{
	(void)state;
	const u32 lost[] = {50, 53, 57, 58, 64, 69};
	struct weir_endpoint_config c = steady_config();
	c.recovery = WEIR_RECOVERY_NEWRENO;
	c.rto_min_ns = 10 * RTT_NS;
	struct pair *p = steady_path_of(&c, &fixed_window);
	for (u32 i = 0; i < 6; i++)
		pair_drop(p, lost[i]);
	pair_write(p, 300 * MSS);
	while (!weir_sender_done(&p->sender)) {
		pair_step(p);
		u32 on_the_way = 0;
		for (u32 i = 0; i < p->n_items; i++)
			on_the_way += !p->heap[i].is_ack;
		assert_true(on_the_way <= WINDOW + 1);
	}
	assert_int_equal(probe.cuts, 1);
	assert_int_equal(pair_retransmissions(p), 6);
	assert_int_equal(p->sender.timeouts, 0);
	for (u32 i = 1; i < 6; i++) {
		u64 gap_ns = pair_retransmission(p, nth_offset(lost[i]), 1)->at_ns -
			     pair_retransmission(p, nth_offset(lost[i - 1]), 1)->at_ns;
		assert_in_range(gap_ns, RTT_NS, RTT_NS + 12 * GAP_NS);
	}
	assert_int_equal(p->sender.cwnd_bytes, 10 * MSS);
	assert_int_equal(p->sender.inflation_bytes, 0);
	pair_free(p);
}

/* RFC 6582 section 3.2 step 3: only the first partial ACK restarts the timer. Ten holes at a round trip each
 * would take a second; the timeout comes 305 ms after that ACK, and slow start sends the rest. */
static void many_holes_are_left_to_the_timer(void **state)
{
	(void)state;
	struct weir_endpoint_config c = steady_config();
	const struct probe_params params = {.cwnd_bytes = WINDOW * MSS, .grow = 1};
	c.recovery = WEIR_RECOVERY_NEWRENO;
	struct pair *p = steady_path_of(&c, &params);
	for (u32 n = 30; n < 50; n += 2)
		pair_segment_rule(p, nth_offset(n), 0, PAIR_DROP, 0);
	pair_write(p, 300 * MSS);
	u64 first_ns = 0;
	while (!weir_sender_done(&p->sender)) {
		pair_step(p);
		if (!first_ns && p->sender.partial_acked)
			first_ns = p->now_ns;
	}
	assert_int_equal(p->sender.timeouts, 1);
	assert_int_equal(probe.cuts, 1);
	assert_in_range(probe_last(PROBE_TIMEOUT)->now_ns - first_ns, 3 * RTT_NS, 4 * RTT_NS);
	pair_free(p);
}

static void third_duplicate(void **state)
{
	(void)state;
	for (enum weir_recovery recovery = WEIR_RECOVERY_NEWRENO; recovery <= WEIR_RECOVERY_RENO;
	     recovery++) {
		struct pair *p = steady_path(recovery);
		pair_drop(p, 50);
		pair_write(p, 300 * MSS);
		pair_finish(p, 10 * WEIR_NS_PER_S);
		assert_int_equal(pair_retransmission(p, nth_offset(50), 1)->after_acks, 49 + 3);
		assert_int_equal(pair_retransmissions(p), 1);
		assert_int_equal(probe.cuts, 1);
		assert_int_equal(p->sender.timeouts, 0);
		assert_int_equal(p->sender.cwnd_bytes, 10 * MSS);
		pair_free(p);
	}
}

/* After the cut from 20 to 10 half a window of duplicates passes in silence, then one goes for each; at the
 * end ten are out. */
static void inflation_and_deflation(void **state)
{
	(void)state;
	struct pair *p = steady_path(WEIR_RECOVERY_NEWRENO);
	pair_drop(p, 50);
	pair_write(p, WEIR_NEVER);
	while (p->sender.recoveries == 0)
		pair_step(p);
	u64 sent = p->sender.sent_packets;
	while (p->sender.state == WEIR_SENDER_RECOVERY)
		pair_step(p);
	/* 22 were out with limited transmit; 19 duplicates in all; the ACK that ends it lets none out. */
	assert_in_range(p->sender.sent_packets - sent, 9, 11);
	assert_in_range(p->sender.pipe_bytes, 9 * MSS, 10 * MSS);
	pair_run(p, 3 * WEIR_NS_PER_S);
	assert_int_equal(p->sender.pipe_bytes, 10 * MSS);
	pair_free(p);
}

/* RFC 5681 without RFC 6582: fast recovery ends with the first new ACK, whatever it acknowledges; the second
 * loss of the window is left to the timer. */
static void reno_leaves_at_the_first_new_ack(void **state)
{
	(void)state;
	struct pair *p = steady_path(WEIR_RECOVERY_RENO);
	pair_drop(p, 50);
	pair_drop(p, 53);
	pair_write(p, 300 * MSS);
	u64 una = nth_offset(50);
	while (p->sender.una < una || p->sender.recoveries == 0)
		pair_step(p);
	while (p->sender.una == una) {
		assert_int_equal(p->sender.state, WEIR_SENDER_RECOVERY);
		pair_step(p);
	}
	assert_int_equal(p->sender.una, nth_offset(53));
	assert_int_equal(p->sender.state, WEIR_SENDER_OPEN);
	pair_finish(p, 100 * WEIR_NS_PER_S);
	assert_int_equal(probe.cuts, 1);
	assert_int_equal(p->sender.timeouts, 1);
	pair_free(p);
}

/* RFC 6582 section 4: after a timeout what was sent again without need comes back as duplicate ACKs; they are
 * no sign of loss. */
static void duplicates_after_a_timeout(void **state)
{
	(void)state;
	struct weir_endpoint_config c = steady_config();
	const struct probe_params params = {.cwnd_bytes = WINDOW * MSS, .grow = 1};
	c.recovery = WEIR_RECOVERY_NEWRENO;
	struct pair *p = steady_path_of(&c, &params);
	/* Of the window only every third arrives, and no duplicate ACK comes through: the timer. */
	for (u32 n = 1; n <= WINDOW; n++)
		if (n % 3)
			pair_drop(p, n);
	for (u32 n = 1; n <= WINDOW / 3; n++)
		pair_rule(p, PAIR_ACKS, n, PAIR_DROP, 0);
	pair_write(p, 300 * MSS);
	pair_finish(p, 100 * WEIR_NS_PER_S);
	assert_int_equal(p->sender.timeouts, 1);
	assert_int_equal(probe.cuts, 0);
	assert_true(pair_retransmissions(p) <= WINDOW);
	pair_free(p);
}

/* Duplicate ACKs without end: what they let out is bounded by the peer's window. */
static void duplicate_acks_without_end(void **state)
{
	(void)state;
	struct weir_endpoint_config c = steady_config();
	c.recovery = WEIR_RECOVERY_NEWRENO;
	c.rwnd_bytes = 1 << 20;
	struct pair *p = steady_path_of(&c, &fixed_window);
	pair_write(p, WEIR_NEVER);
	struct weir_ack_segment ack = {.ack = 0, .window = (1 << 20) >> WEIR_WINDOW_SHIFT};
	for (u32 i = 0; i < 5000; i++)
		pair_ack_arrives(p, &ack);
	assert_true(p->sender.nxt <= 1 << 20);
	assert_int_equal(probe.cuts, 1);
	pair_run(p, 20 * WEIR_NS_PER_S);
	assert_true(p->sender.una > 100 * MSS);
	pair_free(p);
}

/* Retransmissions are not remembered for ever where nobody asks for them. */
static void bounded_memory(void **state)
{
	(void)state;
	for (enum weir_recovery recovery = WEIR_RECOVERY_SACK; recovery <= WEIR_RECOVERY_RENO; recovery++) {
		struct weir_endpoint_config c = steady_config();
		const struct probe_params params = {.cwnd_bytes = WINDOW * MSS,
						    .ssthresh_bytes = WINDOW * MSS};
		c.recovery = recovery;
		struct pair *p = steady_path_of(&c, &params);
		p->pipe[PAIR_DATA].drop = .05;
		pair_write(p, 20000 * MSS);
		pair_finish(p, 100000 * WEIR_NS_PER_S);
		assert_true(pair_retransmissions(p) > 900);
		assert_true(p->sender.retransmitted.capacity <= 64);
		assert_true(p->sender.relost.capacity <= 64);
		assert_true(p->sender.slots.capacity <= 256);
		pair_free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(third_duplicate),
	    cmocka_unit_test(g29_partial_acks),
	    cmocka_unit_test(many_holes_are_left_to_the_timer),
	    cmocka_unit_test(inflation_and_deflation),
	    cmocka_unit_test(reno_leaves_at_the_first_new_ack),
	    cmocka_unit_test(duplicates_after_a_timeout),
	    cmocka_unit_test(duplicate_acks_without_end),
	    cmocka_unit_test(bounded_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
