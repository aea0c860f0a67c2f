/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/fmath.h"
#include "core/rng.h"
#include "link/trace_rates.h"

#define MS WEIR_NS_PER_MS
#define S WEIR_NS_PER_S

static struct weir_diag d;
static struct weir_trace t;

static int parse_n(const char *text, size_t n, unsigned options, u64 period_ns)
{
	weir_trace_fini(&t);
	d.n = d.more = 0;
	return weir_trace_parse(text, n, options, period_ns, &t, &d);
}

static int parse(const char *text)
{
	return parse_n(text, strlen(text), 0, 0);
}

static void expect_mistake(u32 i, u32 line, u32 column, const char *words)
{
	assert_true(d.n > i);
	if (d.entry[i].line != line || d.entry[i].column != column || !strstr(d.entry[i].text, words))
		fail_msg("%u:%u: %s (expected %u:%u: %s)", d.entry[i].line, d.entry[i].column,
			 d.entry[i].text, line, column, words);
}

static void refuse(const char *text, u32 line, u32 column, const char *words)
{
	assert_int_equal(parse(text), -1);
	assert_true(t.n == 0 && !t.at_ns);
	expect_mistake(0, line, column, words);
}

static void expect_times(const u64 *ns, u64 n)
{
	assert_true(t.n == n);
	for (u64 i = 0; i < n; i++)
		assert_true(t.at_ns[i] == ns[i]);
}

static void a1_empty(void **state)
{
	(void)state;
	refuse("", 0, 0, "empty");
	refuse("\n\n\n", 0, 0, "empty");
	refuse("# only a comment\n", 0, 0, "empty");
}

static void a2_blank_lines(void **state)
{
	(void)state;
	assert_int_equal(parse("1\n2\n\n\n \n"), 0);
	assert_true(t.n == 2);
	refuse("1\n2\n\n3\n", 3, 1, "a blank line in the middle");
	refuse("\n1\n", 1, 1, "blank line");
	refuse("1\n\n\n\n# c\n2\n", 2, 1, "blank lines");
	assert_int_equal(d.n, 1);
}

static void a4_all_zero(void **state)
{
	(void)state;
	refuse("0\n0\n0\n", 0, 0, "the period of a trace is its last timestamp");
	assert_non_null(strstr(d.entry[0].text, "weir trace make cbr"));
	assert_int_equal(parse("# weir-trace period_ms=1\n0\n0\n"), 0);
}

static void a5_going_back(void **state)
{
	(void)state;
	refuse("5\n4\n6\n", 2, 1, "4 ms after 5 ms");
	assert_non_null(strstr(d.entry[0].text, "--sort"));
	assert_int_equal(parse_n("5\n4\n6\n", 6, WEIR_TRACE_SORT, 0), 0);
	expect_times((u64[]){4 * MS, 5 * MS, 6 * MS}, 3);
}

static void a7_what_a_number_is(void **state)
{
	(void)state;
	assert_int_equal(parse("007\n  8\t\r\n# comment\n9 \n10"), 0);
	expect_times((u64[]){7 * MS, 8 * MS, 9 * MS, 10 * MS}, 4);
	refuse("+7\n", 1, 1, "decimal digits");
	refuse("-7\n", 1, 1, "decimal digits");
	refuse("0x7\n", 1, 2, "unexpected");
	refuse("7 8\n", 1, 2, "unexpected");
	refuse("7 # why\n", 1, 2, "unexpected");
	refuse("7e3\n", 1, 2, "unexpected");
	refuse("1\n7.5\n", 2, 2, "needs the header");
	refuse("99999999999999999999\n", 1, 1, "more than");
	assert_int_equal(parse_n("1\0\n", 3, 0, 0), -1);
	assert_int_equal(parse("# weir-trace period_ms=100.5\n7.5\n7.000001\n7.6"), -1);
	expect_mistake(0, 3, 1, "7.000001 ms after 7.5 ms");
	assert_int_equal(parse("# weir-trace period_ms=100.5\n7.000001\n7.5\n"), 0);
	expect_times((u64[]){7000001, 7500000}, 2);
	assert_true(t.period_ns == 100500000 && t.own_period);
	refuse("# weir-trace period_ms=9\n1.0000001\n", 2, 9, "6 decimals");
}

