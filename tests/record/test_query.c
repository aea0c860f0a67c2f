/* SPDX-License-Identifier: MIT */
#include "record/query.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <stdio.h>
#include <unistd.h>

static const char summary[] =
    "{\"schema\":\"weir.summary/1\",\"events\":12,\"emulation\":null,"
    "\"flows\":[{\"name\":\"cubic\",\"goodput_bps\":5.5,\"queue_delay_ms\":{\"p50\":25},\"age_ms\":null},"
    "{\"name\":\"cubic.1\",\"goodput_bps\":7},{\"name\":\"cubic.12\",\"goodput_bps\":8}],"
    "\"groups\":[{\"name\":\"wan.*\",\"fct\":[{\"size\":\"15kB\",\"fct_ms\":{\"p95\":141}},"
    "{\"size\":\"1.5MB\",\"fct_ms\":{\"p95\":3350}}]}],"
    "\"fct_ms\":[{\"size\":\"10kB-100kB\",\"n\":3}],\"fairness\":{\"jain_throughput\":1}}";

static json_t *document(void)
{
	char error[WEIR_QUERY_ERROR_BYTES] = "";
	json_t *d = weir_query_parse(summary, sizeof summary - 1, "weir.summary/1", error);
	assert_string_equal(error, "");
	assert_non_null(d);
	return d;
}

static void numbers_by_name(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		double right;
	} table[] = {
	    {"events", 12},
	    {"flows.cubic.goodput_bps", 5.5},
	    {"flows.cubic.queue_delay_ms.p50", 25},
	    {"flows.cubic.1.goodput_bps", 7}, /* the longest name that fits */
	    {"flows.cubic.12.goodput_bps", 8},
	    {"fct_ms.10kB-100kB.n", 3},
	    {"groups.wan.*.fct.15kB.fct_ms.p95", 141},
	    {"groups.wan.*.fct.1.5MB.fct_ms.p95", 3350},
	    {"fairness.jain_throughput", 1},
	};
	json_t *d = document();
	for (u32 i = 0; i < sizeof table / sizeof table[0]; i++) {
		char error[WEIR_QUERY_ERROR_BYTES];
		double x = 0;
		assert_int_equal(weir_query_number(d, table[i].name, &x, error), WEIR_QUERY_FOUND);
		assert_true(x == table[i].right);
	}
	json_decref(d);
}

static void nulls_and_mistakes(void **state)
{
	(void)state;
	char error[WEIR_QUERY_ERROR_BYTES];
	double x = 3;
	json_t *d = document();
	assert_int_equal(weir_query_number(d, "flows.cubic.age_ms.mean", &x, error), WEIR_QUERY_NULL);
	assert_int_equal(weir_query_number(d, "emulation.verdict", &x, error), WEIR_QUERY_NULL);
	assert_int_equal(weir_query_number(d, "flows.cubik.goodput_bps", &x, error), WEIR_QUERY_WRONG);
	assert_string_equal(error, "no `cubik` in `flows`; did you mean `cubic`?");
	assert_int_equal(weir_query_number(d, "flow.cubic", &x, error), WEIR_QUERY_WRONG);
	assert_string_equal(error, "no `flow` in `the summary`; did you mean `flows`?");
	assert_int_equal(weir_query_number(d, "flows.cubic", &x, error), WEIR_QUERY_WRONG);
	assert_int_equal(weir_query_number(d, "schema", &x, error), WEIR_QUERY_WRONG);
	assert_int_equal(weir_query_number(d, "events.x", &x, error), WEIR_QUERY_WRONG);
	assert_int_equal(weir_query_number(d, "", &x, error), WEIR_QUERY_WRONG);
	assert_int_equal(weir_query_number(d, "flows.", &x, error), WEIR_QUERY_WRONG);
	assert_int_equal(weir_query_number(d, "...", &x, error), WEIR_QUERY_WRONG);
	assert_true(x == 3);
	json_decref(d);
}

static void hostile_documents(void **state)
{
	(void)state;
	static const char *const texts[] = {
	    "",
	    "{",
	    "[]",
	    "3",
	    "null",
	    "{\"schema\":\"weir.trace/1\"}",
	    "{\"schema\":3}",
	    "{\"schema\":\"weir.summary/1\"} {}",
	    "{\"schema\":\"weir.summary/1\",\"x\":NaN}",
	    "{\"schema\":\"weir.summary/1\",\"x\":1e999}",
	    "{\"schema\":\"weir.summary/1\",\"schema\":\"weir.summary/1\"}",
	    "{\"schema\":\"weir.summary/1\",\"x\":\"\xff\"}",
	};
	for (u32 i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		char error[WEIR_QUERY_ERROR_BYTES] = "";
		assert_null(weir_query_parse(texts[i], strlen(texts[i]), "weir.summary/1", error));
		assert_string_not_equal(error, "");
	}
	char deep[20000], error[WEIR_QUERY_ERROR_BYTES] = "";
	memset(deep, '[', sizeof deep);
	assert_null(weir_query_parse(deep, sizeof deep, "weir.summary/1", error));
	assert_string_not_equal(error, "");
}

static void files(void **state)
{
	(void)state;
	char path[] = "/tmp/weir-query-XXXXXX", error[WEIR_QUERY_ERROR_BYTES] = "";
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, summary, sizeof summary - 1), sizeof summary - 1);
	close(fd);
	json_t *d = weir_query_load(path, "weir.summary/1", error);
	assert_non_null(d);
	json_decref(d);
	unlink(path);
	assert_null(weir_query_load(path, "weir.summary/1", error));
	assert_string_equal(error, "No such file or directory");
	assert_null(weir_query_load("/", "weir.summary/1", error));
	assert_string_equal(error, "Is a directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(numbers_by_name),
	    cmocka_unit_test(nulls_and_mistakes),
	    cmocka_unit_test(hostile_documents),
	    cmocka_unit_test(files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
