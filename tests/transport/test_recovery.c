/* SPDX-License-Identifier: MIT */
/* Recovery with SACK: when a segment counts as lost, what leaves while it is repaired, what it costs. */
#include "steady_path.h"

/* RFC 6675: the third segment reported above the hole, not the second; one cut, one retransmission. */
static void fast_retransmit_after_three(void **state)
{
	(void)state;
	struct pair *p = steady_path(WEIR_RECOVERY_SACK);
	pair_drop(p, 50);
	pair_write(p, 200 * MSS);
	pair_finish(p, 10 * WEIR_NS_PER_S);
	const struct pair_sent *again = pair_retransmission(p, nth_offset(50), 1);
	assert_non_null(again);
	assert_int_equal(again->after_acks, 49 + 3);
	assert_int_equal(pair_retransmissions(p), 1);
	assert_int_equal(probe.cuts, 1);
	assert_int_equal(probe.n_of[PROBE_LOSS], 1);
	assert_int_equal(probe_last(PROBE_LOSS)->bytes, MSS);
	assert_int_equal(p->sender.timeouts, 0);
	assert_int_equal(p->sender.recoveries, 1);
	assert_int_equal(p->sender.spurious, 0);
	assert_int_equal(p->sender.cwnd_bytes, 10 * MSS);
	pair_free(p);
}

static void two_reported_are_not_enough(void **state)
{
	(void)state;
	struct pair *p = steady_path(WEIR_RECOVERY_SACK);
	pair_rule(p, PAIR_DATA, 50, PAIR_LATE, 2 * GAP_NS + 1); /* overtaken by two */
	pair_write(p, 200 * MSS);
	pair_finish(p, 10 * WEIR_NS_PER_S);
	assert_int_equal(pair_retransmissions(p), 0);
	assert_int_equal(probe.n_of[PROBE_LOSS], 0);
	assert_true(p->sender.rack.reordering_seen);
	pair_free(p);
}

/* RFC 9937: from a window of 20 to 10 by one loss: one segment for two ACKs, from the first on; at the end
 * the flight is ssthresh, and no burst follows. */
static void prr_spreads_the_reduction(void **state)
{
	(void)state;
	struct pair *p = steady_path(WEIR_RECOVERY_SACK);
	pair_drop(p, 50);
	pair_write(p, WEIR_NEVER);
	pair_run(p, 2 * WEIR_NS_PER_S);
	u32 in_recovery = 0, before = 0;
	for (u32 i = 0; i < p->n_sent; i++) {
		if (p->sent[i].state != WEIR_SENDER_RECOVERY)
			continue;
		if (in_recovery++) {
			u32 acks = p->sent[i].after_acks - before;
			assert_in_range(acks, 1, 3); /* never two for one ACK, never silent for long */
		}
		before = p->sent[i].after_acks;
	}
	assert_in_range(in_recovery, 9, 11);
	assert_int_equal(p->sender.pipe_bytes, 10 * MSS);
	for (u32 i = 1; i < p->n_sent; i++) /* after it: one for one */
		if (p->sent[i].at_ns > WEIR_NS_PER_S)
			assert_true(p->sent[i].at_ns - p->sent[i - 1].at_ns >= GAP_NS - 1);
	pair_free(p);
}

/* More than half of a window lost: never more sent than delivered, but for one segment for each ACK that
 * advances; each lost one goes once; no timeout. */
static void prr_in_heavy_loss(void **state)
{
	(void)state;
	struct pair *p = steady_path(WEIR_RECOVERY_SACK);
	for (u32 n = 50; n < 62; n++)
		pair_drop(p, n);
	pair_write(p, 200 * MSS);
	u64 una = 0, delivered = 0, out = 0, advances = 0;
	while (p->sender.recoveries == 0)
		pair_step(p);
	delivered = p->sender.delivered_bytes - MSS; /* the ACK that began it counts */
	out = p->sender.sent_packets - 1;
	una = p->sender.una;
	while (p->sender.state == WEIR_SENDER_RECOVERY) {
		pair_step(p);
		advances += p->sender.una > una;
		una = p->sender.una;
		assert_true((p->sender.sent_packets - out) * MSS <=
			    p->sender.delivered_bytes - delivered + advances * MSS);
		assert_true(p->sender.pipe_bytes <= 10 * MSS);
	}
	pair_finish(p, 10 * WEIR_NS_PER_S);
	assert_int_equal(pair_retransmissions(p), 12);
	assert_int_equal(p->sender.timeouts, 0);
	assert_int_equal(probe.cuts, 1);
	pair_free(p);
}

