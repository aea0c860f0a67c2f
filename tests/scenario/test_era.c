/* SPDX-License-Identifier: MIT */
/* Keys of the historic endpoint: what they fill, what a flow inherits of them, and what is refused where. */
#include "complain.h"
#include "loaded.h"

static void expect(const char *top, const char *flow, const char *said)
{
	char text[2000], out[4000];
	int bytes = snprintf(text, sizeof text,
			     "duration: 10 s\n%s\npaths: {main: {hops: [{name: b, rate: 1 Mbit/s}]}}\n"
			     "flows: [{name: f, %s}]\n",
			     top, flow);
	complain(text, (size_t)bytes, NULL, 0, out, sizeof out);
	if (strcmp(out, said) != 0)
		fail_msg("%ssaid:\n%sinstead of:\n%s", text, out, said);
}

static struct weir_scenario_endpoint endpoint_of(const char *top, const char *flow)
{
	char text[2000];
	struct loaded l;
	snprintf(text, sizeof text,
		 "duration: 10 s\n%s\npaths: {main: {hops: [{name: b, rate: 1 Mbit/s}]}}\n"
		 "flows: [{name: f, %s}]\n",
		 top, flow);
	load(&l, "x.yaml", text, NULL, 0, 0);
	struct weir_scenario_endpoint e = l.point.flows[0].endpoint;
	assert_true((l.point.flows[0].controller.name == NULL) == (e.era != WEIR_SCENARIO_MODERN));
	unload(&l);
	return e;
}

static void an_era_sets_all(void **unused)
{
	(void)unused;
	struct weir_scenario_endpoint e = endpoint_of("endpoint: {era: 1986}", "count: 2");
	assert_int_equal(e.era, WEIR_SCENARIO_ERA_1986);
	assert_int_equal(e.initial_window_packets, 1);
	assert_int_equal(e.rwnd_bytes, 4096);
	assert_int_equal(e.rtt_variance, WEIR_SCENARIO_VARIANCE_OF_ERA);
	assert_int_equal(e.ack_policy, WEIR_SCENARIO_ACK_OF_ERA);
	assert_int_equal(e.slow_start, WEIR_SCENARIO_AS_ERA);
	e = endpoint_of("seed: 1", "controller: cubic");
	assert_int_equal(e.era, WEIR_SCENARIO_MODERN);
	assert_int_equal(e.initial_window_packets, 10);
	assert_int_equal(e.rwnd_bytes, 1ULL << 40);
}

static void switches_override(void **unused)
{
	(void)unused;
	struct weir_scenario_endpoint e =
	    endpoint_of("endpoint: {rtt_variance: 4v, exponential_backoff: false, slow_start: true, "
			"dynamic_window: false, karn: true, fast_retransmit: false, ack_policy: bsd-old, "
			"ack_out_of_order: delayed, era: 1988, receiver_window: 16 KiB, initial_window: 3}",
			"count: 1");
	assert_int_equal(e.rtt_variance, WEIR_SCENARIO_VARIANCE_4V);
	assert_int_equal(e.exponential_backoff, WEIR_SCENARIO_OFF);
	assert_int_equal(e.slow_start, WEIR_SCENARIO_ON);
	assert_int_equal(e.dynamic_window, WEIR_SCENARIO_OFF);
	assert_int_equal(e.karn, WEIR_SCENARIO_ON);
	assert_int_equal(e.fast_retransmit, WEIR_SCENARIO_OFF);
	assert_int_equal(e.ack_policy, WEIR_SCENARIO_ACK_BSD_OLD);
	assert_int_equal(e.ack_out_of_order, WEIR_SCENARIO_HOLES_LATE);
	assert_int_equal(e.rwnd_bytes, 16384);
	assert_int_equal(e.initial_window_packets, 3);
}

/* A flow says where it differs. What did not apply to the scenario's era takes its default. */
static void flows_inherit(void **unused)
{
	(void)unused;
	struct weir_scenario_endpoint e = endpoint_of(
	    "endpoint: {era: 1986, mss: 512 B, karn: true, receiver_window: 8 KiB, initial_window: 2}",
	    "endpoint: {era: 1988, slow_start: false}");
	assert_int_equal(e.era, WEIR_SCENARIO_ERA_1988);
	assert_int_equal(e.mss_bytes, 512);
	assert_int_equal(e.rwnd_bytes, 8192);
	assert_int_equal(e.initial_window_packets, 2);
	assert_int_equal(e.karn, WEIR_SCENARIO_ON);
	assert_int_equal(e.slow_start, WEIR_SCENARIO_OFF);
	e = endpoint_of("endpoint: {era: 1986}", "endpoint: {karn: true}");
	assert_int_equal(e.era, WEIR_SCENARIO_ERA_1986);
	assert_int_equal(e.karn, WEIR_SCENARIO_ON);
	e = endpoint_of("endpoint: {mss: 512 B}", "endpoint: {era: 1988}");
	assert_int_equal(e.mss_bytes, 512);
	assert_int_equal(e.initial_window_packets, 1);
	assert_int_equal(e.rwnd_bytes, 4096);
	e = endpoint_of("endpoint: {era: 1986, mss: 512 B}", "controller: cubic, endpoint: {era: modern}");
	assert_int_equal(e.mss_bytes, 512);
	assert_int_equal(e.initial_window_packets, 10);
	assert_int_equal(e.rto_max_ns, 120 * WEIR_NS_PER_S);
	assert_true(e.undo && e.tail_loss_probe);
	e = endpoint_of("seed: 1",
			"controller: cubic, endpoint: {ack_policy: bsd-new, ack_out_of_order: delayed}");
	assert_int_equal(e.ack_policy, WEIR_SCENARIO_ACK_BSD_NEW);
}

