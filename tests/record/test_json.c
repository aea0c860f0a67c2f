/* SPDX-License-Identifier: MIT */
/* The emitter against an independent reader (jansson), and its numbers against strtod. */
#include "core/rng.h"
#include "record/json.h"
#include "record/number.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void number_is(double x, const char *expected)
{
	char text[WEIR_NUMBER_MAX];
	u32 n = weir_number_format(text, x);
	assert_string_equal(text, expected);
	assert_int_equal(n, strlen(expected));
}

static void numbers_are_shortest(void **state)
{
	(void)state;
	number_is(0, "0");
	number_is(-0.0, "0");
	number_is(.1, "0.1");
	number_is(.1 + .2, "0.30000000000000004");
	number_is(1.0 / 3, "0.3333333333333333");
	number_is(-2.5, "-2.5");
	number_is(96e6, "96000000");
	number_is(1e20, "100000000000000000000");
	number_is(1e21, "1e+21");
	number_is(1e-6, "0.000001");
	number_is(1.5e-7, "1.5e-7");
	number_is(1e15, "1000000000000000");
	number_is(9007199254740993.0, "9007199254740992");
	number_is(123456789.125, "123456789.125");
	number_is(1.7976931348623157e308, "1.7976931348623157e+308");
	number_is(2.2250738585072014e-308, "2.2250738585072014e-308");
	number_is(5e-324, "5e-324");
}

/* esnet/iperf#520: 5.924e 06, a form that no JSON reader takes. */
static void j2_large_floats_are_valid(void **state)
{
	(void)state;
	number_is(5.924e6, "5924000");
	number_is(5.924e26, "5.924e+26");
}

static void numbers_read_back(void **state)
{
	(void)state;
	struct weir_rng rng;
	weir_rng_init(&rng, 1, 2, 3);
	for (int i = 0; i < 200000; i++) {
		char text[WEIR_NUMBER_MAX];
		u64 bits = weir_rng_u64(&rng);
		double x;
		memcpy(&x, &bits, sizeof x);
		if (i % 2)
			x = (double)(bits % 100000000) / (double)(1 + (bits >> 40) % 1000);
		u32 n = weir_number_format(text, x);
		if (!isfinite(x)) {
			assert_int_equal(n, 0);
			continue;
		}
		assert_true(strtod(text, NULL) == x);
		assert_null(strchr(text, ','));
	}
}

