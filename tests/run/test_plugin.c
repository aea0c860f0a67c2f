/* SPDX-License-Identifier: MIT */
/* Headers given by the user: good ones run, bad ones are refused with a reason, nothing is left on disk. */
#include "run/compile.h"
#include "run/plugin.h"

#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char temp[64];	 /* TMPDIR of the compile: must be empty again after each */
static char folder[128]; /* the user's files */

static int set_up(void **unused)
{
	(void)unused;
	snprintf(temp, sizeof temp, "/tmp/weir-test-XXXXXX");
	if (!mkdtemp(temp))
		return -1;
	snprintf(folder, sizeof folder, "%s-user", temp);
	return mkdir(folder, 0700) == 0 && setenv("TMPDIR", temp, 1) == 0 ? 0 : -1;
}

static u32 entries(const char *path)
{
	u32 n = 0;
	DIR *d = opendir(path);
	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d)) != NULL;)
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

static int tear_down(void **unused)
{
	(void)unused;
	DIR *d = opendir(folder);
	for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
		char path[512];
		snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
		if (e->d_name[0] != '.' && remove(path) < 0)
			return -1;
	}
	closedir(d);
	return rmdir(folder) | rmdir(temp);
}

static const char *put(const char *name, const char *text)
{
	static char path[512];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *f = fopen(path, "wb");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
	return path;
}

/* A whole controller of which a test may replace parts by macros. */
#define CONTROLLER                                                                                           \
	"#include \"weir/cc.h\"\n"                                                                           \
	"struct t { u64 cwnd_bytes; };\n"                                                                    \
	"struct t_params { u64 gain; };\n"                                                                   \
	"#ifndef PARAM\n#define PARAM {\"gain\", \"packets\", 3, 1, 9, \"how fast\"}\n#endif\n"              \
	"#ifndef SIGNAL\n#define SIGNAL {\"window\", \"bytes\"}\n#endif\n"                                   \
	"#ifndef WORD\n#define WORD \"test-cc\"\n#endif\n"                                                   \
	"static const struct weir_param t_param_table[] = {PARAM};\n"                                        \
	"static const struct weir_signal t_signal_table[] = {SIGNAL};\n"                                     \
	"WEIR_CORE void t_init(struct t *s, const struct t_params *p, const struct weir_view *v,\n"          \
	"	struct weir_out *o) { s->cwnd_bytes = p->gain * v->mss_bytes; o->cwnd_bytes = "                    \
	"s->cwnd_bytes; }\n"                                                                                 \
	"WEIR_CORE void t_on_ack(struct t *s, const struct t_params *p, const struct weir_view *v,\n"        \
	"	const struct weir_ack *a, struct weir_out *o) { s->cwnd_bytes += a->acked_bytes;\n"                \
	"	o->cwnd_bytes = s->cwnd_bytes; }\n"                                                                \
	"WEIR_CORE void t_on_loss(struct t *s, const struct t_params *p, const struct weir_view *v,\n"       \
	"	const struct weir_loss *l, struct weir_out *o) { s->cwnd_bytes /= 2; }\n"                          \
	"WEIR_CORE void t_on_timeout(struct t *s, const struct t_params *p, const struct weir_view *v,\n"    \
	"	struct weir_out *o) { s->cwnd_bytes = v->mss_bytes; }\n"                                           \
	"WEIR_CORE void t_probe(const struct t *s, u64 value[WEIR_CC_SIGNALS_MAX]) { value[0] = "            \
	"s->cwnd_bytes; }\n"
#define ENDING "WEIR_CONTROLLER(t, WORD, .about = \"a test\", .source = \"here\");\n"

static void refused(const char *text, int code, const char *because)
{
	struct weir_plugin p;
	char *message = NULL;
	const char *path = put("mine.h", text);
	int rc = weir_plugin_open(path, &p, &message);
	assert_non_null(message);
	if (rc != code || !strstr(message, because))
		fail_msg("exit %d, expected %d and \"%s\" in:\n%s", rc, code, because, message);
	assert_null(strstr(message, "weir-test-XXXXXX"));
	assert_null(p.handle);
	free(message);
	assert_int_equal(entries(temp), 0);
}