static void eras_are_an_axis(void **unused)
{
	(void)unused;
	static const char text[] = "duration: 10 s\nendpoint: {era: [1986, 1988]}\n"
				   "paths: {main: {hops: [{name: b, rate: 1 Mbit/s}]}}\n"
				   "flows: [{name: f, endpoint: {slow_start: [true, false]}}]\n";
	for (u64 i = 0; i < 4; i++) {
		struct loaded l;
		load(&l, "x.yaml", text, NULL, 0, i);
		const struct weir_scenario_endpoint *e = &l.point.flows[0].endpoint;
		assert_int_equal(e->era, i < 2 ? WEIR_SCENARIO_ERA_1986 : WEIR_SCENARIO_ERA_1988);
		assert_int_equal(e->slow_start, i & 1 ? WEIR_SCENARIO_OFF : WEIR_SCENARIO_ON);
		unload(&l);
	}
}

static void what_means_nothing_is_refused(void **unused)
{
	(void)unused;
	static const struct {
		const char *top, *flow, *said;
	} mistakes[] = {
	    {"endpoint: {karn: true}", "controller: cubic", "2:12: \"karn\" does not apply to modern\n"},
	    {"endpoint: {era: 1986, ecn: true}", "count: 1", "2:23: \"ecn\" does not apply to 1986\n"},
	    {"endpoint: {recovery: sack, era: 1988}", "count: 1",
	     "2:12: \"recovery\" does not apply to 1988\n"},
	    {"endpoint: {era: 1988, ack_every: 1, rto_min: 1 s}", "count: 1",
	     "2:23: \"ack_every\" does not apply to 1988\n2:37: \"rto_min\" does not apply to 1988\n"},
	    {"endpoint: {era: 1987}", "controller: cubic",
	     "2:17: era: unknown word \"1987\"; did you mean 1986?\n"},
	    {"endpoint: {era: 1988, karn: maybe}", "count: 1",
	     "2:29: karn: unknown word \"maybe\": it is one of era true false\n"},
	    {"endpoint: {era: 1988, rtt_variance: 3v}", "count: 1",
	     "2:37: rtt_variance: unknown word \"3v\"; did you mean 2v?\n"},
	    {"endpoint: {era: 1988, slow_strat: true}", "count: 1",
	     "2:23: unknown key \"slow_strat\" in an endpoint; did you mean slow_start?\n"},
	    {"endpoint: {era: 1988}", "controller: cubic",
	     "4:19: controller: an endpoint of 1988 controls itself: leave it out, or set endpoint: {era: "
	     "modern}\n"},
	    {"seed: 1", "controller: cubic, endpoint: {era: 1986}",
	     "4:19: controller: an endpoint of 1986 controls itself: leave it out, or set endpoint: {era: "
	     "modern}\n"},
	    {"endpoint: {era: 1986}", "endpoint: {era: modern}", "4:9: a flow needs \"controller\"\n"},
	    {"endpoint: {era: 1986}", "endpoint: {undo: true}", "4:30: \"undo\" does not apply to 1986\n"},
	    {"endpoint: {era: 1986, receiver_window: 64 KiB}", "count: 1",
	     "2:11: endpoint: receiver_window: of 1986 it is at most 65535 B (16 bits of the header)\n"},
	    {"endpoint: {ack_policy: bsd-old, ack_every: 1}", "controller: cubic",
	     "2:33: endpoint: \"ack_every\" does not apply to ack_policy: bsd-old\n"},
	    {"seed: 1", "controller: cubic, endpoint: {delayed_ack: 1 s, ack_policy: bsd-new}",
	     "4:49: \"delayed_ack\" does not apply to ack_policy: bsd-new\n"},
	    {"endpoint: {ack_out_of_order: delayed}", "controller: cubic",
	     "2:12: endpoint: ack_out_of_order: delayed needs ack_policy: bsd-old or bsd-new\n"},
	    {"endpoint: {era: 1986, ack_policy: standard, ack_out_of_order: delayed}", "count: 1",
	     "2:45: endpoint: ack_out_of_order: delayed needs ack_policy: bsd-old or bsd-new\n"},
	    {"endpoint: {era: [1986, modern]}", "count: 1", "4:9: a flow needs \"controller\"\n"},
	};
	for (u32 i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++)
		expect(mistakes[i].top, mistakes[i].flow, mistakes[i].said);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(an_era_sets_all),
	    cmocka_unit_test(switches_override),
	    cmocka_unit_test(flows_inherit),
	    cmocka_unit_test(eras_are_an_axis),
	    cmocka_unit_test(what_means_nothing_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
