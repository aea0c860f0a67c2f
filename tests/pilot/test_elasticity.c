/* SPDX-License-Identifier: MIT */
#include "core/rng.h"
#include "pilot/detector_state.h"
#include "pilot/strawmen.h"
#include "pilot/table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MS WEIR_NS_PER_MS
#define PI 3.14159265358979323846
#define MU 12e6 /* 96 Mbit/s */
#define BEGIN_NS (17 * WEIR_NS_PER_S)

/* A report of a path that sends at S while others send at z, with 50 ms of round trip and 50 ms of queue. */
static struct weir_report report_at(u64 now_ns, double send_Bps, double z_Bps)
{
	double receive_Bps = MU * send_Bps / (send_Bps + z_Bps);
	return (struct weir_report){.number = 1,
				    .now_ns = now_ns,
				    .interval_ns = 10 * MS,
				    .rtt_n = 10,
				    .rtt_sum_ns = 10 * 100 * MS,
				    .rtt_min_ns = 100 * MS,
				    .rtt_max_ns = 100 * MS,
				    .sample_bytes = (u64)(send_Bps * .1),
				    .send_interval_ns = 100 * MS,
				    .ack_interval_ns = (u64)(100e6 * send_Bps / receive_Bps),
				    .srtt_ns = 100 * MS,
				    .min_rtt_ns = 50 * MS,
				    .latest_rtt_ns = 100 * MS,
				    .inflight_bytes = (u64)(receive_Bps * .1), /* Little's law */
				    .base_Bps = (u64)send_Bps,
				    .mss_bytes = 1448};
}

static double wave_at(u64 now_ns)
{
	return sin(2 * PI * 5 * (double)now_ns * 1e-9);
}

/* ---- the strawmen ---- */

struct judged {
	double eta, own_share, rate_share;
	enum weir_answer self, detector;
	struct weir_correlation correlation;
};

/* Cross traffic of half the link whose rate answers our wave by `answer` of it, `lag_ns` later, with noise of
 * that standard deviation in it. */
static struct judged judge(double answer, u64 lag_ns, double noise_Bps)
{
	static struct weir_detector d;
	struct weir_detector_config c;
	struct weir_self_inflicted s = {0};
	struct weir_rng rng;
	weir_rng_init(&rng, 7, 1, 1);
	weir_detector_defaults(&c);
	weir_detector_init(&d, &c);
	for (u64 now_ns = BEGIN_NS; now_ns < BEGIN_NS + 12 * WEIR_NS_PER_S; now_ns += 10 * MS) {
		double noise = -6;
		for (u32 k = 0; k < 12; k++)
			noise += weir_rng_unit(&rng);
		double z_Bps = 6e6 - answer * 1e6 * wave_at(now_ns - lag_ns) + noise_Bps * noise;
		struct weir_report r = report_at(now_ns, 6e6 + 1e6 * wave_at(now_ns), z_Bps);
		weir_detector_report(&d, &r, MU, 5, 3e6);
		weir_self_inflicted_report(&s, &r, MU);
	}
	struct weir_elasticity e;
	weir_detector_read(&d, &e);
	struct judged j = {.eta = e.eta,
			   .own_share = weir_self_inflicted_share(&s),
			   .rate_share = s.rate_share,
			   .self = weir_self_inflicted_verdict(&s),
			   .detector = e.verdict};
	weir_correlation_read(&d, &j.correlation);
	return j;
}

/* Fig. 2: a flow's part of the queue is its part of the rate, whoever the others are. */
static void self_inflicted_delay_is_the_share_of_the_rate(void **unused)
{
	(void)unused;
	struct judged elastic = judge(.8, 100 * MS, 0), inelastic = judge(0, 100 * MS, 0);
	assert_int_equal(elastic.detector, WEIR_ELASTIC);
	assert_int_equal(inelastic.detector, WEIR_INELASTIC);
	assert_true(fabs(elastic.own_share - .5) < .03 && fabs(inelastic.own_share - .5) < .03);
	assert_true(fabs(elastic.own_share - elastic.rate_share) < .03);
	assert_true(fabs(elastic.own_share - inelastic.own_share) < .02);
}

