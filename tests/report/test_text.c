/* SPDX-License-Identifier: MIT */
/* Quantities as a person writes them, and names that try to be more than names. */
#include "report/html.h"
#include "report/theme.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void shows(enum weir_dimension dimension, double value, const char *expected)
{
	char text[WEIR_PRETTY_MAX];
	assert_string_equal(weir_pretty(text, dimension, value), expected);
}

static void quantities_have_prefixes(void **state)
{
	(void)state;
	shows(WEIR_RATE, 48213456, "48.2 Mbit/s");
	shows(WEIR_RATE, 96e6, "96 Mbit/s");
	shows(WEIR_RATE, 960e6, "960 Mbit/s");
	shows(WEIR_RATE, 1.2e9, "1.2 Gbit/s");
	shows(WEIR_RATE, 0, "0 bit/s");
	shows(WEIR_BYTES, 150000, "150 kB");
	shows(WEIR_TIME, 25.34, "25.3 ms");
	shows(WEIR_TIME, 1500, "1500 ms");
	shows(WEIR_TIME, 30000, "30 s");
	shows(WEIR_TIME, .35, "350 \302\265s");
	shows(WEIR_TIME, 0, "0 ms");
	shows(WEIR_SHARE, .0002, "0.02 %");
	shows(WEIR_SHARE, .9883, "98.8 %");
	shows(WEIR_SHARE, 0, "0 %");
	shows(WEIR_COUNT, 1234567, "1,234,567");
	shows(WEIR_COUNT, 1234, "1234");
	shows(WEIR_COUNT, -12345, "-12,345");
	shows(WEIR_PLAIN, .99871, "0.9987");
	shows(WEIR_PLAIN, -0.0, "0");
	shows(WEIR_PLAIN, 1e30, "1.000e+30");
}

static void what_is_no_number_is_a_dash(void **state)
{
	(void)state;
	for (u32 dimension = 0; dimension < WEIR_DIMENSIONS; dimension++) {
		shows((enum weir_dimension)dimension, (double)NAN, "\342\200\223");
		shows((enum weir_dimension)dimension, -HUGE_VAL, "\342\200\223");
	}
}

static void no_number_overflows_its_room(void **state)
{
	(void)state;
	static const double values[] = {1e308, -1e308, 5e-324, 1e15, 1e21, 123456789012345.678, 1e-7};
	char text[WEIR_PRETTY_MAX];
	for (u32 dimension = 0; dimension < WEIR_DIMENSIONS; dimension++)
		for (u32 i = 0; i < sizeof values / sizeof values[0]; i++)
			assert_in_range(strlen(weir_pretty(text, (enum weir_dimension)dimension, values[i])),
					1, WEIR_PRETTY_MAX - 1);
}

static void names_of_signals_tell_their_unit(void **state)
{
	(void)state;
	char words[32];
	assert_int_equal(weir_unit_of("rtt_ms").dimension, WEIR_TIME);
	assert_int_equal(weir_unit_of("cwnd_bytes").dimension, WEIR_BYTES);
	assert_true(weir_unit_of("pacing_Bps").factor == 8);
	assert_int_equal(weir_unit_of("pacing_bps").dimension, WEIR_RATE);
	assert_int_equal(weir_unit_of("utilization").dimension, WEIR_SHARE);
	assert_int_equal(weir_unit_of("phase").dimension, WEIR_PLAIN);
	assert_string_equal(weir_signal_words("to_plateau_ms", words, sizeof words), "to plateau");
	assert_string_equal(weir_signal_words("phase", words, sizeof words), "phase");
	assert_string_equal(weir_signal_words("abcdef_ms", words, 4), "abc");
}

static char *escaped(const char *text)
{
	char *out = NULL;
	size_t n;
	FILE *f = open_memstream(&out, &n);
	assert_non_null(f);
	weir_html_text(f, text);
	fclose(f);
	return out;
}

static void escapes(const char *text, const char *expected)
{
	char *out = escaped(text);
	assert_string_equal(out, expected);
	free(out);
}

static void markup_becomes_text(void **state)
{
	(void)state;
	escapes("<script>alert('x')</script>", "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;");
	escapes("a&b \"c\"", "a&amp;b &quot;c&quot;");
	escapes("caf\303\251 \360\237\214\212", "caf\303\251 \360\237\214\212");
	escapes("tab\tline\nbell\a", "tab\tline\nbell\357\277\275");
}

/* Overlong '<' and cut sequences are what old filters let through. */
static void what_is_not_utf8_is_replaced(void **state)
{
	(void)state;
	escapes("\300\274script", "\357\277\275\357\277\275script");
	escapes("\340\200\274", "\357\277\275\357\277\275\357\277\275");
	escapes("\355\240\200", "\357\277\275\357\277\275\357\277\275");
	escapes("a\377b", "a\357\277\275b");
	escapes("cut\303", "cut\357\277\275");
	escapes("\364\220\200\200", "\357\277\275\357\277\275\357\277\275\357\277\275");
}

static void json_cannot_end_its_script(void **state)
{
	(void)state;
	static const char json[] = "{\"label\":\"</script><!-- &\"}";
	char *out = NULL;
	size_t n;
	FILE *f = open_memstream(&out, &n);
	weir_html_json(f, json, strlen(json));
	fclose(f);
	assert_string_equal(out, "{\"label\":\"\\u003c/script\\u003e\\u003c!-- \\u0026\"}");
	free(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(quantities_have_prefixes),
	    cmocka_unit_test(what_is_no_number_is_a_dash),
	    cmocka_unit_test(no_number_overflows_its_room),
	    cmocka_unit_test(names_of_signals_tell_their_unit),
	    cmocka_unit_test(markup_becomes_text),
	    cmocka_unit_test(what_is_not_utf8_is_replaced),
	    cmocka_unit_test(json_cannot_end_its_script),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
