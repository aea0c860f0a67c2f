/* SPDX-License-Identifier: MIT */
/* Buffers in ms and BDP, by hand. */
#include "run/buffer.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define MS WEIR_NS_PER_MS
#define MBIT 1000000ULL

/* Two hops in a row, 10 ms and 40 ms; one more hop that only the way back uses. */
static struct weir_scenario_hop hops[] = {{.name = "fast", .delay_ns = 10 * MS, .largest_packet_bytes = 9000},
					  {.name = "slow", .delay_ns = 40 * MS},
					  {.name = "up", .delay_ns = 5 * MS}};
static const u32 both[] = {0, 1}, first[] = {0}, back[] = {2};
static const u64 mean_bps[] = {96 * MBIT, 48 * MBIT, 12 * MBIT};
static struct weir_scenario_path paths[] = {
    {.name = "short", .n_hops = 1, .hops = first, .back_delay_ns = 10 * MS},
    {.name = "long", .n_hops = 2, .hops = both, .n_back = 1, .back = back},
};
static struct weir_scenario scenario = {.n_hops = 3, .n_paths = 2, .hops = hops, .paths = paths};

static struct weir_buffer_limit resolve(u32 hop, u32 kind, u64 value, u64 least_packets)
{
	struct weir_scenario_buffer b = {.kind = kind, .value = value, .least_packets = least_packets};
	return weir_buffer_resolve(&scenario, hop, &b, mean_bps);
}

static void plain_kinds(void **state)
{
	(void)state;
	assert_int_equal(resolve(0, WEIR_SCENARIO_BYTES, 65536, 0).bytes, 65536);
	assert_int_equal(resolve(0, WEIR_SCENARIO_PACKETS, 100, 0).packets, 100);
	assert_int_equal(resolve(0, WEIR_SCENARIO_PACKETS, 100, 0).bytes, 0);
	assert_int_equal(resolve(0, WEIR_SCENARIO_UNLIMITED, 0, 0).bytes, 0);
	/* 100 ms of 96 Mbit/s */
	assert_int_equal(resolve(0, WEIR_SCENARIO_NS, 100 * MS, 0).bytes, 1200000);
}

/* The longest path through `fast` is the long one: 10 + 40 + 5 = 55 ms, and its slowest hop 48 Mbit/s. */
static void bdp_of_the_longest_path(void **state)
{
	(void)state;
	assert_int_equal(resolve(0, WEIR_SCENARIO_BDP, 1000000, 0).bytes, 330000);
	assert_int_equal(resolve(1, WEIR_SCENARIO_BDP, 2000000, 0).bytes, 660000);
	/* in the other direction the slowest hop is another one */
	assert_int_equal(resolve(2, WEIR_SCENARIO_BDP, 1000000, 0).bytes, 82500);
}

static void never_less_than_the_floor(void **state)
{
	(void)state;
	assert_int_equal(resolve(2, WEIR_SCENARIO_BDP, 10000, 10).bytes, 15000);
	assert_int_equal(resolve(0, WEIR_SCENARIO_BDP, 1000000, 10).bytes, 330000);
	/* nothing is not the same as unlimited */
	assert_int_equal(resolve(2, WEIR_SCENARIO_NS, 1, 0).bytes, 1);
}

static void an_infinitely_fast_hop_has_no_queue(void **state)
{
	(void)state;
	static const u64 infinite[] = {0, 48 * MBIT, 12 * MBIT};
	struct weir_scenario_buffer b = {.kind = WEIR_SCENARIO_BDP, .value = 1000000, .least_packets = 10};
	assert_int_equal(weir_buffer_resolve(&scenario, 0, &b, infinite).bytes, 0);
	b.kind = WEIR_SCENARIO_BYTES;
	b.value = 30000;
	b.least_packets = 0;
	assert_int_equal(weir_buffer_resolve(&scenario, 0, &b, infinite).bytes, 30000);
}

static void red_thresholds_are_bytes(void **state)
{
	(void)state;
	struct weir_scenario_buffer b = {.kind = WEIR_SCENARIO_PACKETS, .value = 20};
	assert_int_equal(weir_buffer_red_bytes(&scenario, 0, &b, mean_bps), 180000);
	assert_int_equal(weir_buffer_red_bytes(&scenario, 1, &b, mean_bps), 30000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(plain_kinds),
	    cmocka_unit_test(bdp_of_the_longest_path),
	    cmocka_unit_test(never_less_than_the_floor),
	    cmocka_unit_test(an_infinitely_fast_hop_has_no_queue),
	    cmocka_unit_test(red_thresholds_are_bytes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
