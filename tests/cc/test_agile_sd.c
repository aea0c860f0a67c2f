/* SPDX-License-Identifier: MIT */
/* Agile-SD: its equations, the faults of the authors' module, and Reno in disguise. */
#include "core/window.h"
#include "feed.h"
#include "trace.h"

#include <math.h>
#include <stdio.h>

#define RTT_NS (100 * FEED_MS)

/* Segments of one byte: windows in whole packets, as in the papers. */
static void open_packets(struct feed *f, u64 lambda_max, u64 beta, u64 window)
{
	feed_open(f, "agile-sd", RTT_NS);
	feed_param(feed_param(f, "lambda_max", lambda_max * WEIR_RATIO_ONE), "beta", beta);
	f->view.mss_bytes = 1;
	f->view.initial_bytes = window;
	feed_init(f);
}

static void open_window(struct feed *f, u64 packets)
{
	feed_open(f, "agile-sd", RTT_NS);
	f->view.initial_bytes = packets * FEED_MSS;
	feed_init(f);
}

struct epoch {
	u64 start, acks;
	double rtts, mean; /* round trips, mean window over them */
};

/* From a cut to the next, which comes when the window exceeds w: one ACK a packet, or for `per_ack`. */
static struct epoch one_epoch(struct feed *f, u64 w, u64 per_ack)
{
	struct epoch e = {.start = f->cwnd_bytes};
	double sent = 0;
	while (f->cwnd_bytes <= w) {
		double n = (double)per_ack, cwnd = (double)f->cwnd_bytes;
		e.acks++;
		e.rtts += n / cwnd;
		sent += n;
		feed_ack(f, per_ack);
	}
	e.mean = sent / e.rtts;
	feed_loss(f);
	return e;
}

static void near(const char *what, double x, double right, double relative)
{
	if (!(fabs(x / right - 1) <= relative))
		fail_msg("%s: %.6g, not %.6g", what, x, right);
}

/* What the rule gives in 3-digit integers, one ACK a packet, third epoch. Those integers truncate, by .05 %
 * at most in these windows; ours do not. */
static void epochs_are_those_of_the_rule(void **unused)
{
	(void)unused;
	static const struct {
		u64 w, beta, lambda_max, start;
		double rtts, mean;
		u64 acks;
	} row[] = {
	    {1254, 900000, 3, 1129, 87.86, 1204.540, 105833},
	    {1254, 900000, 1, 1129, 126.07, 1191.499, 150214},
	    {1254, 500000, 5, 627, 327.51, 1037.970, 339947},
	    {1254, 500000, 6, 627, 291.93, 1048.351, 306049},
	    {1254, 500000, 1, 627, 628.28, 940.514, 590903},
	    {1254, 800000, 4, 1004, 149.45, 1162.530, 173742},
	    {1254, 950000, 3, 1192, 43.77, 1229.555, 53815},
	    {254, 900000, 3, 229, 17.86, 244.242, 4361},
	    {254, 500000, 5, 127, 66.41, 210.393, 13973},
	    {254, 500000, 1, 127, 128.01, 190.497, 24386},
	    {100, 900000, 3, 90, 7.35, 96.189, 707},
	    {100, 500000, 5, 50, 26.21, 82.942, 2174},
	    {100, 500000, 1, 50, 51.00, 74.997, 3825},
	};
	for (u32 i = 0; i < sizeof row / sizeof row[0]; i++) {
		struct feed f;
		open_packets(&f, row[i].lambda_max, row[i].beta, row[i].w + 1);
		feed_loss(&f);
		one_epoch(&f, row[i].w, 1);
		one_epoch(&f, row[i].w, 1);
		struct epoch e = one_epoch(&f, row[i].w, 1);
		assert_int_equal(e.start, row[i].start);
		near("epoch", e.rtts, row[i].rtts, .0015);
		near("mean window", e.mean, row[i].mean, .0002);
		near("ACKs", (double)e.acks, (double)row[i].acks, .0015);
	}
}

/* Epoch k (1 + ln L) / L with k = W (1 - beta); mean window W (1 - (1 - beta) (1 - 1/(2L)) / (1 + ln L)). */
static void epochs_are_those_of_the_closed_form(void **unused)
{
	(void)unused;
	static const u64 betas[] = {500000, 900000};
	const u64 w = 200000;
	for (u32 b = 0; b < 2; b++)
		for (u64 l = 1; l <= 10; l++) {
			struct feed f;
			open_packets(&f, l, betas[b], w + 1);
			feed_loss(&f);
			struct epoch e = one_epoch(&f, w, 2000);
			double beta = (double)betas[b] / 1e6, big = (double)w, lambda = (double)l;
			double g = (1 - 1 / (2 * lambda)) / (1 + log(lambda));
			near("epoch", e.rtts, big * (1 - beta) * (1 + log(lambda)) / lambda, .001);
			near("mean window", e.mean, big * (1 - (1 - beta) * g), .0002);
		}
}

