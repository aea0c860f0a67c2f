/* SPDX-License-Identifier: MIT */
/* Senders that do not use their window, and senders that come back from silence: where everybody fails.
 * A window that is not used must not grow; silence must not be taken for time on a curve; and none of this
 * may hold back a sender that does use its window. */
#include "../cc/feed.h"
#include "dumbbell.h"

#define RATE_BPS 100000000ULL
#define RTT_NS (50 * WEIR_NS_PER_MS)

/* All that are shipped. Under a sanitizer, which takes ten times as long, the first ones: their headers are
 * sanitized by tests of their own. */
#ifdef WEIR_DEBUG_CHECKS
#define CONTROLLERS 3
#else
#define CONTROLLERS weir_cc_count()
#endif

static const char *controller(u32 i)
{
	return weir_cc_at(i)->name;
}

static struct dumbbell path(void)
{
	struct weir_hop_config hop = dumbbell_hop(RATE_BPS, RTT_NS);
	hop.queue.limit_bytes = RATE_BPS / 8 / 20; /* one BDP */
	return dumbbell_new(&hop, 1);
}

static double largest_window(struct dumbbell *d, u32 flow, u64 from_ns, u64 to_ns)
{
	double largest = 0;
	for (u64 t = from_ns; t <= to_ns; t += WEIR_NS_PER_MS) {
		dumbbell_run(d, t);
		double w = dumbbell_cwnd_packets(d, flow);
		largest = w > largest ? w : largest;
	}
	return largest;
}

/* G19: 1 Mbit/s of media on 100 Mbit/s, ten minutes. Four packets a round; the initial window is ten. */
static void G19_an_unused_window_does_not_grow(void **state)
{
	(void)state;
	for (u32 i = 0; i < CONTROLLERS; i++) {
		for (u32 ack_every = 1; ack_every <= 2; ack_every++) {
			struct dumbbell d = path();
			struct weir_flow_config f = dumbbell_flow(&d, controller(i));
			f.endpoint.ack_every = ack_every;
			f.app = (struct weir_app_config){
			    .kind = WEIR_APP_PACED, .rate_bps = 1000000, .chunk_bytes = DUMBBELL_MSS};
			u32 flow = dumbbell_add(&d, f);
			double w = largest_window(&d, flow, 0, 600 * WEIR_NS_PER_S);
			print_message("%s, an ACK each %u packets: %.1f packets\n", controller(i), ack_every,
				      w);
			/* BBR grows by what is delivered until that is an initial window */
			assert_true(w <= (feed_cuts(weir_cc_at(i)) ? 12 : 20));
			struct weir_flow_totals t = dumbbell_totals(&d, flow);
			assert_true(t.delivered_bytes > 74900000 && t.delivered_bytes <= 75000000);
			dumbbell_free(&d);
		}
	}
}

/* Slow start leaves a window of up to three times what was in use at its end, since it judges by whole
 * rounds; from then on the window stands still. */
static void a_window_used_in_part_stands_still(void **state)
{
	(void)state;
	for (u32 i = 0; i < CONTROLLERS; i++) {
		struct dumbbell d = path();
		struct weir_flow_config f = dumbbell_flow(&d, controller(i));
		/* 40 Mbit/s: 173 packets a round, of the 417 that the path holds */
		f.app = (struct weir_app_config){
		    .kind = WEIR_APP_PACED, .rate_bps = 40000000, .chunk_bytes = DUMBBELL_MSS};
		u32 flow = dumbbell_add(&d, f);
		dumbbell_run(&d, 5 * WEIR_NS_PER_S);
		double start = dumbbell_cwnd_packets(&d, flow);
		double w = largest_window(&d, flow, 5 * WEIR_NS_PER_S, 120 * WEIR_NS_PER_S);
		print_message("%s at 40 %% of the path: %.1f packets after 5 s, then at most %.1f\n",
			      controller(i), start, w);
		assert_true(w >= 160 && w <= start);
		assert_int_equal(dumbbell_totals(&d, flow).lost_packets, 0);
		dumbbell_free(&d);
	}
}

/* Limited by the receiver is limited too (RFC 9438 section 5.8). */
static void a_small_receive_window_keeps_the_window_small(void **state)
{
	(void)state;
	const double used = 65536. / DUMBBELL_MSS;
	for (u32 i = 0; i < CONTROLLERS; i++) {
		struct dumbbell d = path();
		struct weir_flow_config f = dumbbell_flow(&d, controller(i));
		f.endpoint.rwnd_bytes = 65536;
		u32 flow = dumbbell_add(&d, f);
		double w = largest_window(&d, flow, 0, 60 * WEIR_NS_PER_S);
		print_message("%s with 64 KiB: %.1f packets\n", controller(i), w);
		assert_true(w <= 3 * used);
		double rate = (double)dumbbell_totals(&d, flow).delivered_bytes / 60;
		print_message("%.0f bytes/s, %.0f are a window each round\n", rate, 65536 * 20.);
		assert_close(rate, 65536 * 20, .05); /* a window each round */
		dumbbell_free(&d);
	}
}

