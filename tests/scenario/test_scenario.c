/* SPDX-License-Identifier: MIT */
/* From a right scenario to plain data: defaults, every key, what is text and what is shared. */
#include "loaded.h"

/* Defaults of design section 5. */
static void defaults_are_filled_in(void **state)
{
	(void)state;
	struct loaded l;
	load(&l, "some/where/small.yaml", small, NULL, 0, 0);
	const struct weir_scenario *s = &l.point;
	assert_string_equal(s->name, "small");
	assert_string_equal(s->title, "small");
	assert_int_equal(s->duration_ns, 90 * WEIR_NS_PER_S);
	assert_int_equal(s->warmup_ns, 0);
	assert_int_equal(s->seed, 1);
	assert_int_equal(s->sample_ns, 45 * WEIR_NS_PER_MS);
	assert_int_equal(l.set.n_points, 1);

	const struct weir_scenario_hop *h = &s->hops[0];
	assert_int_equal(h->rate_kind, WEIR_SCENARIO_FIXED);
	assert_int_equal(h->buffer.kind, WEIR_SCENARIO_BDP);
	assert_int_equal(h->buffer.value, 1000000);
	assert_int_equal(h->buffer.least_packets, 10);
	assert_int_equal(h->aqm.kind, WEIR_SCENARIO_DROPTAIL);
	assert_int_equal(h->after.loss.model, WEIR_SCENARIO_LOSS_NONE);
	assert_int_equal(s->paths[0].n_back, 0);
	assert_int_equal(s->paths[0].back_delay_ns, 25 * WEIR_NS_PER_MS);

	const struct weir_scenario_flow *f = &s->flows[0];
	assert_int_equal(f->count, 1);
	assert_int_equal(f->start_ns, 0);
	assert_int_equal(f->stop_ns, WEIR_NEVER);
	assert_int_equal(f->app.kind, WEIR_SCENARIO_BULK);
	assert_string_equal(f->controller.name, "cubic");
	assert_int_equal(f->controller.index, 1);
	assert_int_equal(f->endpoint.recovery, WEIR_SCENARIO_SACK);
	assert_int_equal(f->endpoint.mss_bytes, 1448);
	assert_int_equal(f->endpoint.header_bytes, 52);
	assert_int_equal(f->endpoint.ack_every, 2);
	assert_int_equal(f->endpoint.delayed_ack_ns, 200 * WEIR_NS_PER_MS);
	assert_int_equal(f->endpoint.initial_window_packets, 10);
	assert_int_equal(f->endpoint.rwnd_bytes, 1ULL << 40);
	assert_int_equal(f->endpoint.rto_min_ns, 200 * WEIR_NS_PER_MS);
	assert_int_equal(f->endpoint.rto_max_ns, 120 * WEIR_NS_PER_S);
	assert_true(f->endpoint.tail_loss_probe && f->endpoint.undo && !f->endpoint.ecn && !f->endpoint.pace);
	unload(&l);
}

/* Results go to out/NAME, which is replaced whole: no name may lead out of there. */
static void names_of_files_never_lead_elsewhere(void **state)
{
	(void)state;
	static const char *const names[][2] = {
	    {"two-cubic.yaml", "two-cubic"}, {"a/b/c.d.yaml", "c.d"}, {"noending", "noending"},
	    {"..yaml", "scenario"},	     {"...yaml", "scenario"}, {"/tmp/..", "scenario"},
	    {".hidden.yaml", "scenario"},    {"a/", "scenario"},      {"/dev/stdin", "stdin"},
	};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		struct loaded l;
		load(&l, names[i][0], small, NULL, 0, 0);
		assert_string_equal(l.set.name, names[i][1]);
		unload(&l);
	}
}