/* The discrete sum of the paper's eq. 7 at W = 1254, beta .5: round trips, mean window over a BDP of 1250. */
static void epochs_are_those_of_equation_7(void **unused)
{
	(void)unused;
	static const double rtts[] = {628.0, 531.6, 439.3, 374.7, 327.8, 292.3, 264.4, 241.9, 223.3, 207.6};
	static const double mean[] = {.752400, .781088, .804133, .819414, .830361,
				      .838687, .845298, .850719, .855274, .859175};
	for (u64 l = 1; l <= 10; l++) {
		struct feed f;
		open_packets(&f, l, 500000, 1255);
		feed_loss(&f);
		struct epoch e = one_epoch(&f, 1254, 1);
		/* there W is the last window, here the one before the cut */
		near("epoch", e.rtts, rtts[l - 1], .004);
		near("mean window over BDP", e.mean / 1250, mean[l - 1], .0005);
	}
}

static void equation_36_is_lambda_max_0(void **unused)
{
	(void)unused;
	static const u64 right[] = {6, 6, 5, 5, 5, 4, 4, 3, 3, 3};
	for (u64 i = 0; i < 10; i++) {
		struct feed f;
		open_packets(&f, 0, 500000 + 50000 * i, 100000);
		feed_loss(&f);
		assert_int_equal(feed_signal_value(&f, "lambda"), right[i] * WEIR_RATIO_ONE);
	}
}

/* ---- lambda_max 1 ---- */

struct one {
	const struct weir_cc_ops *ops;
	_Alignas(8) u8 state[WEIR_CC_MAX_BYTES];
	u64 params[64], cwnd_bytes;
};

static void tell(struct one *s, const struct weir_view *v, const struct trace_event *e)
{
	struct weir_out o = {0};
	const struct weir_ack a = {.acked_bytes = e->bytes, .rtt_ns = e->rtt_ns, .ce_bytes = e->ce_bytes};
	const struct weir_loss l = {.lost_bytes = e->bytes,
				    .inflight_at_send_bytes = e->inflight_at_send_bytes,
				    .kind = e->loss_kind,
				    .flags = e->loss_flags};
	if (e->kind == TRACE_ACK)
		s->ops->on_ack(s->state, s->params, v, &a, &o);
	else if (e->kind == TRACE_LOSS)
		s->ops->on_loss(s->state, s->params, v, &l, &o);
	else if (e->kind == TRACE_TIMEOUT)
		s->ops->on_timeout(s->state, s->params, v, &o);
	else
		s->ops->on_idle(s->state, s->params, v, e->after_ns, &o);
	s->cwnd_bytes = o.cwnd_bytes;
}

static void begin(struct one *s, const char *name, const struct weir_view *v)
{
	struct weir_out o = {0};
	s->ops = weir_cc_find(name);
	weir_cc_defaults(s->ops, s->params);
	if (strcmp(name, "agile-sd") == 0)
		s->params[0] = WEIR_RATIO_ONE;
	s->ops->init(s->state, s->params, v, &o);
}

static void lambda_max_1_is_reno_decision_by_decision(void **unused)
{
	(void)unused;
#ifdef WEIR_DEBUG_CHECKS
	const u64 seeds = 40;
#else
	const u64 seeds = 200;
#endif
	for (u64 seed = 1; seed <= seeds; seed++) {
		struct one agile, reno;
		struct weir_rng r;
		struct weir_view v = {.now_ns = 1, .initial_bytes = 14480, .mss_bytes = 1448};
		weir_rng_init(&r, seed, weir_rng_point("agile-is-reno"), 0);
		begin(&agile, "agile-sd", &v);
		begin(&reno, "reno", &v);
		for (u32 i = 0; i < 1000; i++) {
			struct trace_event e;
			u64 a[WEIR_CC_SIGNALS_MAX] = {0}, b[WEIR_CC_SIGNALS_MAX] = {0};
			if (seed % 4)
				trace_plausible(&r, &e, 1448);
			else
				trace_extreme(&r, &e);
			v.now_ns += e.after_ns;
			v.flags = e.view_flags;
			v.mss_bytes = e.mss_bytes;
			v.srtt_ns = e.rtt_ns ? e.rtt_ns : v.srtt_ns;
			tell(&agile, &v, &e);
			tell(&reno, &v, &e);
			agile.ops->probe(agile.state, a);
			reno.ops->probe(reno.state, b);
			if (agile.cwnd_bytes != reno.cwnd_bytes || a[0] != b[0])
				fail_msg("seed %llu, event %u: %llu, Reno has %llu", seed, i,
					 agile.cwnd_bytes, reno.cwnd_bytes);
		}
	}
}