static void a_good_header_runs(void **unused)
{
	(void)unused;
	struct weir_plugin p;
	char *message = NULL;
	int rc = weir_plugin_open(put("mine.h", CONTROLLER ENDING), &p, &message);
	if (rc)
		fail_msg("%s", message);
	assert_null(message);
	assert_int_equal(entries(temp), 0);
	assert_string_equal(p.ops.name, "test-cc");
	assert_string_equal(p.ops.about, "a test");
	assert_int_equal(p.ops.n_params, 1);
	u64 state[1], params[1] = {p.ops.params[0].default_value};
	struct weir_view v = {.mss_bytes = 100};
	struct weir_ack a = {.acked_bytes = 7};
	struct weir_out o = {0};
	p.ops.init(state, params, &v, &o);
	assert_int_equal(o.cwnd_bytes, 300);
	p.ops.on_ack(state, params, &v, &a, &o);
	assert_int_equal(o.cwnd_bytes, 307);
	weir_plugin_close(&p);
	weir_plugin_close(&p); /* harmless */
}

static void the_example_runs(void **unused)
{
	(void)unused;
	struct weir_plugin p;
	char *message = NULL, path[4096];
	snprintf(path, sizeof path, "%s/examples/toy-aimd.h", getenv("SOURCE_ROOT"));
	int rc = weir_plugin_open(path, &p, &message);
	if (rc || message)
		fail_msg("%s", message);
	assert_string_equal(p.ops.name, "toy-aimd");
	weir_plugin_close(&p);
}

static void two_at_once_are_two(void **unused)
{
	(void)unused;
	struct weir_plugin first, second;
	char *message = NULL;
	assert_int_equal(weir_plugin_open(put("mine.h", CONTROLLER ENDING), &first, &message), 0);
	const char *other = put("mine.h", "#define WORD \"other\"\n" CONTROLLER ENDING);
	assert_int_equal(weir_plugin_open(other, &second, &message), 0);
	assert_string_equal(first.ops.name, "test-cc");
	assert_string_equal(second.ops.name, "other");
	weir_plugin_close(&first);
	weir_plugin_close(&second);
}

static void includes_of_its_own_are_found_and_relative_paths_work(void **unused)
{
	(void)unused;
	struct weir_plugin p;
	char *message = NULL, back[4096];
	assert_non_null(getcwd(back, sizeof back));
	put("part.h", "#define WORD \"from-part\"\n");
	put("-mine.h", "#include \"part.h\"\n" CONTROLLER ENDING);
	assert_int_equal(chdir(folder), 0);
	static const char *const path[] = {"-mine.h", "./-mine.h"};
	for (u32 i = 0; i < 2; i++) {
		int rc = weir_plugin_open(path[i], &p, &message);
		if (rc)
			fail_msg("%s", message);
		assert_string_equal(p.ops.name, "from-part");
		weir_plugin_close(&p);
	}
	assert_int_equal(chdir(back), 0);
}

static void mistakes_are_shown_with_the_users_lines(void **unused)
{
	(void)unused;
	refused("#include \"weir/cc.h\"\n\nint f(void)\n{\n\treturn oops;\n}\n", 2, "mine.h:5:16: error: ");
	refused(CONTROLLER "WEIR_CORE u64 t_more(u64 x) { return log2_of(x); }\n" ENDING, 2, "log2_of");
	refused("#include \"no/such.h\"\n", 2, "mine.h:1:10: fatal error: no/such.h");
}

