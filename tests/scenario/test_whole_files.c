/* SPDX-License-Identifier: MIT */
/* What is said about whole files: all mistakes at once, how they are printed, and limits. */
#include "complain.h"

static void expect_whole(const char *text, const char *said)
{
	char out[4000];
	complain(text, strlen(text), NULL, 0, out, sizeof out);
	if (strcmp(out, said) != 0)
		fail_msg("%s\nsaid:\n%sinstead of:\n%s", text, out, said);
}

static void mistakes_of_whole_files(void **state)
{
	(void)state;
	expect_whole("", "0:0: nothing is in it\n");
	expect_whole("# only a comment\n", "0:0: nothing is in it\n");
	expect_whole("just text\n", "1:1: a scenario is a map of keys, such as {title: ...}\n");
	expect_whole("[1, 2]\n", "1:1: a scenario is a map of keys, such as {title: ...}\n");
	expect_whole("title: x\n", "1:1: a scenario needs \"duration\"\n"
				   "1:1: a scenario needs \"paths\"\n"
				   "1:1: a scenario needs \"flows\" (or \"traffic\")\n");
	expect_whole("duration: 1 s\npaths: {}\nflows: [{name: a, controller: cubic}]\n",
		     "2:8: paths: a map of at least one path is needed, such as {main: ...}\n");
	expect_whole("duration: 1 s\npaths:\n  a: {hops: [{name: x, rate: 1 Mbit/s}]}\n  b: {hops: [x]}\n"
		     "flows: [{name: f, controller: cubic}]\n",
		     "5:9: a flow needs \"path\": there are several\n");
	expect_whole("duration: 1 s\npaths:\n  a: {hops: [{name: x, rate: 1 Mbit/s}], back: {}}\n"
		     "  b: {hops: [x], back: {delay: 3 ms, hops: [x]}}\nflows: [{name: f, path: a, "
		     "controller: cubic}]\n",
		     "3:48: a way back needs \"delay\" or \"hops\"\n"
		     "4:25: \"delay\" and \"hops\" exclude each other: the hops have delays\n");
	expect_whole("a: \xff\n", "1:4: not YAML: invalid leading UTF-8 octet\n");
	expect_whole("%TAG ! tag:x,2000:\n---\na: 1\n", "1:1: a %TAG directive is not allowed\n");
}

/* The file of a bad day: one call shows all of it, in the order of the file, then of the arguments. */
static void many_mistakes_are_reported_at_once(void **state)
{
	(void)state;
	static const char *const sets[] = {"flows.poison.x=3", "seeds=4"};
	static const char text[] =
	    "tilte: x\n"
	    "duration: 15\n"
	    "paths:\n"
	    "  main:\n"
	    "    hops:\n"
	    "      - {name: b, rate: 96 mbit/s, dela: 25 ms, buffer: 100, aqm: codle}\n"
	    "      - nosuch\n"
	    "    back: {delay: 25 ms, delay: 3 ms}\n"
	    "flows:\n"
	    "  - {name: a, path: mian, controller: cubci, start: 10 s, stop: 5 s}\n"
	    "  - {name: a, controller: {name: vegas, alhpa: 3}, rate: 3 Mbit/s}\n";
	char out[4000];
	complain(text, sizeof text - 1, sets, 2, out, sizeof out);
	assert_string_equal(out,
			    "1:1: unknown key \"tilte\" in a scenario; did you mean title?\n"
			    "2:11: duration: 15 has no unit: write 15 ms or 15 s\n"
			    "6:25: rate: unknown unit \"mbit/s\"; did you mean Mbit/s?\n"
			    "6:36: unknown key \"dela\" in a hop; did you mean delay?\n"
			    "6:57: buffer: 100 has no unit: write 100 ms, 100 kB, 100 packets or 100 BDP\n"
			    "6:67: aqm: unknown word \"codle\"; did you mean codel?\n"
			    "7:9: no hop is called \"nosuch\"\n"
			    "8:26: \"delay\" was given already in line 8\n"
			    "10:21: no path is called \"mian\"; did you mean main?\n"
			    "10:39: unknown controller \"cubci\"; did you mean cubic?\n"
			    "10:65: stop: it must be after the start\n"
			    "11:5: a flow \"a\" stands already in line 10\n"
			    "11:41: vegas has no parameter \"alhpa\"; did you mean alpha?\n"
			    "11:52: \"rate\" does not apply to bulk\n"
			    "--set:1:7: nothing in this list is called \"poison\"\n"
			    "--set:2:1: unknown key \"seeds\" in a scenario; did you mean seed?\n");
}

