/* SPDX-License-Identifier: MIT */
/* When segments leave: at equal gaps where the controller names a rate, never in a burst after a pause. */
#include "steady_path.h"

static struct pair *paced(const struct probe_params *params, bool by_default)
{
	struct weir_endpoint_config c = steady_config();
	c.pace = by_default;
	struct pair *p = pair_new(&c, &probe_ops, params, RTT_NS / 2, 0);
	return p;
}

/* G26, J11: the n-th segment leaves at n * bytes / rate, exactly, however long it goes on. */
static void gaps_are_exact(void **state)
{
	(void)state;
	const u64 rate_Bps[] = {333333, 7, 1000003, 999999999, 123456789012ULL};
	for (u32 k = 0; k < 5; k++) {
		const struct probe_params params = {.cwnd_bytes = 1ULL << 40, .pacing_Bps = rate_Bps[k]};
		struct pair *p = paced(&params, false);
		p->unchecked = true;
		pair_write(p, WEIR_NEVER);
		while (p->n_sent < 10000) {
			pair_step(p);
			/* No debt: the next is at most one segment away. */
			assert_true(p->sender.pace_next_ns <=
				    p->now_ns + MSS * WEIR_NS_PER_S / rate_Bps[k] + 1);
		}
		for (u32 n = 1; n <= p->n_sent; n++)
			assert_int_equal(pair_nth(p, n)->at_ns,
					 (u64)(n - 1) * MSS * WEIR_NS_PER_S / rate_Bps[k]);
		assert_int_equal(p->sender.timeouts, 0);
		pair_free(p);
	}
}

static void no_burst_after_a_pause(void **state)
{
	(void)state;
	const struct probe_params params = {.cwnd_bytes = 1 << 20, .pacing_Bps = 1000000};
	struct pair *p = paced(&params, false);
	pair_write(p, 100 * MSS);
	pair_run(p, 10 * WEIR_NS_PER_S);
	pair_write(p, 200 * MSS);
	pair_finish(p, 20 * WEIR_NS_PER_S);
	assert_int_equal(p->n_sent, 200);
	for (u32 n = 2; n <= 200; n++)
		assert_true(pair_nth(p, n)->at_ns - pair_nth(p, n - 1)->at_ns >= WEIR_NS_PER_MS);
	assert_int_equal(pair_nth(p, 101)->at_ns, 10 * WEIR_NS_PER_S);
	pair_free(p);
}

/* Retransmissions are paced too, and a probe or a timeout does not break the gaps. */
static void repair_keeps_the_gaps(void **state)
{
	(void)state;
	for (u64 seed = 0; seed < 10; seed++) {
		const struct probe_params params = {
		    .cwnd_bytes = 200 * MSS, .ssthresh_bytes = 100 * MSS, .pacing_Bps = 500000};
		struct pair *p = paced(&params, false);
		weir_rng_init(&p->rng, seed, 0, 0);
		p->pipe[PAIR_DATA].drop = .05;
		p->pipe[PAIR_ACKS].drop = .05;
		pair_write(p, 1000 * MSS);
		pair_finish(p, 1000 * WEIR_NS_PER_S);
		for (u32 n = 2; n <= p->n_sent; n++)
			assert_true(pair_nth(p, n)->at_ns - pair_nth(p, n - 1)->at_ns >= 2 * WEIR_NS_PER_MS);
		pair_free(p);
	}
}

/* Without an opinion of the controller: twice the window a round trip in the first slow start, 1.25 windows
 * after a cut; the first window leaves at once, there being no round trip yet. */
static void by_window_and_round_trip(void **state)
{
	(void)state;
	const struct probe_params params = {.cwnd_bytes = 20 * MSS, .ssthresh_bytes = 10 * MSS};
	struct pair *p = paced(&params, true);
	pair_segment_rule(p, nth_offset(200), 0, PAIR_DROP, 0);
	pair_write(p, WEIR_NEVER);
	assert_int_equal(p->n_sent, 20);
	pair_run(p, 3 * WEIR_NS_PER_S);
	u64 least_before_ns = WEIR_NEVER, least_after_ns = WEIR_NEVER;
	for (u32 n = 22; n <= p->n_sent; n++) {
		u64 gap_ns = pair_nth(p, n)->at_ns - pair_nth(p, n - 1)->at_ns;
		if (pair_nth(p, n)->at_ns < WEIR_NS_PER_S)
			least_before_ns = weir_min(least_before_ns, gap_ns);
		if (pair_nth(p, n)->at_ns > 2 * WEIR_NS_PER_S)
			least_after_ns = weir_min(least_after_ns, gap_ns);
	}
	assert_in_range(least_before_ns, RTT_NS / 41, RTT_NS / 39);
	assert_in_range(least_after_ns, 99 * RTT_NS / 1250, 101 * RTT_NS / 1250);
	pair_free(p);
}

/* A wake-up in the past is one soon; it neither stops the clock nor turns it back. */
static void wake_up_in_the_past(void **state)
{
	(void)state;
	const struct probe_params params = {.cwnd_bytes = 20 * MSS, .wake_ns = 1};
	struct pair *p = paced(&params, false);
	pair_write(p, WEIR_NEVER);
	pair_run(p, WEIR_NS_PER_S);
	assert_int_equal(probe.n_of[PROBE_TICK], 100);
	for (u32 i = 0, last = 0; i < probe.n; i++) {
		if (probe.event[i].kind != PROBE_TICK)
			continue;
		assert_true(probe.event[i].now_ns >= probe.event[last].now_ns + WEIR_TICK_FLOOR_NS ||
			    last == 0);
		last = i;
	}
	pair_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(gaps_are_exact),	     cmocka_unit_test(no_burst_after_a_pause),
	    cmocka_unit_test(repair_keeps_the_gaps), cmocka_unit_test(by_window_and_round_trip),
	    cmocka_unit_test(wake_up_in_the_past),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
