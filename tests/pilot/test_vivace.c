/* SPDX-License-Identifier: MIT */
/* Vivace by its formulas: utility, steps, and what became of which rate. */
#include "pilot/vivace_law.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define MS WEIR_NS_PER_MS
#define MBPS VIVACE_Bps_PER_MBPS

static const struct vivace_rules paper = {.exponent = .9,
					  .rtt_weight = 900,
					  .loss_weight = 11.35,
					  .theta = 1,
					  .filter = .01,
					  .bound = .05,
					  .bound_more = .1,
					  .noise_filter = true};
static const struct vivace_rules kernel = {.kernel = true,
					   .exponent = 1,
					   .rtt_weight = 900,
					   .loss_weight = 11,
					   .theta = .2,
					   .filter = .03,
					   .bound = .1,
					   .bound_more = .07,
					   .noise_filter = true};

static void near(double a, double b, double relative)
{
	if (!(fabs(a - b) <= relative * fabs(b)))
		fail_msg("%.9g is not %.9g", a, b);
}

/* 100 Mbit/s, RTT rising by 20 ms a second, 1 % lost. 100^.9 = 63.0957. */
static void utility_by_hand(void **unused)
{
	(void)unused;
	near(vivace_utility(&paper, 100 * MBPS, .02, .01), 63.095734448 - 1800 - 11.35, 1e-9);
	near(vivace_utility(&kernel, 100 * MBPS, .02, .01), 100 - 1800 - 11, 1e-12);
	near(vivace_gradient(&kernel, 105 * MBPS, 105, 95 * MBPS, 85), 2, 1e-12);
	assert_true(vivace_gradient(&kernel, 101 * MBPS, 5, 100 * MBPS, 1) == 0); /* too near */
	near(vivace_gradient(&paper, 101 * MBPS, 5, 100 * MBPS, 1), 4, 1e-12);
	assert_true(vivace_gradient(&paper, 100 * MBPS, 5, 100 * MBPS, 1) == 0);
}

/* Losses that do not depend on the rate stop the growth where du/dx = t x^(t-1) - c L = 0: L = t x^(t-1) / c,
 * 1/11 of the kernel's at any rate, .0503 of the paper's at 96 Mbit/s. */
static void random_loss_bears_growth_up_to_a_bound(void **unused)
{
	(void)unused;
	const struct vivace_rules *rules[] = {&kernel, &paper};
	const double bound[] = {1. / 11, .9 * pow(96, -.1) / 11.35};
	near(bound[1], .0502, .002);
	for (u32 i = 0; i < 2; i++)
		for (int side = -1; side <= 1; side += 2) {
			double loss = bound[i] * (1 + .01 * side), x = 96 * MBPS, y = 96.3 * MBPS;
			double g =
			    (vivace_utility(rules[i], y, 0, loss) - vivace_utility(rules[i], x, 0, loss));
			assert_true(g * side < 0);
		}
}

/* 1, 2, 3, 4, then by 2, by 4, by 8 (decisions the same way). */
static void amplifier_of_the_paper(void **unused)
{
	(void)unused;
	const double m[] = {1, 2, 3, 4, 6, 8, 10, 14, 18, 22, 30, 38};
	struct vivace_gait g = {0};
	for (u32 i = 0; i < 12; i++) {
		assert_true(vivace_amplifier(i) == m[i]);
		/* at 1 Gbit/s no bound is in the way, and no least step */
		near(vivace_step_Bps(&paper, &g, 1000 * MBPS, .6), .6 * m[i] * MBPS, 1e-9);
	}
	near(vivace_step_Bps(&paper, &g, 1000 * MBPS, -.6), -.6 * MBPS, 1e-9);
	near(vivace_step_Bps(&paper, &g, 1000 * MBPS, -.6), -1.2 * MBPS, 1e-9);
}

