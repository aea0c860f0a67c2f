/* SPDX-License-Identifier: MIT */
/* The seven algorithms of Jacobson and Karels, each alone or with what it needs, in bytes as the code of 1988
 * counted. (i) and (ii) are in test_bsd43_rtt.c, (iv) in test_bsd43_receiver.c. */
#include "bsd43_host.h"

static void eras_set_all_switches(void **unused)
{
	(void)unused;
	struct weir_bsd43_config before = weir_bsd43_of_era(WEIR_ERA_1986);
	assert_int_equal(before.rtt_variance, WEIR_VARIANCE_NONE);
	assert_false(before.exponential_backoff || before.slow_start || before.dynamic_window ||
		     before.karn || before.fast_retransmit);
	struct weir_bsd43_config after = weir_bsd43_of_era(WEIR_ERA_1988);
	assert_int_equal(after.rtt_variance, WEIR_VARIANCE_2V);
	assert_true(after.exponential_backoff && after.slow_start && after.dynamic_window && after.karn &&
		    after.fast_retransmit);
}

/* (ii) from the wire: 6 s, 12, 24, 48, 64, 64 ... */
static void ii_exponential_backoff_in_time(void **unused)
{
	(void)unused;
	static const u64 wanted[] = {12, 24, 48, 96, 128, 128};
	struct host h = host_of_era(WEIR_ERA_1988);
	for (u32 i = 0; i < 6; i++)
		assert_int_equal(host_time_out(&h), wanted[i]);
	host_wait(&h, 7 * 64 * WEIR_NS_PER_S);
	assert_true(h.s.dropped);
}

/* (iii): one segment, then one more for each ACK, whatever it acknowledges. */
static void iii_slow_start(void **unused)
{
	(void)unused;
	struct host h = host_of((struct weir_bsd43_config){.slow_start = true}, WEIR_NEVER, 0);
	host_sent(&h, 1, 0);
	host_ack(&h, 1);
	host_sent(&h, 2, 1);
	host_ack(&h, 2);
	host_sent(&h, 2, 3);
	host_ack(&h, 5); /* an ACK of three is an ACK */
	host_sent(&h, 4, 5);
	assert_int_equal(h.s.cwnd_bytes, 4 * SEGMENT);
	host_time_out(&h);
	host_sent(&h, 1, 5);
	assert_int_equal(h.s.cwnd_bytes, SEGMENT);
	assert_int_equal(h.s.ssthresh_bytes, 65535); /* that is (v)'s */
	host_ack(&h, 6);
	host_sent(&h, 2, 6); /* go-back-N, slowly */
	for (u64 i = 7; i < 200; i++)
		host_ack(&h, i);
	assert_int_equal(h.s.cwnd_bytes, 65535);
	assert_int_equal(h.s.max - h.s.una, WINDOW);
}

static void iii_initial_window(void **unused)
{
	(void)unused;
	struct weir_endpoint_config e = weir_endpoint_defaults();
	const struct weir_bsd43_config c = weir_bsd43_of_era(WEIR_ERA_1988);
	struct host h = {.window = WINDOW >> WEIR_WINDOW_SHIFT};
	e.mss_bytes = SEGMENT;
	e.rwnd_bytes = WINDOW;
	e.initial_window_packets = 4;
	weir_bsd43_init(&h.s, &e, &c, 0);
	weir_bsd43_written(&h.s, WEIR_NEVER);
	host_poll(&h);
	host_sent(&h, 4, 0);
	host_time_out(&h); /* but one after a loss */
	host_sent(&h, 1, 0);
}

/* After silence of a timeout's length; before that the window holds. */
static void iii_restart_after_idle(void **unused)
{
	(void)unused;
	for (u32 ticks = 1; ticks <= 4; ticks++) {
		struct host h = host_of(weir_bsd43_of_era(WEIR_ERA_1988), 8 * SEGMENT, 0);
		for (u64 i = 1; i <= 8; i++)
			host_ack(&h, i);
		assert_int_equal(h.s.cwnd_bytes, 9 * SEGMENT);
		assert_int_equal(h.s.rto_ticks, 2);
		h.n = 0;
		h.now_ns += ticks * TICK;
		weir_bsd43_written(&h.s, WEIR_NEVER);
		host_poll(&h);
		host_sent(&h, ticks < 2 ? 9 : 1, 8);
	}
}

