/* SPDX-License-Identifier: MIT */
/* The controllers that judge their own queue once a round: YeAH, Compound, Africa, Fusion. */
#include "law.h"

/* The first ACK of the next round, on which the last one is judged. */
static void judge(struct feed *f)
{
	f->view.flags |= WEIR_ROUND_START;
	feed_ack(f, 1);
	f->view.flags &= ~(u32)WEIR_ROUND_START;
}

/* In congestion avoidance at a window of that many packets, base known, nothing queued. */
static void open_avoiding(struct feed *f, const char *name, u64 packets)
{
	law_open(f, name, packets);
	law_round(f, LAW_RTT_NS); /* slow start: twice as many; learns base */
	judge(f);
	while (f->cwnd_bytes > (packets + 1) * FEED_MSS)
		feed_loss(f);
	law_round(f, LAW_RTT_NS);
}

static double growth(struct feed *f, u64 rtt_ns)
{
	double before = law_packets(f);
	law_round(f, rtt_ns);
	return law_packets(f) - before;
}

static void yeah_is_scalable_while_the_queue_is_short(void **unused)
{
	(void)unused;
	struct feed f;
	open_avoiding(&f, "yeah", 2000);
	double before = law_packets(&f);
	law_near("growth", growth(&f, law_rtt_with(before, 60)), .01 * before, .06);
	assert_int_equal(feed_signal_value(&f, "slow_rounds"), 0);
	before = law_packets(&f);
	law_near("growth", growth(&f, LAW_RTT_NS), .01 * before, .06);
	assert_in_range(feed_signal_value(&f, "queued"), 55 * FEED_MSS, 60 * FEED_MSS);
}

/* Above alpha = 80 packets the queue is given back, but not below what Reno would have. */
static void yeah_drains_and_then_is_reno(void **unused)
{
	(void)unused;
	struct feed f;
	open_avoiding(&f, "yeah", 2000);
	growth(&f, law_rtt_with(law_packets(&f), 200));
	double before = law_packets(&f);
	judge(&f);
	double queued = (double)feed_signal_value(&f, "queued") / FEED_MSS;
	assert_true(queued > 180 && queued <= 200);
	law_near("drained", before - law_packets(&f), queued, .001);
	assert_int_equal(feed_signal_value(&f, "ssthresh"), f.cwnd_bytes); /* it is no slow start */
	assert_int_equal(feed_signal_value(&f, "slow_rounds"), 1);
	assert_true(growth(&f, law_rtt_with(law_packets(&f), 70)) <= 1.001);

	/* a long queue, again and again: down to half of the window at the first slow round and a bit */
	double half = law_packets(&f) / 2;
	for (u32 n = 0; n < 12; n++)
		law_round(&f, 3 * LAW_RTT_NS);
	assert_true(law_packets(&f) >= half - 1 && law_packets(&f) <= half + 30);
}

static void yeah_takes_the_queue_on_a_loss_and_half_beside_others(void **unused)
{
	(void)unused;
	static const struct {
		double queued, taken;
	} c[] = {{0, 1. / 8}, {60, 60. / 400}, {79, 79. / 400}};
	for (u32 i = 0; i < 3; i++) {
		struct feed f;
		open_avoiding(&f, "yeah", 400);
		growth(&f, law_rtt_with(law_packets(&f), c[i].queued));
		judge(&f);
		double before = law_packets(&f), q = (double)feed_signal_value(&f, "queued") / FEED_MSS;
		feed_loss(&f);
		law_near("left", law_packets(&f), before - fmax(q, before / 8), .002);
	}
	struct feed f;
	open_avoiding(&f, "yeah", 400);
	for (u32 n = 0; n < 20; n++) /* 50 packets: longer than base / 8 at this window */
		growth(&f, law_rtt_with(law_packets(&f), 60));
	assert_int_equal(feed_signal_value(&f, "slow_rounds"), 16);
	double before = law_packets(&f);
	feed_loss(&f);
	law_near("left", law_packets(&f), before / 2, .001);
	feed_undo(&f);
	law_near("undone", law_packets(&f), before, 1e-9);
}

