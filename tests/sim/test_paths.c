/* SPDX-License-Identifier: MIT */
/* Whole simulations of paths on which other stacks have stumbled. */
#include "dumbbell.h"

#include <math.h>

static double share(struct dumbbell *d, u64 rate_bps, u64 from_ns, u64 to_ns)
{
	dumbbell_run(d, from_ns);
	u64 before = dumbbell_sent_bytes(d);
	dumbbell_run(d, to_ns);
	return (double)(dumbbell_sent_bytes(d) - before) * 8e9 / (double)rate_bps / (double)(to_ns - from_ns);
}

/* G22: 200 ms, jitter of 60 ms that lets packets overtake, no loss. What looks lost comes later: the window
 * must not go down cut by cut. */
static void G22_reordering_without_loss(void **state)
{
	(void)state;
	static const char *const controllers[] = {"reno", "cubic"};
	for (u32 i = 0; i < 2; i++) {
		struct weir_hop_config hop = dumbbell_hop(20000000, 200 * WEIR_NS_PER_MS);
		hop.queue.limit_bytes = 500000; /* one BDP */
		hop.delay_ns -= 30 * WEIR_NS_PER_MS;
		hop.after.jitter_ns = 60 * WEIR_NS_PER_MS;
		hop.after.jitter_reorders = true;
		struct dumbbell d = dumbbell_new(&hop, 1);
		u32 flow = dumbbell_bulk(&d, controllers[i], 0);
		double s = share(&d, hop.rate.bps, 10 * WEIR_NS_PER_S, 130 * WEIR_NS_PER_S);
		struct weir_flow_totals t = dumbbell_totals(&d, flow);
		double goodput = (double)t.delivered_bytes * 8 / 130 / 20e6;
		print_message("%s: %.3f of the link, goodput %.3f of it, %llu recoveries, %llu undone\n",
			      controllers[i], s, goodput, t.recoveries, t.spurious);
		assert_true(s >= .8 && goodput >= .75);
		dumbbell_free(&d);
	}
}

/* G23, G34: an RTT of 40 us and 2 % loss: timers have floors, and nothing stalls. */
static void G23_tiny_rtt_with_loss(void **state)
{
	(void)state;
	struct weir_hop_config hop = dumbbell_hop(10000000000ULL, 40 * WEIR_NS_PER_US);
	hop.queue.limit_packets = 1000;
	hop.after.loss = (struct weir_loss_config){.model = WEIR_LOSS_BERNOULLI, .p = .02};
	struct dumbbell d = dumbbell_new(&hop, 1);
	u32 flow = dumbbell_bulk(&d, "cubic", 0);
	u64 last = 0;
	for (u64 t = 1; t <= 10; t++) { /* something arrives in each half second */
		dumbbell_run(&d, t * WEIR_NS_PER_S / 2);
		u64 now = dumbbell_totals(&d, flow).delivered_bytes;
		assert_true(now > last + 1000000);
		last = now;
	}
	print_message("%.0f Mbit/s, %llu timeouts\n", (double)last * 8 / 5e6,
		      dumbbell_totals(&d, flow).timeouts);
	dumbbell_free(&d);
}

/* G31: no delay at all. A transfer ends, in no time, and time stands. */
static void G31_no_delay_at_all(void **state)
{
	(void)state;
	struct weir_hop_config hop = dumbbell_hop(0, 0);
	struct dumbbell d = dumbbell_new(&hop, 1);
	struct weir_flow_config f = dumbbell_flow(&d, "cubic");
	f.app = (struct weir_app_config){.kind = WEIR_APP_SIZED, .size_bytes = 10000000};
	u32 flow = dumbbell_add(&d, f);
	dumbbell_run(&d, WEIR_NS_PER_S);
	assert_int_equal(dumbbell_totals(&d, flow).delivered_bytes, 10000000);
	assert_int_equal(dumbbell_totals(&d, flow).retransmitted_packets, 0);
	assert_true(dumbbell_now(&d, flow).min_rtt_ns >= 1);
	dumbbell_free(&d);
}

/* G28: the very first packet, and with it the whole first window, is lost. */
static void G28_the_first_packet_is_lost(void **state)
{
	(void)state;
	for (u32 window = 1; window <= 10; window += 9) {
		struct weir_hop_config hop = dumbbell_hop(10000000, 40 * WEIR_NS_PER_MS);
		hop.queue.limit_packets = 40;
		struct dumbbell d = dumbbell_new(&hop, 1);
		struct weir_flow_config full = dumbbell_flow(&d, NULL);
		full.app = (struct weir_app_config){
		    .kind = WEIR_APP_CBR, .rate_bps = 1000000000, .chunk_bytes = DUMBBELL_WIRE};
		full.stop_ns = 100 * WEIR_NS_PER_MS;
		dumbbell_add(&d, full);
		struct weir_flow_config f = dumbbell_flow(&d, "reno");
		f.endpoint.initial_window_packets = window;
		f.start_ns = 50 * WEIR_NS_PER_MS;
		u32 flow = dumbbell_add(&d, f);
		dumbbell_run(&d, WEIR_NS_PER_S);
		assert_int_equal(dumbbell_totals(&d, flow).lost_packets, window);
		dumbbell_run(&d, 60 * WEIR_NS_PER_S);
		struct weir_flow_totals t = dumbbell_totals(&d, flow);
		assert_int_equal(t.timeouts, 1);
		assert_true(dumbbell_cwnd_packets(&d, flow) < 200);
		assert_true(t.delivered_bytes > 50ULL * 10000000 / 8);
		dumbbell_free(&d);
	}
}

