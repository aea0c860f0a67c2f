/* SPDX-License-Identifier: MIT */
/* Several NimbusCC flows: who pulses, and what the others make of it. */
#include "nimbus_fixture.h"

static void several(u64 delay_mode, u64 seed)
{
	defaults();
	params.multi = 1;
	params.delay_mode = delay_mode;
	begin(seed);
}

/* A share of a link on which somebody's wave is seen in R, at this height (of R), beside noise at 8.2 Hz. */
static void watch(double share, double hz, double height)
{
	double receive = share * MU * (1 + height * wave(hz) + .002 * wave(8.2));
	struct weir_report r = report_of(share * MU, MU - share * MU);
	r.ack_interval_ns = (u64)(50e6 * share * MU / receive);
	give(&r);
}

static void begins_as_a_watcher_in_delay_mode(void **unused)
{
	(void)unused;
	several(NIMBUS_VEGAS, 1);
	assert_int_equal(pilot.mode, NIMBUS_DELAY);
	assert_int_equal(pilot.role, NIMBUS_WATCHER);
	assert_int_equal(sp.inner, NIMBUS_INNER_DELAY);
	watch(.25, 6, .02);
	assert_int_equal(sp.wave_period_ns, 0);
	/* 1 / (2 pi tau) <= 1 Hz, for a wave of 5 */
	assert_true((double)sp.low_pass_ns * 1e-9 >= 1 / 6.283);
	/* eq. 4 has nothing to begin with: a slow start until there is a queue */
	several(NIMBUS_BASIC_DELAY, 1);
	assert_int_equal(sp.inner, NIMBUS_INNER_COMPETITIVE);
	watch(.25, 6, .02);
	assert_int_equal(sp.inner, NIMBUS_INNER_COMPETITIVE);
	struct weir_report r = report_of(.25 * MU, .75 * MU);
	r.rtt_sum_ns = 10 * 63 * MS;
	give(&r);
	assert_int_equal(sp.inner, WEIR_SETPOINT_RATE);
	assert_int_equal(pilot.mode, NIMBUS_DELAY);
}

static void a_watcher_does_as_the_pulser(void **unused)
{
	(void)unused;
	several(NIMBUS_VEGAS, 1);
	for (u32 i = 0; i < 600; i++)
		watch(.25, 5, .02);
	assert_int_equal(pilot.role, NIMBUS_WATCHER);
	assert_int_equal(pilot.mode, NIMBUS_COMPETITIVE);
	assert_int_equal(sp.inner, NIMBUS_INNER_COMPETITIVE);
	u32 n = 0;
	while (pilot.mode == NIMBUS_COMPETITIVE && n++ < 600)
		watch(.25, 6, .02);
	assert_true(n > 230 && n < 270); /* half a window of the other wave */
	assert_int_equal(pilot.role, NIMBUS_WATCHER);
	assert_int_equal(sp.wave_period_ns, 0);
}

/* Eq. 5: kappa tau / window R / mu: .002 R / mu for each 10 ms. */
static void equation_5(void **unused)
{
	(void)unused;
	several(NIMBUS_VEGAS, 1);
	for (u32 i = 0; i < 10; i++)
		watch(.25, 6, 0);
	double chance = weir_nimbus_election_chance(&pilot, &params, .01);
	assert_true(chance > .000499 && chance < .000501);
	params.kappa = 2000000;
	assert_true(weir_nimbus_election_chance(&pilot, &params, .005) < chance * 1.001);
	/* a report that was long in coming is no reason; a share that is too small to pulse is none either */
	assert_true(weir_nimbus_election_chance(&pilot, &params, 60) < chance * 21);
	for (u32 i = 0; i < 1000; i++)
		watch(.07, 6, 0);
	assert_true(weir_nimbus_election_chance(&pilot, &params, .01) <= 0);
}

/* One flow of four is elected after 1 / (.0005 a report) = 20 s, if nobody else is; variance of a geometric
 * distribution. */
static void elections_are_as_likely_as_they_should_be(void **unused)
{
	(void)unused;
	double sum = 0;
	const u32 n = 60;
	for (u32 seed = 1; seed <= n; seed++) {
		several(NIMBUS_VEGAS, seed);
		u32 reports = 0;
		for (u32 i = 0; i < 500; i++)
			watch(.25, 6, 0);
		while (pilot.role == NIMBUS_WATCHER && reports < 50000) {
			watch(.25, 6, 0);
			reports++;
		}
		assert_int_equal(sp.wave_period_ns, 1000000 * WEIR_NS_PER_S / 6000000);
		sum += reports;
	}
	double mean = sum / n; /* 2000, 258 its standard deviation */
	assert_true(mean > 2000 - 3 * 258 && mean < 2000 + 3 * 258);
}

