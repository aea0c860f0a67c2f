/* SPDX-License-Identifier: MIT */
/* BBR by its rules: startup, the cycle, the window, repair, PROBE_RTT, the token bucket; and field cases of
 * H. */
#include "law.h"

#define RTT_NS (40 * FEED_MS)
#define RATE_Bps 5000000ULL /* 200 packets a round trip */
#define LIMITED WEIR_APP_LIMITED

enum { STARTUP, DRAIN, PROBE_BW, PROBE_RTT };

struct path {
	struct feed feed;
	u64 rate_Bps, rtt_ns; /* what every ACK shows */
	u64 inflight_bytes;   /* after it; WEIR_NEVER: the window */
	u64 pacing_Bps;
};

static u64 signal_of(const struct path *p, const char *name)
{
	return feed_signal_value(&p->feed, name);
}

static void open_path(struct path *p)
{
	feed_open(&p->feed, "bbr", RTT_NS);
	p->rate_Bps = RATE_Bps;
	p->rtt_ns = RTT_NS;
	p->inflight_bytes = WEIR_NEVER;
}

static void ack(struct path *p, u64 acked_bytes, u32 flags)
{
	struct feed *f = &p->feed;
	struct weir_ack a = {.acked_bytes = acked_bytes, .rtt_ns = p->rtt_ns};
	struct weir_out o = {0};
	f->view.delivered_bytes += acked_bytes;
	f->view.delivery_Bps = p->rate_Bps;
	f->view.flags = flags;
	f->view.inflight_bytes = p->inflight_bytes == WEIR_NEVER ? f->cwnd_bytes : p->inflight_bytes;
	f->ops->on_ack(f->state, f->params, &f->view, &a, &o);
	feed_take(f, &o);
	p->pacing_Bps = o.pacing_Bps ? o.pacing_Bps : p->pacing_Bps;
}

/* A round trip in ten ACKs, the first of which begins a round; a tenth of what the rate delivers in each. */
static void round_trip(struct path *p, u32 flags)
{
	for (u32 i = 0; i < 10; i++) {
		p->feed.view.now_ns += p->rtt_ns / 10;
		ack(p, weir_muldiv(p->rate_Bps, p->rtt_ns / 10, WEIR_NS_PER_S),
		    flags | (i ? 0 : WEIR_ROUND_START));
	}
}

/* Past startup and drain. */
static void open_steady(struct path *p)
{
	open_path(p);
	while (signal_of(p, "mode") == STARTUP)
		round_trip(p, 0);
	p->inflight_bytes = 0;
	ack(p, FEED_MSS, 0);
	assert_int_equal(signal_of(p, "mode"), PROBE_BW);
	p->inflight_bytes = RATE_Bps / 25;
}

static u64 bdp_bytes(void)
{
	return RATE_Bps * (RTT_NS / FEED_MS) / 1000;
}

/* Three rounds without a quarter more, wherever they begin; growth by a quarter starts the count again. */
static void startup_ends_after_three_rounds_of_no_growth(void **unused)
{
	(void)unused;
	struct path p;
	open_path(&p);
	for (p.rate_Bps = 400000; p.rate_Bps < RATE_Bps; p.rate_Bps += p.rate_Bps / 4 + 1) {
		round_trip(&p, 0);
		assert_int_equal(signal_of(&p, "mode"), STARTUP);
		law_near("rate", (double)p.pacing_Bps, .99 * 2.88539 * (double)signal_of(&p, "bandwidth"),
			 .15);
	}
	p.rate_Bps = signal_of(&p, "bandwidth");
	round_trip(&p, 0);
	round_trip(&p, 0);
	assert_int_equal(signal_of(&p, "mode"), STARTUP);
	p.rate_Bps += p.rate_Bps / 4 + 1;
	for (u32 i = 0; i < 3; i++) {
		round_trip(&p, 0);
		assert_int_equal(signal_of(&p, "mode"), STARTUP);
	}
	round_trip(&p, 0);
	assert_int_equal(signal_of(&p, "mode"), DRAIN);
	law_near("rate", (double)p.pacing_Bps, .99 / 2.88539 * (double)p.rate_Bps, .001);
	p.inflight_bytes = 0;
	ack(&p, FEED_MSS, 0);
	assert_int_equal(signal_of(&p, "mode"), PROBE_BW);
}