static void warnings_are_handed_on(void **unused)
{
	(void)unused;
	struct weir_plugin p;
	char *message = NULL;
	const char *path = put("mine.h", "#include \"weir/cc.h\"\nstatic int f(void) { int x; return x; }\n"
					 "int g(void);\nint g(void) { return f(); }\n" CONTROLLER ENDING);
	assert_int_equal(weir_plugin_open(path, &p, &message), 0);
	assert_non_null(message);
	assert_non_null(strstr(message, "mine.h:2:"));
	assert_int_equal(entries(temp), 0);
	free(message);
	weir_plugin_close(&p);
}

static void what_is_no_controller_is_refused(void **unused)
{
	(void)unused;
	refused("", 2, "empty");
	refused("\n", 2, "WEIR_CONTROLLER(NAME, \"word\"");
	refused(CONTROLLER, 2, "no controller in it");
	refused(CONTROLLER ENDING "WEIR_CONTROLLER(t, \"again\", .about = \"\");\n", 2, "redefinition");
	refused(CONTROLLER ENDING "struct u { u64 x; };\n"
				  "const struct weir_cc_ops *weir_cc_export(void) { return 0; }\n",
		2, "Only one WEIR_CONTROLLER");
}

static void declarations_are_checked(void **unused)
{
	(void)unused;
	refused("#define WORD \"Bad_Name\"\n" CONTROLLER ENDING, 2, "name \"Bad_Name\" must be");
	refused("#define WORD \"\"\n" CONTROLLER ENDING, 2, "name \"\" must be");
	refused("#define WORD \"a-name-of-more-than-thirty-one-characters\"\n" CONTROLLER ENDING, 2,
		"at most 31");
	refused("#define PARAM {\"gain\", \"packets\", 30, 1, 9, \"\"}\n" CONTROLLER ENDING, 2,
		"parameter gain: 1 <= 30 <= 9");
	refused("#define PARAM {\"gain\", \"furlongs\", 3, 1, 9, \"\"}\n" CONTROLLER ENDING, 2,
		"parameter gain: its unit");
	refused("#define PARAM {0, \"ns\", 3, 1, 9, \"\"}\n" CONTROLLER ENDING, 2, "parameter 1: its name");
	refused("#define PARAM {\"gain\", \"ns\", 3, 1, 9, 0}\n" CONTROLLER ENDING, 2, "no help text");
	refused("#define SIGNAL {\"a\", \"ns\"}, {\"a\", \"ns\"}\n" CONTROLLER ENDING, 2,
		"signal a: it stands twice");
	refused(CONTROLLER "WEIR_CONTROLLER(t, WORD, .on_ack = 0);\n", 2, "lacks on_ack");
	refused(CONTROLLER "WEIR_CONTROLLER(t, WORD, .needs = WEIR_NEED_SEND);\n", 2, "lacks on_send");
	refused(CONTROLLER "WEIR_CONTROLLER(t, WORD, .needs = 0x100);\n", 2, "does not know (0x100)");
	refused(CONTROLLER "WEIR_CONTROLLER(t, WORD, .abi = 7);\n", 2, "version 7");
	refused(CONTROLLER "WEIR_CONTROLLER(t, WORD, .state_bytes = 4000);\n", 2, "4000 bytes");
	refused(
	    "#define PARAM {\"a\", \"\", 1, 1, 1, \"\"}, {\"b\", \"\", 1, 1, 1, \"\"}\n" CONTROLLER ENDING, 2,
	    "parameters and their table differ");
	refused(CONTROLLER "struct big { char x[600]; };\n"
			   "_Static_assert(sizeof(struct big) <= WEIR_CC_MAX_BYTES, \"state too large\");\n",
		2, "state too large");
}

static void files_that_are_none_are_refused(void **unused)
{
	(void)unused;
	struct weir_plugin p;
	char *message = NULL;
	assert_int_equal(weir_plugin_open("/no/such/mine.h", &p, &message), 2);
	assert_string_equal(message, "/no/such/mine.h: No such file or directory");
	free(message);
	assert_int_equal(weir_plugin_open(folder, &p, &message), 2);
	assert_non_null(strstr(message, "not a regular file"));
	free(message);
	char fifo[512];
	snprintf(fifo, sizeof fifo, "%s/fifo.h", folder);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(weir_plugin_open(fifo, &p, &message), 2);
	free(message);
	const char *large = put("large.h", "x");
	assert_int_equal(truncate(large, 2 << 20), 0);
	assert_int_equal(weir_plugin_open(large, &p, &message), 2);
	assert_non_null(strstr(message, "larger than"));
	free(message);
}

