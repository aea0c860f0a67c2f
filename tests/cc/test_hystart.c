/* SPDX-License-Identifier: MIT */
/* The first slow start of CUBIC: when it ends, and where. */
#include "feed.h"

static bool left_slow_start(const struct feed *f)
{
	return feed_signal_value(f, "ssthresh") != 0;
}

/* A round whose first `n` RTT samples are `first_ns`, the others `then_ns`. */
static void round_with(struct feed *f, u32 n, u64 first_ns, u64 then_ns)
{
	f->view.flags |= WEIR_ROUND_START;
	u64 packets = f->cwnd_bytes / FEED_MSS;
	for (u32 i = 0; i < packets; i++) {
		f->rtt_ns = i < n ? first_ns : then_ns;
		f->view.now_ns += 100 * FEED_MS / packets;
		feed_ack(f, FEED_MSS);
		f->view.flags &= ~(u32)WEIR_ROUND_START;
	}
}

static void open_steady(struct feed *f)
{
	feed_open(f, "cubic", 100 * FEED_MS);
	round_with(f, 0, 0, 100 * FEED_MS);
	round_with(f, 0, 0, 100 * FEED_MS);
	assert_int_equal(f->cwnd_bytes, 40 * FEED_MSS);
	assert_false(left_slow_start(f));
}

static void the_first_sample_ends_nothing_G11(void **unused)
{
	(void)unused;
	static const u64 rtt_ns[] = {1, 999, 1000, FEED_MS, WEIR_NS_PER_S, 1ULL << 42, WEIR_NEVER};
	for (u32 i = 0; i < 7; i++) {
		struct feed f;
		feed_open(&f, "cubic", 0);
		round_with(&f, 0, 0, rtt_ns[i]);
		assert_false(left_slow_start(&f));
		assert_int_equal(f.cwnd_bytes, 20 * FEED_MSS);
		round_with(&f, 0, 0, rtt_ns[i]);
		assert_int_equal(f.cwnd_bytes, 40 * FEED_MSS);
	}
}

/* The round's minimum looks high after eight samples, then falls: a bump, not a queue. */
static void an_rtt_that_falls_late_in_a_round_does_not_end_it_G13(void **unused)
{
	(void)unused;
	struct feed f;
	open_steady(&f);
	round_with(&f, 8, 120 * FEED_MS, 101 * FEED_MS);
	assert_in_range(f.cwnd_bytes, 79 * FEED_MSS, 80 * FEED_MSS);
	for (int i = 0; i < 8; i++) {
		u64 window = f.cwnd_bytes;
		round_with(&f, 0, 0, 101 * FEED_MS);
		assert_int_equal(f.cwnd_bytes, window + window / FEED_MSS * FEED_MSS);
	}
	assert_false(left_slow_start(&f));
}

static void an_rtt_that_jumps_up_ends_it_after_five_slow_rounds_G14(void **unused)
{
	(void)unused;
	struct feed f;
	open_steady(&f);
	u64 window = f.cwnd_bytes;
	round_with(&f, 0, 0, 113 * FEED_MS);
	/* seven ACKs at full speed, 33 at a quarter */
	assert_int_equal(f.cwnd_bytes, window + 7 * FEED_MSS + 33 * FEED_MSS / 4);
	for (int i = 0; i < 4; i++) {
		assert_false(left_slow_start(&f));
		window = f.cwnd_bytes;
		round_with(&f, 0, 0, 113 * FEED_MS);
		u64 acked = window / FEED_MSS * FEED_MSS;
		assert_in_range(f.cwnd_bytes, window + acked / 4 - 3, window + acked / 4 + 3);
	}
	window = f.cwnd_bytes;
	round_with(&f, 0, 0, 113 * FEED_MS);
	assert_true(left_slow_start(&f));
	assert_int_equal(feed_signal_value(&f, "ssthresh"), window);
	assert_true(f.cwnd_bytes < window + 2 * FEED_MSS);
}

static void an_rtt_below_the_threshold_does_not_end_it_G14(void **unused)
{
	(void)unused;
	struct feed f;
	open_steady(&f);
	round_with(&f, 0, 0, 112 * FEED_MS); /* an eighth of 100 ms is 12.5 ms */
	assert_int_equal(f.cwnd_bytes, 80 * FEED_MSS);
}

static void one_spike_does_not_end_it_G20(void **unused)
{
	(void)unused;
	struct feed f;
	open_steady(&f);
	round_with(&f, 1, 900 * FEED_MS, 100 * FEED_MS);
	assert_int_equal(f.cwnd_bytes, 80 * FEED_MSS);
	assert_false(left_slow_start(&f));
}

static void fewer_than_eight_samples_end_nothing(void **unused)
{
	(void)unused;
	struct feed f;
	open_steady(&f);
	f.view.flags |= WEIR_ROUND_START;
	f.rtt_ns = 300 * FEED_MS;
	for (int i = 0; i < 7; i++) {
		feed_ack(&f, FEED_MSS);
		f.view.flags &= ~(u32)WEIR_ROUND_START;
	}
	assert_int_equal(f.cwnd_bytes, 47 * FEED_MSS);
	f.rtt_ns = 0; /* no more samples in this round */
	for (int i = 0; i < 33; i++)
		feed_ack(&f, FEED_MSS);
	assert_int_equal(f.cwnd_bytes, 80 * FEED_MSS);
}

/* A path that holds `room` bytes, and of those `bdp` without a queue: what is sent beyond them is lost and
 * noticed one round later. Counts the cuts until the window fits. */
