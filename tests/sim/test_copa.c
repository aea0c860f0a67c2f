/* SPDX-License-Identifier: MIT */
/* Copa on whole paths: the queue that its paper promises, sharing, competition, noise (F4, F5). */
#include "rivals.h"

/* Alone the queue swings between nothing and 2.5 / delta packets in five round trips, so that 1.25 / delta
 * wait in the mean, and the link is busy (the paper's analysis). It never takes itself for somebody else.
 */
static void alone_the_queue_swings_as_the_paper_says(void **unused)
{
	(void)unused;
	const struct {
		u64 delta;
		double packets, busy;
	} c[] = {{500000, 2.5 / .5, .99}, {250000, 2.5 / .25, .99}, {100000, 2.5 / .1, .99}};
	for (u32 i = 0; i < 3; i++) {
		struct dumbbell d = rivals_path(2);
		u32 flow = rivals_add(&d, "copa", "delta", c[i].delta);
		double sum = 0, largest = 0, window = 0;
		u32 n = 0, turns = 0, competes = 0;
		bool rises = true;
		dumbbell_run(&d, 10 * WEIR_NS_PER_S);
		for (u64 t = 10 * WEIR_NS_PER_S; t < 20 * WEIR_NS_PER_S; t += WEIR_NS_PER_MS, n++) {
			dumbbell_run(&d, t);
			double queue = rivals_queue_packets(&d), w = dumbbell_cwnd_packets(&d, flow);
			sum += queue;
			largest = queue > largest ? queue : largest;
			if (w != window)
				turns += rises != (w > window);
			rises = w != window ? w > window : rises;
			window = w;
			competes += rivals_signal(&d, flow, "copa", "mode") == 2;
		}
		double rtt_s = .04 + sum / n / RIVALS_PACKETS_PER_S;
		print_message("delta %.2f\n", (double)c[i].delta / 1e6);
		rivals_between("part of the time it competes", (double)competes / n, 0, .001);
		rivals_between("mean queue in 2.5 / delta packets", sum / n / c[i].packets, .4, .6);
		rivals_between("largest queue in 2.5 / delta packets", largest / c[i].packets, .8, 1.2);
		rivals_between("round trips in a cycle", 10 / (turns / 2.) / rtt_s, 3.5, 5.5);
		rivals_between("link in use", rivals_utilisation(&d, 20 * WEIR_NS_PER_S, 30 * WEIR_NS_PER_S),
			       c[i].busy, 1);
		assert_int_equal(dumbbell_totals(&d, flow).lost_packets, 0);
		dumbbell_free(&d);
	}
}

static void flows_share(void **unused)
{
	(void)unused;
	rivals_between("half of the path", rivals_share_of("copa", "copa", 2), .42, .58);
	struct weir_hop_config hop = rivals_hop(2);
	struct dumbbell d = dumbbell_new(&hop, 1);
	u32 flow[4];
	double sum = 0, squares = 0;
	for (u32 i = 0; i < 4; i++)
		flow[i] = dumbbell_bulk(&d, "copa", i * WEIR_NS_PER_S);
	dumbbell_run(&d, 20 * WEIR_NS_PER_S);
	u64 before[4];
	for (u32 i = 0; i < 4; i++)
		before[i] = dumbbell_totals(&d, flow[i]).delivered_bytes;
	dumbbell_run(&d, 60 * WEIR_NS_PER_S);
	for (u32 i = 0; i < 4; i++) {
		double x = (double)(dumbbell_totals(&d, flow[i]).delivered_bytes - before[i]);
		sum += x;
		squares += x * x;
	}
	rivals_between("Jain's index of four", sum * sum / (4 * squares), .95, 1);
	dumbbell_free(&d);
}

/* Beside what fills the buffer it competes, and more than ten seconds later, when no small RTT is remembered,
 * it still does (F4); without competition it starves. */
