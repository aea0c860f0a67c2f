/* SPDX-License-Identifier: MIT */
/* `weir kernel`: controllers inside the kernel. */
#include "kern/registered.h"
#include "kernel.h"
#include "kernel_recorder.h"
#include "pilot/table.h"
#include "record/json.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define REGISTRATIONS_MAX 256

/* ---- load and unload ---- */

static int load_choice(const struct weir_invocation *call, const struct weir_kernel_choice *choice)
{
	struct weir_kern kern;
	char why[WEIR_KERN_WHY_BYTES];
	int code =
	    weir_kern_load(&kern, &choice->object, choice->params, WEIR_KERN_STAYS, choice->verbose, why);
	if (code)
		return weir_error(call, (enum weir_exit)code, "%s", why);
	code = weir_kern_register(&kern, why) ? WEIR_EXIT_FAILED : WEIR_EXIT_OK;
	if (!code && weir_kernel_record_write(kern.name, kern.map_id, why)) {
		weir_kern_unregister(kern.map_id);
		code = WEIR_EXIT_FAILED;
	}
	weir_kern_close(&kern);
	if (code)
		return weir_error(call, (enum weir_exit)code, "%s", why);
	printf("%s\n", kern.name);
	return WEIR_EXIT_OK;
}

static int load(struct weir_invocation *call)
{
	struct weir_kernel_choice choice;
	int code;
	if (weir_pilot_find(call->operands[0]))
		return weir_usage_error(
		    call,
		    "%s is a pilot: it thinks in a process, so that only `weir kernel run %s "
		    "-- COMMAND` can have it",
		    call->operands[0], call->operands[0]);
	code = weir_kernel_choose(call, &choice);
	if (!code)
		code = load_choice(call, &choice);
	weir_kernel_choice_free(&choice);
	return code;
}

void weir_kernel_name_of(const char *word, char name[WEIR_KERN_NAME_BYTES])
{
	if (!strncmp(word, "weir_", 5))
		snprintf(name, WEIR_KERN_NAME_BYTES, "%s", word);
	else
		weir_kern_name(word, name);
}

static int unload(struct weir_invocation *call)
{
	struct weir_kern_registration all[REGISTRATIONS_MAX], *found = NULL;
	char name[WEIR_KERN_NAME_BYTES];
	weir_kernel_name_of(call->operands[0], name);
	int n = weir_kern_registrations(all, REGISTRATIONS_MAX);
	if (n < 0)
		return weir_error(call, WEIR_EXIT_MACHINE,
				  "the kernel does not tell what it has: %s; run as root", strerror(errno));
	for (int i = 0; i < n && i < REGISTRATIONS_MAX; i++)
		if (!strcmp(all[i].name, name))
			found = &all[i];
	if (!found) {
		weir_kernel_record_remove(name);
		return weir_error(call, WEIR_EXIT_FAILED,
				  "%s is not registered; `weir kernel list` shows what is", name);
	}
	if (!found->stays)
		return weir_error(
		    call, WEIR_EXIT_FAILED,
		    "%s belongs to a running `weir kernel run` or `weir run --on emu` and goes with it",
		    name);
	if (weir_kern_unregister(found->map_id))
		return weir_error(call, WEIR_EXIT_FAILED, "%s: %s", name, strerror(errno));
	weir_kernel_record_remove(name);
	return WEIR_EXIT_OK;
}

/* ---- list ---- */

static int list_json(const struct weir_invocation *call, const struct weir_kern_registration *all, int n)
{
	struct weir_json j;
	weir_json_to_file(&j, stdout);
	weir_json_object(&j);
	weir_json_put_string(&j, "schema", "weir.kernel/1");
	weir_json_put_array(&j, "controllers");
	for (int i = 0; i < n; i++) {
		u64 sockets = 0;
		bool known = !weir_kern_sockets(all[i].name, &sockets);
		weir_json_line(&j);
		weir_json_object(&j);
		weir_json_put_string(&j, "name", all[i].name);
		weir_json_put_bool(&j, "stays", all[i].stays);
		weir_json_put_u64(&j, "map_id", all[i].map_id);
		weir_json_key(&j, "sockets");
		if (known)
			weir_json_u64(&j, sockets);
		else
			weir_json_null(&j);
		weir_json_object_end(&j);
	}
	weir_json_array_end(&j);
	weir_json_object_end(&j);
	if (weir_json_finish(&j))
		return weir_error(call, WEIR_EXIT_FAILED, "standard output: %s", strerror(errno));
	return WEIR_EXIT_OK;
}

static void list_text(const struct weir_kern_registration *all, int n)
{
	if (n == 0)
		fputs("No controller of Weir is in this kernel.\n", stderr);
	for (int i = 0; i < n; i++) {
		u64 sockets = 0;
		const char *until = all[i].stays ? "until unload" : "while the `weir` that has it runs";
		if (weir_kern_sockets(all[i].name, &sockets))
			printf("%-16s %8s sockets here  %s\n", all[i].name, "?", until);
		else
			printf("%-16s %8llu sockets here  %s\n", all[i].name, sockets, until);
	}
}

static int list(struct weir_invocation *call)
{
	struct weir_kern_registration all[REGISTRATIONS_MAX];
	int n = weir_kern_registrations(all, REGISTRATIONS_MAX);
	if (n < 0)
		return weir_error(call, WEIR_EXIT_MACHINE,
				  "the kernel does not tell what it has: %s; run as root", strerror(errno));
	if (n > REGISTRATIONS_MAX)
		n = REGISTRATIONS_MAX;
	if (weir_option(call, "json"))
		return list_json(call, all, n);
	list_text(all, n);
	return WEIR_EXIT_OK;
}

