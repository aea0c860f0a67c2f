/* SPDX-License-Identifier: MIT */
#include "age/monitors.h"
#include "ends.h"

#include "core/rng.h"

#include <stdlib.h>

#define MANY 3000

static struct weir_monitors table;
static void *memory;

static void open_table(u32 capacity, u64 expiry_ns)
{
	memory = calloc(1, weir_monitors_bytes(capacity));
	assert_non_null(memory);
	weir_monitors_init(&table, memory, capacity, 42, expiry_ns, 0);
}

static struct weir_age_packet answer;
static enum weir_monitor_verdict verdict;

static u32 put(u64 key, u64 now_ns, u8 type, u32 session, u32 sequence)
{
	struct weir_age_packet p = {.type = type,
				    .flow_id = key,
				    .incarnation = 1,
				    .session = session,
				    .sequence = sequence,
				    .sent_ns = sequence,
				    .generated_ns = sequence,
				    .offset_error_us = WEIR_AGE_UNKNOWN};
	return weir_monitors_receive(&table, key, now_ns, &p, &answer, &verdict);
}

/* A source that has delivered something. */
static u32 settle(u64 key, u64 now_ns)
{
	put(key, now_ns, WEIR_AGE_PROBE, 0, 1);
	u32 place = put(key, now_ns, WEIR_AGE_UPDATE, answer.session, 1);
	assert_int_equal(verdict, WEIR_MONITOR_FRESH);
	return place;
}

/* A million sources in less than 400 MB. */
static void a_source_costs_at_most_300_bytes(void **unused)
{
	(void)unused;
	assert_true(weir_monitors_bytes(1000000) <= 300000000);
	assert_int_equal(weir_monitors_bytes(0), 0);
	assert_int_equal(weir_monitors_bytes(0xffffffff), 0);
}

/* Against a plain list of which key is where, through random arrivals and departures. */
static void sources_come_and_go(void **unused)
{
	(void)unused;
	static u32 where[MANY];
	struct weir_rng rng;
	weir_rng_init(&rng, 1, 2, 3);
	open_table(700, 0);
	for (u32 i = 0; i < MANY; i++)
		where[i] = WEIR_MONITORS_NONE;
	u32 count = 0;
	for (u32 n = 0; n < 60000; n++) {
		u32 key = (u32)weir_rng_below(&rng, MANY);
		if (where[key] != WEIR_MONITORS_NONE && weir_rng_chance(&rng, .5)) {
			weir_monitors_drop(&table, where[key]);
			where[key] = WEIR_MONITORS_NONE;
			count--;
		} else if (where[key] == WEIR_MONITORS_NONE) {
			where[key] = put(key, n, WEIR_AGE_PROBE, 0, n);
			assert_int_equal(where[key] == WEIR_MONITORS_NONE, count == 700);
			assert_int_equal(verdict, count == 700 ? WEIR_MONITOR_REFUSED : WEIR_MONITOR_OPENED);
			assert_int_equal(answer.type, count == 700 ? WEIR_AGE_NONE : WEIR_AGE_PROBE_ACK);
			count += count < 700;
		} else {
			assert_int_equal(put(key, n, WEIR_AGE_PROBE, 0, n), where[key]);
			assert_int_equal(verdict, WEIR_MONITOR_PROBED);
		}
		assert_int_equal(table.count, count);
		u32 other = (u32)weir_rng_below(&rng, MANY);
		assert_int_equal(weir_monitors_find(&table, other), where[other]);
		assert_true(where[other] == WEIR_MONITORS_NONE ||
			    weir_monitors_at(&table, where[other])->flow_id == other);
	}
	free(memory);
}

