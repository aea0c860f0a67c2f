/* SPDX-License-Identifier: MIT */
/* Stream applications: what is written when, how a stream ends. */
#include "app/app.h"
#include "weir/num.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct weir_app start(const struct weir_app_config *c, u64 seed, u64 now_ns)
{
	struct weir_app a;
	weir_app_start(&a, c, seed, 7, now_ns);
	return a;
}

/* Wakes the application as a punctual host would, up to and including until_ns. */
static void run(struct weir_app *a, u64 until_ns, u64 sent_bytes)
{
	while (a->wake_ns <= until_ns) {
		u64 due_ns = a->wake_ns;
		assert_int_equal(weir_app_on_wake(a, due_ns, sent_bytes), 0);
		assert_true(a->wake_ns > due_ns);
	}
}

static void bulk_never_ends_until_stopped(void **state)
{
	(void)state;
	struct weir_app a = start(&(struct weir_app_config){.kind = WEIR_APP_BULK}, 1, 5);
	assert_true(a.written_bytes == WEIR_NEVER && !a.closed && a.wake_ns == WEIR_NEVER);
	assert_true(weir_app_on_delivered(&a, 6, 0) == WEIR_NEVER);
	weir_app_stop(&a, 100, 12345);
	assert_true(a.closed);
	assert_int_equal(a.written_bytes, 12345);
	weir_app_stop(&a, 200, 99999); /* a second stop changes nothing */
	assert_int_equal(a.written_bytes, 12345);
}

static void sized_is_closed_from_the_start(void **state)
{
	(void)state;
	struct weir_app a =
	    start(&(struct weir_app_config){.kind = WEIR_APP_SIZED, .size_bytes = 100000}, 1, 0);
	assert_true(a.closed);
	assert_int_equal(a.written_bytes, 100000);
	assert_true(a.wake_ns == WEIR_NEVER);
	weir_app_stop(&a, 10, 4000);
	assert_int_equal(a.written_bytes, 4000);
	a = start(&(struct weir_app_config){.kind = WEIR_APP_SIZED}, 1, 0);
	assert_true(a.closed && a.written_bytes == 0);
}

/* 1448 bytes at 48 Mbit/s is 241333 1/3 ns: a gap rounded to ns would lose a chunk in 60 s. */
static void paced_rate_is_exact(void **state)
{
	(void)state;
	const struct weir_app_config c = {.kind = WEIR_APP_PACED, .rate_bps = 48000000, .chunk_bytes = 1448};
	struct weir_app a = start(&c, 1, 0);
	assert_int_equal(a.written_bytes, 1448);
	for (u64 t_s = 1; t_s <= 400; t_s += 57) {
		run(&a, t_s * WEIR_NS_PER_S, 0);
		/* chunk k is written at floor(k * 1448 * 8 / 48e6 s) */
		u64 chunks = t_s * 48000000 / (1448 * 8) + 1;
		assert_int_equal(a.written_bytes, chunks * 1448);
	}
	weir_app_stop(&a, 401 * WEIR_NS_PER_S, 1000);
	assert_true(a.closed && a.wake_ns == WEIR_NEVER && a.written_bytes == 1000);
}

static void paced_keeps_its_rate_under_a_late_host(void **state)
{
	(void)state;
	const struct weir_app_config c = {.kind = WEIR_APP_PACED, .rate_bps = 8000000, .chunk_bytes = 1000};
	struct weir_app a = start(&c, 1, 0);
	u64 late_ns = 0;
	for (u64 now_ns = 0; now_ns < WEIR_NS_PER_S; now_ns += late_ns + 1) {
		late_ns = (late_ns * 31 + 77777777) % (9 * WEIR_NS_PER_MS);
		while (a.wake_ns <= now_ns)
			weir_app_on_wake(&a, now_ns, 0);
	}
	while (a.wake_ns <= WEIR_NS_PER_S)
		weir_app_on_wake(&a, WEIR_NS_PER_S, 0);
	assert_int_equal(a.written_bytes, 1001000);
}

static void silent_without_a_rate(void **state)
{
	(void)state;
	const enum weir_app_kind kinds[] = {WEIR_APP_PACED, WEIR_APP_CBR, WEIR_APP_POISSON};
	for (u32 i = 0; i < 3; i++) {
		struct weir_app a = start(&(struct weir_app_config){.kind = kinds[i]}, 1, 0);
		assert_true(a.wake_ns == WEIR_NEVER && a.written_bytes == 0);
		assert_int_equal(weir_app_on_wake(&a, 1, 0), 0);
	}
}

