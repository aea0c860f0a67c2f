/* SPDX-License-Identifier: MIT */
/* Paths of scenarios as hops for real packets. */
#include "run/check.h"
#include "run/link_path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define MBIT 1000000ULL

static struct weir_registry registry;
static struct weir_scenario_set set;
static struct weir_scenario scenario;
static struct weir_traces traces;
static struct weir_diag diag;

static int load(const char *text)
{
	memset(&diag, 0, sizeof diag);
	memset(&traces, 0, sizeof traces);
	memset(&scenario, 0, sizeof scenario);
	assert_int_equal(weir_registry_init(&registry), 0);
	registry.catalog.real_packet_bytes = 1500;
	if (weir_scenario_parse("x", text, strlen(text), NULL, 0, &registry.catalog, &set, &diag) < 0)
		return -1;
	return weir_scenario_point(&set, 0, &scenario, &diag) < 0 ||
		       weir_check_hops(&set, &scenario, &traces, &diag)
		   ? -1
		   : 0;
}

static void unload(struct weir_link_path *p)
{
	if (p)
		weir_link_path_free(p);
	weir_traces_free(&traces);
	weir_scenario_free(&scenario);
	weir_scenario_set_free(&set);
	weir_registry_free(&registry);
}

static void several_hops_and_a_plain_way_back(void **state)
{
	(void)state;
	struct weir_link_path p;
	assert_int_equal(load("duration: 1 s\n"
			      "paths:\n"
			      "  other: {hops: [{name: x, rate: 1 Mbit/s}]}\n"
			      "  main:\n"
			      "    hops: [{name: a, rate: 96 Mbit/s, delay: 5 ms}, {name: b, rate: 12 "
			      "Mbit/s, delay: 20 ms}]\n"),
			 0);
	assert_int_equal(weir_link_path_make(&scenario, 1, &traces, &p), 0);
	assert_int_equal(p.n_hops, 3);
	assert_int_equal(p.n[WEIR_UP], 2);
	assert_int_equal(p.n[WEIR_DOWN], 1);
	assert_string_equal(p.hop[p.order[WEIR_UP][0]].name, "a");
	assert_string_equal(p.hop[p.order[WEIR_UP][1]].name, "b");
	assert_string_equal(p.hop[p.order[WEIR_DOWN][0]].name, "main.back");
	assert_int_equal(p.delay_ns[WEIR_UP], 25 * WEIR_NS_PER_MS);
	assert_int_equal(p.delay_ns[WEIR_DOWN], 25 * WEIR_NS_PER_MS);
	assert_int_equal(p.mean_bps[0], 96 * MBIT);
	assert_int_equal(p.mean_bps[2], 0);
	/* 1 BDP of the slowest hop and 50 ms */
	assert_int_equal(p.hop[0].queue.limit_bytes, 75000);
	assert_int_equal(p.hop[0].rate.bps, 96 * MBIT);
	unload(&p);
}

static void a_hop_of_both_directions_is_one(void **state)
{
	(void)state;
	struct weir_link_path p;
	assert_int_equal(load("duration: 1 s\n"
			      "hops: [{name: air, rate: 20 Mbit/s, delay: 1 ms}]\n"
			      "paths: {main: {hops: [air], back: {hops: [air]}}}\n"),
			 0);
	assert_int_equal(weir_link_path_make(&scenario, 0, &traces, &p), 0);
	assert_int_equal(p.n_hops, 1);
	assert_int_equal(p.order[WEIR_UP][0], 0);
	assert_int_equal(p.order[WEIR_DOWN][0], 0);
	unload(&p);
}

/* Real packets may take a path without time and without flows; a simulated flow would never end there. */
static void real_packets_need_neither_flows_nor_time(void **state)
{
	(void)state;
	static const char text[] = "duration: 1 s\n"
				   "paths: {main: {hops: [{name: a, rate: unlimited}]}}\n";
	struct weir_link_path p;
	assert_int_equal(load(text), 0);
	assert_int_equal(weir_link_path_make(&scenario, 0, &traces, &p), 0);
	assert_int_equal(p.delay_ns[WEIR_UP] + p.delay_ns[WEIR_DOWN], 0);
	assert_int_equal(p.hop[0].queue.limit_bytes, 0);
	unload(&p);
	registry.catalog.real_packet_bytes = 0;
	memset(&diag, 0, sizeof diag);
	assert_int_equal(weir_registry_init(&registry), 0);
	assert_int_equal(
	    weir_scenario_parse("x", text, strlen(text), NULL, 0, &registry.catalog, &set, &diag), -1);
	assert_int_equal(diag.n, 2);
	unload(NULL);
}

static void a_buffer_holds_a_real_packet(void **state)
{
	(void)state;
	assert_int_equal(
	    load("duration: 1 s\n"
		 "paths: {main: {hops: [{name: a, rate: 1 Mbit/s, delay: 1 ms, buffer: 1 BDP}]}}\n"),
	    -1);
	assert_non_null(strstr(diag.entry[0].text, "less than one packet of 1500 bytes"));
	unload(NULL);
	/* The default has room for ten. */
	struct weir_link_path p;
	assert_int_equal(load("duration: 1 s\n"
			      "paths: {main: {hops: [{name: a, rate: 1 Mbit/s, delay: 1 ms}]}}\n"),
			 0);
	assert_int_equal(weir_link_path_make(&scenario, 0, &traces, &p), 0);
	assert_int_equal(p.hop[0].queue.limit_bytes, 15000);
	unload(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(several_hops_and_a_plain_way_back),
	    cmocka_unit_test(a_hop_of_both_directions_is_one),
	    cmocka_unit_test(real_packets_need_neither_flows_nor_time),
	    cmocka_unit_test(a_buffer_holds_a_real_packet),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
