/* SPDX-License-Identifier: MIT */
/* Whatever the reports and the parameters are: setpoints in bounds. */
#include "nimbus_fixture.h"

#include <math.h>

static u64 any(struct weir_rng *rng)
{
	u64 x = weir_rng_u64(rng);
	switch (x >> 61) {
	case 0:
		return 0;
	case 1:
		return ~0ULL;
	case 2:
		return x;
	case 3:
		return x & 0xff;
	default:
		return (x & 0xffffffff) >> (x >> 56 & 15);
	}
}

static void draw_params(struct weir_rng *rng)
{
	u64 *value = (u64 *)&params;
	for (u32 i = 0; i < ops->n_params; i++) {
		const struct weir_param *p = &ops->params[i];
		u64 x = weir_rng_u64(rng), all = p->max - p->min;
		value[i] = x % 4 == 0 ? p->min : x % 4 == 1 ? p->max : p->min + weir_rng_below(rng, all + 1);
	}
}

static void check(void)
{
	assert_true(sp.inner == WEIR_SETPOINT_RATE || sp.inner < WEIR_PILOT_INNERS_MAX);
	assert_true(sp.inner != WEIR_SETPOINT_RATE || sp.rate_Bps > 0);
	assert_true(sp.rate_Bps <= 20000000000000ULL);
	assert_true(sp.seed_cwnd_bytes <= 10000000000000ULL);
	assert_true(sp.wave_amplitude_Bps <= 10000000000000ULL && sp.floor_Bps <= 10000000000000ULL);
	assert_true(sp.wave_period_ns == 0 || sp.wave_period_ns >= 100 * MS);
	assert_true((sp.wave_period_ns == 0) == (sp.wave_amplitude_Bps == 0));
	assert_int_equal(sp.report_ns, 10 * MS);
	double value[WEIR_PILOT_SIGNALS_MAX];
	ops->probe(&pilot, value);
	for (u32 i = 0; i < ops->n_signals; i++)
		assert_true(isfinite(value[i]) || isnan(value[i]));
}

static void hostile_reports(void **unused)
{
	(void)unused;
	struct weir_rng rng;
	weir_rng_init(&rng, 3, 1, 1);
	for (u32 round = 0; round < 40; round++) {
		defaults();
		if (round % 4)
			draw_params(&rng);
		begin(round);
		struct weir_pilot_inner inner[WEIR_PILOT_INNERS_MAX];
		u32 inners = ops->inners(&params, inner);
		for (u32 i = 0; i < 2000; i++) {
			double sent = .1 * MU * wave(5);
			struct weir_report r = report_of(6e6 + sent, 5e6 - (i > 1000 ? sent : 0));
			u64 *member = (u64 *)&r, which = weir_rng_u64(&rng);
			if (which & 1 && round % 2)
				member[which % 26] = any(&rng);
			if (which % 64 == 2)
				for (u32 k = 0; k < sizeof r / 8; k++)
					member[k] = any(&rng);
			give(&r);
			check();
			assert_true(sp.inner == WEIR_SETPOINT_RATE || sp.inner < inners);
		}
	}
}

/* A clock that was set back begins anew: no window is full by what was before. */
static void a_clock_that_goes_back(void **unused)
{
	(void)unused;
	defaults();
	begin(1);
	steps(700, 6e6, 4e6, 0);
	assert_int_equal(pilot.mode, NIMBUS_DELAY);
	now_ns = WEIR_NS_PER_S;
	steps(400, 6e6, 4e6, 1.5);
	assert_int_equal(pilot.seen.reason, WEIR_REASON_WARMING_UP);
	assert_int_equal(pilot.mode, NIMBUS_DELAY);
	steps(200, 6e6, 4e6, 1.5);
	assert_int_equal(pilot.mode, NIMBUS_COMPETITIVE);
	check();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(hostile_reports),
	    cmocka_unit_test(a_clock_that_goes_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
