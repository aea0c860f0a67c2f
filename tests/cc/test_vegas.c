/* SPDX-License-Identifier: MIT */
#include "feed.h"

#define BASE_NS (100 * FEED_MS)

/* One round with this RTT, then the first ACK of the next, on which the round is judged. */
static void judged_round(struct feed *f, u64 rtt_ns)
{
	f->rtt_ns = rtt_ns;
	feed_round(f);
}

/* RTT of a window of which `queued` packets wait: queued = window (rtt - base) / rtt. */
static u64 rtt_with(u64 window_bytes, u64 queued_packets)
{
	u64 window = window_bytes / FEED_MSS;
	return (BASE_NS * window + window - queued_packets - 1) / (window - queued_packets);
}

/* Out of slow start at a window of about `packets`, with base known. */
static void open_avoiding(struct feed *f, u64 packets)
{
	feed_open(f, "vegas", BASE_NS);
	feed_round(f);
	f->view.initial_bytes = 2 * packets * FEED_MSS;
	feed_init(f);
	f->view.initial_bytes = 10 * FEED_MSS;
	feed_loss(f);
	assert_int_equal(f->cwnd_bytes, packets * FEED_MSS);
	feed_round(f); /* learns base; nothing queued */
}

static void slow_start_doubles_every_other_round(void **unused)
{
	(void)unused;
	struct feed f;
	feed_open(&f, "vegas", BASE_NS);
	static const u64 packets[] = {20, 20, 40, 40, 80, 80, 160, 160};
	for (u32 i = 0; i < 8; i++) {
		feed_round(&f);
		assert_int_equal(f.cwnd_bytes, packets[i] * FEED_MSS);
	}
}

static void slow_start_ends_when_more_than_gamma_wait(void **unused)
{
	(void)unused;
	struct feed f;
	feed_open(&f, "vegas", BASE_NS);
	for (int i = 0; i < 4; i++)
		feed_round(&f);
	assert_int_equal(f.cwnd_bytes, 40 * FEED_MSS);
	judged_round(&f, rtt_with(f.cwnd_bytes, 1)); /* just about one packet */
	assert_int_equal(feed_signal_value(&f, "ssthresh"), 0);
	u64 window = f.cwnd_bytes;
	judged_round(&f, rtt_with(window, 8));
	judged_round(&f, BASE_NS);
	/* eight wait, alpha is two: six are given back; then the next rounds are judged linearly */
	assert_in_range(f.cwnd_bytes, window - 6 * FEED_MSS - FEED_MSS, window - 5 * FEED_MSS);
	assert_true(feed_signal_value(&f, "ssthresh") <= window - 5 * FEED_MSS);
}

static void below_alpha_grows_above_beta_shrinks_between_stays(void **unused)
{
	(void)unused;
	static const struct {
		u64 queued_packets;
		int step;
	} c[] = {{0, 1}, {1, 1}, {3, 0}, {5, -1}, {20, -1}};
	for (u32 i = 0; i < 5; i++) {
		struct feed f;
		open_avoiding(&f, 100);
		judged_round(&f, BASE_NS); /* judges the first round: +1 */
		u64 window = f.cwnd_bytes;
		assert_int_equal(window, 101 * FEED_MSS);
		judged_round(&f, rtt_with(window, c[i].queued_packets)); /* judges the second: +1 */
		u64 now = f.cwnd_bytes;
		assert_int_equal(now, 102 * FEED_MSS);
		judged_round(&f, BASE_NS);
		assert_int_equal((i64)f.cwnd_bytes - (i64)now, c[i].step * (i64)FEED_MSS);
	}
}

static void a_decrease_lowers_ssthresh_too(void **unused)
{
	(void)unused;
	struct feed f;
	open_avoiding(&f, 100);
	for (int i = 0; i < 30; i++)
		judged_round(&f, 2 * BASE_NS);
	assert_in_range(f.cwnd_bytes, 71 * FEED_MSS, 73 * FEED_MSS);
	assert_int_equal(feed_signal_value(&f, "ssthresh"), f.cwnd_bytes);
	for (int i = 0; i < 300; i++)
		judged_round(&f, 10 * BASE_NS);
	assert_int_equal(f.cwnd_bytes, 4 * FEED_MSS); /* of four packets, at most beta can wait */
}

static void few_samples_grow_as_reno(void **unused)
{
	(void)unused;
	struct feed f;
	open_avoiding(&f, 20);
	feed_round_by(&f, 10 * FEED_MSS);
	for (int i = 0; i < 20; i++) { /* two ACKs a round say nothing about a queue */
		f.rtt_ns = 5 * BASE_NS;
		feed_round_by(&f, (f.cwnd_bytes + 1) / 2);
	}
	assert_in_range(f.cwnd_bytes, 39 * FEED_MSS, 42 * FEED_MSS);
}

