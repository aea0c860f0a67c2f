/* SPDX-License-Identifier: MIT */
#include "feed.h"

static void slow_start_doubles_a_round(void **unused)
{
	(void)unused;
	struct feed f;
	feed_open(&f, "reno", 100 * FEED_MS);
	assert_int_equal(f.cwnd_bytes, 10 * FEED_MSS);
	feed_round(&f);
	assert_int_equal(f.cwnd_bytes, 20 * FEED_MSS);
	feed_round_by(&f, 7 * FEED_MSS); /* ACKs that cover many packets count in full */
	assert_int_equal(f.cwnd_bytes, 40 * FEED_MSS);
}

static void without_an_initial_window_rfc6928_holds(void **unused)
{
	(void)unused;
	struct feed f;
	feed_open(&f, "reno", 100 * FEED_MS);
	f.view.initial_bytes = 0;
	static const u32 mss[] = {1000, 1448, 1460, 9000, 100};
	static const u64 window[] = {10000, 14480, 14600, 18000, 1000};
	for (u32 i = 0; i < 5; i++) {
		f.view.mss_bytes = mss[i];
		feed_init(&f);
		assert_int_equal(f.cwnd_bytes, window[i]);
	}
}

static void a_loss_halves_and_one_segment_a_round_follows(void **unused)
{
	(void)unused;
	struct feed f;
	feed_open(&f, "reno", 100 * FEED_MS);
	feed_loss(&f);
	assert_int_equal(f.cwnd_bytes, 5 * FEED_MSS);
	assert_int_equal(feed_signal_value(&f, "ssthresh"), 5 * FEED_MSS);
	for (u64 w = 6; w < 40; w++) {
		feed_round(&f);
		assert_int_equal(f.cwnd_bytes, w * FEED_MSS);
	}
}

static void remainders_are_carried(void **unused)
{
	(void)unused;
	struct feed f;
	feed_open(&f, "reno", 100 * FEED_MS);
	feed_loss(&f);
	feed_ack(&f, 4999);
	assert_int_equal(f.cwnd_bytes, 5000);
	feed_ack(&f, 3);
	assert_int_equal(f.cwnd_bytes, 6000);
	feed_ack(&f, 5997); /* 2 are left over from before */
	assert_int_equal(f.cwnd_bytes, 6000);
	feed_ack(&f, 1);
	assert_int_equal(f.cwnd_bytes, 7000);
}

static void leftovers_of_slow_start_reach_congestion_avoidance(void **unused)
{
	(void)unused;
	struct feed f;
	feed_open(&f, "reno", 100 * FEED_MS);
	feed_timeout(&f);
	assert_int_equal(f.cwnd_bytes, 1000);
	feed_ack(&f, 3000);
	assert_int_equal(f.cwnd_bytes, 4000);
	feed_ack(&f, 5500); /* 1000 up to ssthresh, 4500 towards the next segment */
	assert_int_equal(f.cwnd_bytes, 5000);
	feed_ack(&f, 499);
	assert_int_equal(f.cwnd_bytes, 5000);
	feed_ack(&f, 1);
	assert_int_equal(f.cwnd_bytes, 6000);
}

static void ssthresh_bounds_a_filled_hole(void **unused)
{
	(void)unused;
	struct feed f;
	feed_open(&f, "reno", 100 * FEED_MS);
	while (f.cwnd_bytes < 1000 * FEED_MSS)
		feed_round(&f);
	u64 half = f.cwnd_bytes / 2;
	feed_timeout(&f);
	feed_ack(&f, half * 2); /* one ACK for all that was in flight */
	assert_in_range(f.cwnd_bytes, half, half + 2 * FEED_MSS);
}

static void repair_stops_growth_but_not_the_slow_start_after_a_timeout(void **unused)
{
	(void)unused;
	struct feed f;
	feed_open(&f, "reno", 100 * FEED_MS);
	feed_loss(&f);
	f.view.flags |= WEIR_RECOVERY;
	feed_ack(&f, 100 * FEED_MSS);
	assert_int_equal(f.cwnd_bytes, 5 * FEED_MSS);
	feed_timeout(&f);
	feed_ack(&f, FEED_MSS);
	assert_int_equal(f.cwnd_bytes, 2 * FEED_MSS);
	feed_ack(&f, 100 * FEED_MSS);
	assert_int_equal(f.cwnd_bytes, feed_signal_value(&f, "ssthresh"));
}

