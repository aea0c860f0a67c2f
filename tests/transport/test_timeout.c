/* SPDX-License-Identifier: MIT */
/* The retransmission timeout: RFC 6298, RFC 5681. */
#include "cc/reno.h"
#include "steady_path.h"

static struct pair *without_probe(void)
{
	return steady_path(WEIR_RECOVERY_SACK);
}

/* G28: the very first segment is lost, again and again: 1 s, then doubled each time; the sample that ends it
 * comes only from what was sent once (Karn). */
static void g28_first_packet_lost(void **state)
{
	(void)state;
	struct pair *p = without_probe();
	for (u32 n = 1; n <= 4; n++)
		pair_drop(p, n);
	pair_write(p, MSS);
	pair_finish(p, 60 * WEIR_NS_PER_S);
	const u64 at_s[] = {0, 1, 3, 7, 15};
	assert_int_equal(p->n_sent, 5);
	for (u32 i = 0; i < 5; i++)
		assert_int_equal(p->sent[i].at_ns, at_s[i] * WEIR_NS_PER_S);
	assert_int_equal(p->sender.timeouts, 4);
	assert_int_equal(probe.n_of[PROBE_TIMEOUT], 4);
	assert_int_equal(probe.n_of[PROBE_LOSS], 0);
	assert_int_equal(p->sender.rtt.srtt_ns, 0);
	assert_int_equal(p->sender.rtt.backoff, 4); /* until there is a clean sample */
	pair_write(p, 2 * MSS);
	pair_finish(p, 100 * WEIR_NS_PER_S);
	assert_int_equal(p->sender.rtt.backoff, 0);
	assert_in_range(p->sender.rtt.srtt_ns, RTT_NS, RTT_NS + 2 * GAP_NS);
	pair_free(p);
}

/* Jumbo frames, first packet lost, all recoveries: one answer, no underflow. */
static void g28_first_packet_of_many_lost(void **state)
{
	(void)state;
	for (enum weir_recovery recovery = WEIR_RECOVERY_SACK; recovery <= WEIR_RECOVERY_RENO; recovery++) {
		struct weir_endpoint_config c = steady_config();
		const struct probe_params params = {.cwnd_bytes = 10 * 9000, .ssthresh_bytes = 5 * 9000};
		c.mss_bytes = 9000;
		c.recovery = recovery;
		struct pair *p = steady_path_of(&c, &params);
		pair_drop(p, 1);
		pair_write(p, 100 * 9000);
		pair_finish(p, 60 * WEIR_NS_PER_S);
		assert_int_equal(probe.cuts, 1);
		assert_int_equal(pair_retransmissions(p), 1);
		assert_int_equal(p->sender.timeouts, 0);
		pair_free(p);
	}
}

/* RFC 6298 (2.3) with G far above the clock: srtt + 200 ms on a path without variance. It is counted from the
 * last ACK with news (5.3). */
static void floor_and_restart(void **state)
{
	(void)state;
	struct pair *p = without_probe();
	pair_write(p, 400 * MSS);
	pair_run(p, WEIR_NS_PER_S);
	for (u32 i = 0; i < 20; i++) {
		u32 acks = p->acks_taken;
		while (p->acks_taken == acks)
			pair_step(p);
		assert_int_equal(p->sender.deadline_ns,
				 p->now_ns + p->sender.rtt.srtt_ns + 200 * WEIR_NS_PER_MS);
	}
	pair_finish(p, 100 * WEIR_NS_PER_S);
	assert_int_equal(p->sender.timeouts, 0);
	assert_int_equal(p->sender.deadline_ns, WEIR_NEVER);
	pair_free(p);
}

/* A window is lost whole: one timeout, one call, each segment again once, and the window grows anew. */
static void whole_window_lost(void **state)
{
	(void)state;
	for (enum weir_recovery recovery = WEIR_RECOVERY_SACK; recovery <= WEIR_RECOVERY_RENO; recovery++) {
		struct weir_endpoint_config c = steady_config();
		const struct probe_params params = {.cwnd_bytes = WINDOW * MSS, .grow = 1};
		c.tail_loss_probe = false;
		c.recovery = recovery;
		struct pair *p = steady_path_of(&c, &params);
		p->pipe[PAIR_DATA].limit_packets = 1000;
		for (u32 n = 1; n <= WINDOW; n++)
			pair_drop(p, n);
		pair_write(p, 200 * MSS);
		pair_finish(p, 30 * WEIR_NS_PER_S);
		assert_int_equal(p->sender.timeouts, 1);
		assert_int_equal(probe.n_of[PROBE_TIMEOUT], 1);
		assert_int_equal(probe.cuts, 0);
		assert_int_equal(pair_retransmissions(p), WINDOW);
		pair_free(p);
	}
}

/* What was reported as received before the timeout is not sent again. */
static void sacked_data_is_kept(void **state)
{
	(void)state;
	struct pair *p = without_probe();
	pair_drop(p, 50);
	pair_segment_rule(p, nth_offset(50), 1, PAIR_DROP, 0);
	pair_write(p, 69 * MSS); /* all else arrives: nothing reveals the loss of the retransmission */
	pair_finish(p, 30 * WEIR_NS_PER_S);
	assert_int_equal(p->sender.timeouts, 1);
	assert_int_equal(pair_retransmissions(p), 2);
	pair_free(p);
}

