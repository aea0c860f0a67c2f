/* SPDX-License-Identifier: MIT */
/* Faults of Nimbus's published code that want a whole connection: NimbusCC, and the pilot that only asks. */
#include "dumbbell.h"
#include "pilot/table.h"

#include <math.h>

#define RATE_BPS 48000000u
#define RTT_NS (40 * WEIR_NS_PER_MS)
#define S WEIR_NS_PER_S

static u32 param_of(const struct weir_pilot_ops *ops, const char *name)
{
	for (u32 i = 0; i < ops->n_params; i++)
		if (!strcmp(ops->params[i].name, name))
			return i;
	fail_msg("%s has no parameter %s", ops->name, name);
	return 0;
}

static double shown(const struct dumbbell *d, u32 flow, const struct weir_pilot_ops *ops, const char *signal)
{
	double value[WEIR_PILOT_SIGNALS_MAX];
	assert_true(weir_world_flow_pilot(d->world, flow, value));
	for (u32 i = 0; i < ops->n_signals; i++)
		if (!strcmp(ops->signals[i].name, signal))
			return value[i];
	fail_msg("%s has no signal %s", ops->name, signal);
	return 0;
}

/* A flow that knows the rate of its link; its parameters are to be freed by dumbbell_free. */
static struct weir_flow_config piloted(struct dumbbell *d, const struct weir_pilot_ops *ops)
{
	struct weir_flow_config f = dumbbell_flow(d, NULL);
	u64 *params = calloc(ops->n_params, sizeof *params);
	assert_non_null(params);
	d->params[d->n_flows++] = params;
	weir_pilot_defaults(ops, params);
	params[param_of(ops, "link_rate")] = RATE_BPS / 8;
	f.pilot = ops;
	f.params = params;
	return f;
}

static struct weir_hop_config hop_of(u64 buffer_ns)
{
	struct weir_hop_config hop = dumbbell_hop(RATE_BPS, RTT_NS);
	hop.queue.limit_bytes = weir_muldiv(RATE_BPS / 8, buffer_ns, S);
	return hop;
}

/* The window is one in bytes of the flow's own segments: it fills the link whatever they are, and its queue
 * is what CUBIC's is with segments of that size. */
static void d7_a_segment_is_what_the_flow_has(void **unused)
{
	(void)unused;
	const u32 mss_bytes[] = {1428, 1448, 8948};
	const struct weir_hop_config hop = hop_of(80 * WEIR_NS_PER_MS);
	const struct weir_pilot_ops *ops = weir_pilot_find("elasticity");
	for (u32 i = 0; i < 3; i++) {
		struct dumbbell d = dumbbell_new(&hop, 1);
		struct weir_flow_config f = piloted(&d, ops);
		f.endpoint.mss_bytes = mss_bytes[i];
		u32 flow = dumbbell_add(&d, f);
		dumbbell_run(&d, 10 * S);
		double before = (double)dumbbell_totals(&d, flow).delivered_bytes, most = 0, least = 1e18;
		for (u64 t = 10 * S; t <= 25 * S; t += 20 * WEIR_NS_PER_MS) {
			dumbbell_run(&d, t);
			double cwnd = (double)dumbbell_now(&d, flow).cwnd_bytes;
			most = fmax(most, cwnd);
			least = fmin(least, cwnd);
		}
		double bps = ((double)dumbbell_totals(&d, flow).delivered_bytes - before) * 8 / 15;
		double payload = (double)mss_bytes[i] / (mss_bytes[i] + 52.);
		assert_true(bps > .97 * payload * RATE_BPS && bps <= 1.001 * payload * RATE_BPS);
		/* the link's 240 kB and the buffer's 480 kB are what there is room for, twice that the cap of
		 * a rate */
		assert_true(most < 1.1 * 2 * 720e3 && least > 240e3);
		assert_true(fabs(shown(&d, flow, ops, "mu") / (payload * RATE_BPS / 8) - 1) < 1e-6);
		dumbbell_free(&d);
	}
}

/* Half a minute of silence is no time on CUBIC's curve, under the governor neither. */
static void d7_silence_is_not_growth(void **unused)
{
	(void)unused;
	const struct weir_hop_config hop = hop_of(80 * WEIR_NS_PER_MS);
	struct dumbbell d = dumbbell_new(&hop, 1);
	struct weir_flow_config f = piloted(&d, weir_pilot_find("elasticity"));
	f.app = (struct weir_app_config){.kind = WEIR_APP_ON_OFF, .on_ns = 10 * S, .off_ns = 30 * S};
	u32 flow = dumbbell_add(&d, f);
	double before = 0, after = 0;
	for (u64 t = 8 * S; t < 42 * S; t += 20 * WEIR_NS_PER_MS) {
		dumbbell_run(&d, t);
		double cwnd = (double)dumbbell_now(&d, flow).cwnd_bytes;
		before = t < 10 * S ? fmax(before, cwnd) : before;
		after = t > 40 * S ? fmax(after, cwnd) : after;
	}
	assert_true(before > 240e3 && after > 10e3);
	assert_true(after <= 1.05 * before);
	dumbbell_free(&d);
}