static void fixed_numbers_are_those_numbers(void **state)
{
	(void)state;
	struct weir_rng rng;
	weir_rng_init(&rng, 4, 5, 6);
	static const double power[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
	for (int i = 0; i < 100000; i++) {
		char fixed[WEIR_NUMBER_MAX], shortest[WEIR_NUMBER_MAX];
		u64 x = weir_rng_below(&rng, 1000000000000000ULL) >> weir_rng_below(&rng, 50);
		u32 decimals = (u32)weir_rng_below(&rng, 10);
		weir_number_fixed(fixed, x, decimals);
		weir_number_format(shortest, (double)x / power[decimals]);
		if ((double)x / power[decimals] >= 1e-6 || x == 0)
			assert_string_equal(fixed, shortest);
		else
			assert_true(strtod(fixed, NULL) == strtod(shortest, NULL));
	}
	char text[WEIR_NUMBER_MAX];
	weir_number_fixed(text, 18446744073709551615ULL, 9);
	assert_string_equal(text, "18446744073.709551615");
}

static char *document(void (*body)(struct weir_json *))
{
	struct weir_json j;
	size_t n;
	weir_json_to_buffer(&j);
	body(&j);
	assert_int_equal(weir_json_finish(&j), 0);
	char *text = weir_json_take(&j, &n);
	assert_int_equal(n, strlen(text));
	return text;
}

static void nothing_measured(struct weir_json *j)
{
	weir_json_object(j);
	weir_json_put_double(j, "lost_percent", (double)NAN);
	weir_json_put_double(j, "jitter_ms", (double)INFINITY);
	weir_json_put_double(j, "other_ms", -(double)INFINITY);
	weir_json_object_end(j);
}

/* esnet/iperf#613: "lost_percent": -nan for an interval without packets. */
static void j1_nan_is_null(void **state)
{
	(void)state;
	char *text = document(nothing_measured);
	assert_string_equal(
	    text, "{\n  \"lost_percent\": null,\n  \"jitter_ms\": null,\n  \"other_ms\": null\n}\n");
	free(text);
}

static void every_layout(struct weir_json *j)
{
	weir_json_object(j);
	weir_json_put_string(j, "schema", "x/1");
	weir_json_put_array(j, "empty");
	weir_json_array_end(j);
	weir_json_put_object(j, "nothing");
	weir_json_object_end(j);
	weir_json_put_array(j, "list");
	weir_json_u64(j, 18446744073709551615ULL);
	weir_json_i64(j, -9223372036854775807LL - 1);
	weir_json_array_end(j);
	weir_json_key(j, "line");
	weir_json_line(j);
	weir_json_array(j);
	weir_json_double(j, .5);
	weir_json_object(j);
	weir_json_put_bool(j, "yes", true);
	weir_json_put_null(j, "none");
	weir_json_object_end(j);
	weir_json_array_end(j);
	weir_json_put_string(j, "absent", NULL);
	weir_json_object_end(j);
}

static void layout_is_stable(void **state)
{
	(void)state;
	char *text = document(every_layout);
	assert_string_equal(text, "{\n"
				  "  \"schema\": \"x/1\",\n"
				  "  \"empty\": [],\n"
				  "  \"nothing\": {},\n"
				  "  \"list\": [\n"
				  "    18446744073709551615,\n"
				  "    -9223372036854775808\n"
				  "  ],\n"
				  "  \"line\": [0.5, {\"yes\": true, \"none\": null}],\n"
				  "  \"absent\": null\n"
				  "}\n");
	free(text);
}

static void any_bytes_make_valid_text(void **state)
{
	(void)state;
	struct weir_rng rng;
	weir_rng_init(&rng, 7, 8, 9);
	for (int round = 0; round < 20000; round++) {
		char bytes[16];
		size_t n = weir_rng_below(&rng, sizeof bytes);
		for (size_t i = 0; i < n; i++)
			bytes[i] = (char)(weir_rng_chance(&rng, .5) ? weir_rng_u64(&rng)
								    : 0x80 | weir_rng_u64(&rng));
		struct weir_json j;
		weir_json_to_buffer(&j);
		weir_json_array(&j);
		weir_json_string_n(&j, bytes, n);
		weir_json_array_end(&j);
		assert_int_equal(weir_json_finish(&j), 0);
		char *text = weir_json_take(&j, NULL);
		json_t *read = json_loads(text, JSON_ALLOW_NUL, NULL);
		assert_non_null(read);
		json_decref(read);
		free(text);
	}
}

static void strings(struct weir_json *j)
{
	weir_json_array(j);
	weir_json_string(j, "\"\\/\b\f\n\r\t\x01\x7f");
	weir_json_string(j, "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80");
	weir_json_string(j, "\xff|\xc0\xaf|\xed\xa0\x80|\xf4\x90\x80\x80|\xe2\x82");
	weir_json_array_end(j);
}

static void strings_are_escaped(void **state)
{
	(void)state;
	char *text = document(strings);
	json_t *read = json_loads(text, 0, NULL);
	assert_string_equal(json_string_value(json_array_get(read, 0)), "\"\\/\b\f\n\r\t\x01\x7f");
	assert_string_equal(json_string_value(json_array_get(read, 1)),
			    "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80");
#define BAD "\xef\xbf\xbd"
	assert_string_equal(json_string_value(json_array_get(read, 2)),
			    BAD "|" BAD BAD "|" BAD BAD BAD "|" BAD BAD BAD BAD "|" BAD BAD);
	json_decref(read);
	free(text);
}

static void full_disk_is_noticed(void **state)
{
	(void)state;
	FILE *full = fopen("/dev/full", "w");
	if (!full)
		skip();
	struct weir_json j;
	weir_json_to_file(&j, full);
	every_layout(&j);
	assert_int_equal(weir_json_finish(&j), -1);
	assert_int_equal(errno, ENOSPC);
	fclose(full);
}

static void one_buffer_for_many(void **state)
{
	(void)state;
	struct weir_json j;
	size_t n;
	weir_json_to_buffer(&j);
	for (int i = 0; i < 3; i++) {
		weir_json_rewind(&j);
		weir_json_line(&j);
		weir_json_object(&j);
		weir_json_put_i64(&j, "i", i);
		weir_json_object_end(&j);
		assert_int_equal(weir_json_finish(&j), 0);
		assert_string_equal(weir_json_text(&j, &n), i == 0   ? "{\"i\": 0}\n"
							    : i == 1 ? "{\"i\": 1}\n"
								     : "{\"i\": 2}\n");
	}
	weir_json_abandon(&j);
}

/* esnet/iperf#1716: the document printed twice. A second one stops the program where it is made. */
static void j4_a_second_document_is_a_bug(void **state)
{
	(void)state;
	pid_t child = fork();
	if (child == 0) {
		struct weir_json j;
		fclose(stderr); /* the assertion's words are expected */
		signal(SIGABRT, SIG_DFL);
		weir_json_to_buffer(&j);
		weir_json_null(&j);
		weir_json_null(&j);
		_exit(0);
	}
	int status = 0;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_false(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(numbers_are_shortest),
	    cmocka_unit_test(j2_large_floats_are_valid),
	    cmocka_unit_test(numbers_read_back),
	    cmocka_unit_test(fixed_numbers_are_those_numbers),
	    cmocka_unit_test(j1_nan_is_null),
	    cmocka_unit_test(layout_is_stable),
	    cmocka_unit_test(any_bytes_make_valid_text),
	    cmocka_unit_test(strings_are_escaped),
	    cmocka_unit_test(full_disk_is_noticed),
	    cmocka_unit_test(one_buffer_for_many),
	    cmocka_unit_test(j4_a_second_document_is_a_bug),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