static void a_loss_halves(void **unused)
{
	(void)unused;
	struct feed f;
	open_avoiding(&f, 100);
	feed_loss(&f);
	assert_int_equal(f.cwnd_bytes, 50 * FEED_MSS);
	feed_undo(&f);
	assert_int_equal(f.cwnd_bytes, 100 * FEED_MSS);
	feed_timeout(&f);
	assert_int_equal(f.cwnd_bytes, FEED_MSS);
}

/* The queue that the loss left behind is no reason for a second cut. */
static void repair_is_not_judged(void **unused)
{
	(void)unused;
	struct feed f;
	open_avoiding(&f, 100);
	feed_loss(&f);
	f.view.flags |= WEIR_RECOVERY;
	for (int i = 0; i < 3; i++)
		judged_round(&f, 3 * BASE_NS);
	assert_int_equal(f.cwnd_bytes, 50 * FEED_MSS);
}

/* On a path that holds `bdp` packets, the window settles with alpha to beta packets in the queue. */
static void it_settles_between_alpha_and_beta(void **unused)
{
	(void)unused;
	static const u64 bdp[] = {20, 100, 700};
	for (u32 i = 0; i < 3; i++) {
		struct feed f;
		feed_open(&f, "vegas", BASE_NS);
		for (int n = 0; n < 3000; n++) {
			u64 packets = f.cwnd_bytes / FEED_MSS;
			judged_round(&f, packets > bdp[i] ? BASE_NS * packets / bdp[i] : BASE_NS);
		}
		assert_in_range(f.cwnd_bytes / FEED_MSS, bdp[i] + 2, bdp[i] + 5);
		assert_int_equal(feed_signal_value(&f, "base_rtt"), BASE_NS);
	}
}

/* Handed over at 40 packets over a queue that was there before: the host's min RTT is the base, a third of
 * the window waits, one packet a round goes back; no slow start. */
static void a_seed_keeps_the_base_of_the_host(void **unused)
{
	(void)unused;
	struct feed f;
	struct weir_out o = {0};
	feed_open(&f, "vegas", BASE_NS);
	f.ops->on_seed(f.state, f.params, &f.view, 40 * FEED_MSS, &o);
	feed_take(&f, &o);
	assert_int_equal(f.cwnd_bytes, 40 * FEED_MSS);
	assert_int_equal(feed_signal_value(&f, "ssthresh"), 40 * FEED_MSS);
	assert_int_equal(feed_signal_value(&f, "base_rtt"), BASE_NS);
	judged_round(&f, BASE_NS * 3 / 2);
	judged_round(&f, BASE_NS * 3 / 2); /* judges the one before */
	assert_int_equal(f.cwnd_bytes, 39 * FEED_MSS);
	assert_in_range(feed_signal_value(&f, "queued"), 40 * FEED_MSS / 3 - 1, 40 * FEED_MSS / 3 + 1);
	f.ops->on_seed(f.state, f.params, &f.view, 1, &o);
	feed_take(&f, &o);
	assert_int_equal(f.cwnd_bytes, 2 * FEED_MSS);
}

/* One that arrives beside a standing queue of 20 ms, and knows the path. */
static void a_known_base_is_kept(void **unused)
{
	(void)unused;
	struct feed f;
	struct weir_out o = {0};
	feed_open(&f, "vegas", BASE_NS);
	feed_param(&f, "base_rtt", BASE_NS);
	feed_init(&f);
	judged_round(&f, BASE_NS + 20 * FEED_MS);
	assert_int_equal(feed_signal_value(&f, "base_rtt"), BASE_NS);
	f.view.min_rtt_ns = BASE_NS + 20 * FEED_MS;
	f.ops->on_seed(f.state, f.params, &f.view, 40 * FEED_MSS, &o);
	assert_int_equal(feed_signal_value(&f, "base_rtt"), BASE_NS);
	judged_round(&f, BASE_NS - 1); /* shorter than it is said to be */
	assert_int_equal(feed_signal_value(&f, "base_rtt"), BASE_NS - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(slow_start_doubles_every_other_round),
	    cmocka_unit_test(slow_start_ends_when_more_than_gamma_wait),
	    cmocka_unit_test(below_alpha_grows_above_beta_shrinks_between_stays),
	    cmocka_unit_test(a_decrease_lowers_ssthresh_too),
	    cmocka_unit_test(few_samples_grow_as_reno),
	    cmocka_unit_test(a_loss_halves),
	    cmocka_unit_test(repair_is_not_judged),
	    cmocka_unit_test(it_settles_between_alpha_and_beta),
	    cmocka_unit_test(a_seed_keeps_the_base_of_the_host),
	    cmocka_unit_test(a_known_base_is_kept),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