/* Losses from the first packet on, before any RTT, and in a buffer of two packets after that: at least one
 * segment stays in the window, all that is seen is finite, and the flow goes on when the losses end. */
static void d8_losses_at_once_leave_a_segment(void **unused)
{
	(void)unused;
	static const char *const names[] = {"nimbus", "elasticity"};
	for (u32 i = 0; i < 2; i++) {
		const struct weir_pilot_ops *ops = weir_pilot_find(names[i]);
		struct weir_hop_config hop = hop_of(0);
		hop.queue.limit_bytes = 0;
		hop.queue.limit_packets = 2;
		hop.after.loss = (struct weir_loss_config){.model = WEIR_LOSS_BERNOULLI, .p = .15};
		struct dumbbell d = dumbbell_new(&hop, 3 + i);
		u32 flow = dumbbell_add(&d, piloted(&d, ops)), grown = 0;
		u64 delivered = 0;
		for (u64 t = 10 * WEIR_NS_PER_MS; t < 60 * S; t += 10 * WEIR_NS_PER_MS) {
			dumbbell_run(&d, t);
			assert_true(dumbbell_now(&d, flow).cwnd_bytes >= DUMBBELL_MSS);
			if (t == RTT_NS / 2)
				assert_true(dumbbell_totals(&d, flow).lost_packets > 0);
			double value[WEIR_PILOT_SIGNALS_MAX];
			assert_true(weir_world_flow_pilot(d.world, flow, value));
			for (u32 k = 0; k < ops->n_signals; k++)
				assert_true(isnan(value[k]) || isfinite(value[k]));
			if (t % (10 * S))
				continue;
			u64 now = dumbbell_totals(&d, flow).delivered_bytes;
			grown += now > delivered;
			delivered = now;
		}
		assert_int_equal(grown, 5); /* in each 10 s */
		dumbbell_free(&d);
	}
}

/* Two that pulse at 5 Hz would hear each other: with `multi` one of them pulses, the other watches. Vegas,
 * which shares, and the RTT of the path given, since who comes late sees no empty queue. */
static void d10_of_two_flows_one_pulses(void **unused)
{
	(void)unused;
	const struct weir_pilot_ops *ops = weir_pilot_find("nimbus");
	const struct weir_hop_config hop = hop_of(100 * WEIR_NS_PER_MS);
	struct dumbbell d = dumbbell_new(&hop, 1);
	u32 flow[2], looks = 0, one = 0;
	for (u32 i = 0; i < 2; i++) {
		struct weir_flow_config f = piloted(&d, ops);
		u64 *params = d.params[i];
		params[param_of(ops, "multi")] = 1;
		params[param_of(ops, "base_rtt")] = RTT_NS;
		params[param_of(ops, "delay_mode")] = 2; /* vegas */
		f.start_ns = i * 5 * S;
		flow[i] = dumbbell_add(&d, f);
	}
	dumbbell_run(&d, 20 * S);
	double from[2], share[2];
	for (u32 i = 0; i < 2; i++)
		from[i] = (double)dumbbell_totals(&d, flow[i]).delivered_bytes;
	for (u64 t = 20 * S; t <= 80 * S; t += 50 * WEIR_NS_PER_MS) {
		dumbbell_run(&d, t);
		double pulsers = shown(&d, flow[0], ops, "role") + shown(&d, flow[1], ops, "role");
		looks++;
		one += pulsers > .5 && pulsers < 1.5;
	}
	for (u32 i = 0; i < 2; i++)
		share[i] = ((double)dumbbell_totals(&d, flow[i]).delivered_bytes - from[i]) /
			   (RATE_BPS / 8. * 60 * DUMBBELL_MSS / DUMBBELL_WIRE);
	double sum = share[0] + share[1], squares = share[0] * share[0] + share[1] * share[1];
	if (!(one > looks * 8 / 10 && sum > .95 && sum * sum / (2 * squares) > .95))
		fail_msg("one pulses at %u of %u looks; shares are %.3f and %.3f", one, looks, share[0],
			 share[1]);
	dumbbell_free(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(d7_a_segment_is_what_the_flow_has),
	    cmocka_unit_test(d7_silence_is_not_growth),
	    cmocka_unit_test(d8_losses_at_once_leave_a_segment),
	    cmocka_unit_test(d10_of_two_flows_one_pulses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
