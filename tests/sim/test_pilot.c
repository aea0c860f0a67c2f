/* SPDX-License-Identifier: MIT */
/* A pilot as the simulator hosts it: what it is told and when, that its setpoint is obeyed, and what can be
 * read of it. The pilot here only counts and commands. */
#include "core/wave.h"
#include "dumbbell.h"
#include "weir/pilot.h"

#include <math.h>

#define RATE_Bps 3000000u
#define REPORT_NS (10 * WEIR_NS_PER_MS)

/* ---- the pilot ---- */

struct plain {
	u64 seed, reports, missed, longest_ns, acked_bytes, delivered_bytes;
};

struct plain_params {
	u64 rate_Bps, amplitude_Bps, period_ns;
};

static const struct weir_param plain_param_table[] = {
    {"rate", "Bps", RATE_Bps, 1, 1000000000, "to send at"},
    {"amplitude", "Bps", 0, 0, 1000000000, "of the wave"},
    {"period", "ns", 0, 0, WEIR_NS_PER_S, "of the wave"},
};

static const struct weir_signal plain_signal_table[] = {
    {"reports", ""}, {"missed", ""},  {"longest", "ns"}, {"acked", "bytes"},
    {"below", ""},   {"nothing", ""}, {"seed", ""},
};

static u32 plain_inners(const void *p, struct weir_pilot_inner inner[WEIR_PILOT_INNERS_MAX])
{
	(void)p;
	inner[0] = (struct weir_pilot_inner){.name = "cubic"};
	return 1;
}

static void plain_init(void *s, const void *p, u64 seed, struct weir_setpoint *out)
{
	const struct plain_params *c = p;
	((struct plain *)s)->seed = seed;
	*out = (struct weir_setpoint){.inner = WEIR_SETPOINT_RATE,
				      .rate_Bps = c->rate_Bps,
				      .wave_amplitude_Bps = c->amplitude_Bps,
				      .wave_period_ns = c->period_ns,
				      .report_ns = REPORT_NS,
				      .expiry_ns = WEIR_NS_PER_S};
}

static void plain_on_report(void *state, const void *p, const struct weir_report *r, struct weir_setpoint *io)
{
	struct plain *s = state;
	(void)p;
	(void)io;
	s->reports++;
	s->missed += r->number != s->reports;
	if (s->reports > 10) /* at first there is nothing to tell for a round trip */
		s->longest_ns = weir_max(s->longest_ns, r->interval_ns);
	s->acked_bytes += r->acked_bytes;
	s->delivered_bytes = r->delivered_bytes;
}

static void plain_probe(const void *state, double value[WEIR_PILOT_SIGNALS_MAX])
{
	const struct plain *s = state;
	value[0] = (double)s->reports;
	value[1] = (double)s->missed;
	value[2] = (double)s->longest_ns;
	value[3] = (double)s->acked_bytes;
	value[4] = -1.5;
	value[5] = (double)NAN;
	value[6] = (double)(s->seed >> 32);
}

WEIR_PILOT(plain, "plain", "Counts, and commands what it was told to.", "none");

/* ---- the runs ---- */

static u32 piloted(struct dumbbell *d, const u64 params[3], u64 start_ns)
{
	struct weir_flow_config f = dumbbell_flow(d, NULL);
	f.pilot = &weir_pilot_plain;
	f.params = params;
	f.start_ns = start_ns;
	return dumbbell_add(d, f);
}

static double shown(const struct dumbbell *d, u32 flow, u32 signal)
{
	double value[WEIR_PILOT_SIGNALS_MAX];
	assert_true(weir_world_flow_pilot(d->world, flow, value));
	return value[signal];
}

static void a_rate_is_obeyed_exactly_and_reported_each_10_ms(void **unused)
{
	(void)unused;
	const u64 params[] = {RATE_Bps, 0, 0};
	const struct weir_hop_config hop = dumbbell_hop(100000000, 40 * WEIR_NS_PER_MS);
	struct dumbbell d = dumbbell_new(&hop, 1);
	u32 flow = piloted(&d, params, 0);
	double value[WEIR_PILOT_SIGNALS_MAX];
	assert_false(weir_world_flow_pilot(d.world, flow, value)); /* it has not begun */
	dumbbell_run(&d, WEIR_NS_PER_S);
	double from_bytes = (double)dumbbell_totals(&d, flow).delivered_bytes, reports = shown(&d, flow, 0);
	dumbbell_run(&d, 11 * WEIR_NS_PER_S);
	double bytes = (double)dumbbell_totals(&d, flow).delivered_bytes - from_bytes;
	if (fabs(bytes - 10.0 * RATE_Bps) > DUMBBELL_MSS)
		fail_msg("%.0f bytes in 10 s, not %.0f", bytes, 10.0 * RATE_Bps);
	/* One is due each 10 ms and is made at the ACK after that; later ones are not put off by it. */
	assert_in_range((u64)(shown(&d, flow, 0) - reports), 999, 1001);
	assert_true(shown(&d, flow, 1) == 0);
	assert_in_range((u64)shown(&d, flow, 2), REPORT_NS, REPORT_NS + 2 * WEIR_NS_PER_MS);
	/* All that was acknowledged has been reported, up to the last period. */
	double acked = shown(&d, flow, 3), arrived = (double)dumbbell_totals(&d, flow).delivered_bytes;
	assert_true(acked <= arrived && acked > arrived - .06 * RATE_Bps);
	assert_true(shown(&d, flow, 4) == -1.5 && isnan(shown(&d, flow, 5)));
	/* The flow's usual numbers stand beside, and none of its signals among them. */
	struct weir_flow_now n = dumbbell_now(&d, flow);
	assert_int_equal(n.pacing_Bps, RATE_Bps);
	assert_int_equal(n.n_signals, 0);
	assert_true((double)n.cwnd_bytes > .04 * RATE_Bps && n.srtt_ns > 40 * WEIR_NS_PER_MS);
	assert_int_equal(dumbbell_totals(&d, flow).lost_packets, 0);
	dumbbell_free(&d);
}