/* G28: segments that do not fit into 13 bits. Reno's law holds for them too. */
static void G28_jumbo_frames(void **state)
{
	(void)state;
	struct weir_hop_config hop = dumbbell_hop(100000000000ULL, 100 * WEIR_NS_PER_MS);
	hop.after.loss = (struct weir_loss_config){.model = WEIR_LOSS_PERIODIC, .period_packets = 10000};
	struct dumbbell d = dumbbell_new(&hop, 1);
	struct weir_flow_config f = dumbbell_flow(&d, "reno");
	f.endpoint.ack_every = 1;
	f.endpoint.mss_bytes = 8948;
	u32 flow = dumbbell_add(&d, f);
	dumbbell_run(&d, 50 * WEIR_NS_PER_S);
	u64 before = dumbbell_totals(&d, flow).delivered_bytes;
	dumbbell_run(&d, 450 * WEIR_NS_PER_S);
	double w = (double)(dumbbell_totals(&d, flow).delivered_bytes - before) / 8948 / 4000;
	assert_close(w, sqrt(1.5 * 10000), .03);
	dumbbell_free(&d);
}

/* G29: slow start runs into a full buffer and loses half a window, without SACK. Duplicate ACKs must not
 * blow the window up, partial ones must not repair one hole each timeout (NewReno is impatient by RFC 6582
 * section 3.2 step 3: one timeout in all), and the link is full again. */
static void G29_many_losses_in_one_window(void **state)
{
	(void)state;
	static const struct {
		enum weir_recovery recovery;
		const char *name;
		u64 timeouts;
		double least;
	} kinds[] = {{WEIR_RECOVERY_SACK, "sack", 0, .9},
		     {WEIR_RECOVERY_NEWRENO, "newreno", 1, .7},
		     {WEIR_RECOVERY_RENO, "reno", 3, .7}};
	for (u32 i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		struct weir_hop_config hop = dumbbell_hop(50000000, 50 * WEIR_NS_PER_MS);
		hop.queue.limit_bytes = 312500; /* one BDP */
		struct dumbbell d = dumbbell_new(&hop, 1);
		struct weir_flow_config f = dumbbell_flow(&d, "reno");
		f.endpoint.recovery = kinds[i].recovery;
		f.endpoint.tail_loss_probe = kinds[i].recovery == WEIR_RECOVERY_SACK;
		u32 flow = dumbbell_add(&d, f);
		double top = 0;
		u64 most = 0;
		for (u64 t = 0; t < 10 * WEIR_NS_PER_S; t += WEIR_NS_PER_MS) {
			dumbbell_run(&d, t);
			struct weir_flow_now now = dumbbell_now(&d, flow);
			top = fmax(top, (double)now.cwnd_bytes / DUMBBELL_MSS);
			most = now.inflight_bytes > most ? now.inflight_bytes : most;
		}
		struct weir_flow_totals t = dumbbell_totals(&d, flow);
		double s = share(&d, hop.rate.bps, 15 * WEIR_NS_PER_S, 60 * WEIR_NS_PER_S);
		print_message("%s: %llu lost, %llu sent again, %llu timeouts, window at most %.0f, "
			      "then %.3f of the link\n",
			      kinds[i].name, t.lost_packets, t.retransmitted_packets, t.timeouts, top, s);
		assert_true(t.lost_packets > 100);
		assert_true(t.retransmitted_packets <= t.lost_packets * 2 + 2000 * kinds[i].timeouts);
		assert_true(t.timeouts <= kinds[i].timeouts);
		assert_true(top <= 2 * 2 * 312500. / DUMBBELL_WIRE + 20); /* twice what the path holds */
		assert_true(s >= kinds[i].least);
		dumbbell_free(&d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(G22_reordering_without_loss),
	    cmocka_unit_test(G23_tiny_rtt_with_loss),
	    cmocka_unit_test(G31_no_delay_at_all),
	    cmocka_unit_test(G28_the_first_packet_is_lost),
	    cmocka_unit_test(G28_jumbo_frames),
	    cmocka_unit_test(G29_many_losses_in_one_window),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
