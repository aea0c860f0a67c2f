/* SPDX-License-Identifier: MIT */
/* What changes a scenario from outside: --set, and lists of values that make a sweep. */
#include "loaded.h"

static void arguments_reach_every_kind_of_place(void **state)
{
	(void)state;
	static const char *const sets[] = {
	    "duration=5s",			      /* no space before the unit */
	    "paths.main.hops.b.rate = 12 Mbit/s",     /* an item by its name; blanks around the sign */
	    "paths.main.hops.0.loss=1%",	      /* by its number; a key that was not there */
	    "paths.main.hops.b.loss.model=bernoulli", /* below a single value */
	    "flows.f.controller=vegas",
	    "flows.f.controller.alpha=7",
	    "flows.f.endpoint.mss=9 kB", /* a map that was not there */
	    "paths.main.back=40 ms",
	    "record.pcap=true",
	    "title=a=b",
	    "duration=6 s", /* the last one holds */
	};
	struct loaded l;
	load(&l, "x.yaml", small, sets, sizeof sets / sizeof sets[0], 0);
	const struct weir_scenario *s = &l.point;
	assert_int_equal(s->duration_ns, 6 * WEIR_NS_PER_S);
	assert_int_equal(s->sample_ns, 10 * WEIR_NS_PER_MS);
	assert_int_equal(s->hops[0].rate_bps, 12000000);
	assert_true(s->hops[0].after.loss.p == 0.01);
	assert_string_equal(s->flows[0].controller.name, "vegas");
	assert_int_equal(s->flows[0].controller.params[0], 7);
	assert_int_equal(s->flows[0].endpoint.mss_bytes, 9000);
	assert_int_equal(s->paths[0].back_delay_ns, 40000000);
	assert_true(s->record.pcap);
	assert_string_equal(s->title, "a=b");
	unload(&l);
}

static void a_rate_in_an_argument_takes_the_place_of_the_other_kind(void **state)
{
	(void)state;
	static const char *const trace[] = {"paths.main.hops.b.trace=x.down"};
	static const char *const both[] = {
	    "paths.main.hops.b.trace=x.down",
	    "paths.main.hops.b.walk={mean: 2 Mbit/s, min: 1 Mbit/s, max: 3 Mbit/s}",
	    "paths.main.hops.b.rate=7 Mbit/s"};
	struct loaded l;
	load(&l, "x.yaml", small, trace, 1, 0);
	assert_int_equal(l.point.hops[0].rate_kind, WEIR_SCENARIO_TRACE);
	unload(&l);
	load(&l, "x.yaml", small, both, 2, 0);
	assert_int_equal(l.point.hops[0].rate_kind, WEIR_SCENARIO_WALK);
	unload(&l);
	load(&l, "x.yaml", small, both, 3, 0);
	assert_int_equal(l.point.hops[0].rate_kind, WEIR_SCENARIO_FIXED);
	assert_int_equal(l.point.hops[0].rate_bps, 7000000);
	assert_int_equal(l.point.hops[0].largest_packet_bytes, 1500);
	unload(&l);
}

static void a_list_of_values_is_a_sweep(void **state)
{
	(void)state;
	static const char text[] =
	    "duration: 1 s\n"
	    "paths: {main: {hops: [{name: b, rate: [1 Mbit/s, 2 Mbit/s], aqm: [codel, {name: pie, target: 9 "
	    "ms}]}]}}\n"
	    "flows: [{name: f, controller: [reno, {name: vegas, alpha: 5}, cubic]}]\n"
	    "traffic: [{name: t, application: [cbr, poisson], rate: [1 kbit/s, 2 kbit/s]}]\n";
	static const char *const sets[] = {"seed=[7, 8]"};
	struct loaded l;
	load(&l, "x.yaml", text, sets, 1, 0);
	static const struct {
		const char *key;
		u32 n;
		const char *last;
	} axes[] = {
	    {"paths.main.hops.b.rate", 2, "2 Mbit/s"},
	    {"paths.main.hops.b.aqm", 2, "{name: pie, target: 9 ms}"},
	    {"flows.f.controller", 3, "cubic"},
	    {"traffic.t.application", 2, "poisson"},
	    {"traffic.t.rate", 2, "2 kbit/s"},
	    {"seed", 2, "8"},
	};
	static const u32 in_catalog[] = {0, 2, 1};
	assert_int_equal(l.set.n_axes, 6);
	assert_int_equal(l.set.n_points, 96);
	for (u32 i = 0; i < 6; i++) {
		assert_string_equal(l.set.axes[i].key, axes[i].key);
		assert_int_equal(l.set.axes[i].n, axes[i].n);
		assert_string_equal(l.set.axes[i].values[axes[i].n - 1], axes[i].last);
	}
	assert_int_equal(l.point.seed, 7);
	for (u64 index = 0; index < 96; index++) {
		struct weir_diag diag = {0};
		weir_scenario_free(&l.point);
		assert_int_equal(weir_scenario_point(&l.set, index, &l.point, &diag), 0);
		const struct weir_scenario *s = &l.point;
		assert_int_equal(s->seed, 7 + index % 2);
		assert_int_equal(s->flows[1].app.rate_bps, index / 2 % 2 ? 2000 : 1000);
		assert_int_equal(s->flows[1].app.kind,
				 index / 4 % 2 ? WEIR_SCENARIO_POISSON : WEIR_SCENARIO_CBR);
		assert_int_equal(weir_scenario_choice(&l.set, 2, index), index / 8 % 3);
		assert_int_equal(s->flows[0].controller.index, in_catalog[index / 8 % 3]);
		assert_int_equal(s->hops[0].aqm.target_ns, index / 24 % 2 ? 9000000 : 5000000);
		assert_int_equal(s->hops[0].rate_bps, index / 48 ? 2000000 : 1000000);
	}
	unload(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(arguments_reach_every_kind_of_place),
	    cmocka_unit_test(a_rate_in_an_argument_takes_the_place_of_the_other_kind),
	    cmocka_unit_test(a_list_of_values_is_a_sweep),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