/* 2 at first and after a turn; one more for each decision the same way, once the swing buffer is empty. */
static void amplifier_of_the_kernel(void **unused)
{
	(void)unused;
	const int way[] = {1, 1, 1, -1, -1, -1, -1, 1, -1, 1, 1, 1, 1};
	const double m[] = {3, 4, 5, 2, 2, 3, 4, 2, 2, 2, 2, 2, 3};
	struct vivace_gait g = {0};
	for (u32 i = 0; i < 13; i++)
		near(vivace_step_Bps(&kernel, &g, 20 * MBPS, 1.2 * way[i]), way[i] * 1.2 * .2 * m[i] * MBPS,
		     1e-9);
	struct vivace_gait small = {0};
	near(vivace_step_Bps(&kernel, &small, 100 * MBPS, .1), 2.2 * MBPS, 1e-9);
	near(vivace_step_Bps(&kernel, &small, 100 * MBPS, 0), 2.2 * MBPS, 1e-9);
	near(vivace_step_Bps(&kernel, &small, 100 * MBPS, -.1), -2.2 * MBPS, 1e-9);
}

static void boundaries_move(void **unused)
{
	(void)unused;
	struct vivace_gait g = {0};
	const double p[] = {.05, .15, .25, .35}, k[] = {.1, .17, .24, .31};
	for (u32 i = 0; i < 4; i++)
		near(vivace_step_Bps(&paper, &g, 10 * MBPS, 1e6), p[i] * 10 * MBPS, 1e-9);
	/* k is now the smallest under whose bound .08 fits: 1. So .16 is cut to .15. */
	g.same = 0;
	near(vivace_step_Bps(&paper, &g, 10 * MBPS, .8), .08 * 10 * MBPS, 1e-9);
	g.same = 0;
	near(vivace_step_Bps(&paper, &g, 10 * MBPS, 1.6), .15 * 10 * MBPS, 1e-9);
	near(vivace_step_Bps(&paper, &g, 10 * MBPS, -1e6), -.05 * 10 * MBPS, 1e-9); /* a turn */
	g = (struct vivace_gait){0};
	for (u32 i = 0; i < 4; i++)
		near(vivace_step_Bps(&kernel, &g, 10 * MBPS, 1e6), k[i] * 10 * MBPS, 1e-9);
	near(vivace_step_Bps(&kernel, &g, 10 * MBPS, .1), .022 * 10 * MBPS, 1e-9); /* not cut: back to .1 */
	near(vivace_step_Bps(&kernel, &g, 10 * MBPS, 1e6), .1 * 10 * MBPS, 1e-9);
	for (u32 i = 0; i < 30; i++)
		assert_true(vivace_step_Bps(&kernel, &g, 10 * MBPS, -1e9) >= -5 * MBPS);
}

/* Two intervals of 100 ms at 10 and 20 MB/s, RTT 100 ms that rises by `slope` from the second one's packets
 * on; reports of 12.5 ms. A tenth of the second one's packets is lost. */