/* (v): above ssthresh mss * mss / cwnd for each ACK, in whole bytes. */
static void v_growth_by_hand(void **unused)
{
	(void)unused;
	static const u32 wanted[] = {1536, 1706, 1859, 2000, 2131, 2254};
	struct host h = host_of_era(WEIR_ERA_1988);
	h.s.cwnd_bytes = 1024;
	h.s.ssthresh_bytes = 1025;
	for (u64 i = 0; i < 6; i++) {
		host_ack(&h, i + 1);
		assert_int_equal(h.s.cwnd_bytes, wanted[i]);
	}
	/* 512 * 512 / 65535 is 4; of a segment of 64 bytes it would be nothing: at least 1 */
	h.s.cwnd_bytes = 65000;
	host_ack(&h, 7);
	assert_int_equal(h.s.cwnd_bytes, 65004);
	struct weir_endpoint_config e = weir_endpoint_defaults();
	struct weir_bsd43 small;
	const struct weir_bsd43_config c = weir_bsd43_of_era(WEIR_ERA_1988);
	struct weir_segment out;
	e.mss_bytes = 64;
	e.rwnd_bytes = WINDOW;
	weir_bsd43_init(&small, &e, &c, 0);
	weir_bsd43_written(&small, WEIR_NEVER);
	assert_true(weir_bsd43_poll(&small, 0, &out));
	small.cwnd_bytes = 10000;
	small.ssthresh_bytes = 128;
	weir_bsd43_on_ack(&small, 0, &(struct weir_ack_segment){.ack = 64, .window = 64});
	assert_int_equal(small.cwnd_bytes, 10001);
}

/* Half of the window in use, in whole segments, at least two. */
static void v_ssthresh_by_hand(void **unused)
{
	(void)unused;
	static const struct {
		u32 cwnd, ssthresh;
	} hand[] = {{5000, 2048}, {512, 1024}, {2047, 1024}, {3072, 1536}, {16384, 8192}, {65535, 8192}};
	for (u32 i = 0; i < sizeof hand / sizeof hand[0]; i++) {
		struct host h = host_of_era(WEIR_ERA_1988);
		h.s.cwnd_bytes = hand[i].cwnd;
		host_time_out(&h);
		assert_int_equal(h.s.ssthresh_bytes, hand[i].ssthresh);
		assert_int_equal(h.s.cwnd_bytes, SEGMENT);
	}
}

/* Slow start up to ssthresh, then a segment for each window. */
static void v_slow_start_ends_at_ssthresh(void **unused)
{
	(void)unused;
	struct host h = host_of_era(WEIR_ERA_1988);
	h.s.cwnd_bytes = WINDOW;
	host_time_out(&h);
	u64 acked = 0;
	while (h.s.cwnd_bytes < 8192) {
		u32 before = h.s.cwnd_bytes;
		host_ack(&h, ++acked);
		assert_int_equal(h.s.cwnd_bytes, before + SEGMENT);
	}
	assert_int_equal(acked, 15);
	for (u32 i = 0; i < 17; i++, h.n = 0)
		host_ack(&h, ++acked);
	assert_in_range(h.s.cwnd_bytes, 8192 + 500, 8192 + SEGMENT + 12);
}

/* Without slow start a loss halves the window, and it goes on from there. */
static void v_without_slow_start(void **unused)
{
	(void)unused;
	struct host h = host_of((struct weir_bsd43_config){.dynamic_window = true}, WEIR_NEVER, 0);
	host_sent(&h, 32, 0);
	host_time_out(&h);
	host_sent(&h, 1, 0);
	assert_int_equal(h.s.cwnd_bytes, 8192);
	host_ack(&h, 1);
	host_sent(&h, 16, 1);
	assert_int_equal(h.s.cwnd_bytes, 8192 + 32);
}

