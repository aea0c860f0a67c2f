/* SPDX-License-Identifier: MIT */
/* What limits a sender, and what its controller is told of it: the application, the peer's window, silence,
 * windows below a segment, numbers at their ends. */
#include "cc/reno.h"
#include "steady_path.h"

static u32 count_flag(enum probe_kind kind, u32 flag, u64 from_ns)
{
	u32 n = 0;
	for (u32 i = 0; i < probe.n; i++)
		n += probe.event[i].kind == kind && probe.event[i].now_ns >= from_ns &&
		     (probe.event[i].view_flags & flag) != 0;
	return n;
}

static u32 count_from(enum probe_kind kind, u64 from_ns)
{
	u32 n = 0;
	for (u32 i = 0; i < probe.n; i++)
		n += probe.event[i].kind == kind && probe.event[i].now_ns >= from_ns;
	return n;
}

static void limited_by_the_window(void **state)
{
	(void)state;
	struct pair *p = steady_path(WEIR_RECOVERY_SACK);
	pair_write(p, WEIR_NEVER);
	pair_run(p, 3 * WEIR_NS_PER_S);
	u32 acks = count_from(PROBE_ACK, WEIR_NS_PER_S);
	assert_true(acks > 300);
	assert_int_equal(count_flag(PROBE_ACK, WEIR_CWND_LIMITED, WEIR_NS_PER_S), acks);
	assert_int_equal(count_flag(PROBE_ACK, WEIR_APP_LIMITED, WEIR_NS_PER_S), 0);
	assert_int_equal(probe.n_of[PROBE_IDLE], 0);
	pair_free(p);
}

/* Two segments each 10 ms fit in the window ten times: app-limited, never window-limited. */
static void limited_by_the_application(void **state)
{
	(void)state;
	struct pair *p = steady_path(WEIR_RECOVERY_SACK);
	for (u64 i = 1; i <= 300; i++) {
		pair_write(p, i * MSS);
		pair_run(p, i * 10 * WEIR_NS_PER_MS);
	}
	u32 acks = count_from(PROBE_ACK, WEIR_NS_PER_S);
	assert_true(acks > 150);
	assert_int_equal(count_flag(PROBE_ACK, WEIR_APP_LIMITED, WEIR_NS_PER_S), acks);
	assert_int_equal(count_flag(PROBE_ACK, WEIR_CWND_LIMITED, WEIR_NS_PER_S), 0);
	/* Bulk again: the flag goes within a round trip. */
	pair_write(p, WEIR_NEVER);
	pair_run(p, 5 * WEIR_NS_PER_S);
	acks = count_from(PROBE_ACK, 4 * WEIR_NS_PER_S);
	assert_int_equal(count_flag(PROBE_ACK, WEIR_APP_LIMITED, 4 * WEIR_NS_PER_S), 0);
	assert_int_equal(count_flag(PROBE_ACK, WEIR_CWND_LIMITED, 4 * WEIR_NS_PER_S), acks);
	pair_free(p);
}

/* As the kernel counts, which the views of one capture showed (tests/kern/test_recorded.c): what is in flight
 * when the application runs dry left as fast as it could; what leaves after that did not. */
static void limited_is_what_leaves_after_the_application_ran_dry(void **state)
{
	(void)state;
	struct pair *p = steady_path(WEIR_RECOVERY_SACK);
	pair_write(p, 5 * MSS);
	pair_run(p, WEIR_NS_PER_S);
	assert_true(count_from(PROBE_ACK, 0) > 0);
	assert_int_equal(count_flag(PROBE_ACK, WEIR_APP_LIMITED, 0), 0);
	pair_write(p, 10 * MSS);
	pair_run(p, 2 * WEIR_NS_PER_S);
	u32 acks = count_from(PROBE_ACK, WEIR_NS_PER_S);
	assert_true(acks > 0);
	assert_int_equal(count_flag(PROBE_ACK, WEIR_APP_LIMITED, WEIR_NS_PER_S), acks);
	pair_free(p);
}

/* Part D 2: the peer's window is no reason to grow either. G19: so slow start stays bounded by use. */
static void g19_limited_by_the_peer(void **state)
{
	(void)state;
	struct weir_endpoint_config c = steady_config();
	u64 params[] = {WEIR_NS_PER_S};
	c.rwnd_bytes = 5 * 1024;
	struct pair *p = steady_path_of(&c, &fixed_window);
	pair_write(p, WEIR_NEVER);
	pair_run(p, 3 * WEIR_NS_PER_S);
	u32 acks = count_from(PROBE_ACK, WEIR_NS_PER_S);
	assert_int_equal(count_flag(PROBE_ACK, WEIR_APP_LIMITED, WEIR_NS_PER_S), acks);
	assert_int_equal(count_flag(PROBE_ACK, WEIR_CWND_LIMITED, WEIR_NS_PER_S), 0);
	assert_in_range(p->sender.nxt - p->sender.una, 4 * 1024, 5 * 1024);
	pair_free(p);

	p = pair_new(&c, &weir_cc_reno, params, RTT_NS / 2, 0);
	pair_write(p, WEIR_NEVER);
	pair_run(p, 20 * WEIR_NS_PER_S);
	assert_true(p->sender.cwnd_bytes <= 10 * MSS);
	pair_free(p);
}

