/* SPDX-License-Identifier: MIT */
/* The page of claims: every verdict, numbers that are not there, and names that try to be markup. */
#include "core/exit_code.h"
#include "report/experiment.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define NONE ((double)NAN)

static const struct weir_report_claim claim[] = {
    {"a",
     "Two flows share the link",
     "",
     "section 4.1",
     .99,
     .987,
     {.95, 1},
     {.98, .994},
     10,
     "holds",
     "",
     NULL,
     NULL},
    {"b",
     "<script>alert(1)</script>",
     "Mbit/s",
     "",
     90,
     71.5,
     {85, 95},
     {70, 73},
     10,
     "misses",
     "71.5 is outside",
     NULL,
     NULL},
    {"c",
     "No number came",
     "ms",
     "",
     NONE,
     NONE,
     {NONE, NONE},
     {NONE, NONE},
     0,
     "explained",
     "the paper's link is faster",
     NULL,
     NULL},
};
static const struct weir_report_sweep_point low[] = {
    {.1, 80, {78, 82}}, {1, 90, {89, 91}}, {10, 95, {94, 96}}};
static const struct weir_report_sweep_point high[] = {
    {.1, 60, {NONE, NONE}}, {1, NONE, {NONE, NONE}}, {10, 92, {90, 94}}};
static const struct weir_report_sweep_line lines[] = {
    {.label = "10 ms", .point = low, .n = 3},
    {.label = "<i>100 ms</i>", .colour = 1, .dash = 1, .dots = true, .point = high, .n = 3}};
static const struct weir_report_sweep sweep = {
    "Throughput by buffer", "buffer, BDP", "Mbit/s", "Figure <8>", "a note", true, false, false, lines, 2};
static const struct weir_report_experiment experiment = {.name = "paper/buffers",
							 .title = "Buffers & flows",
							 .source = "A paper, 2020",
							 .backend = "sim",
							 .claim = claim,
							 .n_claims = 3,
							 .sweep = &sweep,
							 .n_sweeps = 1};

static char *page_of(const struct weir_report_experiment *e, u32 n)
{
	char path[] = "/tmp/weir-claims-XXXXXX", *text = calloc(1, 1 << 20);
	struct weir_diag d = {0};
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(weir_report_experiments(path, e, n, &d), WEIR_EXIT_OK);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	assert_non_null(text);
	assert_in_range(fread(text, 1, (1 << 20) - 1, f), 1000, (1 << 20) - 2);
	fclose(f);
	unlink(path);
	return text;
}

static void claims_stand_beside_their_numbers(void **state)
{
	(void)state;
	char *page = page_of(&experiment, 1);
	assert_non_null(
	    strstr(page, "Of 3 claims <b>1 hold</b>, 1 miss and 1 miss for a reason that is known."));
	assert_non_null(strstr(
	    page, "<td>0.987 <small>\302\261 0.007</small></td><td>0.99</td><td>0.95 to 1</td><td>10</td>"));
	assert_non_null(strstr(page, "&lt;script&gt;alert(1)&lt;/script&gt;"));
	assert_non_null(strstr(page, "Buffers &amp; flows"));
	assert_null(strstr(page, "<script"));
	assert_null(strstr(page, ">nan"));
	free(page);
}

/* A point without a number breaks the line; a logarithmic axis has its powers of ten. */
static void sweeps_are_drawn(void **state)
{
	(void)state;
	char *page = page_of(&experiment, 1);
	assert_non_null(strstr(page, "<path class=\"line s1 d1\" d=\"M52 116M462 42.4\"/>"));
	assert_non_null(strstr(page, ">0.1</text>"));
	assert_non_null(strstr(page, ">10</text>"));
	assert_non_null(strstr(page, "&lt;i&gt;100 ms&lt;/i&gt;"));
	assert_non_null(strstr(page, "<p>Figure &lt;8&gt;. a note</p>"));
	/* of a line with dots, as many as it has numbers */
	assert_non_null(strstr(page, "<circle class=\"dot f1\" r=\"3.5\" cx=\"52\" cy=\"116\"/>"));
	free(page);
}

/* What agrees lies on the diagonal; claims that were written as one have their words once. */
static void pairs_are_drawn(void **state)
{
	(void)state;
	static const struct weir_report_pair pair[] = {
	    {1, 1, "12 Mbit/s", "holds"}, {4, 2, "<b>", "misses"}, {NONE, 1, "none", "invalid"}};
	static const struct weir_report_pairs pairs = {"The same delay", "host: sim", "host: kernel", pair,
						       3};
	static const struct weir_report_claim each[] = {{.id = "a",
							 .text = "The same: 12",
							 .unit = "",
							 .where = "w",
							 .paper = NONE,
							 .measured = 1,
							 .band = {0, 1},
							 .ci95 = {NONE, NONE},
							 .n = 1,
							 .verdict = "holds",
							 .reason = "",
							 .group = "The same",
							 .part = "12"},
							{.id = "b",
							 .text = "The same: 96",
							 .unit = "",
							 .where = "w",
							 .paper = NONE,
							 .measured = NONE,
							 .band = {0, 1},
							 .ci95 = {NONE, NONE},
							 .n = 0,
							 .verdict = "invalid",
							 .reason = "late",
							 .group = "The same",
							 .part = "96"}};
	const struct weir_report_experiment e = {.name = "n",
						 .title = "t",
						 .source = "",
						 .backend = "emu",
						 .claim = each,
						 .n_claims = 2,
						 .pairs = &pairs,
						 .n_pairs = 1};
	char *page = page_of(&e, 1);
	assert_non_null(strstr(page,
			       "<circle class=\"pair holds\" r=\"4\" cx=\"178.5\" cy=\"256.5\"><title>12 "
			       "Mbit/s</title></circle>"));
	assert_non_null(strstr(page, "<title>&lt;b&gt;</title>"));
	assert_null(strstr(page, "<title>none</title>"));
	assert_non_null(strstr(page, "On 1 more there is no verdict"));
	char *once = strstr(page, "<td class=\"wide\" colspan=\"7\">The same <small>w</small>");
	assert_non_null(once);
	assert_null(strstr(once + strlen("<td class=\"wide\" colspan=\"7\">The same"), "The same"));
	free(page);
}

static void no_experiments_are_an_empty_page(void **state)
{
	(void)state;
	char *page = page_of(NULL, 0);
	assert_non_null(strstr(page, "Of 0 claims"));
	free(page);
}

static void a_path_that_cannot_be_written_is_named(void **state)
{
	(void)state;
	struct weir_diag d = {0};
	assert_int_equal(weir_report_experiments("/nowhere/at/all.html", &experiment, 1, &d),
			 WEIR_EXIT_FAILED);
	assert_string_equal(d.file, "/nowhere/at/all.html");
	assert_non_null(strstr(d.entry[0].text, "No such file"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(claims_stand_beside_their_numbers),
	    cmocka_unit_test(sweeps_are_drawn),
	    cmocka_unit_test(pairs_are_drawn),
	    cmocka_unit_test(no_experiments_are_an_empty_page),
	    cmocka_unit_test(a_path_that_cannot_be_written_is_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