/* RFC 8985: a retransmission that is lost itself is found lost one round trip later, without a timeout. */
static void rack_finds_a_lost_retransmission(void **state)
{
	(void)state;
	struct pair *p = steady_path(WEIR_RECOVERY_SACK);
	pair_drop(p, 50);
	pair_segment_rule(p, nth_offset(50), 1, PAIR_DROP, 0);
	pair_segment_rule(p, nth_offset(50), 2, PAIR_DROP, 0);
	pair_write(p, 300 * MSS);
	pair_finish(p, 10 * WEIR_NS_PER_S);
	for (u8 attempt = 2; attempt <= 3; attempt++) {
		u64 gap_ns = pair_retransmission(p, nth_offset(50), attempt)->at_ns -
			     pair_retransmission(p, nth_offset(50), attempt - 1)->at_ns;
		assert_in_range(gap_ns, RTT_NS, RTT_NS + RTT_NS / 2);
	}
	assert_int_equal(pair_retransmissions(p), 3);
	assert_int_equal(p->sender.timeouts, 0);
	pair_free(p);
}

/* New data lost while older is repaired is another window's loss: a second cut, and no timeout. */
static void a_loss_behind_the_episode_begins_another(void **state)
{
	(void)state;
	struct pair *p = steady_path(WEIR_RECOVERY_SACK);
	pair_drop(p, 50);
	pair_segment_rule(p, nth_offset(50), 1, PAIR_LATE, 2 * RTT_NS);
	pair_segment_rule(p, nth_offset(72), 0, PAIR_DROP, 0);
	pair_write(p, 300 * MSS);
	pair_finish(p, 10 * WEIR_NS_PER_S);
	assert_int_equal(probe.cuts, 2);
	assert_int_equal(p->sender.timeouts, 0);
	pair_free(p);
}

/* Two losses in one window: one cut, whatever the order of their repair. */
static void one_cut_for_one_window(void **state)
{
	(void)state;
	for (u32 second = 51; second < 50 + WINDOW; second++) {
		struct pair *p = steady_path(WEIR_RECOVERY_SACK);
		pair_drop(p, 50);
		pair_drop(p, second);
		pair_write(p, 200 * MSS);
		pair_finish(p, 10 * WEIR_NS_PER_S);
		assert_int_equal(probe.cuts, 1);
		assert_int_equal(pair_retransmissions(p), 2);
		assert_int_equal(p->sender.timeouts, 0);
		pair_free(p);
	}
}

/* RFC 8985 section 6.2: after reordering was seen, what comes late by less than the window is not sent again.
 */
static void reordering_once_seen_is_waited_for(void **state)
{
	(void)state;
	struct pair *p = steady_path(WEIR_RECOVERY_SACK);
	pair_rule(p, PAIR_DATA, 50, PAIR_LATE, 6 * GAP_NS); /* the first time it looks like a loss */
	for (u32 n = 150; n < 1000; n += 50)
		pair_segment_rule(p, nth_offset(n), 0, PAIR_LATE, 4 * GAP_NS + GAP_NS / 2);
	pair_write(p, 1000 * MSS);
	pair_finish(p, 20 * WEIR_NS_PER_S);
	assert_int_equal(pair_retransmissions(p), 1);
	assert_int_equal(probe.cuts, 1);
	assert_int_equal(p->sender.spurious, 1);
	pair_free(p);
}