static void a8_period(void **state)
{
	(void)state;
	assert_int_equal(parse("0\n10\n20\n"), 0);
	assert_true(t.period_ns == 20 * MS && !t.own_period);
	assert_true(weir_trace_count(&t, 0) == 1 && weir_trace_count(&t, 20 * MS - 1) == 2);
	assert_true(weir_trace_count(&t, 20 * MS) == 4 &&
		    weir_trace_time_ns(&t, 2) == weir_trace_time_ns(&t, 3));
	assert_int_equal(parse_n("0\n10\n20\n", 8, 0, 30 * MS), 0);
	assert_true(weir_trace_count(&t, 20 * MS) == 3 && weir_trace_time_ns(&t, 3) == 30 * MS);
	assert_true(weir_trace_longest_outage_ns(&t) == 10 * MS);
	refuse("# weir-trace period_ms=19\n0\n20\n", 0, 0, "ends before the last timestamp");
	refuse("# weir-trace period_ms=0\n0\n", 1, 14, "longer than 0");
}

/* A17: an unknown key is an error that names it, not ignored. */
static void a17_unknown_keys(void **state)
{
	(void)state;
	refuse("# weir-trace period=5\n1\n", 1, 14, "unknown key");
	refuse("# weir-trace myperiod_ms=5\n1\n", 1, 14, "unknown key");
	refuse("# weir-trace\n1\n", 1, 13, "unknown key");
	refuse("1\n# weir-trace period_ms=5\n", 2, 1, "before the first timestamp");
	refuse("# weir-trace period_ms=5\n# weir-trace period_ms=5\n1\n", 2, 1, "second header");
	assert_int_equal(parse("# weir-traces are nice\n1\n"), 0);
}

static void all_mistakes_at_once(void **state)
{
	(void)state;
	assert_int_equal(parse("x\n3\n2\n\n1.5\n9\n"), -1);
	assert_int_equal(d.n, 4);
	expect_mistake(0, 1, 1, "not a number");
	expect_mistake(1, 3, 1, "2 ms after 3 ms");
	expect_mistake(2, 4, 1, "blank");
	expect_mistake(3, 5, 2, "header");
	char many[4000];
	memset(many, 'x', sizeof many);
	for (size_t i = 1; i < sizeof many; i += 2)
		many[i] = '\n';
	assert_int_equal(parse_n(many, sizeof many, 0, 0), -1);
	assert_int_equal(d.n + d.more, 2000);
}

static void counts_agree_with_times(void **state)
{
	(void)state;
	struct weir_rng rng;
	weir_rng_init(&rng, 1, weir_rng_point("count"), 0);
	for (int i = 0; i < 300; i++) {
		char text[400];
		int length = 0;
		for (u64 at = 0, k = 0; k < 20; k++, at += weir_rng_below(&rng, 4))
			length += snprintf(text + length, sizeof text - (size_t)length, "%llu\n", at);
		if (parse_n(text, (size_t)length, 0, 0) < 0)
			continue;
		for (u64 k = 0; k < 200; k++) {
			u64 at_ns = weir_trace_time_ns(&t, k);
			assert_true(weir_trace_count(&t, at_ns) > k);
			assert_true(at_ns == 0 || weir_trace_count(&t, at_ns - 1) <= k);
			assert_true(k == 0 || at_ns >= weir_trace_time_ns(&t, k - 1));
		}
	}
}

static bool near(double x, double right)
{
	return fabs(x - right) < 1e-9 * right;
}

