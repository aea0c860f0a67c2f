/* SPDX-License-Identifier: MIT */
/* Axes and a small figure, byte for byte. */
#include "report/svg.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void ticks_are_round(void **state)
{
	(void)state;
	assert_true(weir_tick_step(100, 5) == 20);
	assert_true(weir_tick_step(96, 5) == 20);
	assert_true(fabs(weir_tick_step(.3, 4) - .1) < 1e-12);
	assert_true(weir_tick_step(7, 10) == 1);
	assert_true(weir_tick_step(0, 5) == 1);
	assert_true(weir_tick_step((double)NAN, 5) == 1);
}

static void axis_becomes(double from, double to, bool log, double from2, double to2)
{
	struct weir_axis a = {.from = from, .to = to, .log = log};
	weir_axis_round(&a, 5);
	assert_true(fabs(a.from - from2) < 1e-9 && fabs(a.to - to2) < 1e-9);
}

static void axes_end_at_round_numbers(void **state)
{
	(void)state;
	axis_becomes(0, 93, false, 0, 100);
	axis_becomes(12, 37, false, 10, 40);
	axis_becomes(3, 450, true, 1, 1000);
	axis_becomes(0, 0, false, 0, 1);
	axis_becomes(0, (double)NAN, false, 0, 1);
	axis_becomes(HUGE_VAL, 5, true, 0, 1);
}

static char *draw(const struct weir_chart *chart, const struct weir_charts *all)
{
	char *out = NULL;
	size_t n;
	FILE *f = open_memstream(&out, &n);
	assert_non_null(f);
	weir_svg_chart(f, chart, all);
	fclose(f);
	return out;
}

/* Four samples, a gap before the last: two strokes. */
static void a_small_chart_is_drawn_exactly(void **state)
{
	(void)state;
	double t_s[] = {0, 1, 2, 4};
	struct weir_cell cell[] = {
	    {1, WEIR_CELL_VALUE}, {3, WEIR_CELL_VALUE}, {0, WEIR_CELL_GAP}, {2, WEIR_CELL_VALUE}};
	struct weir_line line = {.label = "x", .colour = 3, .dash = 1, .cell = cell};
	struct weir_chart chart = {
	    .title = "A <b>", .unit = "ms", .from_zero = true, .line = &line, .n_lines = 1};
	struct weir_charts all = {.grid = {.t_s = t_s, .rows = 4, .exact = true}, .end_s = 4};
	char *svg = draw(&chart, &all);
	assert_ptr_equal(strstr(svg, "<svg role=\"img\" aria-label=\"A &lt;b&gt;\" viewBox=\"0 0 560 200\">"),
			 svg);
	assert_non_null(
	    strstr(svg, "<path class=\"line s3 d1\" d=\"M56 122.7L179.5 20M550 71.3\"/></svg>\n")
		? svg
		: strstr(svg, "<path class=\"line s3 d1\" d=\"M56 122.7L179.5 20M550 71.3\"/></svg>"));
	assert_non_null(strstr(svg, "<text x=\"4\" y=\"12\" text-anchor=\"start\" class=\"axis\">ms</text>"));
	free(svg);
}

static void nothing_to_draw_is_an_empty_frame(void **state)
{
	(void)state;
	struct weir_chart chart = {.title = "none", .unit = ""};
	struct weir_charts all = {0};
	char *svg = draw(&chart, &all);
	assert_null(strstr(svg, "nan"));
	assert_null(strstr(svg, "inf"));
	assert_non_null(strstr(svg, "</svg>"));
	free(svg);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(ticks_are_round),
	    cmocka_unit_test(axes_end_at_round_numbers),
	    cmocka_unit_test(a_small_chart_is_drawn_exactly),
	    cmocka_unit_test(nothing_to_draw_is_an_empty_frame),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