struct silence {
	double before, at_return, later, later_without; /* windows, packets */
	u64 lost;
};

/* Bulk, silence, bulk: the window just before the silence, in the round after it, and 5 s later; and the
 * largest that the same flow reaches in the same time when it does not pause. */
static struct silence pause_for(const char *controller, u64 off_ns)
{
	struct silence s;
	const u64 on_ns = 20 * WEIR_NS_PER_S, back_ns = on_ns + off_ns;
	struct dumbbell d = path(), always = path();
	struct weir_flow_config f = dumbbell_flow(&d, controller);
	f.app = (struct weir_app_config){.kind = WEIR_APP_ON_OFF, .on_ns = on_ns, .off_ns = off_ns};
	u32 flow = dumbbell_add(&d, f), bulk = dumbbell_bulk(&always, controller, 0);

	dumbbell_run(&d, on_ns);
	s.before = dumbbell_cwnd_packets(&d, flow);
	dumbbell_run(&d, back_ns - 1);
	assert_int_equal(dumbbell_now(&d, flow).inflight_bytes, 0);
	struct weir_flow_totals silent = dumbbell_totals(&d, flow);
	s.at_return = largest_window(&d, flow, back_ns, back_ns + RTT_NS + RTT_NS / 2);
	s.later = largest_window(&d, flow, back_ns, back_ns + 5 * WEIR_NS_PER_S);
	s.lost = dumbbell_totals(&d, flow).lost_packets - silent.lost_packets;
	dumbbell_run(&always, on_ns);
	s.later_without = largest_window(&always, bulk, on_ns, on_ns + 5 * WEIR_NS_PER_S);
	print_message("%s, %llu s of silence: %.1f packets before, %.1f at return, at most %.1f in 5 s "
		      "(%.1f without the pause), %llu lost\n",
		      controller, off_ns / WEIR_NS_PER_S, s.before, s.at_return, s.later, s.later_without,
		      s.lost);
	dumbbell_free(&d);
	dumbbell_free(&always);
	return s;
}

/* G1: after a long silence the window must not jump as if the time had passed on the curve. */
static void G1_silence_is_not_time_on_the_curve(void **state)
{
	(void)state;
	static const u64 off_s[] = {5, 20, 60};
	for (u32 i = 0; i < CONTROLLERS; i++) {
		for (u32 k = 0; k < sizeof off_s / sizeof off_s[0]; k++) {
			struct silence s = pause_for(controller(i), off_s[k] * WEIR_NS_PER_S);
			assert_true(s.at_return <= s.before + 2);
			/* a delay is measured less exactly than a loss */
			double off = feed_cuts(weir_cc_at(i)) ? 0 : .02 * s.later_without;
			assert_true(s.later <= s.later_without + off + 2);
			/* and it does come back: the path is full again */
			assert_true(s.later >= 400);
		}
	}
}

/* G2: a path that loses most for two seconds leaves a window of a packet or two; afterwards it must grow,
 * though such a sender is silent for most of each round. */
static void G2_a_tiny_window_grows_again(void **state)
{
	(void)state;
	for (u32 i = 0; i < CONTROLLERS; i++) {
		struct dumbbell d = path();
		u32 flow = dumbbell_bulk(&d, controller(i), 0);
		struct weir_flow_config flood = dumbbell_flow(&d, NULL);
		flood.app = (struct weir_app_config){
		    .kind = WEIR_APP_POISSON, .rate_bps = 10 * RATE_BPS, .chunk_bytes = DUMBBELL_WIRE};
		flood.stop_ns = 2 * WEIR_NS_PER_S;
		dumbbell_add(&d, flood);
		dumbbell_run(&d, 2 * WEIR_NS_PER_S);
		double small = dumbbell_cwnd_packets(&d, flow);
		/* the timer may have backed off to some seconds */
		dumbbell_run(&d, 10 * WEIR_NS_PER_S);
		u64 before = dumbbell_totals(&d, flow).delivered_bytes;
		dumbbell_run(&d, 30 * WEIR_NS_PER_S);
		double rate = (double)(dumbbell_totals(&d, flow).delivered_bytes - before) * 8 / 20;
		print_message("%s: %.1f packets after the flood, %.1f at 30 s, %.1f Mbit/s from 10 to 30 s\n",
			      controller(i), small, dumbbell_cwnd_packets(&d, flow), rate / 1e6);
		assert_true(small <= 4);
		assert_true(dumbbell_cwnd_packets(&d, flow) > 100);
		assert_true(rate > 20e6);
		dumbbell_free(&d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(G19_an_unused_window_does_not_grow),
	    cmocka_unit_test(a_window_used_in_part_stands_still),
	    cmocka_unit_test(a_small_receive_window_keeps_the_window_small),
	    cmocka_unit_test(G1_silence_is_not_time_on_the_curve),
	    cmocka_unit_test(G2_a_tiny_window_grows_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