/* ---- the table ---- */

#define OPTION_SET                                                                                           \
	{                                                                                                    \
		.name = "set", .value = "NAME=VALUE", .repeat = true,                                        \
		.help = "a parameter of the controller, as `weir list controllers` names them"               \
	}
#define OPTION_VERBOSE                                                                                       \
	{                                                                                                    \
		.name = "verbose", .letter = 'v', .help = "what libbpf and the kernel's verifier say"        \
	}

static const struct weir_option load_options[] = {OPTION_SET, OPTION_VERBOSE, {0}};
static const struct weir_option list_options[] = {WEIR_OPTION_JSON, {0}};
static const struct weir_option watch_options[] = {
    {.name = "count", .value = "N", .help = "end after so many calls"},
    {.name = "duration", .value = "TIME", .help = "end after so long"},
    WEIR_KERNEL_RECORDER_OPTIONS,
    {0}};
static const struct weir_option run_options[] = {
    OPTION_SET,
    OPTION_VERBOSE,
    {.name = "quiet", .letter = 'q', .help = "no line about the sockets"},
    WEIR_KERNEL_RECORDER_OPTIONS,
    {0}};
static const struct weir_option replay_options[] = {
    {.name = "controller", .value = "NAME|./mine.h", .help = "make the calls of this one instead"},
    WEIR_OPTION_JSON,
    {0}};

static const struct weir_command load_command = {
    .name = "load",
    .synopsis = "NAME|./mine.h [--set NAME=VALUE]...",
    .help = "register a controller until it is unloaded",
    .details = "It is registered as weir_NAME, which is printed. Any program can choose it for a socket\n"
	       "(TCP_CONGESTION); nothing uses it unless asked. It is lost when the machine restarts.",
    .options = load_options,
    .operands_min = 1,
    .operands_max = 1,
    .run = load,
};
static const struct weir_command unload_command = {
    .name = "unload",
    .synopsis = "NAME",
    .help = "end what `load` began",
    .details = "New sockets cannot have it any more; those that have it keep it until they close.",
    .operands_min = 1,
    .operands_max = 1,
    .run = unload,
};
static const struct weir_command list_command = {
    .name = "list",
    .synopsis = "[--json]",
    .help = "which controllers of Weir this kernel has, and how many sockets use them",
    .details = "Sockets are counted in this network namespace.",
    .options = list_options,
    .run = list,
};
static const struct weir_command run_command = {
    .name = "run",
    .synopsis = "NAME|./mine.h [--set NAME=VALUE]... [-o DIR] [--record FILE] [-- COMMAND...]",
    .help = "run a command whose TCP connections use a controller",
    .details =
	"The controller is registered as weir_NAME as long as COMMAND runs, and is gone with it, whatever\n"
	"ends either. COMMAND runs in a cgroup; each TCP connection that begins in it, out or in, gets the\n"
	"controller, and it is read back. Nothing else on the machine changes. Without COMMAND it is\n"
	"registered until interrupted, for sockets that ask for it. NAME may be a pilot: its governor is in\n"
	"the kernel then, and the pilot itself here.\n"
	"\n"
	"  weir kernel run vegas -- iperf3 -c 192.0.2.1\n"
	"  weir link --rate 20Mbit/s --delay 10ms --beyond 'iperf3 -s' -- \\\n"
	"      sh -c 'weir kernel run nimbus -- iperf3 -c $WEIR_PEER'\n"
	"\n"
	"The exit status is COMMAND's (128 + its signal); 125 where weir itself failed, also when a "
	"connection\n"
	"did not get the controller; 126 and 127 where COMMAND cannot be run, 2 usage, 3 the machine lacks\n"
	"something.",
    .options = run_options,
    .operands_min = 1,
    .operands_max = WEIR_ANY,
    .run = weir_kernel_run,
};

static const struct weir_command watch_command = {
    .name = "watch",
    .synopsis = "NAME [--count N] [--duration TIME] [-o DIR] [--qlog FILE] [--record FILE]",
    .help = "what a controller in the kernel sees and says, call by call",
    .details =
	"As CSV, or into files: -o writes the formats of a run (series.csv, summary.json, report.html) with\n"
	"trace.qlog and calls.weir, which `weir kernel replay` reads. Until interrupted, or until the\n"
	"controller is gone. Calls that were too fast for it are counted, and said everywhere.\n"
	"docs/kernel.md tells the columns.",
    .options = watch_options,
    .operands_min = 1,
    .operands_max = 1,
    .run = weir_kernel_watch,
};
static const struct weir_command replay_command = {
    .name = "replay",
    .synopsis = "FILE [--controller NAME|./mine.h] [--json]",
    .help = "make recorded calls again, outside the kernel, and compare the decisions",
    .details =
	"FILE: of --record, or calls.weir of -o. Each call is handed to the same controller here, from\n"
	"its init on; what it says must be what it said in the kernel, byte for byte. Needs no root.\n"
	"\n"
	"The exit status is 0 where all agree, 5 where something differs, 4 where calls are missing so\n"
	"that nothing is proved, 2 for a file that is no record.",
    .options = replay_options,
    .operands_min = 1,
    .operands_max = 1,
    .run = weir_kernel_replay,
};

static const struct weir_command *const children[] = {
    &load_command, &unload_command, &list_command, &run_command, &watch_command, &replay_command, NULL};

const struct weir_command weir_cmd_kernel = {
    .name = "kernel",
    .synopsis = "load|unload|list|run|watch|replay ...",
    .help = "controllers inside the kernel, for any TCP socket",
    .details = "docs/kernel.md tells what they do there, and what the kernel leaves to them.",
    .children = children,
};
