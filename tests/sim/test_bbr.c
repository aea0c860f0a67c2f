/* SPDX-License-Identifier: MIT */
/* BBR on whole paths: startup, cycle, probes, what it shares, losses, clumps, token buckets (H11, H13). */
#include "rivals.h"

enum { STARTUP, DRAIN, PROBE_BW, PROBE_RTT };

#define PAYLOAD_Bps ((double)RIVALS_BPS / 8 * DUMBBELL_MSS / DUMBBELL_WIRE)

static u64 mode_of(const struct dumbbell *d, u32 flow)
{
	return rivals_signal(d, flow, "bbr", "mode");
}

/* Startup doubles a round, sees the pipe full, drains; all of it within 20 round trips. Then the model is the
 * path: its rate to 1 %, its RTT to a packet. */
static void it_finds_the_path(void **unused)
{
	(void)unused;
	struct dumbbell d = rivals_path(2);
	u32 flow = dumbbell_bulk(&d, "bbr", 0);
	u64 drain_ns = 0, steady_ns = 0;
	for (u64 t = WEIR_NS_PER_MS; t < 2 * WEIR_NS_PER_S; t += WEIR_NS_PER_MS) {
		dumbbell_run(&d, t);
		u64 mode = mode_of(&d, flow);
		drain_ns = !drain_ns && mode == DRAIN ? t : drain_ns;
		steady_ns = !steady_ns && mode == PROBE_BW ? t : steady_ns;
	}
	rivals_between("round trips of 40 ms in startup", (double)drain_ns / 40e6, 8, 20);
	rivals_between("round trips of 40 ms in drain", (double)(steady_ns - drain_ns) / 40e6, 1, 5);
	assert_close((double)rivals_signal(&d, flow, "bbr", "bandwidth"), PAYLOAD_Bps, .01);
	assert_close((double)rivals_signal(&d, flow, "bbr", "min_rtt"), 40.25e6, .01);
	assert_int_equal(dumbbell_totals(&d, flow).timeouts, 0);
	dumbbell_free(&d);
}

/* On 2 BDP of buffer the link is full, the queue short, back at nothing in each cycle of eight round trips
 * (H11), and nothing is lost after startup. */
static void H11_the_queue_is_empty_in_each_cycle(void **unused)
{
	(void)unused;
	struct dumbbell d = rivals_path(2);
	u32 flow = dumbbell_bulk(&d, "bbr", 0);
	u32 cycles = 0, n = 0;
	double sum = 0;
	u64 last_gain = 0, least_rtt_ns = WEIR_NEVER, worst_ns = 0;
	dumbbell_run(&d, 2 * WEIR_NS_PER_S);
	u64 sent_bytes = dumbbell_sent_bytes(&d), lost = dumbbell_totals(&d, flow).lost_packets;
	for (u64 t = 2 * WEIR_NS_PER_S; t < 9 * WEIR_NS_PER_S; t += WEIR_NS_PER_MS, n++) {
		dumbbell_run(&d, t);
		u64 gain = rivals_signal(&d, flow, "bbr", "pacing_gain");
		least_rtt_ns = weir_min(least_rtt_ns, dumbbell_now(&d, flow).latest_rtt_ns);
		if (gain == 1250000 && last_gain != gain) {
			worst_ns = cycles ? weir_max(worst_ns, least_rtt_ns) : 0;
			least_rtt_ns = WEIR_NEVER;
			cycles++;
		}
		last_gain = gain;
		sum += rivals_queue_packets(&d);
	}
	rivals_between("round trips in a cycle", 7 / (double)cycles / .042, 7, 9.5);
	rivals_between("mean queue in BDP", sum / n / 160, .01, .12);
	rivals_between("smallest RTT of the worst cycle, ms", (double)worst_ns / 1e6, 40, 42.5);
	rivals_between("link in use", (double)(dumbbell_sent_bytes(&d) - sent_bytes) * 8 / 7 / RIVALS_BPS,
		       .985, 1);
	assert_int_equal(dumbbell_totals(&d, flow).lost_packets, lost);
	dumbbell_free(&d);
}

/* Every ten seconds four packets for 200 ms and a round trip: 2 % of the time. */
static void probe_rtt_takes_two_percent(void **unused)
{
	(void)unused;
	struct dumbbell d = rivals_path(2);
	u32 flow = dumbbell_bulk(&d, "bbr", 0);
	u64 last_mode = 0, begins_ns = 0, entered = 0, held_ms = 0;
	for (u64 t = WEIR_NS_PER_MS; t < 62 * WEIR_NS_PER_S; t += WEIR_NS_PER_MS) {
		dumbbell_run(&d, t);
		u64 mode = mode_of(&d, flow);
		if (mode == PROBE_RTT) {
			assert_int_equal(dumbbell_now(&d, flow).cwnd_bytes, 4 * DUMBBELL_MSS);
			held_ms++;
		}
		if (mode == PROBE_RTT && last_mode != mode) {
			if (entered++)
				rivals_between("seconds between probes", (double)(t - begins_ns) / 1e9, 9.9,
					       10.6);
			begins_ns = t;
		}
		last_mode = mode;
	}
	assert_in_range(entered, 5, 6);
	rivals_between("ms in a probe", (double)held_ms / (double)entered, 200, 320);
	dumbbell_free(&d);
}