static void on_off_bulk_stops_at_what_was_sent(void **state)
{
	(void)state;
	const struct weir_app_config c = {.kind = WEIR_APP_ON_OFF, .on_ns = 1000, .off_ns = 500};
	struct weir_app a = start(&c, 1, 0);
	assert_true(a.on && a.written_bytes == WEIR_NEVER);
	assert_int_equal(a.wake_ns, 1000);
	weir_app_on_wake(&a, 1000, 777);
	assert_true(!a.on && !a.closed);
	assert_int_equal(a.written_bytes, 777);
	assert_int_equal(a.wake_ns, 1500);
	weir_app_on_wake(&a, 1500, 777);
	assert_true(a.on && a.written_bytes == WEIR_NEVER);
	assert_int_equal(a.wake_ns, 2500);
	weir_app_stop(&a, 1600, 800);
	assert_true(a.closed && a.wake_ns == WEIR_NEVER && a.written_bytes == 800);
}

/* The rate holds over the on time exactly, however periods and gaps lie to each other. */
static void on_off_rate_holds_over_the_on_time(void **state)
{
	(void)state;
	const struct weir_app_config c = {.kind = WEIR_APP_ON_OFF,
					  .rate_bps = 10000000,
					  .chunk_bytes = 1448,
					  .on_ns = 7 * WEIR_NS_PER_MS + 3,
					  .off_ns = 13 * WEIR_NS_PER_MS + 1};
	struct weir_app a = start(&c, 1, 0);
	const u64 periods = 4000;
	run(&a, periods * (c.on_ns + c.off_ns) - 1, 0);
	u64 on_bytes = weir_muldiv(periods * c.on_ns, c.rate_bps, 8 * WEIR_NS_PER_S);
	assert_true(a.written_bytes >= on_bytes && a.written_bytes <= on_bytes + 2 * 1448);
}

static void on_off_exponential_proportions(void **state)
{
	(void)state;
	const struct weir_app_config c = {.kind = WEIR_APP_ON_OFF,
					  .on_ns = 3 * WEIR_NS_PER_MS,
					  .off_ns = 7 * WEIR_NS_PER_MS,
					  .exponential = true};
	struct weir_app a = start(&c, 42, 0);
	u64 on_ns = 0, last_ns = 0, periods = 0;
	while (a.wake_ns < 1000 * WEIR_NS_PER_S) {
		u64 due_ns = a.wake_ns;
		on_ns += a.on ? due_ns - last_ns : 0;
		periods += a.on;
		last_ns = due_ns;
		weir_app_on_wake(&a, due_ns, 0);
	}
	/* the standard error of the share is about .13 %, of the count about .24 % */
	assert_true(on_ns * 1000 > last_ns * 295 && on_ns * 1000 < last_ns * 305);
	assert_true(periods > 99000 && periods < 101000);
}

static void on_off_ends_of_the_range(void **state)
{
	(void)state;
	struct weir_app a = start(&(struct weir_app_config){.kind = WEIR_APP_ON_OFF, .on_ns = 5}, 1, 0);
	assert_true(a.on && a.wake_ns == WEIR_NEVER && a.written_bytes == WEIR_NEVER); /* never off */
	a = start(&(struct weir_app_config){.kind = WEIR_APP_ON_OFF, .off_ns = 5}, 1, 0);
	assert_true(!a.on && a.wake_ns == WEIR_NEVER && a.written_bytes == 0); /* never on */
	a = start(&(struct weir_app_config){.kind = WEIR_APP_ON_OFF,
					    .on_ns = WEIR_NEVER,
					    .off_ns = WEIR_NEVER,
					    .rate_bps = 1,
					    .chunk_bytes = WEIR_NEVER,
					    .exponential = true},
		  1, WEIR_NEVER / 4);
	run(&a, WEIR_NEVER - 1, 0); /* ends: no time wraps */
	assert_true(a.written_bytes < WEIR_NEVER);
}

