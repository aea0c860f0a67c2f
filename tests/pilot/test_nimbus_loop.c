/* SPDX-License-Identifier: MIT */
/* NimbusCC end to end over a bottleneck in closed form. */
#include "fluid.h"
#include "pilot/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct fluid f;
static u64 state[WEIR_PILOT_STATE_BYTES / 8];
static u64 params[128];
static struct weir_setpoint sp;
static const struct weir_pilot_ops *nimbus;

static void set(const char *name, u64 value)
{
	for (u32 i = 0; i < nimbus->n_params; i++)
		if (strcmp(nimbus->params[i].name, name) == 0) {
			params[i] = value;
			return;
		}
	fail_msg("no parameter %s", name);
}

static double signal_of(const char *name)
{
	double value[WEIR_PILOT_SIGNALS_MAX];
	nimbus->probe(state, value);
	for (u32 i = 0; i < nimbus->n_signals; i++)
		if (strcmp(nimbus->signals[i].name, name) == 0)
			return value[i];
	fail_msg("no signal %s", name);
	return 0;
}

static void defaults(void)
{
	nimbus = weir_pilot_find("nimbus");
	assert_non_null(nimbus);
	weir_pilot_defaults(nimbus, params);
	set("link_rate", (u64)FLUID_MU);
	set("header", 0);
	fluid_start(&f);
}

static void start(void)
{
	memset(state, 0, sizeof state);
	sp = (struct weir_setpoint){0};
	nimbus->init(state, params, 1, &sp);
}

struct span {
	double competitive, queue_s, rate_Bps; /* means */
};

/* Runs until then; means of the part after from_s. */
static struct span run(double from_s, double until_s)
{
	struct span m = {0};
	u32 from = (u32)(from_s * 1e3), until = (u32)(until_s * 1e3), n = 0;
	double sent = 0;
	while (f.t < until) {
		fluid_step(&f, &sp);
		if (f.t % 10 == 0) {
			struct weir_report r = fluid_report(&f, 10);
			nimbus->on_report(state, params, &r, &sp);
		}
		if (f.t == from)
			sent = f.sent[FLUID_OWN][f.t];
		if (f.t < from)
			continue;
		n++;
		m.competitive += signal_of("mode");
		m.queue_s += f.queue / FLUID_MU;
	}
	m.competitive /= n;
	m.queue_s /= n;
	m.rate_Bps = (f.sent[FLUID_OWN][f.t] - sent) / (n * 1e-3);
	return m;
}

static bool within(double x, double low, double high)
{
	return x >= low && x <= high;
}

/* E1 in small: beside a rate with noise, then beside a window, then beside the rate again. */
static void finds_out_and_goes_back(void **unused)
{
	(void)unused;
	defaults();
	start();
	f.cbr_Bps = .4 * FLUID_MU;
	struct span m = run(10, 40);
	assert_true(m.competitive <= 0);
	assert_true(within(m.queue_s, .0095, .0155)); /* d_t = 12.5 ms */
	assert_true(within(m.rate_Bps / FLUID_MU, .57, .61));
	f.cbr_Bps = 0;
	f.elastic = true;
	f.window[FLUID_ELASTIC].slow_start = true;
	m = run(46, 90);
	assert_true(m.competitive > .85);
	/* both have one step a round trip: they come together slowly, from the share of five seconds ago */
	assert_true(within(m.rate_Bps / FLUID_MU, .2, .6));
	f.elastic = false;
	f.cbr_Bps = .4 * FLUID_MU;
	m = run(98, 118);
	assert_true(m.competitive <= .02);
	assert_true(within(m.queue_s, .0095, .0155));
	assert_true(within(m.rate_Bps / FLUID_MU, .57, .61));
}

/* mu that is measured: right where the link was once ours alone. */
static void measures_the_link(void **unused)
{
	(void)unused;
	defaults();
	set("link_rate", 0);
	start();
	f.cbr_Bps = 0;
	run(5, 15);
	assert_true(within(signal_of("mu") / FLUID_MU, .99, 1.03));
	f.cbr_Bps = .5 * FLUID_MU;
	struct span m = run(25, 60);
	assert_true(m.competitive <= .02);
	assert_true(within(m.queue_s, .0095, .0155));
	assert_true(within(m.rate_Bps / FLUID_MU, .47, .51));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(finds_out_and_goes_back),
	    cmocka_unit_test(measures_the_link),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