static void a_machine_without_a_compiler_says_so(void **unused)
{
	(void)unused;
	assert_int_equal(setenv("CC", "no-such-compiler -m64", 1), 0);
	refused(CONTROLLER ENDING, 3, "no C compiler: there is no 'no-such-compiler'");
	assert_int_equal(unsetenv("CC"), 0);
	assert_int_equal(setenv("TMPDIR", "/no/such/folder", 1), 0);
	refused(CONTROLLER ENDING, 3, "no room for temporary files");
	assert_int_equal(setenv("TMPDIR", temp, 1), 0);
}

static void a_compiler_that_hangs_or_talks_for_ever_is_stopped(void **unused)
{
	(void)unused;
	char shell[] = "sh", c[] = "-c", hang[] = "sleep 100 & sleep 100", *output = NULL;
	char *hanging[] = {shell, c, hang, NULL};
	assert_int_equal(weir_compile(hanging, temp, 200, &output), WEIR_COMPILE_TIMEOUT);
	assert_string_equal(output, "");
	free(output);
	char talk[] = "yes | head -c 300000; exit 3";
	char *talking[] = {shell, c, talk, NULL};
	assert_int_equal(weir_compile(talking, temp, 20000, &output), WEIR_COMPILE_FAILED);
	assert_in_range(strlen(output), WEIR_COMPILE_OUTPUT_MAX, WEIR_COMPILE_OUTPUT_MAX + 100);
	assert_non_null(strstr(output, "more was said"));
	free(output);
}

static void an_interrupt_ends_the_compile_first(void **unused)
{
	(void)unused;
	char shell[] = "sh", c[] = "-c", hang[] = "sleep 100", *output = NULL;
	char *hanging[] = {shell, c, hang, NULL};
	sigset_t block, before;
	sigemptyset(&block);
	sigaddset(&block, SIGTERM);
	sigprocmask(SIG_BLOCK, &block, &before);
	assert_int_equal(raise(SIGTERM), 0);
	assert_int_equal(weir_compile(hanging, temp, 20000, &output), WEIR_COMPILE_INTERRUPTED);
	free(output);
	int signal = 0;
	assert_int_equal(sigwait(&block, &signal), 0);
	assert_int_equal(signal, SIGTERM);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

static void paths_are_told_from_names(void **unused)
{
	(void)unused;
	assert_true(weir_plugin_is_path("./mine.h"));
	assert_true(weir_plugin_is_path("mine.h"));
	assert_true(weir_plugin_is_path("a/b"));
	assert_false(weir_plugin_is_path("cubic"));
	assert_false(weir_plugin_is_path(".h"));
	assert_false(weir_plugin_is_path(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_good_header_runs),
	    cmocka_unit_test(the_example_runs),
	    cmocka_unit_test(two_at_once_are_two),
	    cmocka_unit_test(includes_of_its_own_are_found_and_relative_paths_work),
	    cmocka_unit_test(mistakes_are_shown_with_the_users_lines),
	    cmocka_unit_test(warnings_are_handed_on),
	    cmocka_unit_test(what_is_no_controller_is_refused),
	    cmocka_unit_test(declarations_are_checked),
	    cmocka_unit_test(files_that_are_none_are_refused),
	    cmocka_unit_test(a_machine_without_a_compiler_says_so),
	    cmocka_unit_test(a_compiler_that_hangs_or_talks_for_ever_is_stopped),
	    cmocka_unit_test(an_interrupt_ends_the_compile_first),
	    cmocka_unit_test(paths_are_told_from_names),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
