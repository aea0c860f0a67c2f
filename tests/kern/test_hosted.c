/* SPDX-License-Identifier: MIT */
/* The table of pilots: one for each connection, from its first report until it closes; gaps are counted, and
 * there is an end to how many there are. */
#include "kern/hosted.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Answers with a rate that tells how many reports it has seen. */
struct counter {
	u64 seed, reports;
};

static u32 counter_inners(const void *p, struct weir_pilot_inner inner[WEIR_PILOT_INNERS_MAX])
{
	inner[0] = (struct weir_pilot_inner){
	    .name = "copa", .n_settings = 1, .setting = {{"delta", *(const u64 *)p}}};
	return 1;
}

static void counter_init(void *s, const void *p, u64 seed, struct weir_setpoint *out)
{
	(void)p;
	((struct counter *)s)->seed = seed;
	out->report_ns = 10 * WEIR_NS_PER_MS;
}

static void counter_on_report(void *s, const void *p, const struct weir_report *r, struct weir_setpoint *io)
{
	(void)p, (void)r;
	io->rate_Bps = ++((struct counter *)s)->reports;
}

static void counter_probe(const void *s, double value[WEIR_PILOT_SIGNALS_MAX])
{
	value[0] = (double)((const struct counter *)s)->reports;
	value[1] = (double)((const struct counter *)s)->seed;
}

static const struct weir_pilot_ops counter = {.name = "counter",
					      .state_bytes = sizeof(struct counter),
					      .inners = counter_inners,
					      .init = counter_init,
					      .on_report = counter_on_report,
					      .probe = counter_probe};

static struct weir_hosted h;
static const u64 delta = 250000;
static u64 dropped;

static const struct weir_setpoint *report(u64 connection, u64 number, u64 now_s)
{
	const struct weir_kern_report r = {.connection = connection,
					   .socket = connection << 8,
					   .local_port = (u16)(1000 + connection),
					   .report = {.number = number, .now_ns = now_s * WEIR_NS_PER_S}};
	return weir_hosted_take(&h, &r, &dropped);
}

static int begin(void **unused)
{
	(void)unused;
	weir_hosted_begin(&h, &counter, &delta, 100);
	return 0;
}

static int end(void **unused)
{
	(void)unused;
	weir_hosted_end(&h);
	return 0;
}

static void each_connection_has_its_own(void **unused)
{
	(void)unused;
	double value[WEIR_PILOT_SIGNALS_MAX];
	assert_int_equal(report(1, 1, 1)->rate_Bps, 1);
	assert_int_equal(report(2, 1, 1)->rate_Bps, 1);
	const struct weir_setpoint *answer = report(1, 2, 2);
	assert_int_equal(answer->rate_Bps, 2);
	assert_int_equal(answer->number, 3); /* of all answers: it only ever grows */
	assert_int_equal(answer->report_ns, 10 * WEIR_NS_PER_MS);
	assert_true(weir_hosted_signals(&h, 1 << 8, 0, value));
	assert_true(value[0] == 2 && value[1] == 101);
	assert_true(weir_hosted_signals(&h, 0, 1002, value));
	assert_true(value[0] == 1 && value[1] == 102);
	assert_false(weir_hosted_signals(&h, 3 << 8, 0, value));
}

static void gaps_are_counted(void **unused)
{
	(void)unused;
	report(1, 5, 1); /* it began before anybody listened */
	assert_int_equal(h.counts.lost_reports, 0);
	report(1, 6, 2);
	report(1, 10, 3);
	assert_int_equal(h.counts.lost_reports, 3);
	assert_int_equal(h.counts.reports, 3);
}

static void a_closed_one_is_gone(void **unused)
{
	(void)unused;
	const struct weir_kern_report closed = {.connection = 1, .closed = 1};
	double value[WEIR_PILOT_SIGNALS_MAX];
	report(1, 1, 1);
	assert_null(weir_hosted_take(&h, &closed, &dropped));
	assert_int_equal(dropped, 1);
	assert_false(weir_hosted_signals(&h, 1 << 8, 0, value));
	assert_null(weir_hosted_take(&h, &closed, &dropped));
	assert_int_equal(dropped, 0);
	assert_int_equal(h.n, 0);
}

/* The connection that was silent longest makes room, but none that was heard of late. */
static void there_is_an_end(void **unused)
{
	(void)unused;
	for (u64 i = 1; i <= WEIR_KERN_PILOTS_MAX; i++)
		assert_non_null(report(i, 1, i == 77 ? 1 : 5));
	assert_null(report(10000, 1, 10));
	assert_null(report(10000, 2, 10));
	assert_null(report(10001, 1, 10));
	assert_int_equal(h.counts.refused, 2);
	assert_non_null(report(10002, 1, 11));
	assert_int_equal(dropped, 77);
	assert_null(report(10003, 1, 11));
	assert_int_equal(h.n, WEIR_KERN_PILOTS_MAX);
	assert_int_equal(h.counts.connections, WEIR_KERN_PILOTS_MAX + 1);
}

static void inner_controllers_get_their_parameters(void **unused)
{
	(void)unused;
	struct weir_kern_inners in;
	char why[200];
	assert_int_equal(weir_hosted_inners(&counter, &delta, &in, why), 0);
	assert_int_equal(in.n, 1);
	assert_int_equal(in.kind[0], WEIR_INNER_copa);
	assert_int_equal(in.kind[WEIR_KERN_INNERS - 1], WEIR_INNER_reno);
	assert_true(in.used[WEIR_INNER_copa] && in.used[WEIR_INNER_reno] && !in.used[WEIR_INNER_vegas]);
	assert_int_equal(in.params[0][1], delta); /* copa: mode, delta, ... */
	assert_int_equal(in.first.report_ns, 10 * WEIR_NS_PER_MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(each_connection_has_its_own, begin, end),
	    cmocka_unit_test_setup_teardown(gaps_are_counted, begin, end),
	    cmocka_unit_test_setup_teardown(a_closed_one_is_gone, begin, end),
	    cmocka_unit_test_setup_teardown(there_is_an_end, begin, end),
	    cmocka_unit_test(inner_controllers_get_their_parameters),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