static void F4_it_competes_with_what_fills_the_queue(void **unused)
{
	(void)unused;
	rivals_between("share", rivals_share_of("copa", "reno", 2), .35, .7);
	rivals_between("share", rivals_share_of("copa", "cubic", 1), .3, .65);
	rivals_between("share", rivals_share_of("copa", "cubic", 2), .2, .6);
	struct dumbbell d = rivals_path(2);
	u32 a = rivals_add(&d, "copa", "mode", 1), b = dumbbell_bulk(&d, "cubic", 2 * WEIR_NS_PER_S);
	rivals_between("share without competition",
		       rivals_share(&d, a, b, 20 * WEIR_NS_PER_S, 60 * WEIR_NS_PER_S), 0, .15);
	dumbbell_free(&d);
}

/* When the other has gone the queue is short again. */
static void it_comes_back_from_competition(void **unused)
{
	(void)unused;
	struct dumbbell d = rivals_path(2);
	u32 flow = dumbbell_bulk(&d, "copa", 0);
	struct weir_flow_config f = dumbbell_flow(&d, "cubic");
	f.start_ns = 5 * WEIR_NS_PER_S;
	f.stop_ns = 20 * WEIR_NS_PER_S;
	dumbbell_add(&d, f);
	u32 competes = 0;
	for (u64 t = 10 * WEIR_NS_PER_S; t < 18 * WEIR_NS_PER_S; t += 10 * WEIR_NS_PER_MS) {
		dumbbell_run(&d, t);
		competes += rivals_signal(&d, flow, "copa", "mode") == 2;
	}
	rivals_between("part of the time it competes", competes / 800., .5, 1);
	dumbbell_run(&d, 23 * WEIR_NS_PER_S);
	double sum = 0;
	for (u32 i = 0; i < 5000; i++) {
		dumbbell_run(&d, 23 * WEIR_NS_PER_S + i * WEIR_NS_PER_MS);
		sum += rivals_queue_packets(&d) / 5000;
	}
	rivals_between("mean queue in packets", sum, .5, 8);
	assert_int_equal(rivals_signal(&d, flow, "copa", "mode"), 1);
	dumbbell_free(&d);
}

/* 20 ms and up to 5 ms of noise: the standing RTT sees the smallest of half a round trip, the newest RTT
 * (mvfst's form, here with the same delta) takes each sample for a queue. */
static void F5_noise_of_the_delay(void **unused)
{
	(void)unused;
	double busy[2];
	for (u64 form = 0; form < 2; form++) {
		struct weir_hop_config hop = dumbbell_hop(RIVALS_BPS, RIVALS_RTT_NS / 2);
		hop.queue.limit_bytes = RIVALS_BDP_BYTES;
		hop.after.jitter_ns = 5 * WEIR_NS_PER_MS;
		struct dumbbell d = dumbbell_new(&hop, 1);
		struct weir_flow_config f = dumbbell_flow(&d, "copa");
		u64 params[64];
		weir_cc_defaults(f.cc, params);
		assert_string_equal(f.cc->params[0].name, "mode");
		params[0] = form ? 2 : 0;
		params[1] = 500000;
		f.params = params;
		dumbbell_add(&d, f);
		busy[form] = rivals_utilisation(&d, 10 * WEIR_NS_PER_S, 40 * WEIR_NS_PER_S);
		print_message("%s: %.3f of the link\n", form ? "newest RTT" : "standing RTT", busy[form]);
		dumbbell_free(&d);
	}
	assert_true(busy[0] > 1.3 * busy[1]);
	rivals_between("link in use by the standing RTT", busy[0], .4, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(alone_the_queue_swings_as_the_paper_says),
	    cmocka_unit_test(flows_share),
	    cmocka_unit_test(F4_it_competes_with_what_fills_the_queue),
	    cmocka_unit_test(it_comes_back_from_competition),
	    cmocka_unit_test(F5_noise_of_the_delay),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