static void print_to(char *out, size_t room, const struct weir_diag *diag, const char *source)
{
	FILE *to = fmemopen(out, room, "w");
	weir_diag_print(diag, source, to);
	fclose(to);
}

static void printed_with_the_line_and_a_caret(void **state)
{
	(void)state;
	static const char *const sets[] = {"seed=x"};
	static const char text[] = "duration: 10 s\ntitle: [\"\xc3\xa4\\t\", x]\n";
	struct weir_scenario_set set;
	struct weir_diag diag = {0};
	char out[4000];
	weir_scenario_parse("a/b.yaml", text, sizeof text - 1, sets, 1, &catalog, &set, &diag);
	print_to(out, sizeof out, &diag, set.text);
	assert_string_equal(out, "a/b.yaml:1:1: a scenario needs \"paths\"\n"
				 "    duration: 10 s\n"
				 "    ^\n"
				 "a/b.yaml:1:1: a scenario needs \"flows\" (or \"traffic\")\n"
				 "    duration: 10 s\n"
				 "    ^\n"
				 "a/b.yaml:2:8: one value is expected here, not a list\n"
				 "    title: [\"\xc3\xa4\\t\", x]\n"
				 "           ^\n"
				 "--set:1:6: seed: \"x\" is not a whole number\n"
				 "    seed=x\n"
				 "         ^\n");
	weir_scenario_set_free(&set);
}

/* An escape sequence in a file must not reach the terminal, and a caret stands below its character whatever
 * comes before it. */
static void printing_is_safe_and_aligned(void **state)
{
	(void)state;
	struct weir_diag diag = {.file = "a\x1b[31m.yaml"};
	char out[1000], line[400];
	weir_diag_add(&diag, 1, 4, "bad \x1b[2J word \xc2\x9b");
	print_to(out, sizeof out, &diag, "\t\xc3\xa4\x1b!\n");
	assert_string_equal(out, "a?[31m.yaml:1:4: bad ?[2J word ?\n     \xc3\xa4?!\n       ^\n");

	memset(line, 'x', sizeof line);
	line[300] = '!';
	line[sizeof line - 1] = 0;
	diag.n = 0;
	weir_diag_add(&diag, 1, 301, "far");
	print_to(out, sizeof out, &diag, line);
	const char *shown = strchr(out, '\n') + 1, *caret = strchr(shown, '\n') + 1;
	assert_int_equal(strchr(shown, '!') - shown, strchr(caret, '^') - caret);
	assert_true(caret - shown < 120);
}

static void more_mistakes_than_are_kept_are_counted(void **state)
{
	(void)state;
	char text[4000] = "duration: 1 s\n", out[8000];
	size_t used = strlen(text);
	for (u32 i = 0; i < 100; i++)
		used += (size_t)snprintf(text + used, sizeof text - used, "q%u: 1\n", i);
	struct weir_scenario_set set;
	struct weir_diag diag = {0};
	assert_int_equal(weir_scenario_parse("t.yaml", text, used, NULL, 0, &catalog, &set, &diag), -1);
	assert_int_equal(diag.n, WEIR_DIAG_MAX);
	assert_int_equal(diag.n + diag.more, 102);
	print_to(out, sizeof out, &diag, set.text);
	assert_non_null(strstr(out, "t.yaml: and 38 more mistakes\n"));
	weir_scenario_set_free(&set);
}

