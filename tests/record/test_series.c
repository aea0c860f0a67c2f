/* SPDX-License-Identifier: MIT */
#include "record/series.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void rows_are_as_documented(void **state)
{
	(void)state;
	static struct weir_series s;
	char *text;
	size_t n;
	FILE *out = open_memstream(&text, &n);
	weir_series_begin(&s, out);
	weir_series_time(&s, 10000000);
	weir_series_flow(&s, "", "cubic");
	weir_series_fixed(&s, "rtt_ms", 50250000, 6);
	weir_series_value(&s, "throughput_bps", 1234.5);
	weir_series_value(&s, "none", (double)NAN);
	weir_series_flow(&s, "link:", "a \"b\", c");
	weir_series_fixed(&s, "drops", 0, 0);
	weir_series_time(&s, 2000000000);
	weir_series_flow(&s, "", "x");
	weir_series_fixed(&s, "rtt_ms", 1, 6);
	assert_int_equal(weir_series_finish(&s), 0);
	fclose(out);
	assert_string_equal(text, "time_s,flow,signal,value\n"
				  "0.01,cubic,rtt_ms,50.25\n"
				  "0.01,cubic,throughput_bps,1234.5\n"
				  "0.01,\"link:a \"\"b\"\", c\",drops,0\n"
				  "2,x,rtt_ms,0.000001\n");
	assert_int_equal(s.rows, 4);
	free(text);
}

static void many_rows_pass_the_buffer(void **state)
{
	(void)state;
	static struct weir_series s;
	char *text, expected[64];
	size_t n;
	FILE *out = open_memstream(&text, &n);
	weir_series_begin(&s, out);
	for (u64 i = 0; i < 20000; i++) {
		weir_series_time(&s, i * 1000000000);
		weir_series_flow(&s, "", "f");
		weir_series_fixed(&s, "i", i, 0);
	}
	assert_int_equal(weir_series_finish(&s), 0);
	fclose(out);
	const char *line = strchr(text, '\n') + 1;
	for (u64 i = 0; i < 20000; i++) {
		snprintf(expected, sizeof expected, "%llu,f,i,%llu\n", i, i);
		assert_memory_equal(line, expected, strlen(expected));
		line += strlen(expected);
	}
	assert_int_equal(*line, 0);
	free(text);
}

static void full_disk_is_noticed(void **state)
{
	(void)state;
	static struct weir_series s;
	FILE *full = fopen("/dev/full", "w");
	if (!full)
		skip();
	weir_series_begin(&s, full);
	for (u64 i = 0; i < 100000; i++) {
		weir_series_time(&s, i);
		weir_series_flow(&s, "", "f");
		weir_series_fixed(&s, "i", i, 0);
	}
	assert_int_equal(weir_series_finish(&s), -1);
	assert_int_equal(errno, ENOSPC);
	fclose(full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rows_are_as_documented),
	    cmocka_unit_test(many_rows_pass_the_buffer),
	    cmocka_unit_test(full_disk_is_noticed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
