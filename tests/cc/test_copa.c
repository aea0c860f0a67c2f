/* SPDX-License-Identifier: MIT */
/* Copa by its formulas: the target, the steps, the velocity, the two modes; and field cases F1, F4. */
#include "law.h"

#include "core/recent.h"
#include "core/window.h"

#define BASE_NS (100 * FEED_MS)

/* In congestion avoidance with about that many packets, nothing queued so far. */
static void open_avoiding(struct feed *f, u64 packets)
{
	law_open(f, "copa", packets);
	f->view.flags |= WEIR_ROUND_START;
	feed_ack(f, FEED_MSS);
	f->view.flags &= ~(u32)WEIR_ROUND_START;
	f->view.now_ns += BASE_NS; /* the samples before are no standing ones any more */
	f->rtt_ns = BASE_NS + 50 * FEED_MS;
	while (feed_signal_value(f, "mode") == 0) {
		feed_ack(f, FEED_MSS);
		f->view.now_ns += FEED_MS;
	}
}

/* A round in ACKs of one packet whose RTT is `rtt_ns`; how much the window moved, in packets. */
static double move(struct feed *f, u64 rtt_ns)
{
	double before = law_packets(f);
	f->rtt_ns = rtt_ns;
	feed_round(f);
	return law_packets(f) - before;
}

/* Up where window / RTT is below 1 / (delta dq), down where it is above: 100 packets, RTT 100 ms + dq; with
 * delta .5 the border is where dq / (100 ms + dq) = 2 / 100. */
static void the_target_is_one_over_delta_dq(void **unused)
{
	(void)unused;
	const double border_ns = BASE_NS * .02 / .98;
	for (u32 percent = 50; percent <= 150; percent += 10) {
		struct feed f;
		open_avoiding(&f, 100);
		f.view.initial_bytes = 100 * FEED_MSS;
		feed_init(&f);
		f.rtt_ns = BASE_NS;
		feed_ack(&f, 1); /* learns the base, nothing else */
		f.view.now_ns += BASE_NS;
		f.rtt_ns = BASE_NS + (u64)(border_ns * percent / 100);
		f.view.flags = 0; /* so that it would not grow, but may shrink */
		u64 before = f.cwnd_bytes;
		feed_ack(&f, FEED_MSS);
		if (percent < 95)
			assert_int_equal(f.cwnd_bytes, before);
		if (percent > 105)
			assert_true(f.cwnd_bytes < before);
	}
}

/* A round moves the window by v / delta packets; v is 1 for three rounds the same way, then 2, 4, 8. */
static void the_velocity_doubles_after_three_rounds(void **unused)
{
	(void)unused;
	struct feed f;
	open_avoiding(&f, 400);
	move(&f, BASE_NS);
	move(&f, BASE_NS);
	const double v[] = {1, 2, 4, 8, 16};
	while (feed_signal_value(&f, "velocity") > 1)
		move(&f, BASE_NS);
	for (u32 i = 0; i < 4; i++) /* away from what it did before */
		move(&f, i < 2 ? BASE_NS + 50 * FEED_MS : BASE_NS);
	u32 doubled = 0;
	for (u32 round = 0; round < 5; round++) {
		double grown = move(&f, BASE_NS);
		double now = (double)feed_signal_value(&f, "velocity");
		law_near("growth", grown, now * 2, .06);
		for (u32 i = 0; i < 5; i++)
			doubled |= now == v[i] ? 1U << i : 0;
	}
	assert_true((doubled & 0xe) == 0xe); /* 2, 4 and 8 were among them */
	move(&f, BASE_NS + 50 * FEED_MS);
	move(&f, BASE_NS + 50 * FEED_MS);
	assert_int_equal(feed_signal_value(&f, "velocity"), 1);
}

/* An empty queue, whose target is infinite: never more than twice the window a round (F4). */
static void F4_an_empty_queue_makes_no_infinite_window(void **unused)
{
	(void)unused;
	struct feed f;
	open_avoiding(&f, 20);
	for (u32 round = 0; round < 60; round++) {
		double before = law_packets(&f);
		move(&f, BASE_NS);
		assert_true(law_packets(&f) <= 2 * before + 1);
		if (f.cwnd_bytes > WEIR_WINDOW_MAX_BYTES / 2 || before > 20000)
			break;
	}
	/* and with ACKs for anything at all it stays below every bound */
	for (u32 i = 0; i < 500; i++) {
		f.view.now_ns += BASE_NS;
		f.view.flags |= WEIR_ROUND_START;
		feed_ack(&f, f.cwnd_bytes);
		assert_true(f.cwnd_bytes <= WEIR_WINDOW_MAX_BYTES);
	}
}

