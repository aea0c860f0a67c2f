/* SPDX-License-Identifier: MIT */
/* sends.csv: rows to the letter, names that must be quoted, and the bound. */
#include "record/sends.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <stdlib.h>

static const char *name_of(const void *ctx, u32 flow)
{
	(void)ctx;
	return flow ? "a, \"b\"" : "one";
}

static void a_row_for_each_packet(void **state)
{
	(void)state;
	struct weir_sends s = {0};
	char *text = NULL;
	size_t bytes;
	weir_sends_add(&s, &(struct weir_send){.time_ns = 20500000, .first_byte = 512, .bytes = 512});
	weir_sends_add(
	    &s,
	    &(struct weir_send){
		.time_ns = 3000000000ULL, .first_byte = 1ULL << 33, .flow = 1, .bytes = 100, .again = true});
	FILE *to = open_memstream(&text, &bytes);
	assert_non_null(to);
	assert_int_equal(weir_sends_write(&s, to, name_of, NULL), 0);
	fclose(to);
	assert_string_equal(text, "time_s,flow,first_byte,bytes,again\n"
				  "0.0205,one,512,512,0\n"
				  "3,\"a, \"\"b\"\"\",8589934592,100,1\n");
	free(text);
	weir_sends_free(&s);
	assert_null(s.send);
}

static void of_a_long_run_the_first_ones(void **state)
{
	(void)state;
	struct weir_sends s = {0};
	for (u64 i = 0; i < WEIR_SENDS_MAX + 7; i++)
		weir_sends_add(&s, &(struct weir_send){.time_ns = i});
	assert_int_equal(s.n, WEIR_SENDS_MAX);
	assert_int_equal(s.left_out, 7);
	assert_int_equal(s.send[WEIR_SENDS_MAX - 1].time_ns, WEIR_SENDS_MAX - 1);
	weir_sends_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_row_for_each_packet),
	    cmocka_unit_test(of_a_long_run_the_first_ones),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