/* (vi): the backed-off timeout stays until something that was sent once has been measured. */
static void vi_karn_keeps_the_backoff(void **unused)
{
	(void)unused;
	struct host h = host_of_era(WEIR_ERA_1988);
	h.now_ns = 10 * MS;
	host_ack(&h, 1); /* A = 1: 2 ticks */
	assert_int_equal(h.s.rto_ticks, 2);
	assert_int_equal(host_time_out(&h), 2);
	assert_int_equal(h.s.rto_ticks, 4);
	host_ack(&h, 2); /* of a retransmission: no sample, no news about the timeout */
	assert_int_equal(h.s.sample_ticks, 1);
	assert_int_equal(h.s.shift, 1);
	assert_int_equal(h.s.rto_ticks, 4);
	assert_int_equal(host_time_out(&h), 4);
	assert_int_equal(h.s.rto_ticks, 8);
	host_ack(&h, 3);
	assert_int_equal(h.s.shift, 2);
	h.n = 0;
	host_ack(&h, 4);
	assert_true(h.n > 0 && h.sent[h.n - 1].attempt == 0); /* new at last, and timed */
	u64 timed = h.s.timed_seq / SEGMENT;
	host_ack(&h, timed);
	assert_int_equal(h.s.shift, 2);
	host_ack(&h, timed + 1);
	assert_int_equal(h.s.shift, 0);
	assert_int_equal(h.s.rto_ticks, 2);
}

static void vi_without_karn_any_news_clears_it(void **unused)
{
	(void)unused;
	struct weir_bsd43_config c = weir_bsd43_of_era(WEIR_ERA_1988);
	c.karn = false;
	struct host h = host_of(c, WEIR_NEVER, 0);
	host_ack(&h, 1);
	host_time_out(&h);
	host_ack(&h, 2);
	assert_int_equal(h.s.shift, 0);
	assert_int_equal(h.s.rto_ticks, 2);
	assert_int_equal(h.s.sample_ticks, 1);
}

/* With the fourth timeout in a row the mean is in doubt; the timeouts go on as before. */
static void vi_doubt_after_three(void **unused)
{
	(void)unused;
	static const u64 wanted[] = {2, 4, 8, 16, 32, 64, 128};
	struct host h = host_of_era(WEIR_ERA_1988);
	host_ack(&h, 1);
	for (u32 i = 0; i < 7; i++) {
		assert_int_equal(host_time_out(&h), wanted[i]);
		assert_int_equal(h.s.mean_8, i < 3 ? 8 : 0);
		assert_int_equal(h.s.deviation_4, i < 3 ? 2 : 4);
	}
}

/* The backoff stays without a measurement, but news keep the connection alive. */
static void vi_gives_up_without_news_only(void **unused)
{
	(void)unused;
	struct host h = host_of(weir_bsd43_of_era(WEIR_ERA_1988), 40 * SEGMENT, 0);
	for (u64 i = 1; i <= 8; i++)
		host_ack(&h, i);
	for (u64 i = 9; i < 30; i++) {
		host_time_out(&h);
		h.n = 0;
		host_ack(&h, i); /* never what is timed */
		h.s.timed_tick = 0;
	}
	assert_int_equal(h.s.shift, 12);
	assert_false(h.s.dropped);
	for (u32 i = 0; i < 12; i++)
		host_time_out(&h);
	host_wait(&h, 65 * WEIR_NS_PER_S);
	assert_true(h.s.dropped);
}

static struct host full_window(struct weir_bsd43_config c)
{
	struct host h = host_of(c, WEIR_NEVER, 0);
	h.s.cwnd_bytes = 16 * SEGMENT;
	host_poll(&h);
	h.now_ns = 10 * MS;
	host_ack(&h, 1);
	h.n = 0;
	return h;
}

/* (vii): the third duplicate, not the second nor the fourth: half the window as ssthresh, one segment as
 * window, and that one again; then slow start from where it was. */
