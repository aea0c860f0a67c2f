/* SPDX-License-Identifier: MIT */
/* Commands beside a loop: what they say, how they end, what they leave. */
#include "net/shell.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct fixture {
	struct weir_loop loop;
	struct weir_shell shell;
	bool ended;
	u8 output[64];
};

static void on_end(void *owner, struct weir_shell *s)
{
	struct fixture *f = owner;
	(void)s;
	f->ended = true;
}

static void start(struct fixture *f, const char *command, const char *input)
{
	f->ended = false;
	assert_int_equal(weir_shell_start(&f->shell, weir_clock_ns(), command, NULL, input, strlen(input)),
			 0);
}

static void finish(struct fixture *f)
{
	for (u64 end_ns = weir_clock_ns() + 20 * WEIR_NS_PER_S; !f->ended && weir_clock_ns() < end_ns;)
		weir_loop_wait(&f->loop, end_ns);
	assert_true(f->ended);
	assert_int_equal(f->shell.pid, 0);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);
	signal(SIGPIPE, SIG_IGN);
	if (!f || weir_loop_open(&f->loop) < 0)
		return -1;
	f->shell = (struct weir_shell){
	    .loop = &f->loop, .output = f->output, .room = sizeof f->output, .ended = on_end, .owner = f};
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	weir_loop_close(&f->loop);
	free(f);
	return 0;
}

static void test_input_and_output(void **state)
{
	struct fixture *f = *state;
	start(f, "tr a-z A-Z; exit 3", "newest");
	finish(f);
	assert_int_equal(f->shell.bytes, 6);
	assert_memory_equal(f->output, "NEWEST", 6);
	assert_int_equal(f->shell.code, 3);
}

static void test_too_much_is_cut(void **state)
{
	struct fixture *f = *state;
	start(f, "yes x | head -c 100000", "");
	finish(f);
	assert_int_equal(f->shell.bytes, sizeof f->output);
	assert_true(f->shell.overflowed);
	start(f, "true", "ignored by it"); /* nobody reads: no failure */
	finish(f);
	assert_int_equal(f->shell.code, 0);
	assert_int_equal(f->shell.bytes, 0);
}

/* What it left in the background ends with it. */
static void test_nothing_is_left(void **state)
{
	struct fixture *f = *state;
	start(f, "sleep 300 & echo $!", "");
	finish(f);
	pid_t pid = (pid_t)strtol((const char *)f->output, NULL, 10);
	assert_true(pid > 1);
	for (u32 i = 0; i < 200 && kill(pid, 0) == 0; i++) {
		char path[64], text[128] = "";
		snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
		FILE *in = fopen(path, "re");
		if (!in)
			break;
		if (!fgets(text, sizeof text, in))
			text[0] = 0;
		fclose(in);
		if (strstr(text, ") Z")) /* whoever adopted it has not looked yet */
			return;
		weir_loop_wait(&f->loop, weir_clock_ns() + 10 * WEIR_NS_PER_MS);
	}
	assert_int_equal(kill(pid, 0), -1);
	start(f, "sleep 300", "");
	pid = f->shell.pid;
	weir_shell_kill(&f->shell);
	assert_int_equal(f->shell.code, 128 + SIGKILL);
	assert_int_equal(kill(pid, 0), -1);
	assert_int_equal(errno, ESRCH);
	assert_false(f->ended);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_input_and_output, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_too_much_is_cut, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_nothing_is_left, setup, teardown)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
