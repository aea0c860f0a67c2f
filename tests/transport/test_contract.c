/* SPDX-License-Identifier: MIT */
/* What a controller is told (weir/cc.h): samples of round trip and rate, rounds, marks, and - on random
 * paths, where probe.h looks at every call - the order of loss and ACK, one cut a window, sums that agree. */
#include "steady_path.h"

static struct weir_cc_ops ops_with(u16 needs)
{
	struct weir_cc_ops ops = probe_ops;
	ops.needs = needs;
	return ops;
}

/* 200 kB/s come through; each sample after the start is within 1 % of it, whether taken for each ACK or once
 * a round, and there is a round a round trip. */
static void rate_and_rounds(void **state)
{
	(void)state;
	for (u32 k = 0; k < 4; k++) {
		struct weir_endpoint_config c = steady_config();
		const struct weir_cc_ops ops = ops_with(k & 1 ? WEIR_NEED_RATE : 0);
		const struct probe_params params = {.cwnd_bytes = 40 * MSS}; /* fills the pipe and some */
		c.ack_every = k & 2 ? 2 : 1;
		struct pair *p = pair_new(&c, &ops, &params, RTT_NS / 2, 0);
		p->pipe[PAIR_DATA].rate_Bps = (MSS + HEADER) * WEIR_NS_PER_S / GAP_NS;
		pair_write(p, WEIR_NEVER);
		pair_run(p, 5 * WEIR_NS_PER_S);
		u32 samples = 0, rounds = 0;
		for (u32 i = 0; i < probe.n; i++) {
			const struct probe_event *e = &probe.event[i];
			if (e->kind != PROBE_ACK || e->now_ns < WEIR_NS_PER_S)
				continue;
			samples++;
			rounds += (e->view_flags & WEIR_ROUND_START) != 0;
			assert_in_range(e->delivery_Bps, 198000, 202000);
			assert_true(e->rtt_ns > 0);
		}
		assert_true(samples > 300);
		assert_in_range(rounds, 18, 21); /* 40 segments are 200 ms */
		assert_in_range(p->sender.rtt.min_ns, RTT_NS, RTT_NS + 2 * GAP_NS);
		assert_in_range(p->sender.rtt.srtt_ns, 195 * WEIR_NS_PER_MS, 210 * WEIR_NS_PER_MS);
		pair_free(p);
	}
}

/* An application that writes half of what the path takes: samples say what was delivered, not more (I4). */
static void rate_of_a_limited_application(void **state)
{
	(void)state;
	struct weir_endpoint_config c = steady_config();
	const struct weir_cc_ops ops = ops_with(WEIR_NEED_RATE);
	const struct probe_params params = {.cwnd_bytes = 100 * MSS};
	struct pair *p = pair_new(&c, &ops, &params, RTT_NS / 2, 0);
	for (u64 i = 1; i <= 300; i++) {
		pair_write(p, i * MSS);
		pair_run(p, i * 10 * WEIR_NS_PER_MS);
	}
	const struct probe_event *last = probe_last(PROBE_ACK);
	assert_in_range(last->delivery_Bps, 90000, 111000);
	assert_true(last->view_flags & WEIR_APP_LIMITED);
	pair_free(p);
}

static struct pair *with_marks(void)
{
	struct weir_endpoint_config c = steady_config();
	c.ecn = true;
	c.tail_loss_probe = false;
	return steady_path_of(&c, &fixed_window);
}

/* RFC 3168 section 6.1.2: marks of one window, one cut; the next window's, another. */
static void marks_cut_once_a_window(void **state)
{
	(void)state;
	struct pair *p = with_marks();
	for (u32 n = 50; n < 60; n += 3)
		pair_rule(p, PAIR_DATA, n, PAIR_MARK, 0);
	pair_segment_rule(p, nth_offset(150), 0, PAIR_MARK, 0);
	pair_write(p, 300 * MSS);
	pair_finish(p, 20 * WEIR_NS_PER_S);
	assert_int_equal(probe.n_of[PROBE_ECN], 5);
	assert_int_equal(probe.cuts, 2);
	u64 ce_bytes = 0;
	for (u32 i = 0; i < probe.n; i++)
		ce_bytes += probe.event[i].ce_bytes;
	assert_int_equal(ce_bytes, 5 * MSS);
	assert_int_equal(pair_retransmissions(p), 0);
	pair_free(p);
}