/* From a delay on, the delayed trace gives what the trace gives from 0 on. */
static void a_delayed_trace_is_the_same_later(void **state)
{
	(void)state;
	static const char *const text[] = {"0\n10\n20\n", "1\n2\n2\n7\n", "5\n",
					   "# weir-trace period_ms=100.5\n7\n99\n"};
	for (u32 k = 0; k < sizeof text / sizeof text[0]; k++) {
		assert_int_equal(parse(text[k]), 0);
		for (u64 by_ns = 0; by_ns < 250 * MS; by_ns += 1700001) {
			struct weir_trace later;
			assert_int_equal(weir_trace_delay(&t, by_ns, &later), 0);
			assert_true(later.n == t.n && later.period_ns == t.period_ns);
			for (u64 i = 0; i < later.n; i++)
				assert_true(later.at_ns[i] <= later.period_ns &&
					    (i == 0 || later.at_ns[i] >= later.at_ns[i - 1]));
			for (u64 ns = 0; ns < 300 * MS; ns += 3333333)
				assert_true(weir_trace_count(&later, by_ns + ns) -
						weir_trace_count(&later, by_ns) ==
					    weir_trace_count(&t, ns) - weir_trace_count(&t, 0));
			weir_trace_fini(&later);
		}
	}
}

static void description(void **state)
{
	(void)state;
	assert_int_equal(parse("10\n11\n12\n500\n1000\n"), 0);
	assert_true(near(weir_trace_mean_bps(&t), 5 * 12000.));
	assert_true(near(weir_trace_max_bps(&t, 100 * MS), 3 * 12000. / .1));
	assert_true(near(weir_trace_max_bps(&t, 2 * MS), 2 * 12000. / .002));
	assert_true(near(weir_trace_max_bps(&t, 10 * S), 5 * 12000.));
	assert_true(weir_trace_longest_outage_ns(&t) == 500 * MS);
}

static void from_rates(void **state)
{
	(void)state;
	/* 1 Mbit/s for 1.2 s, silence, 2 Mbit/s for .6 s: 100 opportunities each */
	const struct weir_rate_step steps[] = {{0, 1000000}, {1200 * MS, 0}, {2 * S, 2000000}};
	weir_trace_fini(&t);
	assert_int_equal(weir_trace_from_steps(steps, 3, 2600 * MS, &t, &d), 0);
	assert_true(t.n == 200 && t.period_ns == 2600 * MS && t.own_period);
	assert_true(t.at_ns[0] == 6 * MS && t.at_ns[99] == 1194 * MS && t.at_ns[100] == 2003 * MS);
	weir_trace_fini(&t);
	/* no fraction is lost: 17 Mbit/s for 600 s */
	const struct weir_rate_step one = {0, 17000000};
	assert_int_equal(weir_trace_from_steps(&one, 1, 600 * S, &t, &d), 0);
	assert_true(t.n == 850000);
	weir_trace_fini(&t);
	const struct weir_rate_step fast = {0, WEIR_TRACE_MOST_BPS};
	d.n = 0;
	assert_int_equal(weir_trace_from_steps(&fast, 1, 3600 * S, &t, &d), -1);
	assert_true(d.n == 1 && t.n == 0);
}

static int parse_csv(const char *text)
{
	weir_trace_fini(&t);
	d.n = d.more = 0;
	return weir_trace_parse_csv(text, strlen(text), 0, &t, &d);
}

static void csv(void **state)
{
	(void)state;
	assert_int_equal(parse_csv("time_s,rate_bps\n0,1000000\n1.2,0\n2, 2000000.7\n2.6,\n"), 0);
	assert_true(t.n == 200 && t.period_ns == 2600 * MS);
	/* a table from some other clock, without an end: the last row lasts as long as the one before */
	assert_int_equal(parse_csv("100.5,1200000\r\n101.5,2400000\r\n"), 0);
	assert_true(t.n == 300 && t.period_ns == 2 * S);
	assert_int_equal(parse_csv("0,1\n0,2\n-1,3\n2;4\n3,x\n4,\n5,6\n"), -1);
	assert_int_equal(d.n, 5);
	expect_mistake(0, 2, 1, "rise");
	expect_mistake(1, 3, 1, "not a time");
	expect_mistake(2, 4, 2, "comma");
	expect_mistake(3, 5, 3, "not a rate");
	expect_mistake(4, 7, 1, "after the one without a rate");
	assert_int_equal(parse_csv("0,5000000\n"), -1);
	assert_int_equal(parse_csv(""), -1);
	assert_int_equal(parse_csv("0,0\n1,0\n"), -1);
}