/* G1, G2: silence counts from the last ACK or the last segment, whichever is later. */
static void g1_g2_idle(void **state)
{
	(void)state;
	struct pair *p = steady_path(WEIR_RECOVERY_SACK);
	pair_write(p, 5 * MSS);
	pair_finish(p, WEIR_NS_PER_S);
	u64 last_ack_ns = p->now_ns;
	pair_run(p, 5 * WEIR_NS_PER_S);
	pair_write(p, 10 * MSS);
	assert_int_equal(probe.n_of[PROBE_IDLE], 1);
	assert_int_equal(probe_last(PROBE_IDLE)->bytes, 5 * WEIR_NS_PER_S - last_ack_ns);
	pair_finish(p, 10 * WEIR_NS_PER_S);
	pair_free(p);

	/* One segment at a time, with an ACK clock that never stops: no silence, though the pipe is empty
	 * whenever an ACK arrives. */
	struct weir_endpoint_config c = steady_config();
	const struct probe_params tiny = {.cwnd_bytes = 1};
	p = steady_path_of(&c, &tiny);
	pair_write(p, WEIR_NEVER);
	pair_run(p, 10 * WEIR_NS_PER_S);
	assert_int_equal(probe.n_of[PROBE_IDLE], 0);
	pair_free(p);
}

/* Nothing written for a while, but data is out all the time: that is no silence. */
static void a_pause_with_data_out_is_no_silence(void **state)
{
	(void)state;
	struct pair *p = steady_path(WEIR_RECOVERY_SACK);
	for (u64 i = 1; i <= 100; i++) {
		pair_write(p, i * MSS);
		pair_run(p, i * 90 * WEIR_NS_PER_MS);
	}
	assert_int_equal(probe.n_of[PROBE_IDLE], 0);
	pair_free(p);
}

static void a_window_below_a_segment_still_sends(void **state)
{
	(void)state;
	for (enum weir_recovery recovery = WEIR_RECOVERY_SACK; recovery <= WEIR_RECOVERY_RENO; recovery++) {
		struct weir_endpoint_config c = steady_config();
		const struct probe_params tiny = {.cwnd_bytes = 1, .ssthresh_bytes = 1};
		c.recovery = recovery;
		struct pair *p = steady_path_of(&c, &tiny);
		pair_drop(p, 20);
		pair_write(p, 50 * MSS);
		pair_finish(p, 50 * (RTT_NS + 2 * GAP_NS) + WEIR_NS_PER_S);
		pair_free(p);
	}
}

/* J8: totals are 64 bits wide, and numbers of slots may wrap. Everything starts just below where 32 bits end,
 * and the decisions are the same. */
static void j8_counts_beyond_32_bits(void **state)
{
	(void)state;
	u64 hash[2];
	for (u32 high = 0; high < 2; high++) {
		struct pair *p = steady_path(WEIR_RECOVERY_SACK);
		struct weir_sender *s = &p->sender;
		if (high) {
			s->sent_packets = s->retransmitted_packets = 0xffffffffULL - 100;
			s->slots.head = s->slots.tail = s->rack.mark = s->lost_hand = 0xffffffffU - 70;
			s->retransmitted.head = s->retransmitted.tail = 0xffffffffU;
		}
		for (u32 n = 40; n < 400; n += 37)
			pair_drop(p, n);
		pair_write(p, 500 * MSS);
		pair_finish(p, 100 * WEIR_NS_PER_S);
		hash[high] = p->hash;
		assert_int_equal(s->sent_packets - p->n_sent, high ? 0xffffffffULL - 100 : 0);
		assert_int_equal(s->retransmitted_packets - pair_retransmissions(p),
				 high ? 0xffffffffULL - 100 : 0);
		pair_free(p);
	}
	assert_int_equal(hash[0], hash[1]);
}

/* J8: two thousand million segments without a loss: the short way leaves the other hands of the scoreboard
 * that far behind, and the next loss must find them. Here the numbers are moved instead. */