/* Whatever src/link/hop.h can do, a scenario can say. */
static void every_key_of_a_hop_arrives(void **state)
{
	(void)state;
	static const char text[] =
	    "duration: 1 s\n"
	    "paths:\n"
	    "  main:\n"
	    "    hops:\n"
	    "      - name: walk\n"
	    "        walk: {mean: 5 Mbit/s, min: 1 Mbit/s, max: 9 Mbit/s, step: 10 ms, sigma: 5%}\n"
	    "        delay: 1.5 ms\n"
	    "        buffer: 64 KiB\n"
	    "        aqm: {name: red, min: 5 packets, max: 15 packets, max_p: 2%, weight: 0.001, ecn: true}\n"
	    "        policer: {rate: 8 Mbit/s, burst: 100 kB}\n"
	    "        before: {loss: 1%, duplicate: 2%, reorder: {p: 3%, delay: 4 ms}, jitter: 5 ms}\n"
	    "        after: {loss: {model: periodic, period: 100}, jitter: {max: 6 ms, reorders: true}}\n"
	    "        aggregation: 8 ms\n"
	    "      - name: trace\n"
	    "        trace: traces/x.down\n"
	    "        buffer: 100 ms\n"
	    "        aqm: {name: fq_codel, target: 6 ms, interval: 90 ms, flows: 64, quantum: 300 B, ecn: "
	    "true}\n"
	    "        loss: {model: gilbert-elliott, good_to_bad: 1%, bad_to_good: 25%, loss_good: 0.1%, "
	    "loss_bad: 50%}\n"
	    "        duplicate: 1e-3\n"
	    "      - {name: pie, rate: 1 Gbit/s, buffer: 100 packets, aqm: {name: pie, target: 20 ms}}\n"
	    "      - {name: head, rate: unlimited, buffer: unlimited, aqm: drophead}\n"
	    "      - {name: red, rate: 1 Mbit/s, buffer: 60 packets, aqm: red}\n"
	    "      - {name: codel, rate: 1 Mbit/s, buffer: 0.5 BDP, aqm: codel}\n"
	    "    back: 7 ms\n"
	    "flows: [{name: f, controller: cubic}]\n";
	struct loaded l;
	load(&l, "dir/x.yaml", text, NULL, 0, 0);
	const struct weir_scenario_hop *h = l.point.hops;
	assert_int_equal(l.point.n_hops, 6);
	assert_int_equal(h->rate_kind, WEIR_SCENARIO_WALK);
	assert_int_equal(h->rate_bps, 5000000);
	assert_int_equal(h->walk_min_bps, 1000000);
	assert_int_equal(h->walk_max_bps, 9000000);
	assert_int_equal(h->walk_step_ns, 10000000);
	assert_true(h->walk_sigma == 0.05);
	assert_int_equal(h->delay_ns, 1500000);
	assert_int_equal(h->buffer.kind, WEIR_SCENARIO_BYTES);
	assert_int_equal(h->buffer.value, 65536);
	assert_int_equal(h->aqm.kind, WEIR_SCENARIO_RED);
	assert_int_equal(h->aqm.red_min.value, 5);
	assert_int_equal(h->aqm.red_max.kind, WEIR_SCENARIO_PACKETS);
	assert_true(h->aqm.red_max_p == 0.02 && h->aqm.red_weight == 0.001 && h->aqm.ecn);
	assert_int_equal(h->policer_bps, 8000000);
	assert_int_equal(h->policer_burst_bytes, 100000);
	assert_int_equal(h->before.loss.model, WEIR_SCENARIO_BERNOULLI);
	assert_true(h->before.loss.p == 0.01 && h->before.duplicate_p == 0.02 && h->before.reorder_p == 0.03);
	assert_int_equal(h->before.reorder_delay_ns, 4000000);
	assert_int_equal(h->before.jitter_ns, 5000000);
	assert_false(h->before.jitter_reorders);
	assert_int_equal(h->after.loss.model, WEIR_SCENARIO_PERIODIC);
	assert_int_equal(h->after.loss.period_packets, 100);
	assert_int_equal(h->after.jitter_ns, 6000000);
	assert_true(h->after.jitter_reorders);
	assert_int_equal(h->aggregate_ns, 8000000);

	h = &l.point.hops[1];
	assert_string_equal(h->trace, "dir/traces/x.down");
	assert_int_equal(h->trace_at.line, 15);
	assert_int_equal(h->rate_kind, WEIR_SCENARIO_TRACE);
	assert_int_equal(h->buffer.kind, WEIR_SCENARIO_NS);
	assert_int_equal(h->aqm.target_ns, 6000000);
	assert_int_equal(h->aqm.interval_ns, 90000000);
	assert_int_equal(h->aqm.fq_flows, 64);
	assert_int_equal(h->aqm.fq_quantum_bytes, 300);
	assert_true(h->after.loss.good_to_bad == 0.01 && h->after.loss.bad_to_good == 0.25);
	assert_true(h->after.loss.loss_good == 0.001 && h->after.loss.loss_bad == 0.5);
	assert_true(h->after.duplicate_p == 0.001);

	h = &l.point.hops[2];
	assert_int_equal(h->aqm.target_ns, 20000000);
	assert_int_equal(h->aqm.interval_ns, 15000000); /* RFC 8033: T_UPDATE */
	assert_int_equal(h->buffer.kind, WEIR_SCENARIO_PACKETS);
	assert_int_equal(l.point.hops[3].rate_bps, 0);
	assert_int_equal(l.point.hops[3].buffer.kind, WEIR_SCENARIO_UNLIMITED);
	assert_int_equal(l.point.hops[4].aqm.red_min.value, 10);
	assert_int_equal(l.point.hops[4].aqm.red_max.value, 30);
	assert_int_equal(l.point.hops[5].buffer.value, 500000);
	assert_int_equal(l.point.hops[5].aqm.target_ns, 5000000);
	assert_int_equal(l.point.hops[5].aqm.interval_ns, 100000000);
	assert_int_equal(l.point.paths[0].back_delay_ns, 7000000);
	unload(&l);
}