/* Windows of a million packets still move: a step is far below a byte an ACK there. */
static void large_windows_move_as_small_ones(void **unused)
{
	(void)unused;
	struct feed f;
	open_avoiding(&f, 1000000);
	f.rtt_ns = BASE_NS;
	f.view.now_ns += BASE_NS;
	feed_ack(&f, 1);
	u64 before = f.cwnd_bytes, done = 0;
	while (done < before) {
		feed_ack(&f, FEED_MSS);
		done += FEED_MSS;
	}
	law_near("growth in packets", (double)(f.cwnd_bytes - before) / FEED_MSS, 2, .02);
}

/* A queue that is never nearly empty for five RTTs: 1 / delta grows by one a round, is halved by a loss, and
 * is back at 2 with an empty queue. */
static void competition_is_aimd_on_one_over_delta(void **unused)
{
	(void)unused;
	struct feed f;
	open_avoiding(&f, 50);
	move(&f, BASE_NS);
	u64 rtt_ns = BASE_NS + 40 * FEED_MS;
	for (u32 round = 0; round < 8; round++)
		move(&f, rtt_ns + (round & 1) * FEED_MS);
	assert_int_equal(feed_signal_value(&f, "mode"), 2);
	u64 delta = feed_signal_value(&f, "delta");
	for (u32 round = 0; round < 5; round++) {
		move(&f, rtt_ns + (round & 1) * FEED_MS);
		law_near("1 / delta", 1e6 / (double)feed_signal_value(&f, "delta"), 1e6 / (double)delta + 1,
			 1e-4);
		delta = feed_signal_value(&f, "delta");
	}
	u64 window = f.cwnd_bytes;
	feed_loss(&f);
	assert_int_equal(f.cwnd_bytes, window);
	law_near("delta", (double)feed_signal_value(&f, "delta"), 2 * (double)delta, 1e-4);
	feed_undo(&f);
	law_near("delta", (double)feed_signal_value(&f, "delta"), (double)delta, 1e-4);
	for (u32 round = 0; round < 2; round++)
		move(&f, BASE_NS);
	assert_int_equal(feed_signal_value(&f, "mode"), 1);
	assert_int_equal(feed_signal_value(&f, "delta"), 500000);
	feed_loss(&f);
	assert_int_equal(feed_signal_value(&f, "delta"), 500000);
}

static void other_forms_never_compete(void **unused)
{
	(void)unused;
	for (u64 mode = 1; mode <= 2; mode++) {
		struct feed f;
		open_avoiding(&f, 50);
		feed_param(&f, "mode", mode);
		feed_init(&f);
		for (u32 round = 0; round < 20; round++) {
			move(&f, BASE_NS + 40 * FEED_MS);
			assert_int_not_equal(feed_signal_value(&f, "mode"), 2);
		}
		assert_int_equal(feed_signal_value(&f, "delta"), mode == 1 ? 500000 : 50000);
	}
}

/* What Nimbus asks for: delay counts from 1.2 base on, so that below it grows, whatever delta is. */
static void a_floor_keeps_a_queue(void **unused)
{
	(void)unused;
	struct feed f;
	open_avoiding(&f, 400);
	feed_param(feed_param(feed_param(&f, "mode", 1), "dq_floor", 200000), "delta", 950000);
	feed_init(&f);
	f.rtt_ns = BASE_NS;
	feed_ack(&f, 1);
	f.view.now_ns += BASE_NS;
	for (u32 round = 0; round < 3; round++)
		assert_true(move(&f, BASE_NS + 19 * FEED_MS) > 0);
	f.view.now_ns += BASE_NS;
	move(&f, BASE_NS + 25 * FEED_MS);
	assert_true(move(&f, BASE_NS + 25 * FEED_MS) < 0);
}

/* Twice the window in each standing RTT. */
static void it_paces_at_two_windows_a_standing_rtt(void **unused)
{
	(void)unused;
	struct feed f;
	open_avoiding(&f, 100);
	struct weir_ack a = {.acked_bytes = FEED_MSS, .rtt_ns = f.rtt_ns};
	struct weir_out o = {0};
	f.ops->on_ack(f.state, f.params, &f.view, &a, &o);
	law_near("rate", (double)o.pacing_Bps,
		 2 * (double)o.cwnd_bytes * 1e9 / (double)feed_signal_value(&f, "standing_rtt"), .001);
}

/* A clock that does not move between packet and ACK, and RTTs of a nanosecond. */
static void F1_equal_times_are_tolerated(void **unused)
{
	(void)unused;
	struct feed f;
	feed_open(&f, "copa", 1);
	for (u32 i = 0; i < 1000; i++) {
		f.view.flags = WEIR_CWND_LIMITED | (i % 10 ? 0 : WEIR_ROUND_START);
		f.view.srtt_ns = 1;
		f.rtt_ns = 1 + i % 2;
		feed_ack(&f, FEED_MSS);
		assert_true(f.cwnd_bytes >= FEED_MSS && f.cwnd_bytes <= WEIR_WINDOW_MAX_BYTES);
	}
}