static void requests_come_in_order_and_repeats_are_harmless(void **state)
{
	(void)state;
	const struct weir_app_config c = {.kind = WEIR_APP_REQUEST, .size_bytes = 1000, .think_ns = 50};
	struct weir_app a = start(&c, 1, 100);
	assert_true(a.written_bytes == 0 && !a.closed);
	assert_int_equal(weir_app_on_delivered(&a, 100, 0), 100); /* the first leaves at once */
	assert_int_equal(a.requests, 1);
	assert_true(weir_app_on_delivered(&a, 101, 0) == WEIR_NEVER); /* only once */
	weir_app_on_request(&a, 110, 1);
	assert_int_equal(a.written_bytes, 1000);
	weir_app_on_request(&a, 111, 1);
	assert_int_equal(a.written_bytes, 1000);
	assert_true(weir_app_on_delivered(&a, 120, 999) == WEIR_NEVER);
	assert_int_equal(weir_app_on_delivered(&a, 130, 1000), 180); /* thinks */
	assert_int_equal(a.requests, 2);
	assert_true(weir_app_on_delivered(&a, 131, 1000) == WEIR_NEVER);
	weir_app_on_request(&a, 200, 2);
	weir_app_on_request(&a, 201, 1); /* an old one overtaken */
	assert_int_equal(a.written_bytes, 2000);
	weir_app_stop(&a, 210, 1500);
	assert_true(a.closed && a.written_bytes == 1500);
	weir_app_on_request(&a, 220, 3);
	assert_int_equal(a.written_bytes, 1500);
	assert_true(weir_app_on_delivered(&a, 230, 2000) == WEIR_NEVER);
}

static void think_times_have_their_mean(void **state)
{
	(void)state;
	const struct weir_app_config c = {
	    .kind = WEIR_APP_REQUEST, .size_bytes = 10, .think_ns = 20 * WEIR_NS_PER_MS, .exponential = true};
	struct weir_app a = start(&c, 3, 0);
	u64 sum_ns = 0, n = 40000;
	weir_app_on_delivered(&a, 0, 0);
	for (u64 i = 1; i <= n; i++)
		sum_ns += weir_app_on_delivered(&a, i, i * 10) - i;
	double mean_ms = (double)sum_ns / (double)n / 1e6; /* standard error .1 ms */
	assert_true(mean_ms > 19.6 && mean_ms < 20.4);
}

/* The same application started later does the same things later. */
static void time_shift_invariance(void **state)
{
	(void)state;
	const u64 shift_ns = 123456789123ULL;
	for (u32 kind = 0; kind < WEIR_APP_KINDS; kind++) {
		const struct weir_app_config c = {.kind = (enum weir_app_kind)kind,
						  .rate_bps = 7777777,
						  .chunk_bytes = 1448,
						  .size_bytes = 99999,
						  .on_ns = 3 * WEIR_NS_PER_MS,
						  .off_ns = 5 * WEIR_NS_PER_MS,
						  .think_ns = WEIR_NS_PER_MS,
						  .exponential = true};
		struct weir_app a = start(&c, 9, 0), b = start(&c, 9, shift_ns);
		for (u32 i = 0; i < 1000 && a.wake_ns != WEIR_NEVER; i++) {
			assert_int_equal(b.wake_ns - shift_ns, a.wake_ns);
			assert_int_equal(weir_app_on_wake(&a, a.wake_ns, i),
					 weir_app_on_wake(&b, b.wake_ns, i));
			assert_int_equal(a.written_bytes, b.written_bytes);
			assert_int_equal(a.on, b.on);
		}
		assert_int_equal(a.wake_ns == WEIR_NEVER, b.wake_ns == WEIR_NEVER);
		u64 next_a = weir_app_on_delivered(&a, 77, 0);
		u64 next_b = weir_app_on_delivered(&b, 77 + shift_ns, 0);
		assert_true(next_a == WEIR_NEVER ? next_b == WEIR_NEVER : next_b - shift_ns == next_a);
	}
}

static void the_table_names_every_kind_once(void **state)
{
	(void)state;
	for (u32 i = 0; i < WEIR_APP_KINDS; i++) {
		assert_non_null(weir_app_infos[i].name);
		assert_non_null(weir_app_infos[i].about);
		for (u32 j = 0; j < i; j++)
			assert_string_not_equal(weir_app_infos[i].name, weir_app_infos[j].name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(bulk_never_ends_until_stopped),
	    cmocka_unit_test(sized_is_closed_from_the_start),
	    cmocka_unit_test(paced_rate_is_exact),
	    cmocka_unit_test(paced_keeps_its_rate_under_a_late_host),
	    cmocka_unit_test(silent_without_a_rate),
	    cmocka_unit_test(on_off_bulk_stops_at_what_was_sent),
	    cmocka_unit_test(on_off_rate_holds_over_the_on_time),
	    cmocka_unit_test(on_off_exponential_proportions),
	    cmocka_unit_test(on_off_ends_of_the_range),
	    cmocka_unit_test(requests_come_in_order_and_repeats_are_harmless),
	    cmocka_unit_test(think_times_have_their_mean),
	    cmocka_unit_test(time_shift_invariance),
	    cmocka_unit_test(the_table_names_every_kind_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