/* Hours in the dark: the timeout stops at its largest, nothing wraps, and one packet is enough to go on. */
static void hours_in_the_dark(void **state)
{
	(void)state;
	struct pair *p = without_probe();
	pair_write(p, 400 * MSS);
	pair_run(p, WEIR_NS_PER_S);
	p->pipe[PAIR_DATA].drop = 1;
	u32 before = p->n_sent;
	pair_run(p, 40ULL * 3600 * WEIR_NS_PER_S);
	assert_in_range(p->n_sent - before, 1100, 1300);
	for (u32 i = before + 40; i < p->n_sent; i++)
		assert_int_equal(p->sent[i].at_ns - p->sent[i - 1].at_ns, 120 * WEIR_NS_PER_S);
	p->pipe[PAIR_DATA].drop = 0;
	pair_finish(p, 41ULL * 3600 * WEIR_NS_PER_S);
	pair_free(p);
}

/* G23: a round trip below 50 us and 2 % of writes that fail: no stall, no storm. */
static void g23_tiny_rtt(void **state)
{
	(void)state;
	u64 params[1] = {WEIR_NS_PER_S};
	for (u64 seed = 0; seed < 5; seed++) {
		struct weir_endpoint_config c = steady_config();
		struct pair *p = pair_new(&c, &weir_cc_reno, params, 10 * WEIR_NS_PER_US, 0);
		weir_rng_init(&p->rng, seed, 0, 0);
		p->pipe[PAIR_DATA].rate_Bps = 1250000000;
		p->pipe[PAIR_DATA].drop = .02;
		p->unchecked = true;
		pair_write(p, 10000000);
		pair_finish(p, 60 * WEIR_NS_PER_S);
		assert_true(pair_retransmissions(p) < 300);
		assert_true(p->sender.timeouts < 20);
		pair_free(p);
	}
}

/* G31, G34: no delay at all. The round trip counts as 1 us, no timer is in the past. */
static void g31_g34_zero_delay(void **state)
{
	(void)state;
	for (u64 seed = 0; seed < 20; seed++) {
		struct weir_endpoint_config c = steady_config();
		const struct probe_params params = {.cwnd_bytes = WINDOW * MSS};
		struct pair *p = pair_new(&c, &probe_ops, &params, 0, 5);
		weir_rng_init(&p->rng, seed, 0, 0);
		p->pipe[PAIR_DATA].drop = seed ? .05 : 0;
		p->pipe[PAIR_ACKS].drop = seed ? .05 : 0;
		pair_write(p, 300 * MSS);
		pair_finish(p, 600 * WEIR_NS_PER_S);
		assert_int_equal(p->sender.rtt.min_ns, WEIR_RTT_FLOOR_NS);
		if (seed == 0) {
			assert_int_equal(p->now_ns, 5);
			assert_int_equal(p->sender.rtt.srtt_ns, WEIR_RTT_FLOOR_NS);
		}
		pair_free(p);
	}
}

/* Part D 11 of the must-get-right list: variance before mean. A step of the round trip by its double. */
static void variance_before_mean(void **state)
{
	(void)state;
	struct weir_rtt r = {0};
	weir_rtt_sample(&r, 0, 800000);
	assert_int_equal(r.srtt_ns, 800000);
	assert_int_equal(r.rttvar_ns, 400000);
	weir_rtt_sample(&r, 0, 1600000);
	assert_int_equal(r.rttvar_ns, 300000 + 200000);
	assert_int_equal(r.srtt_ns, 700000 + 200000);
	assert_int_equal(weir_rtt_rto_ns(&r, 1, WEIR_NEVER), 900000 + 4 * 500000);
	assert_int_equal(weir_rtt_rto_ns(&r, 200000000, WEIR_NEVER), 200900000);
	assert_int_equal(weir_rtt_rto_ns(&r, 200000000, 1000000), 1000000);
	r.backoff = 3;
	assert_int_equal(weir_rtt_rto_ns(&r, 200000000, WEIR_NEVER), 8 * 200900000ULL);
}

/* A hole that waited three seconds for its retransmission says nothing of the round trip, and neither does
 * what waited behind it. */
static void no_sample_from_what_waited(void **state)
{
	(void)state;
	for (enum weir_recovery recovery = WEIR_RECOVERY_SACK; recovery <= WEIR_RECOVERY_RENO; recovery++) {
		struct pair *p = steady_path(recovery);
		p->config.undo = false;
		pair_drop(p, 50);
		for (u8 attempt = 1; attempt <= 4; attempt++)
			pair_segment_rule(p, nth_offset(50), attempt, PAIR_DROP, 0);
		pair_write(p, 100 * MSS);
		pair_finish(p, 60 * WEIR_NS_PER_S);
		assert_true(p->sender.timeouts > 0);
		assert_true(p->sender.rtt.latest_ns <= RTT_NS + WINDOW * GAP_NS);
		assert_true(p->sender.rtt.srtt_ns <= RTT_NS + WINDOW * GAP_NS);
		pair_free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(g28_first_packet_lost), cmocka_unit_test(g28_first_packet_of_many_lost),
	    cmocka_unit_test(floor_and_restart),     cmocka_unit_test(whole_window_lost),
	    cmocka_unit_test(sacked_data_is_kept),   cmocka_unit_test(hours_in_the_dark),
	    cmocka_unit_test(g23_tiny_rtt),	     cmocka_unit_test(g31_g34_zero_delay),
	    cmocka_unit_test(variance_before_mean),  cmocka_unit_test(no_sample_from_what_waited),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