/* ---- field cases ---- */

/* E1: an ACK for 2 or 40 packets is worth as many ACKs. */
static void E1_growth_does_not_depend_on_how_acks_are_merged(void **unused)
{
	(void)unused;
	static const u64 merged[] = {1, 2, 40};
	u64 reached[3];
	for (u32 i = 0; i < 3; i++) {
		struct feed f;
		open_window(&f, 1000);
		feed_loss(&f);
		for (u64 acked = 0; acked < 40 * 1000; acked += merged[i])
			feed_ack(&f, merged[i] * FEED_MSS);
		reached[i] = f.cwnd_bytes;
	}
	assert_true(reached[0] > 700 * FEED_MSS);
	assert_in_range(reached[1], reached[0] - FEED_MSS, reached[0] + FEED_MSS);
	assert_in_range(reached[2], reached[0] - FEED_MSS, reached[0] + FEED_MSS);
}

/* E2: from 600,000 to ten million packets the window grows by lambda a round. */
static void E2_large_windows_grow_as_small_ones(void **unused)
{
	(void)unused;
	static const u64 packets[] = {2, 10, 1000, 600000, 1000000, 3000000, 4800000, 10000000};
	for (u32 i = 0; i < sizeof packets / sizeof packets[0]; i++) {
		struct feed f;
		open_window(&f, 2 * packets[i]);
		feed_loss(&f);
		u64 from = f.cwnd_bytes;
		assert_int_equal(from, packets[i] * FEED_MSS);
		for (u32 n = 0; n < 1000; n++)
			feed_ack(&f, from / 1000);
		u64 grown = (f.cwnd_bytes - from) / FEED_MSS;
		if (packets[i] >= 1000)
			assert_in_range(grown, 4, 5);
		else
			assert_in_range(grown, 1, packets[i]); /* never faster than slow start */
	}
}

/* E4: slow start runs to w_0; there lambda is largest, and it falls towards the window before the timeout. */
static void E4_after_a_timeout(void **unused)
{
	(void)unused;
	struct feed f;
	open_window(&f, 1000);
	feed_timeout(&f);
	assert_int_equal(f.cwnd_bytes, FEED_MSS);
	assert_int_equal(feed_signal_value(&f, "w_last"), 1000 * FEED_MSS);
	assert_int_equal(feed_signal_value(&f, "ssthresh"), 500 * FEED_MSS);
	while (f.cwnd_bytes < 500 * FEED_MSS)
		feed_round(&f);
	assert_in_range(feed_signal_value(&f, "lambda"), 4900000, 5000000);
	feed_round(&f);
	assert_in_range(f.cwnd_bytes, 503 * FEED_MSS, 516 * FEED_MSS);
	while (f.cwnd_bytes < 1000 * FEED_MSS)
		feed_round(&f);
	assert_int_equal(feed_signal_value(&f, "lambda"), WEIR_RATIO_ONE);
	feed_timeout(&f);
	feed_timeout(&f); /* of the one segment that is left: nothing new */
	assert_in_range(feed_signal_value(&f, "w_last"), 1000 * FEED_MSS, 1002 * FEED_MSS);
}

/* E5: an undo takes back the last reduction, with its w_last, and no other. */
static void E5_an_undo_is_of_the_last_reduction(void **unused)
{
	(void)unused;
	struct feed f;
	open_window(&f, 1000);
	feed_loss(&f);
	for (int i = 0; i < 20; i++)
		feed_round(&f);
	u64 cwnd = f.cwnd_bytes, lambda = feed_signal_value(&f, "lambda");
	feed_loss(&f);
	assert_int_equal(feed_signal_value(&f, "w_last"), cwnd);
	feed_undo(&f);
	assert_int_equal(f.cwnd_bytes, cwnd);
	assert_int_equal(feed_signal_value(&f, "w_last"), 1000 * FEED_MSS);
	assert_int_equal(feed_signal_value(&f, "lambda"), lambda);
	feed_undo(&f);
	assert_int_equal(f.cwnd_bytes, cwnd);
}

