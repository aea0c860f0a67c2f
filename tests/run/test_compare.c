/* SPDX-License-Identifier: MIT */
#include "run/compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static json_t *result(const char *body)
{
	char text[4096], error[WEIR_QUERY_ERROR_BYTES];
	int n = snprintf(text, sizeof text, "{\"schema\":\"weir.summary/1\",%s}", body);
	json_t *document = weir_query_parse(text, (size_t)n, "weir.summary/1", error);
	if (!document)
		fail_msg("%s", error);
	return document;
}

static struct weir_comparison compare(const char *first, const char *second)
{
	const struct weir_compare_limits limits = WEIR_COMPARE_DEFAULTS;
	struct weir_comparison c = {0};
	json_t *a = result(first), *b = result(second);
	struct weir_compare_result of_a = {.summary = a}, of_b = {.summary = b};
	assert_int_equal(weir_compare(&of_a, &of_b, &limits, &c), 0);
	for (u32 i = 0; i < c.n; i++)
		c.row[i].name = NULL; /* dies with the documents */
	json_decref(a);
	json_decref(b);
	return c;
}

#define FLOW(goodput, delay)                                                                                 \
	"\"flows\":[{\"name\":\"a\",\"goodput_bps\":" #goodput ",\"queue_delay_ms\":{\"p50\":" #delay "}}]"

static void assert_verdicts(const char *first, const char *second, enum weir_compare_verdict goodput,
			    enum weir_compare_verdict delay)
{
	struct weir_comparison c = compare(first, second);
	assert_int_equal(c.n, 2);
	assert_string_equal(c.row[0].metric, "goodput_bps");
	assert_int_equal(c.row[0].verdict, goodput);
	assert_int_equal(c.row[1].verdict, delay);
	u32 bad = (goodput == WEIR_COMPARE_OUTSIDE ? 1U : 0) + (delay == WEIR_COMPARE_OUTSIDE ? 1U : 0);
	assert_int_equal(c.outside, bad);
	weir_comparison_free(&c);
}

static void limits_of_the_design(void **state)
{
	(void)state;
	const enum weir_compare_verdict in = WEIR_COMPARE_WITHIN, out = WEIR_COMPARE_OUTSIDE;
	assert_verdicts(FLOW(1000000, 40), FLOW(1000000, 40), in, in);
	assert_verdicts(FLOW(1000000, 40), FLOW(950000, 44), in, in);
	assert_verdicts(FLOW(1000000, 40), FLOW(1050000, 36), in, in);
	assert_verdicts(FLOW(1000000, 40), FLOW(949000, 44.1), out, out);
	assert_verdicts(FLOW(1000000, 40), FLOW(1051000, 35.9), out, out);
	/* small delays: 2 ms rather than 10 % */
	assert_verdicts(FLOW(1, 1), FLOW(1, 3), in, in);
	assert_verdicts(FLOW(1, 1), FLOW(1, 3.01), in, out);
	assert_verdicts(FLOW(0, 0), FLOW(0, 2), in, in);
	assert_verdicts(FLOW(0, 0), FLOW(1, 0), out, in);
}

static void what_only_one_has_is_outside(void **state)
{
	(void)state;
	struct weir_comparison c =
	    compare("\"flows\":[{\"name\":\"a\",\"goodput_bps\":1,\"queue_delay_ms\":null}]",
		    "\"flows\":[{\"name\":\"b\",\"goodput_bps\":1,\"queue_delay_ms\":null}]");
	assert_int_equal(c.n, 4);
	assert_int_equal(c.outside, 4);
	for (u32 i = 0; i < c.n; i++)
		assert_int_equal(c.row[i].verdict, WEIR_COMPARE_MISSING);
	weir_comparison_free(&c);
	/* null in both is not compared, null in one is missing */
	c = compare("\"flows\":[{\"name\":\"a\",\"goodput_bps\":1,\"queue_delay_ms\":null}]",
		    "\"flows\":[{\"name\":\"a\",\"goodput_bps\":1,\"queue_delay_ms\":null}]");
	assert_int_equal(c.n, 1);
	assert_int_equal(c.outside, 0);
	weir_comparison_free(&c);
	c = compare("\"flows\":[{\"name\":\"a\",\"goodput_bps\":1,\"queue_delay_ms\":null}]",
		    "\"flows\":[{\"name\":\"a\",\"goodput_bps\":1,\"queue_delay_ms\":{\"p50\":1}}]");
	assert_int_equal(c.n, 2);
	assert_int_equal(c.outside, 1);
	weir_comparison_free(&c);
}