static void correlation_tells_what_has_our_round_trip(void **unused)
{
	(void)unused;
	struct judged elastic = judge(.8, 100 * MS, 0), inelastic = judge(0, 100 * MS, 2e5);
	assert_true(elastic.correlation.at_our_lag < -.97);
	assert_int_equal(elastic.correlation.verdict, WEIR_ELASTIC);
	assert_true(fabs(inelastic.correlation.at_our_lag) < .2);
	assert_int_equal(inelastic.correlation.verdict, WEIR_INELASTIC);
}

/* The round trip of others is theirs: a quarter of a period off there is nothing, half of one off the sign is
 * another. Eta does not see a phase. */
static void correlation_depends_on_whose_round_trip_it_is(void **unused)
{
	(void)unused;
	struct judged quarter = judge(.8, 50 * MS, 2e5), half = judge(.8, 200 * MS, 2e5);
	assert_true(fabs(quarter.correlation.at_our_lag) < .2);
	assert_true(half.correlation.at_our_lag > .8);
	assert_int_equal(quarter.correlation.verdict, WEIR_INELASTIC);
	assert_int_equal(half.correlation.verdict, WEIR_INELASTIC);
	assert_int_equal(quarter.detector, WEIR_ELASTIC);
	assert_int_equal(half.detector, WEIR_ELASTIC);
	assert_true(fabs(quarter.correlation.strongest) > .8 && fabs(half.correlation.strongest) > .8);
}

/* Half of the bytes do not react: their noise is in the correlation at all frequencies, in eta only at some.
 */
static void correlation_is_lost_in_noise(void **unused)
{
	(void)unused;
	struct judged mixed = judge(.8, 100 * MS, 1.5e6);
	assert_true(mixed.correlation.at_our_lag > -.45);
	assert_int_equal(mixed.correlation.verdict, WEIR_INELASTIC);
	assert_true(mixed.eta > 2.3);
	assert_int_equal(mixed.detector, WEIR_ELASTIC);
}

/* ---- the pilot ---- */

static const struct weir_pilot_ops *ops;
static void *state;
static u64 params[8];
static struct weir_setpoint setpoint;
enum { INNER, RATE, LINK_RATE, HEADER, FREQUENCY, SIZE, THRESHOLD };
enum { ETA, Z, SEND, RECEIVE, MU_SIGNAL, VERDICT, REASON };

static void begin(void)
{
	memset(state, 0, ops->state_bytes);
	memset(&setpoint, 0, sizeof setpoint);
	ops->init(state, params, 1, &setpoint);
	assert_int_equal(setpoint.report_ns, 10 * MS);
}

/* `seconds` of cross traffic of half the link that answers so far; the pilot's own wave as it asks for it. */
static void fly(u64 begin_ns, double seconds, double answer)
{
	for (u32 i = 0; i < (u32)(seconds * 100); i++) {
		u64 now_ns = begin_ns + i * 10 * MS;
		double part = setpoint.wave_period_ns ? (double)setpoint.wave_amplitude_Bps / 3e6 : 0;
		struct weir_report r = report_at(now_ns, 6e6 + part * 1e6 * wave_at(now_ns),
						 6e6 - part * answer * 1e6 * wave_at(now_ns - 100 * MS));
		ops->on_report(state, params, &r, &setpoint);
	}
}

static void value_of(double value[WEIR_PILOT_SIGNALS_MAX])
{
	for (u32 i = 0; i < WEIR_PILOT_SIGNALS_MAX; i++)
		value[i] = -1e300;
	ops->probe(state, value);
	for (u32 i = 0; i < ops->n_signals; i++)
		assert_true(isnan(value[i]) || (isfinite(value[i]) && value[i] > -1e290));
}