/* 1.25, .75 and six of 1, a min RTT each, whatever begins; never with .75, and every other one does. */
static void the_cycle_has_eight_phases(void **unused)
{
	(void)unused;
	u32 first = 0;
	for (u32 n = 0; n < 60; n++) {
		struct path p;
		open_path(&p);
		p.feed.view.delivered_bytes = n * 1000;
		while (signal_of(&p, "mode") == STARTUP)
			round_trip(&p, 0);
		p.inflight_bytes = 0;
		ack(&p, FEED_MSS, 0);
		u64 gain = signal_of(&p, "pacing_gain"), low = 0, high = 0;
		assert_int_not_equal(gain, 750000);
		first |= gain == 1250000 ? 1 : 2;
		for (u32 phase = 0; phase < 80; phase++) {
			u64 before = signal_of(&p, "pacing_gain");
			/* as much as 1.25 asks for, and in the phase of .75 more than a BDP */
			p.inflight_bytes = bdp_bytes() * 3 / 2;
			p.feed.view.now_ns += RTT_NS + 1;
			ack(&p, FEED_MSS, 0);
			gain = signal_of(&p, "pacing_gain");
			low += gain == 750000;
			high += gain == 1250000;
			if (before == 1250000)
				assert_int_equal(gain, 750000);
			law_near("rate", (double)p.pacing_Bps, .99 * (double)gain / 1e6 * RATE_Bps, .001);
		}
		assert_true(low == 10 && high == 10);
	}
	assert_int_equal(first, 3);
}

/* 1.25 goes on until so much is in flight or something is lost; .75 ends early where a BDP is in flight. */
static void phases_end_by_what_is_in_flight(void **unused)
{
	(void)unused;
	struct path p;
	open_steady(&p);
	while (signal_of(&p, "pacing_gain") != 1250000)
		round_trip(&p, 0);
	for (u32 i = 0; i < 5; i++)
		round_trip(&p, 0);
	assert_int_equal(signal_of(&p, "pacing_gain"), 1250000);
	feed_signal(&p.feed, WEIR_LOSS_PACKET, 0, 0);
	ack(&p, FEED_MSS, 0);
	assert_int_equal(signal_of(&p, "pacing_gain"), 750000);
	ack(&p, FEED_MSS, 0); /* of a BDP in flight */
	assert_int_equal(signal_of(&p, "pacing_gain"), 1000000);
}

/* 2 BDP = 400 packets, three bursts of a millisecond at the rate of the phase (3 to 6 packets each), an even
 * number; two more where 1.25 is probed. Little is aggregated. */
static void the_window_is_two_bdp(void **unused)
{
	(void)unused;
	struct path p;
	open_steady(&p);
	for (u32 i = 0; i < 20; i++) {
		round_trip(&p, 0);
		bool probes = signal_of(&p, "pacing_gain") == 1250000;
		u64 packets = (p.feed.cwnd_bytes - signal_of(&p, "aggregated")) / FEED_MSS;
		assert_in_range(packets, probes ? 420 : 409, probes ? 420 : 412);
	}
}

/* 40 packets at once, then nothing for as long as they take: the window gets room for them, not more. */
static void clumps_of_acks_get_room(void **unused)
{
	(void)unused;
	struct path p;
	open_steady(&p);
	for (u32 i = 0; i < 300; i++) {
		p.feed.view.now_ns += 8 * FEED_MS;
		ack(&p, 40 * FEED_MSS, i % 5 ? 0 : WEIR_ROUND_START);
	}
	assert_in_range(signal_of(&p, "aggregated"), 35 * FEED_MSS, 45 * FEED_MSS);
}

/* As much leaves as arrives for a round, then the window grows again, and after the repair it is back. */
static void repair_conserves_packets_for_a_round(void **unused)
{
	(void)unused;
	struct path p;
	open_steady(&p);
	for (u32 i = 0; i < 30; i++)
		round_trip(&p, 0);
	u64 before = p.feed.cwnd_bytes;
	p.inflight_bytes = 100 * FEED_MSS;
	p.feed.view.inflight_bytes = 100 * FEED_MSS;
	feed_loss(&p.feed);
	assert_int_equal(p.feed.cwnd_bytes, 101 * FEED_MSS);
	for (u32 i = 0; i < 9; i++) {
		p.feed.view.now_ns += RTT_NS / 10;
		ack(&p, 2 * FEED_MSS, WEIR_RECOVERY);
		assert_int_equal(p.feed.cwnd_bytes, 102 * FEED_MSS);
	}
	p.feed.view.now_ns += RTT_NS / 10;
	ack(&p, 2 * FEED_MSS, WEIR_RECOVERY);
	feed_signal(&p.feed, WEIR_LOSS_PACKET, WEIR_NEW_EPISODE, 0); /* amid the repair: one packet less */
	ack(&p, 2 * FEED_MSS, WEIR_RECOVERY);
	assert_int_equal(p.feed.cwnd_bytes, 105 * FEED_MSS);
	ack(&p, 2 * FEED_MSS, 0);
	law_near("window", (double)p.feed.cwnd_bytes, (double)before, .02);
}