static void order_does_not_matter_and_groups_and_links_count(void **state)
{
	(void)state;
	struct weir_comparison c =
	    compare("\"flows\":[{\"name\":\"a\",\"goodput_bps\":1},{\"name\":\"b\",\"goodput_bps\":2}],"
		    "\"groups\":[{\"name\":\"g\",\"goodput_bps\":5}],"
		    "\"links\":[{\"name\":\"l\",\"capacity_bps\":9,\"throughput_bps\":100},"
		    "{\"name\":\"wire\",\"capacity_bps\":null,\"throughput_bps\":100}]",
		    "\"flows\":[{\"name\":\"b\",\"goodput_bps\":2},{\"name\":\"a\",\"goodput_bps\":1}],"
		    "\"groups\":[{\"name\":\"g\",\"goodput_bps\":6}],"
		    "\"links\":[{\"name\":\"l\",\"capacity_bps\":9,\"throughput_bps\":50},"
		    "{\"name\":\"wire\",\"capacity_bps\":null,\"throughput_bps\":50}]");
	assert_int_equal(c.n, 4);
	assert_int_equal(c.outside, 2);
	assert_string_equal(c.row[2].kind, "group");
	assert_int_equal(c.row[2].verdict, WEIR_COMPARE_OUTSIDE);
	assert_string_equal(c.row[3].kind, "link");
	assert_string_equal(c.row[3].metric, "throughput_bps");
	weir_comparison_free(&c);
}

#define REPEATED(goodput, mean, low, high)                                                                   \
	"\"flows\":[{\"name\":\"a\",\"goodput_bps\":" #goodput                                               \
	"}],\"repeats\":{\"n\":3,\"flows\":[{\"name\":\"a\","                                                \
	"\"goodput_bps\":{\"mean\":" #mean ",\"ci95\":[" #low "," #high "],\"n\":3}}]}"

static void repeats_are_judged_by_their_intervals(void **state)
{
	(void)state;
	static const struct {
		const char *first, *second;
		enum weir_compare_verdict verdict;
	} cases[] = {
	    /* the first seeds differ, the means do not */
	    {REPEATED(100, 200, 190, 210), REPEATED(300, 201, 191, 211), WEIR_COMPARE_WITHIN},
	    /* n = 3: half widths of 20 are standard errors of 4.65, that of the difference is 6.57; with 4
	     * degrees of freedom it is known to +- 18.2, and the limit is 10 */
	    {REPEATED(1, 200, 180, 220), REPEATED(1, 228, 208, 248), WEIR_COMPARE_NOISE},
	    {REPEATED(1, 200, 180, 220), REPEATED(1, 229, 209, 249), WEIR_COMPARE_OUTSIDE},
	    {REPEATED(1, 200, 195, 205), REPEATED(1, 230, 225, 235), WEIR_COMPARE_OUTSIDE},
	    {REPEATED(1, 200, 195, 205), "\"flows\":[{\"name\":\"a\",\"goodput_bps\":230}]",
	     WEIR_COMPARE_OUTSIDE},
	    {REPEATED(1, 200, 195, 205), "\"flows\":[{\"name\":\"a\",\"goodput_bps\":202}],\"repeats\":7",
	     WEIR_COMPARE_WITHIN},
	};
	for (u32 i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct weir_comparison c = compare(cases[i].first, cases[i].second);
		assert_int_equal(c.n, 1);
		assert_int_equal(c.row[0].verdict, cases[i].verdict);
		assert_int_equal(c.outside, cases[i].verdict == WEIR_COMPARE_OUTSIDE);
		assert_int_equal(c.noise, cases[i].verdict == WEIR_COMPARE_NOISE);
		weir_comparison_free(&c);
	}
}

static void an_emulator_that_could_not_keep_up_is_no_verdict(void **state)
{
	(void)state;
	static const struct {
		const char *of_second, *verdict, *says;
	} cases[] = {
	    {"\"emulation\":null,", "within", NULL},
	    {"\"emulation\":{\"verdict\":\"faithful\",\"reason\":\"x\"},", "within", NULL},
	    {"\"emulation\":{\"verdict\":\"degraded\",\"reason\":\"late\"},", "within",
	     "calls it degraded (late)"},
	    {"\"emulation\":{\"verdict\":\"invalid\",\"reason\":\"late\"},", "invalid",
	     "invalid (late): nothing"},
	    {"\"emulation\":{\"verdict\":\"faithful\"},\"repeats\":{\"verdicts\":[\"faithful\",\"invalid\"]}"
	     ",",
	     "invalid", "1 of its seeds invalid"},
	};
	for (u32 i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char second[512];
		snprintf(second, sizeof second, "%s%s", cases[i].of_second, FLOW(1000, 40));
		struct weir_comparison c = compare(FLOW(1000, 40), second);
		assert_string_equal(weir_comparison_verdict(&c), cases[i].verdict);
		assert_int_equal(c.outside, 0);
		bool said = false;
		for (u32 k = 0; k < c.n_notes; k++)
			said |= cases[i].says && strstr(c.note[k], cases[i].says);
		assert_int_equal(said, cases[i].says != NULL);
		weir_comparison_free(&c);
	}
}

static void documents_without_lists_compare_to_nothing(void **state)
{
	(void)state;
	struct weir_comparison c = compare("\"flows\":7", "\"flows\":[1,{},{\"name\":3}],\"links\":{}");
	assert_int_equal(c.n, 0);
	weir_comparison_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(limits_of_the_design),
	    cmocka_unit_test(what_only_one_has_is_outside),
	    cmocka_unit_test(order_does_not_matter_and_groups_and_links_count),
	    cmocka_unit_test(repeats_are_judged_by_their_intervals),
	    cmocka_unit_test(an_emulator_that_could_not_keep_up_is_no_verdict),
	    cmocka_unit_test(documents_without_lists_compare_to_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