static void recent_reaches_back_seven_eighths_to_all(void **unused)
{
	(void)unused;
	struct weir_recent r;
	for (u64 first = 0; first < 100; first++) {
		weir_recent_init(&r, 1000);
		assert_true(weir_recent_min(&r) == WEIR_NEVER && weir_recent_max(&r) == 0);
		weir_recent_add_min(&r, 1000 + first, 80, 5);
		for (u64 at = 1001 + first; at < 1200 + first; at++) {
			u64 least = weir_recent_add_min(&r, at, 80, 9), age = at - 1000 - first;
			if (age < 70)
				assert_int_equal(least, 5);
			if (age >= 80)
				assert_int_equal(least, 9);
		}
	}
	weir_recent_init(&r, 0);
	assert_int_equal(weir_recent_add_max(&r, 1, 80, 7), 7);
	assert_int_equal(weir_recent_add_max(&r, 2, 80, 3), 7);
	assert_int_equal(weir_recent_add_max(&r, 1ULL << 60, 80, 3), 3);
}

/* Handed over at 200 packets over a queue of 50 ms: the host's min RTT counts, and the window goes down to
 * the target at once, in the default mode, without a slow start. */
static void a_seed_is_no_slow_start(void **unused)
{
	(void)unused;
	struct feed f;
	struct weir_out o = {0};
	feed_open(&f, "copa", BASE_NS);
	f.ops->on_seed(f.state, f.params, &f.view, 200 * FEED_MSS, &o);
	feed_take(&f, &o);
	assert_int_equal(f.cwnd_bytes, 200 * FEED_MSS);
	assert_int_equal(feed_signal_value(&f, "mode"), 1);
	assert_int_equal(feed_signal_value(&f, "min_rtt"), BASE_NS);
	f.rtt_ns = BASE_NS + 50 * FEED_MS;
	feed_round(&f);
	assert_in_range(f.cwnd_bytes, 197 * FEED_MSS, 199 * FEED_MSS); /* v / delta = 2 packets */
	f.view.min_rtt_ns = 0;
	feed_init(&f);
	f.ops->on_seed(f.state, f.params, &f.view, 1, &o);
	feed_take(&f, &o);
	assert_int_equal(f.cwnd_bytes, 2 * FEED_MSS);
}

/* A queue that never empties is the path's after ten seconds, unless the min RTT is that of all times. */
static void the_min_rtt_may_be_that_of_all_times(void **unused)
{
	(void)unused;
	for (u32 forgets = 0; forgets < 2; forgets++) {
		struct feed f;
		open_avoiding(&f, 50);
		feed_param(&f, "mode", 1);
		if (!forgets)
			feed_param(&f, "min_rtt_window", 0);
		feed_init(&f);
		f.rtt_ns = BASE_NS;
		feed_ack(&f, 1);
		u32 rounds = 0;
		while (rounds < 150 && feed_signal_value(&f, "min_rtt") == BASE_NS) {
			move(&f, BASE_NS + 30 * FEED_MS);
			rounds++;
		}
		/* 7/8 to all of ten seconds (core/recent.h) */
		assert_true(forgets ? rounds >= 60 && rounds <= 80 : rounds == 150);
	}
}

static void the_velocity_may_have_a_bound(void **unused)
{
	(void)unused;
	struct feed f;
	u64 most = 0;
	open_avoiding(&f, 400);
	feed_param(&f, "max_velocity", 4);
	for (u32 round = 0; round < 20; round++) {
		move(&f, BASE_NS);
		u64 now = feed_signal_value(&f, "velocity");
		most = now > most ? now : most;
	}
	assert_int_equal(most, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_target_is_one_over_delta_dq),
	    cmocka_unit_test(the_velocity_doubles_after_three_rounds),
	    cmocka_unit_test(F4_an_empty_queue_makes_no_infinite_window),
	    cmocka_unit_test(large_windows_move_as_small_ones),
	    cmocka_unit_test(competition_is_aimd_on_one_over_delta),
	    cmocka_unit_test(other_forms_never_compete),
	    cmocka_unit_test(a_floor_keeps_a_queue),
	    cmocka_unit_test(it_paces_at_two_windows_a_standing_rtt),
	    cmocka_unit_test(F1_equal_times_are_tolerated),
	    cmocka_unit_test(a_seed_is_no_slow_start),
	    cmocka_unit_test(the_min_rtt_may_be_that_of_all_times),
	    cmocka_unit_test(the_velocity_may_have_a_bound),
	    cmocka_unit_test(recent_reaches_back_seven_eighths_to_all),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