static void the_pilot_pulses_and_tells(void **unused)
{
	(void)unused;
	double value[WEIR_PILOT_SIGNALS_MAX];
	weir_pilot_defaults(ops, params);
	params[LINK_RATE] = (u64)(MU * 1500 / 1448);
	begin();
	assert_int_equal(setpoint.inner, 0);
	value_of(value);
	assert_true(isnan(value[ETA]) && isnan(value[Z]));
	fly(BEGIN_NS, 7, .8);
	assert_int_equal(setpoint.wave_period_ns, 200 * MS);
	assert_in_range(setpoint.wave_amplitude_Bps, (u64)MU / 4 - 2, (u64)MU / 4);
	assert_int_equal(setpoint.seeds, 0);
	value_of(value);
	assert_true(value[ETA] > 2 && value[VERDICT] == WEIR_ELASTIC && fabs(value[MU_SIGNAL] - MU) < 2);
	assert_true(value[Z] > 4e6 && value[Z] < 8e6);
	begin();
	fly(BEGIN_NS, 7, 0);
	value_of(value);
	assert_true(value[ETA] < 1 && value[VERDICT] == WEIR_INELASTIC);
	/* words are those of the detector, in its order */
	for (u32 i = 0; i <= WEIR_REASON_PATH_CYCLE; i++) {
		const char *word = weir_answer_reason_word((enum weir_answer_reason)i);
		const char *unit = ops->signals[REASON].unit;
		for (u32 k = 0; k < i; k++)
			unit = strchr(unit, '|') + 1;
		assert_memory_equal(unit, word, strlen(word));
		assert_true(unit[strlen(word)] == (i == WEIR_REASON_PATH_CYCLE ? 0 : '|'));
	}
}

/* Less than mu / 12 of ours: the trough would be below 0. */
static void a_small_share_carries_no_wave(void **unused)
{
	(void)unused;
	double value[WEIR_PILOT_SIGNALS_MAX];
	weir_pilot_defaults(ops, params);
	params[LINK_RATE] = (u64)(MU * 1500 / 1448);
	begin();
	struct weir_report r = report_at(BEGIN_NS, .99e6, 11e6);
	ops->on_report(state, params, &r, &setpoint);
	assert_int_equal(setpoint.wave_period_ns, 0);
	r = report_at(BEGIN_NS + 10 * MS, 1.01e6, 11e6);
	ops->on_report(state, params, &r, &setpoint);
	assert_int_equal(setpoint.wave_period_ns, 200 * MS);
	params[SIZE] = 0;
	ops->on_report(state, params, &r, &setpoint);
	assert_int_equal(setpoint.wave_period_ns, 0);
	value_of(value);
	assert_true(value[REASON] == WEIR_REASON_NO_WAVE || value[REASON] == WEIR_REASON_WARMING_UP);
}

static void a_set_rate_is_kept(void **unused)
{
	(void)unused;
	weir_pilot_defaults(ops, params);
	params[INNER] = 2;
	params[RATE] = 4000000;
	begin();
	assert_int_equal(setpoint.inner, WEIR_SETPOINT_RATE);
	assert_int_equal(setpoint.rate_Bps, 4000000);
	assert_int_equal(setpoint.wave_period_ns, 0); /* the link's rate is not known yet */
	fly(BEGIN_NS, 1, 0);
	assert_int_equal(setpoint.rate_Bps, 4000000);
	assert_int_equal(setpoint.wave_period_ns, 200 * MS);
	/* none given: half of what is measured, cubic until then */
	params[RATE] = 0;
	begin();
	assert_int_equal(setpoint.inner, 0);
	fly(BEGIN_NS, 1, 0);
	assert_int_equal(setpoint.inner, WEIR_SETPOINT_RATE);
	assert_true(setpoint.rate_Bps > 2900000 && setpoint.rate_Bps < 3300000); /* R is 6e6 */
}

/* The origin of the clock is nothing: the first report begins, wherever it stands. */
static void i1_any_clock_to_begin_with(void **unused)
{
	(void)unused;
	const u64 begins[] = {1, 0xffffffffULL * MS, 0xfffffff0ULL, 1ULL << 62, ~0ULL - 20 * WEIR_NS_PER_S};
	weir_pilot_defaults(ops, params);
	params[LINK_RATE] = (u64)(MU * 1500 / 1448);
	for (u32 i = 0; i < sizeof begins / sizeof *begins; i++) {
		double value[WEIR_PILOT_SIGNALS_MAX];
		begin();
		/* the wave of the test is by absolute time: whole seconds are whole periods */
		fly(begins[i] - begins[i] % WEIR_NS_PER_S + WEIR_NS_PER_S, 7, .8);
		value_of(value);
		assert_true(value[VERDICT] == WEIR_ELASTIC);
	}
}