/* Two of it share, over a deep buffer and over a shallow one; beside CUBIC it takes most of a shallow one and
 * less than its half of a deep one (as measured by many, as M. Hock et al., ICNP 2017). */
static void what_it_shares(void **unused)
{
	(void)unused;
	rivals_between("share", rivals_share_of("bbr", "bbr", 2), .4, .6);
	rivals_between("share", rivals_share_of("bbr", "bbr", .5), .35, .65);
	rivals_between("share", rivals_share_of("bbr", "cubic", .5), .75, 1);
	rivals_between("share", rivals_share_of("bbr", "cubic", 1), .7, 1);
	rivals_between("share", rivals_share_of("bbr", "cubic", 2), .35, .7);
	rivals_between("share", rivals_share_of("bbr", "cubic", 8), .1, .45);
	rivals_between("share", rivals_share_of("bbr", "copa", 2), .6, 1);
}

/* 2 % of the packets are lost and sent again: samples over them are no rates that the path does not have, no
 * RTT below the path's is believed, and the link stays in use. */
static void H13_samples_over_losses_are_sane(void **unused)
{
	(void)unused;
	struct weir_hop_config hop = rivals_hop(2);
	hop.after.loss = (struct weir_loss_config){.model = WEIR_LOSS_BERNOULLI, .p = .02};
	struct dumbbell d = dumbbell_new(&hop, 1);
	u32 flow = dumbbell_bulk(&d, "bbr", 0);
	for (u64 t = WEIR_NS_PER_S; t < 20 * WEIR_NS_PER_S; t += 10 * WEIR_NS_PER_MS) {
		dumbbell_run(&d, t);
		assert_true((double)rivals_signal(&d, flow, "bbr", "bandwidth") < 1.02 * PAYLOAD_Bps);
		assert_true(rivals_signal(&d, flow, "bbr", "min_rtt") >= RIVALS_RTT_NS);
	}
	rivals_between("link in use at 2 % loss",
		       rivals_utilisation(&d, 20 * WEIR_NS_PER_S, 40 * WEIR_NS_PER_S), .85, 1);
	assert_int_equal(dumbbell_totals(&d, flow).timeouts, 0);
	dumbbell_free(&d);
}

/* Batches of 30 ms: with room for a clump the link stays in use. */
static void clumps_of_acks_cost_nothing(void **unused)
{
	(void)unused;
	struct weir_hop_config hop = rivals_hop(4);
	hop.aggregate_ns = 30 * WEIR_NS_PER_MS;
	struct dumbbell d = dumbbell_new(&hop, 1);
	u32 flow = dumbbell_bulk(&d, "bbr", 0);
	rivals_between("link in use", rivals_utilisation(&d, 5 * WEIR_NS_PER_S, 25 * WEIR_NS_PER_S), .95, 1);
	rivals_between("packets of a clump",
		       (double)rivals_signal(&d, flow, "bbr", "aggregated") / DUMBBELL_MSS, 60, 200);
	dumbbell_free(&d);
}

/* A bucket of 12 Mbit/s that lets 3 MB pass, on the path of 48: for ten rounds BBR believes the burst and
 * three of four packets are lost; its losses tell what it is, and few are lost later. */
static void a_token_bucket(void **unused)
{
	(void)unused;
	double lost[2];
	for (u64 looks = 0; looks < 2; looks++) {
		struct weir_hop_config hop = rivals_hop(2);
		hop.policer_bps = RIVALS_BPS / 16;
		hop.policer_burst_bytes = 100000;
		struct dumbbell d = dumbbell_new(&hop, 1);
		u32 flow = rivals_add(&d, "bbr", "lt_bw", looks);
		u64 policed_ms = 0;
		for (u64 t = 0; t < 15000; t++) {
			dumbbell_run(&d, t * WEIR_NS_PER_MS);
			policed_ms += rivals_signal(&d, flow, "bbr", "policed");
		}
		lost[looks] = (double)dumbbell_totals(&d, flow).lost_packets /
			      (double)dumbbell_totals(&d, flow).sent_packets;
		print_message("seen for %llu ms; %.3f lost\n", policed_ms, lost[looks]);
		assert_true(looks ? policed_ms > 5000 : !policed_ms);
		dumbbell_free(&d);
	}
	assert_true(lost[1] < .9 * lost[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(it_finds_the_path),
	    cmocka_unit_test(H11_the_queue_is_empty_in_each_cycle),
	    cmocka_unit_test(probe_rtt_takes_two_percent),
	    cmocka_unit_test(what_it_shares),
	    cmocka_unit_test(H13_samples_over_losses_are_sane),
	    cmocka_unit_test(clumps_of_acks_cost_nothing),
	    cmocka_unit_test(a_token_bucket),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