/* Retransmissions that leave at one instant need not be in the order of the stream: the one that left last
 * must not make the others look lost. After a timeout slow start sends them two at a time, those that were
 * lost again first. */
static void retransmissions_of_one_instant(void **state)
{
	(void)state;
	struct weir_endpoint_config c = steady_config();
	const struct probe_params slow_start = {.cwnd_bytes = WINDOW * MSS, .grow = 1};
	c.tail_loss_probe = false;
	struct pair *p = steady_path_of(&c, &slow_start);
	for (u32 n = 1; n <= 20; n++)
		pair_drop(p, n);
	for (u32 n = 4; n <= 20; n += 3)
		pair_segment_rule(p, nth_offset(n), 1, PAIR_DROP, 0);
	for (u32 n = 4; n <= 20; n += 6)
		pair_segment_rule(p, nth_offset(n), 2, PAIR_DROP, 0);
	pair_write(p, 400 * MSS);
	pair_finish(p, 30 * WEIR_NS_PER_S);
	assert_int_equal(pair_retransmissions(p), 20 + 6 + 3);
	assert_int_equal(p->sender.timeouts, 1);
	pair_free(p);
}

/* RFC 3042: with three segments in flight the first two reports let new ones out, so that there is a third.
 */
static void limited_transmit(void **state)
{
	(void)state;
	for (enum weir_recovery recovery = WEIR_RECOVERY_SACK; recovery <= WEIR_RECOVERY_RENO; recovery++) {
		struct weir_endpoint_config c = steady_config();
		const struct probe_params three = {.cwnd_bytes = 3 * MSS};
		c.recovery = recovery;
		c.tail_loss_probe = false;
		struct pair *p = steady_path_of(&c, &three);
		pair_drop(p, 31);
		pair_write(p, 100 * MSS);
		pair_finish(p, 30 * WEIR_NS_PER_S);
		assert_int_equal(p->sender.timeouts, 0);
		assert_int_equal(pair_retransmissions(p), 1);
		assert_int_equal(probe.cuts, 1);
		pair_free(p);
	}
}

/* RFC 8985 section 7: the last segment is lost; a probe repairs it two round trips after the last ACK, and
 * since the probe filled the hole there is one cut. */
static void tail_loss_probe_repairs(void **state)
{
	(void)state;
	struct weir_endpoint_config c = steady_config();
	struct pair *p = steady_path_of(&c, &fixed_window);
	pair_drop(p, 100);
	pair_write(p, 100 * MSS);
	pair_finish(p, 10 * WEIR_NS_PER_S);
	const struct pair_sent *again = pair_retransmission(p, nth_offset(100), 1);
	assert_non_null(again);
	u64 last_ack_ns = pair_nth(p, 99)->at_ns + p->sender.rtt.srtt_ns;
	assert_in_range(again->at_ns - last_ack_ns, 19 * RTT_NS / 10, 22 * RTT_NS / 10);
	assert_int_equal(p->sender.timeouts, 0);
	assert_int_equal(probe.cuts, 1);
	assert_int_equal(probe.n_of[PROBE_TIMEOUT], 0);
	pair_free(p);
}

static void tail_loss_probe_waits_for_delayed_acks(void **state)
{
	(void)state;
	struct weir_endpoint_config c = steady_config();
	c.ack_every = 2;
	c.delayed_ack_ns = 50 * WEIR_NS_PER_MS;
	struct pair *p = steady_path_of(&c, &fixed_window);
	pair_drop(p, 101);
	pair_write(p, 101 * MSS);
	pair_finish(p, 10 * WEIR_NS_PER_S);
	u64 gap_ns = pair_retransmission(p, nth_offset(101), 1)->at_ns - pair_nth(p, 101)->at_ns;
	assert_in_range(gap_ns, 3 * RTT_NS + 50 * WEIR_NS_PER_MS, 3 * RTT_NS + 70 * WEIR_NS_PER_MS);
	assert_int_equal(p->sender.timeouts, 0);
	pair_free(p);
}