#define BINS 20 /* of a period of 200 ms */

/* On an idle link the receive rate, folded by the period, is the wave: half a sine of height A for a quarter,
 * one of A/3 below for the rest, means 2/pi of that. */
static void a_wave_is_seen_in_the_receive_rate(void **unused)
{
	(void)unused;
	const u64 amplitude = RATE_Bps / 2, params[] = {RATE_Bps, amplitude, 200 * WEIR_NS_PER_MS};
	const struct weir_hop_config hop = dumbbell_hop(1000000000, 40 * WEIR_NS_PER_MS);
	struct dumbbell d = dumbbell_new(&hop, 1);
	u32 flow = piloted(&d, params, 0), periods = 100;
	double bin[BINS] = {0}, all = 0, pulse = 0;
	dumbbell_run(&d, WEIR_NS_PER_S);
	u64 last_bytes = dumbbell_totals(&d, flow).delivered_bytes;
	for (u32 k = 1; k <= periods * BINS; k++) {
		dumbbell_run(&d, WEIR_NS_PER_S + k * 10 * WEIR_NS_PER_MS);
		u64 bytes = dumbbell_totals(&d, flow).delivered_bytes;
		bin[k % BINS] += (double)(bytes - last_bytes);
		all += (double)(bytes - last_bytes);
		last_bytes = bytes;
	}
	for (u32 k = 0; k < BINS; k++) {
		double sum = 0;
		for (u32 i = 0; i < BINS / 4; i++)
			sum += bin[(k + i) % BINS];
		pulse = fmax(pulse, sum);
	}
	double quarters_s = .05 * periods, mean_Bps = all / (4 * quarters_s);
	double above = pulse / quarters_s - mean_Bps, below = mean_Bps - (all - pulse) / (3 * quarters_s);
	assert_close(mean_Bps, RATE_Bps, .005);
	assert_close(above, (double)amplitude * 2 / M_PI, .05);
	assert_close(below, (double)amplitude / 3 * 2 / M_PI, .05);
	dumbbell_free(&d);
}

static double seed_of(u64 world, u32 before)
{
	const u64 params[] = {RATE_Bps, 0, 0};
	const struct weir_hop_config hop = dumbbell_hop(100000000, 40 * WEIR_NS_PER_MS);
	struct dumbbell d = dumbbell_new(&hop, world);
	for (u32 i = 0; i < before; i++)
		piloted(&d, params, 0);
	u32 flow = piloted(&d, params, 0);
	dumbbell_run(&d, WEIR_NS_PER_MS);
	double seed = shown(&d, flow, 6);
	dumbbell_free(&d);
	return seed;
}

static void draws_are_keyed_by_world_and_flow(void **unused)
{
	(void)unused;
	assert_true(seed_of(1, 0) == seed_of(1, 0));
	assert_true(seed_of(1, 0) != seed_of(2, 0));
	assert_true(seed_of(1, 0) != seed_of(1, 1));
}

/* Two rates beside each other: 3 MB/s each and a cubic that takes the rest, without any harm to the host. */
static void several_and_a_controller_share_a_link(void **unused)
{
	(void)unused;
	const u64 params[] = {RATE_Bps, 0, 0};
	struct weir_hop_config hop = dumbbell_hop(100000000, 40 * WEIR_NS_PER_MS);
	hop.queue.limit_bytes = 500000;
	struct dumbbell d = dumbbell_new(&hop, 1);
	u32 a = piloted(&d, params, 0), cubic = dumbbell_bulk(&d, "cubic", 0);
	u32 b = piloted(&d, params, WEIR_NS_PER_S);
	dumbbell_run(&d, 11 * WEIR_NS_PER_S);
	assert_close((double)dumbbell_totals(&d, a).delivered_bytes / 11, RATE_Bps, .05);
	assert_close((double)dumbbell_totals(&d, b).delivered_bytes / 10, RATE_Bps, .05);
	double rest = 100e6 / 8 * DUMBBELL_MSS / DUMBBELL_WIRE - 2 * RATE_Bps;
	assert_close((double)dumbbell_totals(&d, cubic).delivered_bytes / 11, rest, .1);
	assert_true(shown(&d, a, 0) > 1000 && shown(&d, b, 0) > 900);
	dumbbell_free(&d);
}

static void who_drives_is_one(void **unused)
{
	(void)unused;
	const u64 params[] = {RATE_Bps, 0, 0};
	const struct weir_hop_config hop = dumbbell_hop(100000000, 40 * WEIR_NS_PER_MS);
	struct dumbbell d = dumbbell_new(&hop, 1);
	struct weir_flow_config f = dumbbell_flow(&d, "cubic");
	f.params = params;
	f.pilot = &weir_pilot_plain;
	assert_int_equal(weir_world_add_flow(d.world, &f), WEIR_NONE);
	f.cc = NULL;
	f.pilot = NULL;
	assert_int_equal(weir_world_add_flow(d.world, &f), WEIR_NONE);
	dumbbell_free(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_rate_is_obeyed_exactly_and_reported_each_10_ms),
	    cmocka_unit_test(a_wave_is_seen_in_the_receive_rate),
	    cmocka_unit_test(draws_are_keyed_by_world_and_flow),
	    cmocka_unit_test(several_and_a_controller_share_a_link),
	    cmocka_unit_test(who_drives_is_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
