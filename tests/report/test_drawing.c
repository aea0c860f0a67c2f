/* SPDX-License-Identifier: MIT */
/* Drawings: a dot for each packet, those sent again apart, nothing that is no number, names as text. */
#include "report/drawing.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <stdio.h>

static char text[1 << 14];

static void draw(const struct weir_drawing *d)
{
	memset(text, 0, sizeof text);
	FILE *to = fmemopen(text, sizeof text - 1, "w");
	assert_non_null(to);
	weir_drawing(to, d);
	assert_int_equal(fclose(to), 0);
}

static u32 count(const char *in, const char *what)
{
	u32 n = 0;
	for (const char *at = in; (at = strstr(at, what)) != NULL; at++)
		n++;
	return n;
}

static void dots_sent_again_are_apart(void **state)
{
	(void)state;
	const struct weir_drawing_point point[] = {
	    {0, 0, false}, {1, 1, false}, {2, 0, true}, {(double)NAN, 5, true}};
	const struct weir_drawing_line line = {"a <b>", point, 4};
	const struct weir_drawing d = {
	    .title = "t & u", .where = "", .note = "", .dots = true, .line = &line, .n = 1};
	draw(&d);
	assert_int_equal(count(text, "h0"), 3);
	assert_int_equal(count(text, "<path class=\"again\" d=\"M"), 1);
	assert_non_null(strstr(text, "sent again"));
	assert_non_null(strstr(text, "t &amp; u"));
	assert_null(strstr(text, "<b>"));
	assert_null(strstr(text, "nan"));
}

static void a_line_is_broken_where_there_is_no_number(void **state)
{
	(void)state;
	const struct weir_drawing_point point[] = {
	    {0, 1, false}, {1, 2, false}, {2, HUGE_VAL, false}, {3, 1, false}};
	const struct weir_drawing_line line = {"l", point, 4};
	const struct weir_drawing d = {
	    .title = "t", .where = "here", .note = "", .y_title = "kB", .line = &line, .n = 1};
	draw(&d);
	char *path = strstr(text, "class=\"line s0 d0\" d=\"");
	assert_non_null(path);
	path += strlen("class=\"line s0 d0\" d=\"");
	path[strcspn(path, "\"")] = 0;
	assert_int_equal(count(path, "M"), 2);
	assert_int_equal(count(path, "L"), 1);
}

/* By powers of ten: half of the way from 1 to 100 is 10, and 0 is nowhere. */
static void a_scale_may_be_logarithmic(void **state)
{
	(void)state;
	const struct weir_drawing_point point[] = {
	    {0, 0, false}, {0, 1, false}, {1, 10, false}, {2, 100, false}};
	const struct weir_drawing_line line = {"l", point, 4};
	const struct weir_drawing d = {
	    .title = "t", .where = "", .note = "", .y_title = "s", .y_log = true, .line = &line, .n = 1};
	draw(&d);
	assert_non_null(strstr(text, " d=\"M60 284L515 154L970 24\"/>"));
	assert_non_null(strstr(text, ">100</text>"));
}

static void nothing_to_draw_is_no_error(void **state)
{
	(void)state;
	const struct weir_drawing d = {.title = "t", .where = "", .note = "", .dots = true};
	draw(&d);
	assert_non_null(strstr(text, "</svg>"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(dots_sent_again_are_apart),
	    cmocka_unit_test(a_line_is_broken_where_there_is_no_number),
	    cmocka_unit_test(a_scale_may_be_logarithmic),
	    cmocka_unit_test(nothing_to_draw_is_no_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
