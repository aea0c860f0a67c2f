/* SPDX-License-Identifier: MIT */
/* `weir doctor`: what this machine can and cannot do, and how to mend it. */
#include "command.h"
#include "doctor.h"
#include "progress.h"
#include "record/json.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CHECKS_MAX 64

struct line {
	const struct weir_doctor_check *check;
	struct weir_doctor_finding finding;
};

static const char *remedy(const struct line *l)
{
	return *l->finding.remedy ? l->finding.remedy : l->check->remedy;
}

static int print_json(const struct weir_invocation *call, const struct line *lines, size_t n)
{
	struct weir_json j;
	weir_json_to_file(&j, stdout);
	weir_json_object(&j);
	weir_json_put_string(&j, "schema", "weir.doctor/1");
	weir_json_put_array(&j, "checks");
	for (size_t i = 0; i < n; i++) {
		weir_json_line(&j);
		weir_json_object(&j);
		weir_json_put_string(&j, "name", lines[i].check->name);
		weir_json_put_bool(&j, "ok", lines[i].finding.ok);
		weir_json_put_string(&j, "detail", lines[i].finding.detail);
		weir_json_put_string(&j, "remedy", lines[i].finding.ok ? NULL : remedy(&lines[i]));
		weir_json_object_end(&j);
	}
	weir_json_array_end(&j);
	weir_json_object_end(&j);
	if (weir_json_finish(&j))
		return weir_error(call, WEIR_EXIT_FAILED, "standard output: %s", strerror(errno));
	return WEIR_EXIT_OK;
}

static void print_text(const struct line *lines, size_t n)
{
	bool colour = weir_terminal_colour(STDOUT_FILENO);
	for (size_t i = 0; i < n; i++) {
		const struct weir_doctor_check *check = lines[i].check;
		bool ok = lines[i].finding.ok;
		const char *paint = ok ? "\033[32m" : check->needed ? "\033[31m" : "\033[33m";
		printf("%s%-8s%s%-16s%s\n", colour ? paint : "",
		       ok	       ? "ok"
		       : check->needed ? "missing"
				       : "no",
		       colour ? "\033[0m" : "", check->name, lines[i].finding.detail);
		if (!ok)
			printf("%24s-> %s (%s)\n", "", remedy(&lines[i]),
			       check->without  ? check->without
			       : check->needed ? "every run needs it"
					       : "nothing that this version does needs it");
	}
}

static int cmd_doctor(struct weir_invocation *call)
{
	static const struct weir_doctor_check *const tables[] = {weir_doctor_machine, weir_doctor_network,
								 weir_doctor_bpf};
	static struct line lines[CHECKS_MAX];
	size_t n = 0;
	bool able = true;
	for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
		for (const struct weir_doctor_check *c = tables[i]; c->name && n < CHECKS_MAX; c++, n++) {
			lines[n].check = c;
			c->look(&lines[n].finding);
			able = able && (lines[n].finding.ok || !c->needed);
		}
	int code = WEIR_EXIT_OK;
	if (weir_option(call, "json"))
		code = print_json(call, lines, n);
	else
		print_text(lines, n);
	return code ? code : able ? WEIR_EXIT_OK : WEIR_EXIT_MACHINE;
}

static const struct weir_option options[] = {WEIR_OPTION_JSON, {0}};

const struct weir_command weir_cmd_doctor = {
    .name = "doctor",
    .synopsis = "[--json]",
    .help = "tell what this machine can and cannot do, and how to mend it",
    .details =
	"The exit status is 3 when something is missing that simulations need. What emulated links need\n"
	"beyond that is tried for real, and told with its remedy.",
    .options = options,
    .run = cmd_doctor,
};