static void every_key_of_a_flow_arrives(void **state)
{
	(void)state;
	static const char text[] =
	    "title: Everything\nduration: 1 min\nwarmup: 1 s\nseed: 9007199254740991\nsample: 5 ms\n"
	    "record: {pcap: true, qlog: false, mahimahi: true}\n"
	    "endpoint: {mss: 1000 B, ecn: true}\n"
	    "paths: {a: {hops: [{name: x, rate: 1 Mbit/s}]}, b: {hops: [x]}}\n"
	    "flows:\n"
	    "  - name: f\n"
	    "    path: b\n"
	    "    reverse: true\n"
	    "    count: 10\n"
	    "    controller: {name: vegas, alpha: 3 packets, gain: 150%, probe: 2 ms, floor: 8 kbit/s,\n"
	    "                 fast: false, burst: 2 kB, rounds: 7}\n"
	    "    application: {name: on-off, rate: 3 Mbit/s, on: 1 s, off: 2 s, exponential: true}\n"
	    "    transport: tcp\n"
	    "    start: 1 s\n"
	    "    stop: 9 s\n"
	    "    start_jitter: 100 ms\n"
	    "    endpoint: {recovery: reno, header: 40 B, receiver_window: 64 KiB, initial_window: 2, "
	    "ack_every: 1,\n"
	    "               delayed_ack: 0, rto_min: 1 s, rto_max: 60 s, tail_loss_probe: false, undo: "
	    "false,\n"
	    "               pace: true, first_sequence: 4294960000}\n"
	    "  - {name: k, path: a, controller: 'kernel:bbr', application: sized, size: 3 MB}\n"
	    "  - {name: s, path: a, controller: subject, application: {name: request-response, size: 1 kB}}\n"
	    "traffic:\n"
	    "  - {name: t, path: a, application: {name: cbr, rate: 1 Mbit/s, chunk: 200 B}}\n";
	struct loaded l;
	load(&l, "x.yaml", text, NULL, 0, 0);
	const struct weir_scenario *s = &l.point;
	assert_string_equal(s->title, "Everything");
	assert_int_equal(s->seed, 9007199254740991); /* the largest that JSON keeps exact */
	assert_int_equal(s->sample_ns, 5000000);
	assert_int_equal(s->warmup_ns, WEIR_NS_PER_S);
	assert_true(s->record.pcap && !s->record.qlog && s->record.mahimahi && !s->record.iperf3);
	assert_int_equal(s->n_flows, 4);
	assert_int_equal(s->total_flows, 13);

	const struct weir_scenario_flow *f = s->flows;
	static const u64 params[] = {3, 4, 1500000, 2000000, 1000, 0, 2000, 7};
	assert_int_equal(f->path, 1);
	assert_true(f->reverse && !f->traffic);
	assert_int_equal(f->count, 10);
	assert_int_equal(f->controller.n_params, 8);
	assert_memory_equal(f->controller.params, params, sizeof params);
	assert_int_equal(f->app.kind, WEIR_SCENARIO_ON_OFF);
	assert_int_equal(f->app.rate_bps, 3000000);
	assert_int_equal(f->app.chunk_bytes, 1000); /* the MSS, here the scenario's */
	assert_int_equal(f->app.on_ns, WEIR_NS_PER_S);
	assert_int_equal(f->app.off_ns, 2 * WEIR_NS_PER_S);
	assert_true(f->app.exponential);
	assert_int_equal(f->start_ns, WEIR_NS_PER_S);
	assert_int_equal(f->stop_ns, 9 * WEIR_NS_PER_S);
	assert_int_equal(f->start_jitter_ns, 100000000);
	assert_int_equal(f->endpoint.recovery, WEIR_SCENARIO_RENO);
	assert_int_equal(f->endpoint.mss_bytes, 1000);
	assert_int_equal(f->endpoint.header_bytes, 40);
	assert_int_equal(f->endpoint.rwnd_bytes, 65536);
	assert_int_equal(f->endpoint.initial_window_packets, 2);
	assert_int_equal(f->endpoint.ack_every, 1);
	assert_int_equal(f->endpoint.delayed_ack_ns, 0);
	assert_int_equal(f->endpoint.rto_min_ns, WEIR_NS_PER_S);
	assert_int_equal(f->endpoint.rto_max_ns, 60 * WEIR_NS_PER_S);
	assert_true(!f->endpoint.tail_loss_probe && !f->endpoint.undo && f->endpoint.pace && f->endpoint.ecn);
	assert_int_equal(f->endpoint.first_sequence, 4294960000);

	assert_true(s->flows[1].controller.kernel);
	assert_string_equal(s->flows[1].controller.name, "bbr");
	assert_int_equal(s->flows[1].controller.index, WEIR_SCENARIO_NONE);
	assert_int_equal(s->flows[1].app.size_bytes, 3000000);
	assert_true(s->flows[2].controller.subject);
	assert_null(s->flows[3].controller.name);
	assert_true(s->flows[3].traffic);
	assert_int_equal(s->flows[3].app.chunk_bytes, 200);
	unload(&l);
}