/* ---- limits ---- */

static void repeat(char **to, const char *what, u32 times)
{
	for (u32 i = 0; i < times; i++, *to += strlen(what))
		memcpy(*to, what, strlen(what));
}

static void expect_built(char *text, const char *end, const char *said)
{
	char out[4000];
	complain(text, (size_t)(end - text), NULL, 0, out, sizeof out);
	assert_string_equal(out, said);
	free(text);
}

static void deep_large_and_endless_files_are_refused(void **state)
{
	(void)state;
	char *text = malloc(5 << 20), *to = text;
	repeat(&to, "[", 200000);
	expect_built(text, to, "1:33: nested too deep: at most 32 levels\n");

	to = text = malloc(5 << 20);
	repeat(&to, "a: {", 200000);
	expect_built(text, to, "1:128: nested too deep: at most 32 levels\n");

	to = text = malloc(5 << 20);
	repeat(&to, "seed: 1 # comment\n", 240000);
	expect_built(text, to, "0:0: larger than 4 MiB: not a scenario\n");

	to = text = malloc(5 << 20);
	repeat(&to, "seed: [", 1);
	repeat(&to, "1,", 200000);
	expect_built(text, to, "1:200004: too many values: at most 100000\n");

	to = text = malloc(5 << 20);
	for (u32 i = 0; i < 3000; i++)
		to += sprintf(to, "k%u: 1\n", i);
	expect_built(text, to, "2001:8: too many keys in one map: at most 2000\n");
}

static void too_many_hops_and_points_are_refused(void **state)
{
	(void)state;
	char *text = malloc(1 << 20), *to = text;
	repeat(&to, "duration: 1 s\npaths: {m: {hops: [", 1);
	for (u32 i = 0; i < 1001; i++)
		to += sprintf(to, "{name: h%u, rate: 1 Mbit/s}, ", i);
	repeat(&to, "]}}\nflows: [{name: f, controller: cubic}]\n", 1);
	expect_built(text, to, "2:8: 1001 hops: at most 1000\n");

	to = text = malloc(1 << 20);
	repeat(&to, "duration: 1 s\npaths: {m: {hops: [{name: h, rate: 1 Mbit/s}]}}\nseed: [", 1);
	repeat(&to, "1,", 101);
	repeat(&to, "]\nflows: [{name: f, controller: cubic, count: [", 1);
	repeat(&to, "1,", 100);
	repeat(&to, "]}]\n", 1);
	expect_built(text, to, "4:45: the lists up to here make more than 10000 combinations\n");
}

static void unreadable_files_are_a_mistake(void **state)
{
	(void)state;
	struct weir_scenario_set set;
	struct weir_diag diag = {0};
	assert_int_equal(weir_scenario_load("/nonexistent/x.yaml", NULL, 0, &catalog, &set, &diag), -1);
	assert_string_equal(diag.file, "/nonexistent/x.yaml");
	assert_string_equal(diag.entry[0].text, "cannot be read: No such file or directory");
	weir_scenario_set_free(&set);
	diag.n = 0;
	assert_int_equal(weir_scenario_load("/", NULL, 0, &catalog, &set, &diag), -1);
	assert_string_equal(diag.entry[0].text, "cannot be read: Is a directory");
	weir_scenario_set_free(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(mistakes_of_whole_files),
	    cmocka_unit_test(many_mistakes_are_reported_at_once),
	    cmocka_unit_test(printed_with_the_line_and_a_caret),
	    cmocka_unit_test(printing_is_safe_and_aligned),
	    cmocka_unit_test(more_mistakes_than_are_kept_are_counted),
	    cmocka_unit_test(deep_large_and_endless_files_are_refused),
	    cmocka_unit_test(too_many_hops_and_points_are_refused),
	    cmocka_unit_test(unreadable_files_are_a_mistake),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