/* E7: a reduction takes a packet at least, down to two. */
static void E7_small_windows_are_reduced(void **unused)
{
	(void)unused;
	for (u64 w = 2; w <= 30; w++) {
		struct feed f;
		feed_open(&f, "agile-sd", RTT_NS);
		feed_param(&f, "beta", 900000);
		f.view.initial_bytes = w * FEED_MSS;
		feed_init(&f);
		feed_loss(&f);
		u64 left = w <= 10 ? (w - 1) * FEED_MSS : w * FEED_MSS * 9 / 10;
		assert_int_equal(f.cwnd_bytes, weir_max(left, 2 * FEED_MSS));
	}
}

/* ---- the rest ---- */

static void lambda_stays_in_its_bounds(void **unused)
{
	(void)unused;
	struct feed f;
	open_window(&f, 1000);
	assert_int_equal(feed_signal_value(&f, "lambda"), WEIR_RATIO_ONE); /* no loss yet */
	feed_loss(&f);
	assert_int_equal(feed_signal_value(&f, "lambda"), 5 * WEIR_RATIO_ONE);
	f.view.initial_bytes = 10 * FEED_MSS;
	feed_idle(&f, 3 * WEIR_NS_PER_S); /* far below w_0 */
	assert_true(f.cwnd_bytes < 100 * FEED_MSS);
	assert_int_equal(feed_signal_value(&f, "lambda"), 5 * WEIR_RATIO_ONE);
	while (f.cwnd_bytes < 1100 * FEED_MSS)
		feed_round(&f);
	assert_int_equal(feed_signal_value(&f, "lambda"), WEIR_RATIO_ONE);
}

static void marks_reduce_and_unused_windows_stand_still(void **unused)
{
	(void)unused;
	struct feed f;
	open_window(&f, 1000);
	feed_signal(&f, WEIR_LOSS_ECN, WEIR_NEW_EPISODE, 0);
	assert_int_equal(f.cwnd_bytes, 500 * FEED_MSS);
	assert_int_equal(feed_signal_value(&f, "w_last"), 1000 * FEED_MSS);
	f.view.flags = WEIR_APP_LIMITED;
	for (int i = 0; i < 100; i++)
		feed_round(&f);
	assert_int_equal(f.cwnd_bytes, 500 * FEED_MSS);
}

static void the_minimum_window_can_be_larger(void **unused)
{
	(void)unused;
	struct feed f;
	open_window(&f, 50);
	feed_param(&f, "min_window", 40);
	feed_init(&f);
	feed_loss(&f);
	assert_int_equal(f.cwnd_bytes, 40 * FEED_MSS);
	feed_loss(&f);
	assert_int_equal(f.cwnd_bytes, 40 * FEED_MSS);
}

static u64 rate_on_ack(struct feed *f)
{
	const struct weir_ack a = {.acked_bytes = FEED_MSS, .rtt_ns = f->rtt_ns};
	struct weir_out o = {0};
	f->ops->on_ack(f->state, f->params, &f->view, &a, &o);
	feed_take(f, &o);
	return o.pacing_Bps;
}

static void pacing_is_an_option(void **unused)
{
	(void)unused;
	struct feed f;
	open_window(&f, 1000);
	assert_int_equal(rate_on_ack(&f), 0);
	feed_param(&f, "pacing", 1250000);
	feed_init(&f);
	assert_int_equal(rate_on_ack(&f), 2 * 1001 * FEED_MSS * 10); /* slow start */
	feed_loss(&f);
	u64 half = f.cwnd_bytes;
	assert_int_equal(rate_on_ack(&f), half * 10 * 5 / 4);
	f.view.srtt_ns = 0;
	assert_int_equal(rate_on_ack(&f), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(epochs_are_those_of_the_rule),
	    cmocka_unit_test(epochs_are_those_of_the_closed_form),
	    cmocka_unit_test(epochs_are_those_of_equation_7),
	    cmocka_unit_test(equation_36_is_lambda_max_0),
	    cmocka_unit_test(lambda_max_1_is_reno_decision_by_decision),
	    cmocka_unit_test(E1_growth_does_not_depend_on_how_acks_are_merged),
	    cmocka_unit_test(E2_large_windows_grow_as_small_ones),
	    cmocka_unit_test(E4_after_a_timeout),
	    cmocka_unit_test(E5_an_undo_is_of_the_last_reduction),
	    cmocka_unit_test(E7_small_windows_are_reduced),
	    cmocka_unit_test(lambda_stays_in_its_bounds),
	    cmocka_unit_test(marks_reduce_and_unused_windows_stand_still),
	    cmocka_unit_test(the_minimum_window_can_be_larger),
	    cmocka_unit_test(pacing_is_an_option),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