static u32 overshoot(struct feed *f, u64 room_bytes, u64 bdp_bytes)
{
	static u64 window_bytes[4096]; /* under which each packet left */
	u64 delivered = 0, sent = 0, round_end = f->cwnd_bytes, seen_at = WEIR_NEVER, base_ns = f->rtt_ns;
	f->view.flags |= WEIR_ROUND_START;
	while (delivered < seen_at) {
		for (; sent < delivered + f->cwnd_bytes; sent += FEED_MSS)
			window_bytes[sent / FEED_MSS] = f->cwnd_bytes;
		f->rtt_ns = base_ns * weir_max(window_bytes[delivered / FEED_MSS], bdp_bytes) / bdp_bytes;
		f->view.now_ns += f->rtt_ns * FEED_MSS / f->cwnd_bytes;
		feed_ack(f, FEED_MSS);
		delivered += FEED_MSS;
		f->view.flags &= ~(u32)WEIR_ROUND_START;
		if (delivered >= round_end) {
			f->view.flags |= WEIR_ROUND_START;
			round_end = delivered + f->cwnd_bytes;
		}
		/* the packet that leaves now is lost; its turn comes a window later */
		if (seen_at == WEIR_NEVER && f->cwnd_bytes > room_bytes)
			seen_at = delivered + f->cwnd_bytes;
	}
	u32 cuts = 0;
	do {
		feed_loss(f);
		cuts++;
	} while (f->cwnd_bytes > room_bytes);
	return cuts;
}

/* Buffer of 4 BDP: five BDP fit, ten are in flight when the first loss is seen. */
static void one_cut_after_slow_start_is_enough_G16(void **unused)
{
	(void)unused;
	for (u64 bdp = 20; bdp < 60; bdp++) {
		struct feed f;
		feed_open(&f, "cubic", 100 * FEED_MS);
		feed_param(&f, "hystart", 0);
		u64 room = 5 * bdp * FEED_MSS;
		assert_int_equal(overshoot(&f, room, room), 1);
		/* and not far too much either: the window of one round ago is the room */
		assert_in_range(f.cwnd_bytes, room * 68 / 100, room * 72 / 100);
	}
}

/* The same where the queue is seen and the last rounds are slower, whichever of them begins or ends between
 * the loss and its discovery. */
static void one_cut_after_conservative_slow_start_is_enough(void **unused)
{
	(void)unused;
	for (u64 bdp = 60; bdp < 200; bdp++) {
		struct feed f;
		feed_open(&f, "cubic", 100 * FEED_MS);
		u64 room = 2 * bdp * FEED_MSS;
		assert_int_equal(overshoot(&f, room, bdp * FEED_MSS), 1);
		assert_in_range(f.cwnd_bytes, room * 68 / 100, room * 77 / 100);
	}
}

static void slow_start_may_leave_by_a_half_G17(void **unused)
{
	(void)unused;
	struct feed f;
	feed_open(&f, "cubic", 100 * FEED_MS);
	feed_param(&f, "slow_start_beta", 500000);
	feed_param(&f, "hystart", 0);
	u64 room = 100 * FEED_MSS; /* a small buffer */
	assert_int_equal(overshoot(&f, room, room), 1);
	u64 half = f.cwnd_bytes;
	assert_in_range(half, room * 49 / 100, room * 51 / 100);
	feed_loss(&f); /* later cuts are the usual ones */
	assert_int_equal(f.cwnd_bytes, half * 7 / 10);
}

static void an_application_below_the_path_keeps_the_window_bounded_G19(void **unused)
{
	(void)unused;
	for (u32 i = 0; i < weir_cc_count(); i++) {
		struct feed f;
		feed_open(&f, weir_cc_at(i)->name, 50 * FEED_MS);
		/* BBR grows by what is delivered until that is an initial window */
		u64 most_bytes = (feed_cuts(f.ops) ? 10 : 20) * FEED_MSS;
		f.view.flags = WEIR_APP_LIMITED;
		for (int n = 0; n < 20000; n++) {
			f.view.now_ns += 8 * FEED_MS;
			f.view.flags ^= WEIR_ROUND_START;
			feed_ack(&f, FEED_MSS);
			assert_true(f.cwnd_bytes <= most_bytes);
		}
	}
}

static void an_undone_loss_goes_back_to_slow_start_G20(void **unused)
{
	(void)unused;
	struct feed f;
	open_steady(&f);
	feed_loss(&f);
	assert_true(left_slow_start(&f));
	feed_undo(&f);
	assert_false(left_slow_start(&f));
	assert_int_equal(f.cwnd_bytes, 40 * FEED_MSS);
	round_with(&f, 0, 0, 100 * FEED_MS);
	assert_int_equal(f.cwnd_bytes, 80 * FEED_MSS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_first_sample_ends_nothing_G11),
	    cmocka_unit_test(an_rtt_that_falls_late_in_a_round_does_not_end_it_G13),
	    cmocka_unit_test(an_rtt_that_jumps_up_ends_it_after_five_slow_rounds_G14),
	    cmocka_unit_test(an_rtt_below_the_threshold_does_not_end_it_G14),
	    cmocka_unit_test(one_spike_does_not_end_it_G20),
	    cmocka_unit_test(fewer_than_eight_samples_end_nothing),
	    cmocka_unit_test(one_cut_after_slow_start_is_enough_G16),
	    cmocka_unit_test(one_cut_after_conservative_slow_start_is_enough),
	    cmocka_unit_test(slow_start_may_leave_by_a_half_G17),
	    cmocka_unit_test(an_application_below_the_path_keeps_the_window_bounded_G19),
	    cmocka_unit_test(an_undone_loss_goes_back_to_slow_start_G20),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