/* A mark and a loss among the same window's data: one cut for both, whichever comes first. */
static void a_mark_and_a_loss_cut_once(void **state)
{
	(void)state;
	for (u32 k = 0; k < 2; k++) {
		struct pair *p = with_marks();
		pair_rule(p, PAIR_DATA, k ? 60 : 50, PAIR_MARK, 0);
		pair_drop(p, k ? 50 : 60);
		pair_write(p, 300 * MSS);
		pair_finish(p, 20 * WEIR_NS_PER_S);
		assert_int_equal(probe.cuts, 1);
		assert_int_equal(pair_retransmissions(p), 1);
		assert_int_equal(p->sender.cwnd_bytes, 10 * MSS);
		assert_int_equal(p->sender.timeouts, 0);
		pair_free(p);
	}
}

/* Any path: whatever probe.h asserts holds, every byte comes through once, and the flow ends. */
static void any_path(void **state)
{
	(void)state;
	for (u64 seed = 0; seed < 150; seed++) {
		struct weir_endpoint_config c = steady_config();
		const struct weir_cc_ops ops = ops_with(seed % 7 ? 0 : WEIR_NEED_RATE);
		struct weir_rng r;
		weir_rng_init(&r, seed, 7, 0);
		const struct probe_params params = {.cwnd_bytes = (1 + weir_rng_below(&r, 60)) * MSS,
						    .grow = weir_rng_below(&r, 2),
						    .pacing_Bps = seed % 5 ? 0 : 150000};
		c.recovery = (enum weir_recovery)(seed % 3);
		c.ack_every = 1 + (u32)weir_rng_below(&r, 2);
		c.undo = weir_rng_below(&r, 4) > 0;
		c.ecn = weir_rng_below(&r, 2);
		c.pace = weir_rng_below(&r, 3) == 0;
		struct pair *p = pair_new(&c, &ops, &params, weir_rng_below(&r, RTT_NS), 0);
		weir_rng_init(&p->rng, seed, 0, 0);
		p->unchecked = true;
		for (u32 k = 0; k < 2; k++) {
			struct pair_pipe *way = &p->pipe[k];
			way->rate_Bps = (MSS + HEADER) * WEIR_NS_PER_S / GAP_NS;
			way->limit_packets = 5 + (u32)weir_rng_below(&r, 60);
			way->drop = weir_rng_below(&r, 2) ? .1 * weir_rng_unit(&r) : 0;
			way->copy = weir_rng_below(&r, 3) ? 0 : .1 * weir_rng_unit(&r);
			way->late = weir_rng_below(&r, 2) ? .1 * weir_rng_unit(&r) : 0;
			way->late_ns = weir_rng_below(&r, 2 * RTT_NS);
			way->jitter_ns = weir_rng_below(&r, 2) ? weir_rng_below(&r, RTT_NS) : 0;
			way->ordered = weir_rng_below(&r, 2);
		}
		for (u32 n = 20; c.ecn && n < 1000; n += 80)
			pair_rule(p, PAIR_DATA, n, PAIR_MARK, 0);
		pair_write(p, 400 * MSS + seed);
		pair_finish(p, 5000 * WEIR_NS_PER_S);
		assert_int_equal(probe.acked_bytes, 400 * MSS + seed);
		assert_true(p->n_sent < 4000);
		pair_free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rate_and_rounds),
	    cmocka_unit_test(rate_of_a_limited_application),
	    cmocka_unit_test(marks_cut_once_a_window),
	    cmocka_unit_test(a_mark_and_a_loss_cut_once),
	    cmocka_unit_test(any_path),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
