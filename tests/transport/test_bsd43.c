/* SPDX-License-Identifier: MIT */
/* 4.3BSD's sender of 1986, with every switch off. */
#include "bsd43_host.h"

static void sends_all_that_the_receiver_takes(void **unused)
{
	(void)unused;
	struct host h = host_of_era(WEIR_ERA_1986);
	host_sent(&h, 32, 0);
	host_ack(&h, 5);
	host_sent(&h, 5, 32);
	h.window = 4096 >> WEIR_WINDOW_SHIFT;
	host_ack(&h, 6); /* it shrinks: nothing leaves until it is used up */
	host_sent(&h, 0, 0);
	host_ack(&h, 30);
	host_sent(&h, 1, 37);
	assert_int_equal(weir_bsd43_window(&h.s), 4096);
}

/* Go-back-N: one segment after a timeout; then, with the first ACK of news, all that it does not cover. */
static void go_back_n(void **unused)
{
	(void)unused;
	struct host h = host_of_era(WEIR_ERA_1986);
	host_sent(&h, 32, 0);
	host_time_out(&h);
	host_sent(&h, 1, 0);
	host_ack(&h, 0); /* no news */
	host_sent(&h, 0, 0);
	h.now_ns += 100 * MS;
	host_ack_of(&h, 3, 2);
	host_sent(&h, 32, 3); /* 29 again, 3 new ones */
	assert_int_equal(h.s.retransmitted_packets, 1 + 29);
	assert_int_equal(h.s.sent_packets, 32 + 1 + 32);
	assert_int_equal(h.s.max, 35 * SEGMENT);
	assert_int_equal(weir_bsd43_window(&h.s), WINDOW); /* a loss says nothing about the window */
	host_ack(&h, 20);
	host_sent(&h, 17, 35);
	assert_int_equal(h.s.spurious, 0);
}

/* What arrived out of order is acknowledged with the hole: then nothing is sent again. */
static void one_hole_costs_one_segment(void **unused)
{
	(void)unused;
	struct host h = host_of_era(WEIR_ERA_1986);
	host_time_out(&h);
	h.n = 0;
	host_ack_of(&h, 32, 2);
	host_sent(&h, 32, 32);
	assert_int_equal(h.s.retransmitted_packets, 1);
}

/* An ACK in time for the original, after the timer: the timeout was needless, and that is counted. */
static void needless_timeouts_are_counted(void **unused)
{
	(void)unused;
	struct host h = host_of_era(WEIR_ERA_1986);
	host_time_out(&h);
	host_ack_of(&h, 1, 0);
	assert_int_equal(h.s.spurious, 1);
	host_ack_of(&h, 2, 0); /* once */
	assert_int_equal(h.s.spurious, 1);
}

/* Six seconds before anything is known, then by the table, then it gives up. The timer is of ticks: the first
 * is cut short by the phase of the host's clock. */
static void timers_tick_and_give_up(void **unused)
{
	(void)unused;
	static const u64 wanted[] = {12, 12, 24, 48, 60, 60, 60, 60, 60, 60, 60, 60};
	for (u32 phase_ms = 0; phase_ms < 500; phase_ms += 83) {
		struct weir_bsd43_config c = weir_bsd43_of_era(WEIR_ERA_1986);
		c.tick_phase_ns = phase_ms * (u32)MS;
		struct host h = host_of(c, WEIR_NEVER, 0);
		/* at time 0 the clock with phase 0 has just ticked */
		assert_int_equal(weir_bsd43_next_ns(&h.s), c.tick_phase_ns + (phase_ms ? 11 : 12) * TICK);
		for (u32 i = 0; i < 12; i++) {
			h.n = 0;
			assert_int_equal(host_time_out(&h), wanted[i]);
			host_sent(&h, 1, 0);
			assert_int_equal(h.now_ns % TICK, c.tick_phase_ns);
		}
		host_wait(&h, 40 * WEIR_NS_PER_S);
		assert_true(h.s.dropped && weir_bsd43_done(&h.s));
		assert_int_equal(weir_bsd43_next_ns(&h.s), WEIR_NEVER);
		assert_int_equal(h.s.timeouts, 12);
		host_ack(&h, 32);
		host_sent(&h, 0, 0);
	}
}

/* One segment is timed at a time; the next begins with the next new one. A timeout ends the measurement, and
 * what is sent again starts none. */
static void one_segment_is_timed(void **unused)
{
	(void)unused;
	struct host h = host_of_era(WEIR_ERA_1986);
	h.now_ns = 2 * TICK + 10 * MS;
	host_ack(&h, 1); /* 0 sent at tick 1, now tick 3 */
	assert_int_equal(h.s.sample_ticks, 3);
	assert_int_equal(h.s.latest_rtt_ns, h.now_ns);
	assert_int_equal(h.s.rto_ticks, 6);
	h.now_ns += TICK;
	host_ack(&h, 20); /* sent before the measurement that began with segment 32 */
	assert_int_equal(h.s.sample_ticks, 3);
	h.now_ns += TICK;
	host_ack(&h, 32); /* up to it, not of it */
	assert_int_equal(h.s.sample_ticks, 3);
	host_ack(&h, 33);
	assert_true(h.s.mean_ticks > 3 - 1e-9 && h.s.mean_ticks < 3 + 1e-9); /* 3 ticks again */
	assert_int_not_equal(h.s.timed_tick, 0);
	host_time_out(&h);
	assert_int_equal(h.s.timed_tick, 0);
	host_ack(&h, 40); /* 25 again, then new ones */
	assert_int_equal(h.s.timed_seq, 65 * SEGMENT);
	assert_int_equal(h.s.sample_ticks, 3);
}