/* dw/dt = w^.75 / 8 a round: w = (w_0^.25 + t / 32)^4. The rate r is set once a round, whose w packets then
 * lead to sqrt(w^2 + 2 r w). */
static void compound_grows_by_its_power_law(void **unused)
{
	(void)unused;
	static const u64 packets[] = {100, 1000, 10000};
	for (u32 i = 0; i < 3; i++) {
		struct feed f;
		open_avoiding(&f, "compound", packets[i]);
		double from = law_packets(&f), w = from;
		for (u32 t = 1; t <= 100; t++) {
			law_round(&f, LAW_RTT_NS);
			w = sqrt(w * w + 2 * w * pow(w, .75) / 8);
			law_near("window", law_packets(&f), w, .01);
			law_near("window", law_packets(&f), pow(pow(from, .25) + t / 32., 4), .06);
		}
		/* of which one segment a round is Reno's */
		double reno = law_packets(&f) - (double)feed_signal_value(&f, "dwnd") / FEED_MSS;
		law_near("Reno's part", reno, from + 100, .02);
	}
	struct feed f; /* below the low window */
	open_avoiding(&f, "compound", 30);
	assert_true(growth(&f, LAW_RTT_NS) <= 1.001);
	assert_int_equal(feed_signal_value(&f, "dwnd"), 0);
}

static void compound_gives_back_what_waits(void **unused)
{
	(void)unused;
	struct feed f;
	open_avoiding(&f, "compound", 1000);
	for (u32 t = 0; t < 20; t++)
		law_round(&f, LAW_RTT_NS);
	u64 rtt_ns = law_rtt_with(law_packets(&f), 100);
	double dwnd = (double)feed_signal_value(&f, "dwnd") / FEED_MSS,
	       gamma = (double)feed_signal_value(&f, "gamma") / 1e6;
	assert_true(dwnd > 400 && gamma <= 30);
	law_round(&f, rtt_ns); /* judged at its end */
	double before = law_packets(&f), had = (double)feed_signal_value(&f, "dwnd") / FEED_MSS;
	judge(&f);
	law_near("given back", before - law_packets(&f), 100, .03);
	law_near("of dwnd", had - (double)feed_signal_value(&f, "dwnd") / FEED_MSS, 100, .03);
	for (u32 t = 0; t < 300; t++) /* a queue that is not its own: what stays is Reno */
		law_round(&f, 3 * LAW_RTT_NS);
	assert_int_equal(feed_signal_value(&f, "dwnd"), 0);
}

/* A loss leaves half in all, Reno's half of it; and gamma goes to what Reno's part keeps waiting. */
static void compound_cuts_and_tunes(void **unused)
{
	(void)unused;
	struct feed f;
	open_avoiding(&f, "compound", 1000);
	for (u32 t = 0; t < 20; t++)
		law_round(&f, LAW_RTT_NS);
	u64 win = f.cwnd_bytes, dwnd = feed_signal_value(&f, "dwnd"), gamma = feed_signal_value(&f, "gamma");
	feed_loss(&f);
	assert_int_equal(f.cwnd_bytes, win - win / 2);
	assert_in_range(feed_signal_value(&f, "dwnd"), dwnd / 2 - 1, dwnd / 2 + 1);
	/* nothing waited: halfway to 0, at least 5 */
	law_near("gamma", (double)feed_signal_value(&f, "gamma"), fmax((double)gamma / 2, 5e6), .001);
	feed_undo(&f);
	assert_int_equal(f.cwnd_bytes, win);
	assert_int_equal(feed_signal_value(&f, "dwnd"), dwnd);
	assert_int_equal(feed_signal_value(&f, "gamma"), gamma);
	feed_timeout(&f);
	assert_int_equal(feed_signal_value(&f, "dwnd"), 0);
	feed_undo(&f);
	assert_int_equal(feed_signal_value(&f, "dwnd"), dwnd);
}

