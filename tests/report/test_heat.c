/* SPDX-License-Identifier: MIT */
/* Heat maps: the strongest colour for the best, a dash where there is no number, names as text. */
#include "report/heat.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char text[1 << 14];

static void draw(const struct weir_heat *h)
{
	memset(text, 0, sizeof text);
	FILE *to = fmemopen(text, sizeof text - 1, "w");
	assert_non_null(to);
	weir_heat(to, h);
	assert_int_equal(fclose(to), 0);
}

/* Percent, of the cell of which a mouse is told this. */
static long strength_of(const char *told)
{
	const char *at = strstr(text, told);
	assert_non_null(at);
	at = strstr(at, "fill-opacity=\".");
	assert_non_null(at);
	return strtol(at + strlen("fill-opacity=\"."), NULL, 10);
}

#define NO (double)NAN
static const char *const rows[] = {"agile-sd", "<b>"}, *const columns[] = {"4 packets", "1 BDP"};
static struct weir_heat_cell cells[] = {
    {.8, {.7, .9}, WEIR_HEAT_FIRST_MARK}, {.2, {NO, NO}, 0}, {.5, {NO, NO}, 0}, {NO, {NO, NO}, 0}};
static const struct weir_heat shares = {.title = "t & u",
					.note = "50 ms",
					.row_title = "controller",
					.column_title = "buffer",
					.unit = "of the link",
					.row = rows,
					.column = columns,
					.n_rows = 2,
					.n_columns = 2,
					.cell = cells,
					.mark = {"the best", NULL}};

static void more_is_stronger(void **state)
{
	(void)state;
	draw(&shares);
	assert_true(strength_of("agile-sd, 4 packets: ") > strength_of("&lt;b&gt;, 4 packets: "));
	assert_true(strength_of("&lt;b&gt;, 4 packets: ") > strength_of("agile-sd, 1 BDP: "));
	assert_non_null(strstr(text, ">.800</text>"));
	assert_non_null(strstr(text, "0.8 \302\261 0.1 of the link"));
	assert_non_null(strstr(text, "t &amp; u"));
	assert_non_null(strstr(text, "\342\200\223</text>"));
	assert_non_null(strstr(text, "class=\"mark s1\""));
	assert_null(strstr(text, "<b>"));
	assert_null(strstr(text, "nan"));
}

static void less_is_stronger_where_less_is_better(void **state)
{
	(void)state;
	struct weir_heat losses = shares;
	losses.less_is_better = true;
	draw(&losses);
	assert_true(strength_of("agile-sd, 4 packets: ") < strength_of("agile-sd, 1 BDP: "));
}

/* 1, 1000 and 1,000,000 are equally far apart. */
static void powers_of_ten_have_a_scale_of_their_own(void **state)
{
	(void)state;
	const struct weir_heat_cell wide[] = {
	    {1, {NO, NO}, 0}, {1e3, {NO, NO}, 0}, {1e6, {NO, NO}, 0}, {NO, {NO, NO}, 0}};
	struct weir_heat h = shares;
	h.cell = wide;
	draw(&h);
	assert_int_equal(2 * strength_of("agile-sd, 1 BDP: "),
			 strength_of("agile-sd, 4 packets: ") + strength_of("&lt;b&gt;, 4 packets: "));
}

static void nothing_is_drawn_of_nothing(void **state)
{
	(void)state;
	struct weir_heat none = shares;
	none.n_rows = 0;
	draw(&none);
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(more_is_stronger),
	    cmocka_unit_test(less_is_stronger_where_less_is_better),
	    cmocka_unit_test(powers_of_ten_have_a_scale_of_their_own),
	    cmocka_unit_test(nothing_is_drawn_of_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