/* Ten seconds without the min RTT: four packets, for 200 ms and a round, and then as before. */
static void probe_rtt_every_ten_seconds(void **unused)
{
	(void)unused;
	struct path p;
	open_steady(&p);
	p.rtt_ns = RTT_NS + 10 * FEED_MS;
	u64 start_ns = p.feed.view.now_ns, window = 0;
	while (signal_of(&p, "mode") != PROBE_RTT) {
		window = p.feed.cwnd_bytes;
		round_trip(&p, 0);
	}
	assert_in_range(p.feed.view.now_ns - start_ns, 9900 * FEED_MS, 10200 * FEED_MS);
	assert_int_equal(p.feed.cwnd_bytes, 4 * FEED_MSS);
	p.inflight_bytes = 4 * FEED_MSS;
	p.rate_Bps = 4 * FEED_MSS * 25;
	start_ns = p.feed.view.now_ns;
	while (signal_of(&p, "mode") == PROBE_RTT)
		round_trip(&p, 0);
	assert_in_range(p.feed.view.now_ns - start_ns, 200 * FEED_MS, 320 * FEED_MS);
	assert_int_equal(signal_of(&p, "mode"), PROBE_BW);
	assert_int_equal(signal_of(&p, "bandwidth"), RATE_Bps); /* its own trickle is no sample */
	law_near("window", (double)p.feed.cwnd_bytes, (double)window, .05);
}

/* A fifth and more lost at the same rate, twice: that is a token bucket's. 48 rounds later it is probed. */
static void a_token_bucket_is_seen_by_its_losses(void **unused)
{
	(void)unused;
	for (u32 looks = 0; looks < 2; looks++) {
		struct path p;
		open_steady(&p);
		feed_param(&p.feed, "lt_bw", looks);
		u32 rounds = 0;
		for (; rounds < 100 && !signal_of(&p, "policed"); rounds++) {
			p.rate_Bps = RATE_Bps / 4; /* delivered; the filter's maximum is older */
			p.inflight_bytes = bdp_bytes();
			round_trip(&p, 0);
			for (u32 i = 0; i < 20; i++)
				feed_signal(&p.feed, WEIR_LOSS_PACKET, 0, 0);
		}
		assert_int_equal(signal_of(&p, "policed"), looks);
		if (!looks)
			continue;
		assert_in_range(rounds, 8, 12);
		law_near("rate", (double)signal_of(&p, "bandwidth"), RATE_Bps / 4., .02);
		for (rounds = 0; signal_of(&p, "policed"); rounds++)
			round_trip(&p, 0);
		assert_in_range(rounds, 46, 49);
	}
}

/* ---- field cases ---- */

/* 4.3 GB and 2^63 bytes are passed, and a clock of 2^31 ms and more: nothing changes (H1, H19). */
static void H1_H19_counters_and_clocks_of_any_size(void **unused)
{
	(void)unused;
	static const u64 delivered[] = {0, (1ULL << 32) - 50000, (1ULL << 63) - 50000};
	static const u64 clock_ns[] = {WEIR_NS_PER_S, (1ULL << 31) * WEIR_NS_PER_MS - WEIR_NS_PER_S,
				       (1ULL << 63) - WEIR_NS_PER_S};
	for (u32 i = 0; i < 3; i++) {
		struct path p;
		open_path(&p);
		p.feed.view.delivered_bytes = delivered[i];
		p.feed.view.now_ns = clock_ns[i];
		feed_init(&p.feed);
		while (signal_of(&p, "mode") == STARTUP)
			round_trip(&p, 0);
		p.inflight_bytes = bdp_bytes();
		u32 probes = 0, rounds = 0;
		p.rtt_ns = RTT_NS + FEED_MS;
		for (u64 mode, last = PROBE_BW; rounds < 1000; rounds++, last = mode) {
			round_trip(&p, 0);
			mode = signal_of(&p, "mode");
			p.inflight_bytes = mode == PROBE_RTT ? 4 * FEED_MSS : bdp_bytes();
			p.rtt_ns = RTT_NS + (mode == PROBE_RTT ? 0 : FEED_MS);
			probes += mode == PROBE_RTT && last != PROBE_RTT;
			assert_in_range(signal_of(&p, "bandwidth"), RATE_Bps, RATE_Bps);
		}
		assert_in_range(probes, 3, 5); /* 41 s */
	}
}

