/* SPDX-License-Identifier: MIT */
/* What the published code adds to the paper: off by default, each by its own switch. */
#include "nimbus_fixture.h"

/* Reports until this mode is there. */
static u32 until(enum nimbus_mode mode, double base_Bps, double z_Bps, double answer)
{
	u32 n = 0;
	while (pilot.mode != mode && n < 3000) {
		step(base_Bps, z_Bps, answer);
		n++;
	}
	return n;
}

static void the_detectors_switches_reach_it(void **unused)
{
	(void)unused;
	defaults();
	begin(1);
	struct weir_detector_config paper, *c = &pilot.detector.config;
	weir_detector_defaults(&paper);
	assert_memory_equal(c, &paper, sizeof paper);
	params.low_z = 100000;
	params.high_z = 900000;
	params.weak_response = 250000;
	params.smoothing = 10000;
	params.threshold = 2250000;
	params.threshold_inelastic = 2000000;
	params.guard_above = 1500000;
	params.window_ns = 2 * WEIR_NS_PER_S;
	params.sample_ns = 20 * MS;
	begin(1);
	assert_true(c->low_z_fraction > .0999 && c->low_z_fraction < .1001);
	assert_true(c->high_z_fraction > .8999 && c->high_z_fraction < .9001);
	assert_true(c->weak_response > .2499 && c->weak_response < .2501);
	assert_true(c->smoothing > .00999 && c->smoothing < .01001);
	assert_true(c->threshold > 2.2499 && c->threshold < 2.2501);
	assert_true(c->threshold_inelastic > 1.9999 && c->threshold_inelastic < 2.0001);
	assert_true(c->guard_above_hz > 1.4999 && c->guard_above_hz < 1.5001);
	assert_int_equal(c->samples, 100);
	assert_int_equal(c->sample_ns, 20 * MS);
}

static void start_hold(void **unused)
{
	(void)unused;
	defaults();
	params.start_hold_ns = 15 * WEIR_NS_PER_S;
	begin(1);
	assert_int_equal(until(NIMBUS_DELAY, 6e6, 4e6, 0), 1501);
}

/* To delay mode not within 5 s of a change; to competitive mode at once. */
static void dwell(void **unused)
{
	(void)unused;
	u32 back[2], forth[2];
	for (u32 i = 0; i < 2; i++) {
		defaults();
		params.dwell_ns = i ? 8 * WEIR_NS_PER_S : 0;
		begin(1);
		steps(700, 6e6, 4e6, 0);
		forth[i] = until(NIMBUS_COMPETITIVE, 6e6, 4e6, 1.5);
		back[i] = until(NIMBUS_DELAY, 6e6, 4e6, 0);
	}
	assert_int_equal(forth[0], forth[1]);
	assert_true(back[0] < 500);
	assert_int_equal(back[1], 800);
}

static void two_frequencies(void **unused)
{
	(void)unused;
	defaults();
	params.two_frequencies = 1;
	begin(1);
	step(6e6, 4e6, 0);
	assert_int_equal(sp.wave_period_ns, 200 * MS);
	steps(510, 6e6, 4e6, 0);
	assert_int_equal(pilot.mode, NIMBUS_DELAY);
	assert_int_equal(sp.wave_period_ns, 1000000 * WEIR_NS_PER_S / 6000000);
}

static void startup_rate(void **unused)
{
	(void)unused;
	defaults();
	params.startup_rate_Bps = 2000000;
	begin(1);
	assert_int_equal(sp.inner, WEIR_SETPOINT_RATE);
	assert_int_equal(sp.rate_Bps, 2000000);
	steps(99, 2e6, 4e6, 0);
	assert_int_equal(sp.inner, WEIR_SETPOINT_RATE);
	assert_int_equal(sp.rate_Bps, 2000000);
	assert_int_equal(sp.wave_period_ns, 0);
	u32 seeds = sp.seeds;
	steps(2, 2e6, 4e6, 0);
	assert_int_equal(sp.inner, NIMBUS_INNER_COMPETITIVE);
	assert_int_equal(sp.seeds, seeds + 1);
	assert_int_equal(sp.seed_cwnd_bytes, 0);
	assert_int_equal(sp.wave_period_ns, 200 * MS);
}

/* Delay mode begins at the delay that there is: 40 ms above 50, and the target falls by x_min a second. */
static void gentle_drain(void **unused)
{
	(void)unused;
	defaults();
	params.gentle_drain = 1;
	begin(1);
	for (u32 i = 0; i < 499; i++) {
		struct weir_report r = report_of(6e6 + .1 * MU * wave(5), 4e6);
		r.rtt_sum_ns = 10 * 90 * MS;
		give(&r);
	}
	struct weir_report r = report_of(6e6, 4e6);
	for (u32 i = 0; pilot.mode == NIMBUS_COMPETITIVE && i < 10; i++) {
		r.now_ns += 10 * MS;
		r.rtt_sum_ns = 10 * 90 * MS;
		give(&r);
	}
	assert_int_equal(pilot.mode, NIMBUS_DELAY);
	/* the first step of the law sees a target of 40 ms: nothing to drain */
	double first_Bps = (double)sp.rate_Bps;
	assert_true(first_Bps > 7.6e6 - 2e4 && first_Bps < 7.6e6 + 2e4);
	for (u32 i = 0; i < 100; i++) {
		r.now_ns += 10 * MS;
		give(&r);
	}
	/* 27.5 ms too much: 6 + 1.6 - .5 (12 / .09) .0275 */
	double last_Bps = (double)sp.rate_Bps;
	assert_true(last_Bps > 7.6e6 - 1.8334e6 - 2e4 && last_Bps < 7.6e6 - 1.8334e6 + 2e4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_detectors_switches_reach_it),
	    cmocka_unit_test(start_hold),
	    cmocka_unit_test(dwell),
	    cmocka_unit_test(two_frequencies),
	    cmocka_unit_test(startup_rate),
	    cmocka_unit_test(gentle_drain),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