/* Only the last ACK was lost: the probe comes back as a duplicate, and nothing is cut. */
static void tail_loss_probe_for_a_lost_ack(void **state)
{
	(void)state;
	struct weir_endpoint_config c = steady_config();
	struct pair *p = steady_path_of(&c, &fixed_window);
	pair_rule(p, PAIR_ACKS, 100, PAIR_DROP, 0);
	pair_write(p, 100 * MSS);
	pair_finish(p, 10 * WEIR_NS_PER_S);
	assert_int_equal(pair_retransmissions(p), 1);
	assert_int_equal(p->sender.timeouts, 0);
	assert_int_equal(probe.n_of[PROBE_LOSS], 0);
	assert_int_equal(p->sender.cwnd_bytes, WINDOW * MSS);
	pair_free(p);
}

/* The last five are lost: the report of the probe makes RACK repair the other four. */
static void tail_loss_probe_reveals_more(void **state)
{
	(void)state;
	struct weir_endpoint_config c = steady_config();
	struct pair *p = steady_path_of(&c, &fixed_window);
	for (u32 n = 96; n <= 100; n++)
		pair_drop(p, n);
	pair_write(p, 100 * MSS);
	pair_finish(p, 10 * WEIR_NS_PER_S);
	assert_int_equal(pair_retransmissions(p), 5);
	assert_int_equal(p->sender.timeouts, 0);
	assert_int_equal(probe.cuts, 1);
	pair_free(p);
}

/* A probe takes new data when there is some, window or not, and then costs nothing by itself. */
static void tail_loss_probe_sends_new_data(void **state)
{
	(void)state;
	struct weir_endpoint_config c = steady_config();
	struct pair *p = steady_path_of(&c, &fixed_window);
	for (u32 n = 81; n <= 100; n++)
		pair_drop(p, n);
	pair_write(p, WEIR_NEVER);
	while (p->now_ns < WEIR_NS_PER_S)
		pair_step(p);
	assert_int_equal(p->sender.timeouts, 0);
	assert_int_equal(pair_nth(p, 101)->seq, nth_offset(101));
	assert_int_equal(pair_nth(p, 101)->attempt, 0);
	assert_int_equal(probe.cuts, 1);
	pair_free(p);
}

/* RFC 8985: data sent before what a probe or a retransmission brought back is lost too, holes or not. */
static void every_segment_may_be_lost_once(void **state)
{
	(void)state;
	for (u32 n = 1; n <= 60; n++) {
		struct weir_endpoint_config c = steady_config();
		struct pair *p = steady_path_of(&c, &fixed_window);
		pair_drop(p, n);
		pair_write(p, 60 * MSS);
		pair_finish(p, 10 * WEIR_NS_PER_S);
		assert_int_equal(pair_retransmissions(p), 1);
		assert_int_equal(probe.cuts, 1);
		assert_int_equal(p->sender.timeouts, 0);
		pair_free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(fast_retransmit_after_three),
	    cmocka_unit_test(two_reported_are_not_enough),
	    cmocka_unit_test(prr_spreads_the_reduction),
	    cmocka_unit_test(prr_in_heavy_loss),
	    cmocka_unit_test(rack_finds_a_lost_retransmission),
	    cmocka_unit_test(a_loss_behind_the_episode_begins_another),
	    cmocka_unit_test(one_cut_for_one_window),
	    cmocka_unit_test(reordering_once_seen_is_waited_for),
	    cmocka_unit_test(retransmissions_of_one_instant),
	    cmocka_unit_test(limited_transmit),
	    cmocka_unit_test(tail_loss_probe_repairs),
	    cmocka_unit_test(tail_loss_probe_waits_for_delayed_acks),
	    cmocka_unit_test(tail_loss_probe_for_a_lost_ack),
	    cmocka_unit_test(tail_loss_probe_reveals_more),
	    cmocka_unit_test(tail_loss_probe_sends_new_data),
	    cmocka_unit_test(every_segment_may_be_lost_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