static void H2_more_lost_than_was_in_flight(void **unused)
{
	(void)unused;
	struct path p;
	open_steady(&p);
	struct weir_loss l = {
	    .lost_bytes = 1ULL << 60, .inflight_at_send_bytes = 1, .kind = WEIR_LOSS_PACKET};
	struct weir_out o = {0};
	for (u32 i = 0; i < 20; i++) {
		p.feed.ops->on_loss(p.feed.state, p.feed.params, &p.feed.view, &l, &o);
		ack(&p, FEED_MSS, WEIR_RECOVERY);
		assert_int_equal(p.feed.cwnd_bytes, 4 * FEED_MSS);
	}
	for (u32 i = 0; i < 10; i++)
		round_trip(&p, 0);
	assert_true(p.feed.cwnd_bytes > bdp_bytes());
}

/* A hundred rounds of a packet each, then a burst at the rate that was known. */
static void H4_a_trickle_does_not_make_the_rate_forgotten(void **unused)
{
	(void)unused;
	struct path p;
	open_steady(&p);
	p.rate_Bps = FEED_MSS * 25;
	p.inflight_bytes = 0;
	for (u32 i = 0; i < 100; i++) {
		p.feed.view.now_ns += RTT_NS;
		ack(&p, FEED_MSS, WEIR_ROUND_START | LIMITED);
	}
	assert_int_equal(signal_of(&p, "bandwidth"), RATE_Bps);
	p.rate_Bps = RATE_Bps / 2; /* and what the busy sender sees is believed in ten rounds */
	for (u32 i = 0; i < 12; i++)
		round_trip(&p, 0);
	assert_int_equal(signal_of(&p, "bandwidth"), RATE_Bps / 2);
}

/* One packet a round trip of a second, a hundred times, with nothing in flight between: the window stays what
 * a busy sender may begin with, and then it grows. */
static void H5_a_packet_a_round_trip_pins_nothing(void **unused)
{
	(void)unused;
	struct path p;
	open_path(&p);
	p.rtt_ns = p.feed.view.srtt_ns = WEIR_NS_PER_S;
	feed_init(&p.feed);
	p.rate_Bps = FEED_MSS;
	p.inflight_bytes = 0;
	for (u32 i = 0; i < 100; i++) {
		p.feed.view.flags = LIMITED;
		feed_idle(&p.feed, 1);
		p.feed.view.now_ns += WEIR_NS_PER_S;
		ack(&p, FEED_MSS, WEIR_ROUND_START | LIMITED);
		assert_true(p.feed.cwnd_bytes >= 10 * FEED_MSS);
	}
	assert_int_equal(signal_of(&p, "full"), 0);
	u64 before = p.feed.cwnd_bytes;
	p.inflight_bytes = WEIR_NEVER;
	for (u32 i = 0; i < 5; i++) {
		p.rate_Bps = p.feed.cwnd_bytes;
		p.feed.view.now_ns += WEIR_NS_PER_S;
		ack(&p, p.feed.cwnd_bytes, WEIR_ROUND_START);
	}
	assert_true(p.feed.cwnd_bytes > 8 * before);
}

/* Limited from birth: the window is bounded by what was seen, and the clump of ACKs begins anew. */
static void H7_an_idle_application_makes_no_window(void **unused)
{
	(void)unused;
	struct path p;
	open_path(&p);
	p.rate_Bps = 100000; /* 4 packets a round trip */
	p.inflight_bytes = 0;
	for (u32 i = 0; i < 10000; i++) {
		p.feed.view.now_ns += RTT_NS / 4;
		ack(&p, FEED_MSS, LIMITED | (i % 4 ? 0 : WEIR_ROUND_START));
	}
	assert_true(p.feed.cwnd_bytes < 40 * FEED_MSS);
	assert_true(signal_of(&p, "aggregated") < 10 * FEED_MSS);
	assert_int_equal(signal_of(&p, "full"), 0);
}