static void vii_fast_retransmit(void **unused)
{
	(void)unused;
	struct host h = full_window(weir_bsd43_of_era(WEIR_ERA_1988));
	u64 sent = h.s.max / SEGMENT;
	assert_int_equal(sent, 18);
	h.now_ns = TICK + 10 * MS;
	host_ack(&h, 1);
	host_ack(&h, 1);
	host_sent(&h, 0, 0);
	host_ack(&h, 1);
	host_sent(&h, 1, 1);
	assert_int_equal(h.s.fast_retransmissions, 1);
	assert_int_equal(h.s.ssthresh_bytes, 8 * SEGMENT);
	assert_int_equal(h.s.cwnd_bytes, SEGMENT);
	assert_int_equal(h.s.timed_tick, 0);					/* (vi) */
	assert_int_equal(weir_bsd43_next_ns(&h.s), (1 + h.s.rto_ticks) * TICK); /* anew */
	for (u32 i = 0; i < 5; i++)
		host_ack(&h, 1);
	host_sent(&h, 0, 0);
	assert_int_equal(h.s.fast_retransmissions, 1);
	host_ack(&h, sent);
	host_sent(&h, 2, sent); /* slow start, from new data on */
	assert_int_equal(h.s.retransmitted_packets, 1);
	assert_int_equal(h.s.timeouts, 0);
}

/* Only ACKs that say nothing but the same again count. */
static void vii_what_is_a_duplicate(void **unused)
{
	(void)unused;
	struct host h = full_window(weir_bsd43_of_era(WEIR_ERA_1988));
	host_ack(&h, 1);
	host_ack(&h, 1);
	h.window--; /* an update of the window */
	host_ack(&h, 1);
	host_ack(&h, 1);
	host_ack(&h, 1);
	host_sent(&h, 0, 0);
	host_ack(&h, 0); /* an old one */
	host_ack(&h, 1);
	host_ack(&h, 1);
	host_sent(&h, 0, 0);
	host_ack(&h, 1);
	host_sent(&h, 1, 1);
	struct host done = host_of(weir_bsd43_of_era(WEIR_ERA_1988), SEGMENT, 0);
	for (u32 i = 0; i < 5; i++)
		host_ack(&done, 1); /* nothing is out */
	host_sent(&done, 1, 0);
}

static void vii_off(void **unused)
{
	(void)unused;
	struct weir_bsd43_config c = weir_bsd43_of_era(WEIR_ERA_1988);
	c.fast_retransmit = false;
	struct host h = full_window(c);
	for (u32 i = 0; i < 10; i++)
		host_ack(&h, 1);
	host_sent(&h, 0, 0);
}

/* Alone it sends one segment again and leaves the window as it is. */
static void vii_alone(void **unused)
{
	(void)unused;
	struct host h = host_of((struct weir_bsd43_config){.fast_retransmit = true}, WEIR_NEVER, 0);
	host_sent(&h, 32, 0);
	for (u32 i = 0; i < 4; i++)
		host_ack(&h, 0);
	host_sent(&h, 1, 0);
	assert_int_equal(weir_bsd43_window(&h.s), WINDOW);
	assert_int_not_equal(h.s.timed_tick, 0); /* without (vi) */
	host_ack(&h, 32);
	host_sent(&h, 32, 32);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(eras_set_all_switches),
	    cmocka_unit_test(ii_exponential_backoff_in_time),
	    cmocka_unit_test(iii_slow_start),
	    cmocka_unit_test(iii_initial_window),
	    cmocka_unit_test(iii_restart_after_idle),
	    cmocka_unit_test(v_growth_by_hand),
	    cmocka_unit_test(v_ssthresh_by_hand),
	    cmocka_unit_test(v_slow_start_ends_at_ssthresh),
	    cmocka_unit_test(v_without_slow_start),
	    cmocka_unit_test(vi_karn_keeps_the_backoff),
	    cmocka_unit_test(vi_without_karn_any_news_clears_it),
	    cmocka_unit_test(vi_doubt_after_three),
	    cmocka_unit_test(vi_gives_up_without_news_only),
	    cmocka_unit_test(vii_fast_retransmit),
	    cmocka_unit_test(vii_what_is_a_duplicate),
	    cmocka_unit_test(vii_off),
	    cmocka_unit_test(vii_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