/* Any ACK of news clears the backoff, even of what was sent again. */
static void backoff_ends_with_any_news(void **unused)
{
	(void)unused;
	struct host h = host_of_era(WEIR_ERA_1986);
	for (u32 i = 0; i < 4; i++)
		host_time_out(&h);
	assert_int_equal(h.s.shift, 4);
	host_ack(&h, 1);
	assert_int_equal(h.s.shift, 0);
	assert_int_equal(host_time_out(&h), 12);
}

/* The timer starts anew with each ACK of news, stands while nothing is out, and starts with the next segment.
 */
static void timer_follows_the_acks(void **unused)
{
	(void)unused;
	struct host h = host_of(weir_bsd43_of_era(WEIR_ERA_1986), 2 * SEGMENT, 0);
	host_sent(&h, 2, 0);
	host_ack(&h, 1);
	assert_int_equal(h.s.rto_ticks, 2);
	assert_int_equal(weir_bsd43_next_ns(&h.s), 2 * TICK);
	h.now_ns = TICK + 1;
	host_ack(&h, 2);
	assert_int_equal(weir_bsd43_next_ns(&h.s), WEIR_NEVER);
	assert_true(weir_bsd43_done(&h.s));
	h.now_ns = 10 * TICK;
	weir_bsd43_written(&h.s, 3 * SEGMENT);
	host_poll(&h);
	host_sent(&h, 1, 2);
	assert_int_equal(weir_bsd43_next_ns(&h.s), 12 * TICK);
}

/* Four fifths of what is out, then a tenth more with each ACK; in 1986 the only thing that ever closed it. */
static void source_quench(void **unused)
{
	(void)unused;
	struct host h = host_of_era(WEIR_ERA_1986);
	weir_bsd43_on_quench(&h.s);
	assert_int_equal(h.s.cwnd_bytes, 8 * 16384 / 10);
	host_ack(&h, 1);
	assert_int_equal(h.s.cwnd_bytes, 13107 + 1310);
	host_ack(&h, 2);
	assert_int_equal(h.s.cwnd_bytes, 14417 + 1441);
	for (u64 i = 3; i < 60; i++)
		host_ack(&h, i);
	assert_int_equal(h.s.cwnd_bytes, 65535);
	struct host idle = host_of(weir_bsd43_of_era(WEIR_ERA_1986), 0, 0);
	weir_bsd43_on_quench(&idle.s);
	assert_int_equal(idle.s.cwnd_bytes, SEGMENT);
	struct host later = host_of_era(WEIR_ERA_1988);
	later.s.cwnd_bytes = 8192;
	weir_bsd43_on_quench(&later.s);
	assert_int_equal(later.s.cwnd_bytes, SEGMENT);
}

/* A short segment leaves at the end of what was written only; a window that ends inside one waits. */
static void segments_stay_where_they_were_cut(void **unused)
{
	(void)unused;
	struct host h = host_of(weir_bsd43_of_era(WEIR_ERA_1986), 2 * SEGMENT + 100, 0);
	assert_int_equal(h.n, 3);
	assert_int_equal(h.sent[2].bytes, 100);
	h.n = 0;
	host_time_out(&h);
	host_sent(&h, 1, 0);
	host_ack(&h, 1);
	assert_int_equal(h.n, 2);
	assert_int_equal(h.sent[1].bytes, 100);
	struct host narrow = host_of_era(WEIR_ERA_1986);
	narrow.s.cwnd_bytes = 1300;
	narrow.n = 0;
	host_ack(&narrow, 32);
	host_sent(&narrow, 2, 32); /* 1430 by now */
}

/* Numbers wrap on the wire at 2^32. */
static void sequence_numbers_wrap(void **unused)
{
	(void)unused;
	u64 first = (1ULL << 32) - 10 * SEGMENT;
	struct host h = host_of(weir_bsd43_of_era(WEIR_ERA_1986), WEIR_NEVER, first);
	host_sent(&h, 32, 0);
	host_ack(&h, 20);
	host_sent(&h, 20, 32);
	assert_int_equal(h.s.una, first + 20 * SEGMENT);
	u64 value[WEIR_CC_SIGNALS_MAX];
	weir_bsd43_probe(&h.s, value);
	assert_int_equal(value[0], 52 * SEGMENT);
	assert_int_equal(value[1], 20 * SEGMENT);
}

/* What no honest peer sends: beyond all that was sent, behind, a window of nothing or of everything. */
static void hostile_acks(void **unused)
{
	(void)unused;
	struct host h = host_of_era(WEIR_ERA_1986);
	host_sent(&h, 32, 0);
	host_ack(&h, 33);
	host_sent(&h, 0, 0);
	assert_int_equal(h.s.una, 0);
	host_ack(&h, 8);
	host_sent(&h, 8, 32);
	host_ack(&h, 2);
	assert_int_equal(h.s.una, 8 * SEGMENT);
	h.window = 0;
	host_ack(&h, 40);
	host_sent(&h, 1, 40);
	h.window = 0xffffffffU;
	host_ack(&h, 41);
	assert_int_equal(h.n, 127); /* 65535 bytes and no more */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(sends_all_that_the_receiver_takes),
	    cmocka_unit_test(go_back_n),
	    cmocka_unit_test(one_hole_costs_one_segment),
	    cmocka_unit_test(needless_timeouts_are_counted),
	    cmocka_unit_test(timers_tick_and_give_up),
	    cmocka_unit_test(one_segment_is_timed),
	    cmocka_unit_test(backoff_ends_with_any_news),
	    cmocka_unit_test(timer_follows_the_acks),
	    cmocka_unit_test(source_quench),
	    cmocka_unit_test(segments_stay_where_they_were_cut),
	    cmocka_unit_test(sequence_numbers_wrap),
	    cmocka_unit_test(hostile_acks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
