/* SPDX-License-Identifier: MIT */
/* The frame of the command line, on verbs of its own. */
#include "cli/command.h"
#include "core/nearest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* What the verb below saw. */
static struct {
	u32 calls, n_operands;
	char operands[8][32];
	char seed[32], controller[3][32];
	bool json;
} seen;

static int run_try(struct weir_invocation *call)
{
	seen.calls++;
	seen.n_operands = call->n_operands;
	for (u32 i = 0; i < call->n_operands && i < 8; i++)
		snprintf(seen.operands[i], sizeof seen.operands[i], "%s", call->operands[i]);
	for (u32 i = 0; i < 3 && weir_option_at(call, "controller", i); i++)
		snprintf(seen.controller[i], sizeof seen.controller[i], "%s",
			 weir_option_at(call, "controller", i));
	snprintf(seen.seed, sizeof seen.seed, "%s",
		 weir_option(call, "seed") ? weir_option(call, "seed") : "");
	seen.json = weir_option(call, "json") != NULL;
	u64 number = 7;
	int code = weir_option_u64(call, "seed", 1, 100, &number);
	return code ? code : weir_option(call, "seed") ? 0 : number == 7 ? 0 : 1;
}

static const struct weir_option try_options[] = {
    {.name = "controller", .letter = 'c', .value = "NAME", .repeat = true, .help = "use it"},
    {.name = "quick", .help = "be quick"},
    WEIR_OPTION_SEED,
    WEIR_OPTION_JSON,
    {0},
};
static const struct weir_command verb_try = {
    .name = "try",
    .synopsis = "FILE [--seed N]",
    .help = "try a file",
    .options = try_options,
    .operands_min = 1,
    .operands_max = 2,
    .run = run_try,
};
static const struct weir_command verb_check = {
    .name = "check", .synopsis = "FILE", .help = "check one", .operands_max = WEIR_ANY, .run = run_try};
static const struct weir_command *const trace_verbs[] = {&verb_check, NULL};
static const struct weir_command verb_trace = {
    .name = "track", .synopsis = "check", .help = "look at tracks", .children = trace_verbs};
const struct weir_command *const weir_verbs[] = {&verb_try, &verb_trace, NULL};

static char out[4096], err[4096];

static void slurp(FILE *f, char *to, size_t room)
{
	rewind(f);
	to[fread(to, 1, room - 1, f)] = 0;
	fclose(f);
}

/* Runs "weir ARGUMENTS", split at blanks, with both streams caught. */
static int weir(const char *arguments)
{
	char text[256], *argv[32] = {"weir"};
	int argc = 1;
	snprintf(text, sizeof text, "%s", arguments);
	for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	memset(&seen, 0, sizeof seen);
	fflush(stdout);
	fflush(stderr);
	FILE *to_out = tmpfile(), *to_err = tmpfile();
	int old_out = dup(1), old_err = dup(2);
	dup2(fileno(to_out), 1);
	dup2(fileno(to_err), 2);
	int code = weir_dispatch(argc, argv);
	fflush(stdout);
	dup2(old_out, 1);
	dup2(old_err, 2);
	close(old_out);
	close(old_err);
	slurp(to_out, out, sizeof out);
	slurp(to_err, err, sizeof err);
	return code;
}

#define assert_says(text, words) assert_non_null(strstr(text, words))

static void options_reach_the_verb(void **state)
{
	(void)state;
	assert_int_equal(weir("try a.yaml --seed 3 -c cubic b.yaml --controller=./x.h --json -cvegas"), 0);
	assert_int_equal(seen.n_operands, 2);
	assert_string_equal(seen.operands[1], "b.yaml");
	assert_string_equal(seen.seed, "3");
	assert_string_equal(seen.controller[0], "cubic");
	assert_string_equal(seen.controller[1], "./x.h");
	assert_string_equal(seen.controller[2], "vegas");
	assert_true(seen.json);
	assert_string_equal(err, "");
}

static void what_is_absent_is_absent(void **state)
{
	(void)state;
	assert_int_equal(weir("try a.yaml"), 0);
	assert_string_equal(seen.seed, "");
	assert_false(seen.json);
}

static void words_after_two_dashes_are_operands(void **state)
{
	(void)state;
	assert_int_equal(weir("try -- --json -c"), 0);
	assert_int_equal(seen.n_operands, 2);
	assert_string_equal(seen.operands[0], "--json");
	assert_false(seen.json);
}

static void verbs_may_have_verbs(void **state)
{
	(void)state;
	assert_int_equal(weir("track check one two three"), 0);
	assert_int_equal(seen.n_operands, 3);
	assert_int_equal(weir("track chekc"), 2);
	assert_says(err, "weir track: unknown verb chekc; did you mean check?");
	assert_int_equal(weir("track"), 2);
	assert_int_equal(weir("track check --help"), 0);
	assert_says(out, "usage: weir track check FILE");
}