/* a(w) up to 1.641 packets in the queue, then one segment; RFC 3649's cut. */
static void africa_is_highspeed_or_reno(void **unused)
{
	(void)unused;
	struct feed f;
	law_open(&f, "africa", 2000);
	feed_loss(&f);
	double w = law_packets(&f), b = .5 - .4 * log(2000 / 38.) / log(83000 / 38.);
	law_near("left", w, 2000 * (1 - b), .001);
	double bw = .5 - .4 * log(w / 38) / log(83000 / 38.);
	double a = .156 * pow(w, .8) * bw / (2 - bw);
	f.view.min_rtt_ns = LAW_RTT_NS;
	law_near("fast", growth(&f, law_rtt_with(w, 1.5)), a, .08);
	assert_true(growth(&f, law_rtt_with(law_packets(&f), 1.8)) <= 1.001);
	assert_in_range(feed_signal_value(&f, "queued"), 1790, 1810);
	feed_param(&f, "slow_halving", 1);
	u64 before = f.cwnd_bytes;
	feed_loss(&f);
	assert_int_equal(f.cwnd_bytes, before / 2);
}

/* B d up to a queue of 4 ms, nothing up to 12 ms, then down to 4 ms; but never below Reno. */
static void fusion_has_three_modes(void **unused)
{
	(void)unused;
	struct feed f;
	open_avoiding(&f, "fusion", 2000);
	f.view.delivery_Bps = 50000000; /* 50 packets in 1 ms */
	law_round(&f, LAW_RTT_NS);
	law_near("bandwidth", (double)feed_signal_value(&f, "bandwidth"), 5e7, .001);
	law_near("grows", growth(&f, LAW_RTT_NS + 3 * FEED_MS), 50, .05);
	law_near("grows", growth(&f, LAW_RTT_NS + 8 * FEED_MS), 50, .05); /* by the round before */
	assert_true(growth(&f, LAW_RTT_NS + 20 * FEED_MS) == 0);
	double before = law_packets(&f);
	judge(&f);
	law_near("falls", before - law_packets(&f), before * 16 / 120, .02);
	for (u32 n = 0; n < 100; n++)
		law_round(&f, 2 * LAW_RTT_NS);
	assert_in_range(f.cwnd_bytes, feed_signal_value(&f, "reno"),
			feed_signal_value(&f, "reno") + FEED_MSS);
	double reno = law_packets(&f);
	for (u32 n = 0; n < 10; n++)
		law_round(&f, 2 * LAW_RTT_NS);
	law_near("Reno", law_packets(&f), reno + 10, .002);
}

static void fusion_empties_the_queue_on_a_loss(void **unused)
{
	(void)unused;
	static const struct {
		u64 rtt_ms;
		double left;
	} c[] = {{125, .8}, {160, .625}, {300, .5}};
	for (u32 i = 0; i < 3; i++) {
		struct feed f;
		open_avoiding(&f, "fusion", 2000);
		law_round(&f, c[i].rtt_ms * FEED_MS);
		double before = law_packets(&f);
		feed_loss(&f);
		law_near("left", law_packets(&f), before * c[i].left, .001);
		u64 reno = feed_signal_value(&f, "reno");
		feed_loss(&f);
		assert_int_equal(feed_signal_value(&f, "reno"), reno / 2);
		feed_undo(&f);
		assert_int_equal(feed_signal_value(&f, "reno"), reno);
	}
	struct feed f;
	open_avoiding(&f, "fusion", 2000);
	law_round(&f, LAW_RTT_NS);
	u64 before = f.cwnd_bytes;
	feed_loss(&f);
	assert_int_equal(f.cwnd_bytes, before - FEED_MSS); /* nothing waited */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(yeah_is_scalable_while_the_queue_is_short),
	    cmocka_unit_test(yeah_drains_and_then_is_reno),
	    cmocka_unit_test(yeah_takes_the_queue_on_a_loss_and_half_beside_others),
	    cmocka_unit_test(compound_grows_by_its_power_law),
	    cmocka_unit_test(compound_gives_back_what_waits),
	    cmocka_unit_test(compound_cuts_and_tunes),
	    cmocka_unit_test(africa_is_highspeed_or_reno),
	    cmocka_unit_test(fusion_has_three_modes),
	    cmocka_unit_test(fusion_empties_the_queue_on_a_loss),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