/* A hop may be defined at the top or where it is used first, and named before and after that. */
static void hops_are_shared_by_name(void **state)
{
	(void)state;
	static const char text[] = "duration: 1 s\n"
				   "hops: [{name: top, rate: 1 Mbit/s, delay: 1 ms}]\n"
				   "paths:\n"
				   "  a: {hops: [later, top], back: {hops: [{name: up, rate: 2 Mbit/s}]}}\n"
				   "  b: {hops: [{name: later, rate: 3 Mbit/s, delay: 2 ms}, up]}\n"
				   "flows: [{name: f, path: a, controller: cubic}]\n";
	struct loaded l;
	load(&l, "x.yaml", text, NULL, 0, 0);
	const struct weir_scenario *s = &l.point;
	assert_int_equal(s->n_hops, 3);
	assert_int_equal(s->n_paths, 2);
	assert_string_equal(s->hops[s->paths[0].hops[0]].name, "later");
	assert_string_equal(s->hops[s->paths[0].hops[1]].name, "top");
	assert_string_equal(s->hops[s->paths[0].back[0]].name, "up");
	assert_int_equal(s->paths[0].back_delay_ns, 3000000);
	assert_int_equal(s->paths[1].hops[0], s->paths[0].hops[0]);
	assert_int_equal(s->paths[1].hops[1], s->paths[0].back[0]);
	unload(&l);
}

/* What YAML would make of these words plays no part: no, 1e3, 0o7, null are what the schema says. */
static void scalars_are_text(void **state)
{
	(void)state;
	static const char text[] =
	    "duration: '90 s'\ntitle: no\nseed: \"12\"\n"
	    "paths: {null: {hops: [{name: 1e3, rate: 1 Mbit/s}]}}\n"
	    "flows: [{name: yes, path: null, controller: \"cubic\"}, {name: 007, controller: reno}]\n";
	struct loaded l;
	load(&l, "x.yaml", text, NULL, 0, 0);
	assert_string_equal(l.point.title, "no");
	assert_int_equal(l.point.seed, 12);
	assert_string_equal(l.point.paths[0].name, "null");
	assert_string_equal(l.point.hops[0].name, "1e3");
	assert_string_equal(l.point.flows[0].name, "yes");
	assert_string_equal(l.point.flows[1].name, "007");
	unload(&l);
}

/* The example of the design, word for word but for the controller that is not built yet. */
static void the_example_of_the_design_is_right(void **state)
{
	(void)state;
	static const char text[] =
	    "title: NimbusCC beside an elastic and then an inelastic flow\n"
	    "duration: 90 s\nseed: 1\n\npaths:\n  main:                              # hops in order\n    "
	    "hops:\n"
	    "      - {name: bottleneck, rate: 96 Mbit/s, delay: 25 ms, buffer: 100 ms, aqm: droptail}\n"
	    "    back: {delay: 25 ms}             # default\n\nflows:\n"
	    "  - {name: nimbus, path: main, controller: {name: vegas, alpha: 3}}\n"
	    "  - {name: cubic, path: main, controller: cubic, start: 30 s, stop: 60 s}\n\ntraffic:\n"
	    "  - {name: poisson, path: main, application: poisson, rate: 48 Mbit/s, start: 60 s}\n";
	struct loaded l;
	load(&l, "x.yaml", text, NULL, 0, 0);
	assert_int_equal(l.point.flows[2].app.kind, WEIR_SCENARIO_POISSON);
	assert_int_equal(l.point.flows[2].app.rate_bps, 48000000);
	assert_int_equal(l.point.flows[2].app.chunk_bytes, 1500);
	assert_int_equal(l.point.flows[2].start_ns, 60 * WEIR_NS_PER_S);
	unload(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(defaults_are_filled_in),
	    cmocka_unit_test(names_of_files_never_lead_elsewhere),
	    cmocka_unit_test(every_key_of_a_hop_arrives),
	    cmocka_unit_test(every_key_of_a_flow_arrives),
	    cmocka_unit_test(hops_are_shared_by_name),
	    cmocka_unit_test(scalars_are_text),
	    cmocka_unit_test(the_example_of_the_design_is_right),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