/* 15 min of a path that never complains, mu measured: what is asked for stays what the path showed. */
static void i2_nothing_grows_in_a_long_session(void **unused)
{
	(void)unused;
	double value[WEIR_PILOT_SIGNALS_MAX];
	weir_pilot_defaults(ops, params);
	begin();
	fly(BEGIN_NS, 900, 0);
	value_of(value);
	assert_true(value[MU_SIGNAL] <= 1.01 * 6.4e6);
	assert_true(setpoint.wave_amplitude_Bps <= (u64)value[MU_SIGNAL] / 4 + 1);
}

/* 10 min of an application that sends .78 of 4 Mbit/s: mu is what was seen, at most one and a half of it. */
static void i4_a_limited_application_does_not_raise_the_rate(void **unused)
{
	(void)unused;
	double value[WEIR_PILOT_SIGNALS_MAX];
	weir_pilot_defaults(ops, params);
	begin();
	for (u32 i = 0; i < 60 * 1000; i++) {
		struct weir_report r = report_at(BEGIN_NS + i * 10 * MS, 97500, MU - 97500);
		r.flags = WEIR_REPORT_APP_LIMITED;
		r.rtt_sum_ns = r.rtt_n * 50 * MS;
		/* ACKs that wait for each other */
		r.ack_interval_ns = i % 7 ? r.ack_interval_ns : r.ack_interval_ns / 5;
		ops->on_report(state, params, &r, &setpoint);
	}
	value_of(value);
	assert_true(value[MU_SIGNAL] <= 1.5 * 97500);
	assert_true(value[VERDICT] == WEIR_NOT_APPLICABLE);
}

static void hostile_reports_ask_for_nothing_mad(void **unused)
{
	(void)unused;
	struct weir_rng rng;
	weir_rng_init(&rng, 5, 1, 1);
	weir_pilot_defaults(ops, params);
	for (u32 inner = 0; inner < 3; inner++) {
		params[INNER] = inner;
		begin();
		for (u32 i = 0; i < 10000; i++) {
			struct weir_report r = report_at(BEGIN_NS + i * 10 * MS, 6e6, 6e6);
			u64 *member = (u64 *)&r;
			for (u32 k = 0; k < 3; k++) {
				u64 draw = weir_rng_u64(&rng);
				member[draw % 26] = draw >> (draw >> 32 & 63);
			}
			ops->on_report(state, params, &r, &setpoint);
			assert_true(setpoint.inner < 2 || setpoint.inner == WEIR_SETPOINT_RATE);
			assert_true(setpoint.rate_Bps <= 5000000000000 &&
				    setpoint.wave_amplitude_Bps <= 2500000000000);
			assert_int_equal(setpoint.report_ns, 10 * MS);
			if (i % 100)
				continue;
			double value[WEIR_PILOT_SIGNALS_MAX];
			value_of(value);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(self_inflicted_delay_is_the_share_of_the_rate),
	    cmocka_unit_test(correlation_tells_what_has_our_round_trip),
	    cmocka_unit_test(correlation_depends_on_whose_round_trip_it_is),
	    cmocka_unit_test(correlation_is_lost_in_noise),
	    cmocka_unit_test(the_pilot_pulses_and_tells),
	    cmocka_unit_test(a_small_share_carries_no_wave),
	    cmocka_unit_test(a_set_rate_is_kept),
	    cmocka_unit_test(i1_any_clock_to_begin_with),
	    cmocka_unit_test(i2_nothing_grows_in_a_long_session),
	    cmocka_unit_test(i4_a_limited_application_does_not_raise_the_rate),
	    cmocka_unit_test(hostile_reports_ask_for_nothing_mad),
	};
	ops = weir_pilot_find("elasticity");
	state = ops ? calloc(1, ops->state_bytes) : NULL;
	int rc = state ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
	free(state);
	return rc;
}
