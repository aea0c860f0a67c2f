/* SPDX-License-Identifier: MIT */
#include "core/diag.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static struct weir_diag d;

static char *printed(const char *source)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *f = open_memstream(&text, &bytes);
	assert_non_null(f);
	weir_diag_print(&d, source, f);
	fclose(f);
	return text;
}

static void begin(const char *file)
{
	memset(&d, 0, sizeof d);
	snprintf(d.file, sizeof d.file, "%s", file);
}

static void a_mistake_is_shown_with_its_line_and_a_caret(void **unused)
{
	(void)unused;
	begin("two.yaml");
	weir_diag_add(&d, 2, 8, "unknown word '%s'", "cubik");
	char *text = printed("title: a\nflows: cubik\nend: 1\n");
	assert_string_equal(text, "two.yaml:2:8: unknown word 'cubik'\n    flows: cubik\n           ^\n");
	free(text);
}

static void all_mistakes_come_in_order(void **unused)
{
	(void)unused;
	begin("x");
	weir_diag_add(&d, 0, 0, "first");
	weir_diag_add(&d, 9, 1, "second"); /* past the end of the file: no line to show */
	char *text = printed("one line");
	assert_string_equal(text, "x: first\nx:9:1: second\n");
	free(text);
	text = printed(NULL);
	assert_string_equal(text, "x: first\nx:9:1: second\n");
	free(text);
}

static void too_many_are_counted(void **unused)
{
	(void)unused;
	begin("x");
	for (u32 i = 0; i < WEIR_DIAG_MAX + 7; i++)
		weir_diag_add(&d, 1, 1, "m%u", i);
	assert_int_equal(d.n, WEIR_DIAG_MAX);
	assert_int_equal(d.more, 7);
	char *text = printed(NULL);
	assert_non_null(strstr(text, "m63"));
	assert_null(strstr(text, "m64"));
	assert_non_null(strstr(text, "x: and 7 more mistakes\n"));
	free(text);
}

static void long_texts_are_cut_not_overrun(void **unused)
{
	(void)unused;
	begin("x");
	char longer[1000];
	memset(longer, 'a', sizeof longer - 1);
	longer[sizeof longer - 1] = 0;
	weir_diag_add(&d, 1, 1, "%s", longer);
	assert_int_equal(strlen(d.entry[0].text), sizeof d.entry[0].text - 1);
}

static void control_characters_of_the_input_do_not_reach_the_terminal(void **unused)
{
	(void)unused;
	begin("x\033[2J");
	weir_diag_add(&d, 1, 2, "bad \033[31m value");
	char *text = printed("a\033]0;title\007b\n");
	assert_null(strchr(text, '\033'));
	assert_null(strchr(text, '\007'));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_mistake_is_shown_with_its_line_and_a_caret),
	    cmocka_unit_test(all_mistakes_come_in_order),
	    cmocka_unit_test(too_many_are_counted),
	    cmocka_unit_test(long_texts_are_cut_not_overrun),
	    cmocka_unit_test(control_characters_of_the_input_do_not_reach_the_terminal),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