static void each_mistake_is_exit_2_and_named(void **state)
{
	static const struct {
		const char *arguments, *says;
	} bad[] = {
	    {"", "which verb?"},
	    {"tyr a.yaml", "unknown verb tyr; did you mean try?"},
	    {"zzzzzzzzz", "unknown verb zzzzzzzzz"},
	    {"send --rate 1", "send is not built yet"},
	    {"probe host", "probe is not built yet"},
	    {"try", "FILE"},
	    {"try a b c", "c is one operand too many"},
	    {"try a --sed 3 --sede 3", "unknown option --sede; did you mean --seed?"},
	    {"try a --controler=x", "unknown option --controler=x; did you mean --controller?"},
	    {"try a --wholly-unknown", "unknown option --wholly-unknown; weir try --help"},
	    {"try a -x", "unknown option -x"},
	    {"try a --seed", "--seed wants a value"},
	    {"try a -c", "--controller wants a value"},
	    {"try a --json=yes", "--json takes no value"},
	    {"try a --seed 1 --seed 2", "--seed is given twice"},
	    {"try a --seed 1x", "--seed 1x: a whole number from 1 to 100"},
	    {"try a --seed -1", "--seed -1: a whole number"},
	    {"try a --seed 101", "--seed 101: a whole number"},
	    {"try a --seed 18446744073709551617", "a whole number"},
	    {"try a --seed 0x10", "a whole number"},
	    {"--jsn", "unknown option --jsn"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		int code = weir(bad[i].arguments);
		if (code != WEIR_EXIT_USAGE || !strstr(err, bad[i].says) || *out)
			fail_msg("weir %s: exit %d, said: %s", bad[i].arguments, code, err);
	}
}

static void all_mistakes_are_told_at_once(void **state)
{
	(void)state;
	assert_int_equal(weir("try a --sede 3 --quikc --json=1 --controller"), 2);
	assert_says(err, "--sede");
	assert_says(err, "did you mean --quick");
	assert_says(err, "--json takes no value");
	assert_says(err, "--controller wants a value");
	assert_int_equal(seen.calls, 0);
}

static void help_comes_from_the_tables(void **state)
{
	(void)state;
	assert_int_equal(weir("--help"), 0);
	assert_says(out, "try ");
	assert_says(out, "look at tracks");
	assert_null(strstr(out, "kernel"));
	assert_int_equal(weir("try --help --nonsense"), 0);
	assert_says(out, "usage: weir try FILE [--seed N]");
	assert_says(out, "-c, --controller NAME  use it (may be repeated)");
	assert_says(out, "-h, --help");
	assert_int_equal(weir("try -h"), 0);
	assert_int_equal(weir("--version"), 0);
	assert_string_equal(out, "weir " WEIR_VERSION "\n");
	assert_int_equal(weir("try --version"), 0);
	assert_int_equal(seen.calls, 0);
}

static void edits_are_counted(void **state)
{
	(void)state;
	assert_int_equal(weir_edits("", ""), 0);
	assert_int_equal(weir_edits("", "abc"), 3);
	assert_int_equal(weir_edits("delay", "delay"), 0);
	assert_int_equal(weir_edits("dela", "delay"), 1);
	assert_int_equal(weir_edits("kitten", "sitting"), 3);
	assert_int_equal(weir_edits("rnu", "run"), 1); /* a swap is one */
	assert_int_equal(weir_edits("Delay", "dELAY"), 0);
	char longest[WEIR_NEAREST_LETTERS + 2];
	memset(longest, 'x', sizeof longest);
	longest[WEIR_NEAREST_LETTERS + 1] = 0;
	assert_int_equal(weir_edits(longest, "x"), ~0U);
	longest[WEIR_NEAREST_LETTERS] = 0;
	assert_int_equal(weir_edits(longest, "x"), WEIR_NEAREST_LETTERS - 1);
}

static const char *nearest(const char *word)
{
	static const char *const names[] = {"rate",    "delay", "buffer", "controller",
					    "policer", "aqm",	"title"};
	struct weir_nearest near = weir_nearest_to(word);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		weir_nearest_try(&near, names[i]);
	return near.name;
}

static void the_nearest_name_is_proposed(void **state)
{
	(void)state;
	assert_string_equal(nearest("dela"), "delay");
	assert_string_equal(nearest("bufer"), "buffer");
	assert_string_equal(nearest("contoler"), "controller");
	assert_string_equal(nearest("pol"), "policer"); /* a beginning */
	assert_string_equal(nearest("RATE"), "rate");
	assert_null(nearest("bandwidth"));
	assert_null(nearest("x"));
	assert_null(nearest(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(options_reach_the_verb),
	    cmocka_unit_test(what_is_absent_is_absent),
	    cmocka_unit_test(words_after_two_dashes_are_operands),
	    cmocka_unit_test(verbs_may_have_verbs),
	    cmocka_unit_test(each_mistake_is_exit_2_and_named),
	    cmocka_unit_test(all_mistakes_are_told_at_once),
	    cmocka_unit_test(help_comes_from_the_tables),
	    cmocka_unit_test(edits_are_counted),
	    cmocka_unit_test(the_nearest_name_is_proposed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