/* Once elected: its own mode by eta, its frequency by its mode. */
static void a_pulser_judges_for_itself(void **unused)
{
	(void)unused;
	several(NIMBUS_BASIC_DELAY, 1);
	struct weir_report r = report_of(6e6, 6e6);
	r.rtt_sum_ns = 10 * 63 * MS;
	give(&r);
	pilot.role = NIMBUS_PULSER;
	step(6e6, 4e6, 0);
	assert_int_equal(sp.low_pass_ns, 0);
	assert_int_equal(sp.wave_period_ns, 1000000 * WEIR_NS_PER_S / 6000000);
	steps(600, 6e6, 4e6, 0);
	assert_int_equal(pilot.mode, NIMBUS_DELAY);
	params.de_election = 0; /* z swings more than R where the others answer in full */
	steps(400, 6e6, 4e6, .9);
	assert_int_equal(pilot.mode, NIMBUS_COMPETITIVE);
	assert_int_equal(sp.wave_period_ns, 200 * MS);
	steps(300, 6e6, 4e6, 0);
	assert_int_equal(pilot.mode, NIMBUS_COMPETITIVE); /* another frequency: no verdict for a window */
	steps(300, 6e6, 4e6, 0);
	assert_int_equal(pilot.mode, NIMBUS_DELAY);
	/* too small a share to pulse: a watcher */
	for (u32 i = 0; i < 600; i++) {
		r = report_of(.05 * MU, .95 * MU);
		r.rtt_sum_ns = 10 * 65 * MS;
		give(&r);
	}
	assert_int_equal(pilot.role, NIMBUS_WATCHER);
}

/* Of two pulsers each one sees more of the wave in z than in R, and stops with a fixed probability. */
static void one_of_several_pulsers_stops(void **unused)
{
	(void)unused;
	double sum = 0;
	const u32 n = 40;
	for (u32 seed = 1; seed <= n; seed++) {
		several(NIMBUS_VEGAS, seed);
		params.kappa = 0;
		params.de_election = 0;
		pilot.role = NIMBUS_PULSER;
		steps(1100, 6e6, 4e6, -1.5); /* in phase: R hardly moves */
		assert_int_equal(pilot.mode, NIMBUS_COMPETITIVE);
		params.de_election = 10000;
		u32 reports = 0;
		while (pilot.role == NIMBUS_PULSER && reports++ < 5000)
			steps(1, 6e6, 4e6, -1.5);
		assert_int_equal(sp.wave_period_ns, 0);
		sum += reports;
	}
	double mean = sum / n; /* 100, 16 its standard deviation */
	assert_true(mean > 100 - 3 * 16 && mean < 100 + 3 * 16);
	/* alone, it goes on */
	several(NIMBUS_VEGAS, 1);
	params.de_election = 1000000;
	pilot.role = NIMBUS_PULSER;
	steps(1500, 6e6, 4e6, 0);
	assert_int_equal(pilot.role, NIMBUS_PULSER);
}

static u64 run_of(u64 seed)
{
	u64 when = 0;
	several(NIMBUS_VEGAS, seed);
	for (u32 i = 0; i < 9000; i++) {
		watch(.5, 6, 0);
		if (pilot.role == NIMBUS_PULSER && !when)
			when = i;
	}
	return when;
}

static void the_same_seed_elects_the_same(void **unused)
{
	(void)unused;
	u64 first = run_of(5), other = run_of(6);
	assert_true(first > 0 && other > 0 && first != other);
	assert_int_equal(run_of(5), first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(begins_as_a_watcher_in_delay_mode),
	    cmocka_unit_test(a_watcher_does_as_the_pulser),
	    cmocka_unit_test(equation_5),
	    cmocka_unit_test(elections_are_as_likely_as_they_should_be),
	    cmocka_unit_test(a_pulser_judges_for_itself),
	    cmocka_unit_test(one_of_several_pulsers_stops),
	    cmocka_unit_test(the_same_seed_elects_the_same),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