/* No RTT sample for a minute: no PROBE_RTT, the window grows from the initial one as what arrives. */
static void H8_before_the_first_rtt(void **unused)
{
	(void)unused;
	struct path p;
	open_path(&p);
	p.feed.view.srtt_ns = p.feed.view.min_rtt_ns = 0;
	feed_init(&p.feed);
	p.rtt_ns = 0;
	p.rate_Bps = 0;
	for (u32 i = 0; i < 60; i++) {
		p.feed.view.now_ns += WEIR_NS_PER_S;
		ack(&p, FEED_MSS, WEIR_ROUND_START);
		assert_int_not_equal(signal_of(&p, "mode"), PROBE_RTT);
		assert_in_range(p.feed.cwnd_bytes, 10 * FEED_MSS, 20 * FEED_MSS);
	}
	p.rtt_ns = p.feed.view.srtt_ns = RTT_NS;
	p.rate_Bps = RATE_Bps;
	p.feed.view.now_ns += FEED_MS;
	ack(&p, FEED_MSS, 0);
	assert_int_equal(signal_of(&p, "min_rtt"), RTT_NS);
}

static void H10_small_samples_of_a_handshake_fill_no_pipe(void **unused)
{
	(void)unused;
	struct path p;
	open_path(&p);
	p.rate_Bps = 10000;
	for (u32 i = 0; i < 20; i++)
		round_trip(&p, LIMITED);
	assert_int_equal(signal_of(&p, "full"), 0);
	assert_int_equal(signal_of(&p, "mode"), STARTUP);
}

/* While it is probed the old min RTT holds, not a sample with its queue; and after silence of more than ten
 * seconds the first sample, which has none, needs no probe. */
static void H14_an_expired_min_rtt_is_not_replaced_by_a_queue(void **unused)
{
	(void)unused;
	struct path p;
	open_steady(&p);
	p.rtt_ns = 3 * RTT_NS;
	while (signal_of(&p, "mode") != PROBE_RTT)
		round_trip(&p, 0);
	assert_int_equal(signal_of(&p, "min_rtt"), RTT_NS);
	p.inflight_bytes = 4 * FEED_MSS;
	p.rtt_ns = RTT_NS + FEED_MS; /* a longer path, its queue empty */
	while (signal_of(&p, "mode") == PROBE_RTT) {
		assert_int_equal(signal_of(&p, "min_rtt"), RTT_NS);
		round_trip(&p, 0);
	}
	assert_int_equal(signal_of(&p, "min_rtt"), RTT_NS + FEED_MS);
	p.feed.view.flags = LIMITED;
	p.inflight_bytes = p.feed.view.inflight_bytes = 0;
	feed_idle(&p.feed, 30 * WEIR_NS_PER_S);
	p.rtt_ns += FEED_MS;
	for (u32 i = 0; i < 20; i++)
		round_trip(&p, 0);
	assert_int_equal(signal_of(&p, "mode"), PROBE_BW);
	assert_int_equal(signal_of(&p, "min_rtt"), RTT_NS + 2 * FEED_MS);
}

static void H16_a_loss_ends_no_startup(void **unused)
{
	(void)unused;
	struct path p;
	open_path(&p);
	for (p.rate_Bps = 100000; p.rate_Bps < RATE_Bps; p.rate_Bps += p.rate_Bps / 3) {
		round_trip(&p, 0);
		feed_loss(&p.feed);
		round_trip(&p, WEIR_RECOVERY);
		assert_int_equal(signal_of(&p, "full"), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(startup_ends_after_three_rounds_of_no_growth),
	    cmocka_unit_test(the_cycle_has_eight_phases),
	    cmocka_unit_test(phases_end_by_what_is_in_flight),
	    cmocka_unit_test(the_window_is_two_bdp),
	    cmocka_unit_test(clumps_of_acks_get_room),
	    cmocka_unit_test(repair_conserves_packets_for_a_round),
	    cmocka_unit_test(probe_rtt_every_ten_seconds),
	    cmocka_unit_test(a_token_bucket_is_seen_by_its_losses),
	    cmocka_unit_test(H1_H19_counters_and_clocks_of_any_size),
	    cmocka_unit_test(H2_more_lost_than_was_in_flight),
	    cmocka_unit_test(H4_a_trickle_does_not_make_the_rate_forgotten),
	    cmocka_unit_test(H5_a_packet_a_round_trip_pins_nothing),
	    cmocka_unit_test(H7_an_idle_application_makes_no_window),
	    cmocka_unit_test(H8_before_the_first_rtt),
	    cmocka_unit_test(H10_small_samples_of_a_handshake_fill_no_pipe),
	    cmocka_unit_test(H14_an_expired_min_rtt_is_not_replaced_by_a_queue),
	    cmocka_unit_test(H16_a_loss_ends_no_startup),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
