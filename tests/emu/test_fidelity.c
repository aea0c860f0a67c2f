/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "emu/fidelity.h"

#define US WEIR_NS_PER_US
#define MS WEIR_NS_PER_MS
#define BUCKET .008 /* how exact a histogram is */

static struct weir_fidelity f;
static struct weir_judgement j;

static void add(struct weir_hist *h, u64 ns, u32 n)
{
	while (n--)
		weir_hist_add(h, ns);
}

static void begin(u64 base_rtt_ns)
{
	memset(&f, 0, sizeof f);
	f.base_rtt_ns = base_rtt_ns;
	f.stamped = true;
	f.packets[WEIR_UP] = f.packets[WEIR_DOWN] = 5000;
	f.due_bytes = 10000000;
}

static void assert_near(double value, double right)
{
	if (fabs(value - right) > right * BUCKET + 1)
		fail_msg("%f is not %f", value, right);
}

static void judge(void)
{
	weir_fidelity_judge(&f, &j);
	assert_true(strlen(j.reason) > 10);
}

/* Each way is 1 ms late with probability .06, else 10 us. Both are late at once with .0036: p99 is one late
 * way. With .099 both are late with .0098: still in the last percent. With .11 it is .0121: p99 is two. */
static void two_points_by_hand(void **unused)
{
	(void)unused;
	static const u32 late[] = {60, 99, 110};
	static const double p99_us[] = {1010, 1010, 2000};
	for (int i = 0; i < 3; i++) {
		begin(50 * MS);
		for (u32 way = 0; way < WEIR_WAYS; way++) {
			add(&f.lateness_ns[way], 10 * US, 1000 - late[i]);
			add(&f.lateness_ns[way], 1 * MS, late[i]);
		}
		judge();
		assert_near(j.rtt_error_ns, p99_us[i] * 1e3);
	}
	assert_near(j.rtt_error_fraction, .04);
	assert_int_equal(j.verdict, WEIR_DEGRADED);
}

/* One way always 300 us, the other 400 us: 700 us. Arrival counts only where nothing is stamped. */
static void constants_add_up(void **unused)
{
	(void)unused;
	begin(50 * MS);
	add(&f.lateness_ns[WEIR_UP], 300 * US, 100);
	add(&f.lateness_ns[WEIR_DOWN], 400 * US, 100);
	add(&f.arrival_ns[WEIR_UP], 50 * US, 100);
	add(&f.arrival_ns[WEIR_DOWN], 70 * US, 100);
	judge();
	assert_near(j.rtt_error_ns, 700e3);
	f.stamped = false;
	judge();
	assert_near(j.rtt_error_ns, 820e3);
	assert_int_equal(j.verdict, WEIR_DEGRADED); /* 1.64 % of 50 ms */
}

static void borders(void **unused)
{
	(void)unused;
	static const struct {
		u64 late_ns;
		enum weir_fidelity_verdict verdict;
	} cases[] = {{980 * US, WEIR_FAITHFUL},
		     {1020 * US, WEIR_DEGRADED},
		     {4900 * US, WEIR_DEGRADED},
		     {5100 * US, WEIR_INVALID}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		begin(100 * MS);
		add(&f.lateness_ns[WEIR_UP], cases[i].late_ns, 100);
		judge();
		assert_int_equal(j.verdict, cases[i].verdict);
	}
}

static void the_worst_decides(void **unused)
{
	(void)unused;
	begin(100 * MS);
	add(&f.lateness_ns[WEIR_UP], 100 * US, 100);
	judge();
	assert_int_equal(j.verdict, WEIR_FAITHFUL);
	f.missed_bytes = f.due_bytes / 50;
	judge();
	assert_int_equal(j.verdict, WEIR_DEGRADED);
	assert_near(j.missed_fraction, .02);
	assert_non_null(strstr(j.reason, "2.00 %"));
	f.missed_bytes = f.due_bytes / 10;
	judge();
	assert_int_equal(j.verdict, WEIR_INVALID);
	f.missed_bytes = 0;
	f.overruns = 10; /* of 10010 */
	judge();
	assert_int_equal(j.verdict, WEIR_FAITHFUL);
	f.overruns = 11;
	judge();
	assert_int_equal(j.verdict, WEIR_INVALID);
	assert_non_null(strstr(j.reason, "11"));
}

static void without_delay_a_millisecond_is_the_measure(void **unused)
{
	(void)unused;
	begin(0);
	add(&f.lateness_ns[WEIR_UP], 20 * US, 100);
	judge();
	assert_near(j.rtt_error_fraction, .02);
	assert_int_equal(j.verdict, WEIR_DEGRADED);
}

static void nothing_counted_is_no_error(void **unused)
{
	(void)unused;
	memset(&f, 0, sizeof f);
	judge();
	assert_int_equal(j.verdict, WEIR_FAITHFUL);
	assert_true(j.rtt_error_ns == 0 && j.missed_fraction == 0 && j.overrun_fraction == 0);
	add(&f.lateness_ns[WEIR_UP], ~0ULL >> 1, 3); /* 292 years */
	add(&f.lateness_ns[WEIR_DOWN], ~0ULL >> 1, 3);
	judge();
	assert_int_equal(j.verdict, WEIR_INVALID);
	assert_true(isfinite(j.rtt_error_fraction));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(two_points_by_hand),
	    cmocka_unit_test(constants_add_up),
	    cmocka_unit_test(borders),
	    cmocka_unit_test(the_worst_decides),
	    cmocka_unit_test(without_delay_a_millisecond_is_the_measure),
	    cmocka_unit_test(nothing_counted_is_no_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