static void the_silent_make_room(void **unused)
{
	(void)unused;
	open_table(8, 60 * ENDS_S);
	for (u64 key = 0; key < 8; key++)
		settle(key, key * ENDS_S);
	assert_int_equal(put(100, 50 * ENDS_S, WEIR_AGE_PROBE, 0, 1), WEIR_MONITORS_NONE);
	assert_int_equal(verdict, WEIR_MONITOR_REFUSED);
	assert_int_equal(weir_monitors_expire(&table, 50 * ENDS_S, 100), WEIR_MONITORS_NONE);
	u32 place = put(100, 62500 * ENDS_MS, WEIR_AGE_PROBE, 0, 1);
	assert_true(place != WEIR_MONITORS_NONE);
	assert_int_equal(table.expired, 1);
	u32 left = 0;
	while (weir_monitors_expire(&table, 1000 * ENDS_S, 100) != WEIR_MONITORS_NONE)
		left++;
	assert_int_equal(left, 8);
	assert_int_equal(table.count, 0);
	free(memory);
}

/* Whoever only asks for sessions, with forged flow ids, holds a place for ten seconds and no longer. */
static void the_forged_are_forgotten_soon(void **unused)
{
	(void)unused;
	open_table(16, 3600 * ENDS_S);
	settle(1, 0);
	for (u64 key = 10; key < 100; key++)
		put(key, ENDS_S, WEIR_AGE_UPDATE, 77, 5);
	assert_int_equal(table.count, 16);
	put(200, 12 * ENDS_S, WEIR_AGE_PROBE, 0, 1);
	assert_int_equal(verdict, WEIR_MONITOR_OPENED);
	assert_true(weir_monitors_find(&table, 1) != WEIR_MONITORS_NONE);
	free(memory);
}

/* A source that expired comes back: it gets a new session at once, and what is stale of it stays undelivered.
 */
static void the_forgotten_come_back(void **unused)
{
	(void)unused;
	open_table(4, 60 * ENDS_S);
	u32 place = settle(9, 0);
	u32 session = weir_monitors_at(&table, place)->session;
	assert_int_equal(weir_monitors_expire(&table, 100 * ENDS_S, 4), place);
	assert_null(weir_monitors_at(&table, place));
	put(9, 101 * ENDS_S, WEIR_AGE_UPDATE, session, 2);
	assert_int_equal(verdict, WEIR_MONITOR_OPENED);
	assert_int_equal(answer.type, WEIR_AGE_RESET);
	assert_int_not_equal(answer.session, session);
	put(9, 102 * ENDS_S, WEIR_AGE_UPDATE, answer.session, 3);
	assert_int_equal(verdict, WEIR_MONITOR_FRESH);
	put(9, 103 * ENDS_S, WEIR_AGE_UPDATE, session, 4);
	assert_int_equal(verdict, WEIR_MONITOR_STRANGE);
	free(memory);
}

/* The key is the host's: the same flow id of two peers are two sources. */
static void the_key_is_the_hosts(void **unused)
{
	(void)unused;
	struct weir_age_packet p = {.type = WEIR_AGE_PROBE, .flow_id = 5, .incarnation = 1};
	open_table(4, 0);
	u32 one = weir_monitors_receive(&table, 111, 1, &p, &answer, &verdict);
	u32 session = answer.session;
	u32 two = weir_monitors_receive(&table, 222, 1, &p, &answer, &verdict);
	assert_int_not_equal(one, two);
	assert_int_not_equal(session, answer.session);
	p.type = WEIR_AGE_ACK;
	assert_int_equal(weir_monitors_receive(&table, 333, 1, &p, &answer, &verdict), WEIR_MONITORS_NONE);
	assert_int_equal(verdict, WEIR_MONITOR_IGNORED);
	assert_int_equal(table.count, 2);
	assert_int_equal(table.verdicts[WEIR_MONITOR_OPENED], 2);
	assert_int_equal(table.verdicts[WEIR_MONITOR_IGNORED], 1);
	free(memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_source_costs_at_most_300_bytes),
	    cmocka_unit_test(sources_come_and_go),
	    cmocka_unit_test(the_silent_make_room),
	    cmocka_unit_test(the_forged_are_forgotten_soon),
	    cmocka_unit_test(the_forgotten_come_back),
	    cmocka_unit_test(the_key_is_the_hosts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