/* What is written reads back the same. */
static void formats_round_trip(void **state)
{
	(void)state;
	struct weir_lte lte = {.mean_bps = 8000000, .duration_ns = 20 * S, .seed = 5, .outages = .05};
	for (int format = 0; format < 3; format++) {
		struct weir_trace made;
		assert_int_equal(weir_trace_make_lte(&lte, &made, &d), 0);
		char *text = NULL;
		size_t length = 0;
		FILE *f = open_memstream(&text, &length);
		assert_int_equal(weir_trace_can_write(&made, (enum weir_trace_format)format, 50 * MS, &d), 0);
		weir_trace_write(&made, (enum weir_trace_format)format, 50 * MS, f);
		fclose(f);
		if (format == WEIR_TRACE_CSV) {
			assert_int_equal(parse_csv(text), 0);
			assert_true(t.period_ns == made.period_ns && t.n == made.n);
		} else {
			assert_int_equal(parse_n(text, length, 0, 0), 0);
			expect_times(made.at_ns, made.n);
			assert_true(format == WEIR_TRACE_MAHIMAHI || t.period_ns == made.period_ns);
		}
		free(text);
		weir_trace_fini(&made);
	}
	weir_trace_fini(&t);
}

static void lte_keeps_its_promises(void **state)
{
	(void)state;
	for (u64 seed = 1; seed <= 5; seed++) {
		struct weir_lte lte = {
		    .mean_bps = 12345678, .duration_ns = 300 * S, .seed = seed, .outages = .1};
		struct weir_trace again;
		weir_trace_fini(&t);
		assert_int_equal(weir_trace_make_lte(&lte, &t, &d), 0);
		assert_int_equal(weir_trace_make_lte(&lte, &again, &d), 0);
		assert_true(fabs(weir_trace_mean_bps(&t) / 12345678 - 1) < 1e-4);
		expect_times(again.at_ns, again.n);
		weir_trace_fini(&again);
		/* whole ms; about a tenth of the time in silences of more than 100 ms */
		u64 silent_ns = 0;
		for (u64 i = 1; i < t.n; i++) {
			u64 gap_ns = t.at_ns[i] - t.at_ns[i - 1];
			assert_true(t.at_ns[i] % MS == 0);
			silent_ns += gap_ns > 100 * MS ? gap_ns : 0;
		}
		assert_true(silent_ns > 12 * S && silent_ns < 50 * S);
		assert_true(weir_trace_max_bps(&t, 100 * MS) > 2 * 12345678);
	}
	struct weir_lte bad = {.mean_bps = 1, .duration_ns = 1000000000 * S, .seed = 1};
	weir_trace_fini(&t);
	assert_int_equal(weir_trace_make_lte(&bad, &t, &d), -1);
}

static void files(void **state)
{
	(void)state;
	d.n = 0;
	assert_int_equal(weir_trace_load("/no/such/file", 0, 0, &t, &d), -1);
	expect_mistake(0, 0, 0, "cannot open");
	assert_string_equal(d.file, "/no/such/file");
	d.n = 0;
	assert_int_equal(weir_trace_load("/", 0, 0, &t, &d), -1);
	expect_mistake(0, 0, 0, "cannot read");
	d.n = 0;
	size_t length;
	assert_null(weir_trace_read("/dev/zero", 1 << 20, &length, &d));
	expect_mistake(0, 0, 0, "larger than 1 MiB");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a1_empty),
	    cmocka_unit_test(a2_blank_lines),
	    cmocka_unit_test(a4_all_zero),
	    cmocka_unit_test(a5_going_back),
	    cmocka_unit_test(a7_what_a_number_is),
	    cmocka_unit_test(a8_period),
	    cmocka_unit_test(a17_unknown_keys),
	    cmocka_unit_test(all_mistakes_at_once),
	    cmocka_unit_test(counts_agree_with_times),
	    cmocka_unit_test(a_delayed_trace_is_the_same_later),
	    cmocka_unit_test(description),
	    cmocka_unit_test(from_rates),
	    cmocka_unit_test(csv),
	    cmocka_unit_test(formats_round_trip),
	    cmocka_unit_test(lte_keeps_its_promises),
	    cmocka_unit_test(files),
	};
	int failed = cmocka_run_group_tests_name("link-trace", tests, NULL, NULL);
	weir_trace_fini(&t);
	return failed;
}
