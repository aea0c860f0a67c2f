/* SPDX-License-Identifier: MIT */
/* Headers that simulate well and cannot live in a kernel: refused with the line that keeps them from it. No
 * root is needed for that. */
#include "run/plugin.h"
#include "run/plugin_kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* LINE 20 of it is `body`. */
static const char header[] =
    "#include \"weir/cc.h\"\n"
    "struct mine { u64 cwnd_bytes; };\n"
    "struct mine_params { u64 beta; };\n"
    "#ifndef __BPF__\n"
    "static const struct weir_param mine_param_table[] = {{\"beta\", \"ratio\", 7, 1, 9, \"what is "
    "left\"}};\n"
    "static const struct weir_signal mine_signal_table[] = {{\"none\", \"\"}};\n"
    "#endif\n"
    "#define ARGUMENTS struct mine *s, const struct mine_params *p, const struct weir_view *v\n"
    "WEIR_CORE void mine_init(ARGUMENTS, struct weir_out *o)\n"
    "{\n"
    "	o->cwnd_bytes = s->cwnd_bytes = v->initial_bytes;\n"
    "}\n"
    "WEIR_CORE void mine_on_timeout(ARGUMENTS, struct weir_out *o)\n"
    "{\n"
    "	o->cwnd_bytes = s->cwnd_bytes = v->mss_bytes;\n"
    "}\n"
    "WEIR_CORE void mine_on_ack(ARGUMENTS, const struct weir_ack *a, struct weir_out *o)\n"
    "{\n"
    "	i64 change = (i64)a->acked_bytes - (i64)v->inflight_bytes;\n"
    "	s->cwnd_bytes = %s;\n"
    "	o->cwnd_bytes = s->cwnd_bytes + (u64)change;\n"
    "}\n"
    "WEIR_CORE void mine_on_loss(ARGUMENTS, const struct weir_loss *l, struct weir_out *o)\n"
    "{\n"
    "	o->cwnd_bytes = s->cwnd_bytes = weir_muldiv(s->cwnd_bytes, l->lost_bytes, 3);\n"
    "}\n"
    "WEIR_CORE void mine_probe(const struct mine *s, u64 value[WEIR_CC_SIGNALS_MAX])\n"
    "{\n"
    "	value[0] = s->cwnd_bytes;\n"
    "}\n"
    "WEIR_CONTROLLER(mine, \"%s\", .about = \"\", .source = \"\");\n";

/* 0, or what weir_plugin_kernel_open returns for it; then *message is to be freed. */
static int compile(const char *body, const char *word, char **message)
{
	char path[] = "/tmp/weir-refusal-XXXXXX.h";
	int fd = mkstemps(path, 2);
	assert_true(fd >= 0);
	assert_true(dprintf(fd, header, body, word) > 0);
	close(fd);
	struct weir_plugin plugin;
	struct weir_plugin_kernel kernel;
	int rc = weir_plugin_open(path, &plugin, message);
	if (rc)
		fail_msg("%s", *message);
	free(*message);
	rc = weir_plugin_kernel_open(path, &plugin.ops, &kernel, message);
	if (!rc)
		assert_true(kernel.bytes > 1000);
	weir_plugin_kernel_close(&kernel);
	weir_plugin_close(&plugin);
	unlink(path);
	return rc;
}

static void refuses(const char *body, const char *says)
{
	char *message;
	assert_int_equal(compile(body, "mine", &message), 2);
	assert_non_null(message);
	/* the line is named, and it is told once */
	const char *at = strstr(message, ".h:20:");
	if (!at || !strstr(at, says) || strstr(strstr(at, says) + 1, says))
		fail_msg("%s", message);
	free(message);
}

static void integers_are_taken(void **unused)
{
	(void)unused;
	char *message;
	assert_int_equal(compile("(u64)change / v->mss_bytes + p->beta", "mine", &message), 0);
	assert_null(message);
}

static void a_double_is_refused_with_its_line(void **unused)
{
	(void)unused;
	refuses("(u64)(p->beta + s->cwnd_bytes * .5)", "a double; the kernel has integers only");
}

static void a_signed_division_is_refused_with_its_line(void **unused)
{
	(void)unused;
	refuses("p->beta + (u64)(change / (i64)v->mss_bytes)", "a signed division, which the kernel lacks");
	refuses("p->beta + (u64)(change / 3)", "a signed division, which the kernel lacks");
	refuses("p->beta + (u64)(change % (i64)v->mss_bytes)", "a signed division, which the kernel lacks");
}

static void a_long_name_is_refused(void **unused)
{
	(void)unused;
	char *message;
	assert_int_equal(compile("p->beta", "elevenchars", &message), 2);
	assert_non_null(strstr(message, "the kernel has room for names of 10 characters"));
	free(message);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(integers_are_taken),
	    cmocka_unit_test(a_double_is_refused_with_its_line),
	    cmocka_unit_test(a_signed_division_is_refused_with_its_line),
	    cmocka_unit_test(a_long_name_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