static void send_two(struct vivace_batch *b, double slope)
{
	const double rate[] = {10e6, 20e6};
	struct weir_report r = {
	    .now_ns = 1000 * MS, .srtt_ns = 100 * MS, .latest_rtt_ns = 100 * MS, .mss_bytes = 1000};
	memset(b, 0, sizeof *b);
	vivace_batch_report(b, &r); /* so that it has a front */
	vivace_batch_begin(b, &r, rate, 2, 10, 0);
	for (u32 i = 1; i <= 30 && !vivace_batch_heard(b); i++) {
		u64 now_ns = 1000 * MS + i * 12500000ULL;
		r = (struct weir_report){.now_ns = now_ns, .srtt_ns = r.srtt_ns, .mss_bytes = 1000};
		r.sent_bytes = i <= 8 ? 125000 : 250000;
		/* an ACK at now is of what left at s: s + .1 + slope (s - 1.1) = now */
		double first = 0, first_rtt = 0;
		for (u32 k = 1; k <= 10; k++) {
			double ack = (double)(now_ns - 12500000ULL) * 1e-9 + k * .00125, s = ack - .1,
			       rtt = .1;
			if (s > 1.1) {
				s = 1.1 + (s - 1.1) / (1 + slope);
				rtt = ack - s;
			}
			if (!r.rtt_n) {
				first = s;
				first_rtt = rtt;
			}
			i64 t = llround((s - first) * 1e6), d = llround((rtt - first_rtt) * 1e6);
			r.rtt_n++;
			r.rtt_sum_ns += (u64)llround(rtt * 1e9);
			r.t_sum_us += t;
			r.t2_sum_us2 += t * t;
			r.r_sum_us += d;
			r.tr_sum_us2 += t * d;
			r.latest_rtt_ns = r.srtt_ns = (u64)llround(rtt * 1e9);
			double sent = s > 1.2 ? 0 : s > 1.1 ? 25000 / (1 + slope) : s > 1 ? 12500 : 0;
			r.acked_bytes += (u64)(s > 1.1 ? .9 * sent : sent);
			r.lost_bytes += (u64)(s > 1.1 ? .1 * sent : 0);
		}
		vivace_batch_report(b, &r);
	}
}

static void results_go_to_what_was_sent_a_round_trip_ago(void **unused)
{
	(void)unused;
	struct vivace_batch b;
	send_two(&b, 0);
	assert_true(vivace_batch_heard(&b));
	near(vivace_interval_s(&b.interval[0]), .1, 1e-9);
	near(b.interval[0].acked_bytes, 1e6, .01);
	near(b.interval[0].lost_bytes + 1, 1, 1e-6);
	near(b.interval[1].acked_bytes, 1.8e6, .01);
	near(vivace_interval_loss(&b.interval[1]), .1, .01);
	assert_false(vivace_interval_limited(&b.interval[0], 1000));
	assert_false(vivace_interval_limited(&b.interval[1], 1000));
	b.interval[1].sent_bytes /= 2;
	assert_true(vivace_interval_limited(&b.interval[1], 1000));
}

static void slopes_are_those_of_the_path(void **unused)
{
	(void)unused;
	for (double slope = -.2; slope <= .4; slope += .1) {
		struct vivace_batch b;
		send_two(&b, slope);
		assert_true(vivace_batch_heard(&b));
		double wanted = fabs(slope) < .01 ? 0 : slope;
		assert_true(fabs(vivace_rtt_gradient(&paper, &b.interval[1], 1000, false) - wanted) < .01);
		/* of the smoothed RTT: an eighth of the interval is over when it is first looked at */
		assert_true(fabs(vivace_rtt_gradient(&kernel, &b.interval[1], 1000, false) - wanted) <
			    .15 * fabs(slope) + .01);
		assert_true(vivace_rtt_gradient(&kernel, &b.interval[1], 1000, true) >= 0);
		assert_true(vivace_rtt_gradient(&paper, &b.interval[0], 1000, false) == 0);
		struct vivace_rules loose = paper;
		/* RTTs differ by more within each report */
		b.interval[1].spread_ns = b.interval[1].reports * (.1 * fabs(slope) * 1.1e9 + 1);
		assert_true(vivace_rtt_gradient(&paper, &b.interval[1], 1000, false) == 0);
		loose.noise_filter = false;
		assert_true(fabs(vivace_rtt_gradient(&loose, &b.interval[1], 1000, false) - wanted) < .01);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(utility_by_hand),
	    cmocka_unit_test(random_loss_bears_growth_up_to_a_bound),
	    cmocka_unit_test(amplifier_of_the_paper),
	    cmocka_unit_test(amplifier_of_the_kernel),
	    cmocka_unit_test(boundaries_move),
	    cmocka_unit_test(results_go_to_what_was_sent_a_round_trip_ago),
	    cmocka_unit_test(slopes_are_those_of_the_path),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