static void marks_cut_once_and_do_not_grow(void **unused)
{
	(void)unused;
	struct feed f;
	feed_open(&f, "reno", 100 * FEED_MS);
	feed_signal(&f, WEIR_LOSS_ECN, WEIR_NEW_EPISODE, 0);
	assert_int_equal(f.cwnd_bytes, 5 * FEED_MSS);
	feed_signal(&f, WEIR_LOSS_ECN, 0, 0);
	struct weir_ack marked = {.acked_bytes = 50 * FEED_MSS, .ce_bytes = 1};
	struct weir_out o = {0};
	f.ops->on_ack(f.state, f.params, &f.view, &marked, &o);
	assert_int_equal(o.cwnd_bytes, 5 * FEED_MSS);
}

static void the_second_timeout_of_a_segment_keeps_ssthresh(void **unused)
{
	(void)unused;
	struct feed f;
	feed_open(&f, "reno", 100 * FEED_MS);
	feed_timeout(&f);
	feed_timeout(&f);
	feed_timeout(&f);
	assert_int_equal(f.cwnd_bytes, FEED_MSS);
	assert_int_equal(feed_signal_value(&f, "ssthresh"), 5 * FEED_MSS);
}

static void an_undo_restores_what_the_last_cut_took(void **unused)
{
	(void)unused;
	struct feed f;
	feed_open(&f, "reno", 100 * FEED_MS);
	feed_loss(&f);
	feed_round(&f);
	feed_loss(&f);
	assert_int_equal(f.cwnd_bytes, 3 * FEED_MSS);
	feed_undo(&f);
	assert_int_equal(f.cwnd_bytes, 6 * FEED_MSS);
	assert_int_equal(feed_signal_value(&f, "ssthresh"), 5 * FEED_MSS);
	feed_undo(&f); /* nothing left to undo */
	assert_int_equal(f.cwnd_bytes, 6 * FEED_MSS);

	feed_timeout(&f);
	feed_undo(&f);
	assert_int_equal(f.cwnd_bytes, 6 * FEED_MSS);
}

static void silence_halves_once_a_period(void **unused)
{
	(void)unused;
	struct feed f;
	feed_open(&f, "reno", 100 * FEED_MS);
	for (int i = 0; i < 4; i++)
		feed_round(&f);
	assert_int_equal(f.cwnd_bytes, 160 * FEED_MSS);
	feed_idle(&f, WEIR_NS_PER_S - 1);
	assert_int_equal(f.cwnd_bytes, 160 * FEED_MSS);
	feed_idle(&f, WEIR_NS_PER_S);
	assert_int_equal(f.cwnd_bytes, 80 * FEED_MSS);
	feed_idle(&f, 2 * WEIR_NS_PER_S);
	assert_int_equal(f.cwnd_bytes, 20 * FEED_MSS);
	feed_idle(&f, 3600 * WEIR_NS_PER_S); /* never below the restart window */
	assert_int_equal(f.cwnd_bytes, 10 * FEED_MSS);

	feed_open(&f, "reno", 100 * FEED_MS);
	feed_param(&f, "idle_restart", 0);
	feed_round(&f);
	feed_idle(&f, 3600 * WEIR_NS_PER_S);
	assert_int_equal(f.cwnd_bytes, 20 * FEED_MSS);
}

static void silence_remembers_where_congestion_avoidance_began(void **unused)
{
	(void)unused;
	struct feed f;
	feed_open(&f, "reno", 100 * FEED_MS);
	for (int i = 0; i < 3; i++)
		feed_round(&f);
	feed_loss(&f);
	assert_int_equal(f.cwnd_bytes, 40 * FEED_MSS);
	for (int i = 0; i < 40; i++)
		feed_round(&f);
	feed_idle(&f, WEIR_NS_PER_S);
	assert_int_equal(f.cwnd_bytes, 40 * FEED_MSS);
	assert_int_equal(feed_signal_value(&f, "ssthresh"), 60 * FEED_MSS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(slow_start_doubles_a_round),
	    cmocka_unit_test(without_an_initial_window_rfc6928_holds),
	    cmocka_unit_test(a_loss_halves_and_one_segment_a_round_follows),
	    cmocka_unit_test(remainders_are_carried),
	    cmocka_unit_test(leftovers_of_slow_start_reach_congestion_avoidance),
	    cmocka_unit_test(ssthresh_bounds_a_filled_hole),
	    cmocka_unit_test(repair_stops_growth_but_not_the_slow_start_after_a_timeout),
	    cmocka_unit_test(marks_cut_once_and_do_not_grow),
	    cmocka_unit_test(the_second_timeout_of_a_segment_keeps_ssthresh),
	    cmocka_unit_test(an_undo_restores_what_the_last_cut_took),
	    cmocka_unit_test(silence_halves_once_a_period),
	    cmocka_unit_test(silence_remembers_where_congestion_avoidance_began),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