static void j8_long_without_loss(void **state)
{
	(void)state;
	const u32 by[] = {0, 0x70000000, 0x80000000, 0x90000000, 0xf0000000};
	u64 hash = 0;
	for (u32 k = 0; k < 5; k++) {
		struct pair *p = steady_path(WEIR_RECOVERY_SACK);
		pair_drop(p, 30); /* leaves entries in the queues */
		pair_drop(p, 300);
		pair_drop(p, 310);
		pair_write(p, 500 * MSS);
		while (p->sender.una < 200 * MSS)
			pair_step(p);
		assert_true(p->sender.steady);
		p->sender.slots.head += by[k];
		p->sender.slots.tail += by[k];
		pair_finish(p, 100 * WEIR_NS_PER_S);
		assert_true(k == 0 || p->hash == hash);
		assert_int_equal(p->sender.timeouts, 0);
		hash = p->hash;
		pair_free(p);
	}
}

/* G32: where the stream begins changes nothing, whatever happens on the path. */
static void g32_first_sequence(void **state)
{
	(void)state;
	const u64 first[] = {0, 0xffffffffULL - 12345, 0x7fffffffULL - 12345, (1ULL << 40) - 5};
	for (u64 seed = 0; seed < 24; seed++) {
		u64 hash = 0;
		for (u32 k = 0; k < 4; k++) {
			struct weir_endpoint_config c = steady_config();
			c.recovery = (enum weir_recovery)(seed % 3);
			c.first_sequence = first[k];
			struct pair *p = steady_path_of(&c, &fixed_window);
			weir_rng_init(&p->rng, seed, 0, 0);
			p->pipe[PAIR_DATA].drop = .05;
			p->pipe[PAIR_ACKS].drop = .05;
			p->pipe[PAIR_DATA].late = .05;
			p->pipe[PAIR_DATA].late_ns = 20 * WEIR_NS_PER_MS;
			pair_write(p, 100 * MSS + seed);
			pair_finish(p, 1000 * WEIR_NS_PER_S);
			assert_true(k == 0 || p->hash == hash);
			hash = p->hash;
			pair_free(p);
		}
	}
}

/* However large the windows, less than half of the sequence space is in flight: the wire could not tell more
 * apart. */
static void in_flight_stays_below_half_the_space(void **state)
{
	(void)state;
	struct weir_endpoint_config c = steady_config();
	const struct probe_params huge = {.cwnd_bytes = 1ULL << 47};
	c.mss_bytes = 64000;
	struct pair *p = pair_new(&c, &probe_ops, &huge, RTT_NS / 2, 0);
	p->unchecked = true;
	p->pipe[PAIR_DATA].drop = 1; /* nothing is to be remembered by the pipe */
	pair_write(p, WEIR_NEVER);
	assert_in_range(p->sender.nxt, 1ULL << 30, (1ULL << 31) - 1);
	assert_false(p->sender.failed);
	check_sender(&p->sender);
	struct weir_ack_segment ack = {.ack = (u32)p->sender.nxt, .window = 0xffffffffU};
	u64 nxt = p->sender.nxt;
	probe.ack_number = 1;
	weir_sender_on_ack(&p->sender, RTT_NS, &ack);
	assert_int_equal(p->sender.una, nxt);
	pair_free(p);
}

/* Neither the application nor the peer's window cuts the stream at multiples of a segment. */
static void odd_sizes(void **state)
{
	(void)state;
	const u64 rwnd[] = {1000, 1500, 4096, 65535, 1 << 20};
	for (u32 k = 0; k < 5; k++)
		for (u64 seed = 0; seed < 3; seed++) {
			struct weir_endpoint_config c = steady_config();
			c.rwnd_bytes = rwnd[k];
			c.ack_every = 1 + (u32)seed % 2;
			c.recovery = (enum weir_recovery)seed;
			struct pair *p = steady_path_of(&c, &fixed_window);
			weir_rng_init(&p->rng, seed, 0, 0);
			p->pipe[PAIR_DATA].drop = .02;
			u64 written = 0;
			for (u32 i = 0; i < 40; i++) {
				written += 1 + weir_rng_below(&p->rng, 5 * MSS);
				pair_write(p, written);
				pair_run(p, p->now_ns + weir_rng_below(&p->rng, 2 * RTT_NS));
				assert_true(p->sender.nxt - p->sender.una <= rwnd[k]);
			}
			pair_finish(p, 10000 * WEIR_NS_PER_S);
			assert_int_equal(pair_delivered(p), written);
			pair_free(p);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(limited_by_the_window),
	    cmocka_unit_test(limited_by_the_application),
	    cmocka_unit_test(limited_is_what_leaves_after_the_application_ran_dry),
	    cmocka_unit_test(g19_limited_by_the_peer),
	    cmocka_unit_test(g1_g2_idle),
	    cmocka_unit_test(a_pause_with_data_out_is_no_silence),
	    cmocka_unit_test(a_window_below_a_segment_still_sends),
	    cmocka_unit_test(j8_counts_beyond_32_bits),
	    cmocka_unit_test(j8_long_without_loss),
	    cmocka_unit_test(g32_first_sequence),
	    cmocka_unit_test(in_flight_stays_below_half_the_space),
	    cmocka_unit_test(odd_sizes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
