/* SPDX-License-Identifier: MIT */
/* weir run: one scenario in, records and a report out. */
#include "command.h"
#include "progress.h"
#include "report/report.h"
#include "run/plan.h"
#include "run/plugin.h"
#include "run/plugin_kernel.h"
#include "run_table.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONTROLLERS_MAX 64
#define SETS_MAX 256
#define HEADER_MAX_BYTES (1 << 20)

static volatile sig_atomic_t stop_asked;

static void on_signal(int number)
{
	(void)number;
	stop_asked = 1;
}

/* The first signal ends the run at the virtual time it has reached; a second one ends the program. */
static void catch_signals(void)
{
	struct sigaction a = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
	sigemptyset(&a.sa_mask);
	sigaction(SIGINT, &a, NULL);
	sigaction(SIGTERM, &a, NULL);
}

struct command {
	const struct weir_invocation *call;
	struct weir_plan plan;
	struct weir_registry registry;
	struct weir_plan_controller controllers[CONTROLLERS_MAX];
	struct weir_plugin plugins[CONTROLLERS_MAX];
	struct weir_plugin_kernel compiled[CONTROLLERS_MAX]; /* of the same, in an emulation */
	char *headers[CONTROLLERS_MAX];
	u32 n_plugins;
	const char *sets[SETS_MAX];
	const char **arguments;
	u64 seed;
	struct weir_diag diag;
	int code; /* of the worst mistake so far */
};

static void mistake(struct command *c, int code)
{
	if (c->code == WEIR_EXIT_OK)
		c->code = code;
}

/* For the manifest; a header that was just compiled can be read. NULL when it vanished meanwhile. */
static char *read_header(const char *path)
{
	FILE *in = fopen(path, "r");
	char *text = in ? malloc(HEADER_MAX_BYTES) : NULL;
	size_t n = text ? fread(text, 1, HEADER_MAX_BYTES - 1, in) : 0;
	if (in)
		fclose(in);
	if (text)
		text[n] = 0;
	char *exact = text ? strdup(text) : NULL;
	free(text);
	return exact;
}

static void print_message(char *message)
{
	if (message)
		fprintf(stderr, "%s%s", message,
			*message && message[strlen(message) - 1] != '\n' ? "\n" : "");
	free(message);
}

/* In an emulation it is compiled once more, for the kernel; what the first compiler said need not be said
 * again. */
static int compile(struct command *c, const char *path, struct weir_plugin *plugin)
{
	char *message = NULL;
	int code = weir_plugin_open(path, plugin, &message);
	print_message(message);
	if (code || !c->plan.emulated)
		return code;
	struct weir_plugin_kernel *kernel = &c->compiled[c->n_plugins];
	code = weir_plugin_kernel_open(path, &plugin->ops, kernel, &message);
	print_message(message);
	const struct weir_kern_object object = {&plugin->ops, kernel->data, kernel->bytes};
	if (code == 0 && weir_registry_add_kernel(&c->registry, &object) < 0)
		code = WEIR_EXIT_FAILED;
	return code;
}

static void add_plugin(struct command *c, const char *path)
{
	struct weir_plan_controller *out = &c->controllers[c->plan.n_controllers];
	struct weir_plugin *plugin = &c->plugins[c->n_plugins];
	int code = compile(c, path, plugin);
	if (code != 0) {
		weir_plugin_kernel_close(&c->compiled[c->n_plugins]);
		weir_plugin_close(plugin);
		mistake(c, code);
		return;
	}
	c->headers[c->n_plugins] = read_header(path);
	*out = (struct weir_plan_controller){plugin->ops.name, &plugin->ops, c->headers[c->n_plugins]};
	c->n_plugins++;
	c->plan.n_controllers++;
	/* A scenario may name it too, unless that word means another one already. */
	if (!weir_registry_find(&c->registry, plugin->ops.name) &&
	    weir_registry_add(&c->registry, plugin->ops.name, &plugin->ops) < 0)
		mistake(c, WEIR_EXIT_FAILED);
}

static void add_named(struct command *c, const char *name)
{
	const struct weir_cc_ops *ops = weir_registry_find(&c->registry, name);
	if (ops) {
		c->controllers[c->plan.n_controllers++] = (struct weir_plan_controller){name, ops, NULL};
		return;
	}
	const char *near = weir_registry_nearest(&c->registry, name);
	if (near)
		weir_error(c->call, WEIR_EXIT_USAGE, "--controller %s: unknown; did you mean %s?", name,
			   near);
	else
		weir_error(c->call, WEIR_EXIT_USAGE,
			   "--controller %s: unknown; `weir list controllers` shows all, a path to a header "
			   "(./mine.h) brings your own%s",
			   name, c->plan.emulated ? ", kernel:NAME means one of the kernel's own" : "");
	mistake(c, WEIR_EXIT_USAGE);
}

static void add_controller(struct command *c, const char *value)
{
	const char *name = strncmp(value, "kernel:", 7) == 0 ? value + 7 : value;
	/* In an emulation kernel:X is the kernel's, whether Weir has it or not; the machine is asked later.
	 */
	if (c->plan.emulated && name != value) {
		c->controllers[c->plan.n_controllers++] = (struct weir_plan_controller){value, NULL, NULL};
		return;
	}
	if (weir_plugin_is_path(value))
		add_plugin(c, value);
	else
		add_named(c, name);
	/* kernel:X in the simulator is Weir's X, and the records say so. */
	if (name != value && c->code == WEIR_EXIT_OK)
		c->controllers[c->plan.n_controllers - 1].name = value;
}

static void take_controllers(struct command *c)
{
	const char *value;
	for (u32 i = 0; (value = weir_option_at(c->call, "controller", i)) != NULL; i++) {
		if (c->plan.n_controllers == CONTROLLERS_MAX) {
			mistake(c, weir_error(c->call, WEIR_EXIT_USAGE, "more than %d controllers",
					      CONTROLLERS_MAX));
			return;
		}
		add_controller(c, value);
	}
}

static void take_sets(struct command *c)
{
	const char *value;
	while ((value = weir_option_at(c->call, "set", c->plan.n_sets)) != NULL) {
		if (c->plan.n_sets == SETS_MAX) {
			mistake(c,
				weir_error(c->call, WEIR_EXIT_USAGE, "more than %d times --set", SETS_MAX));
			return;
		}
		c->sets[c->plan.n_sets++] = value;
	}
	c->plan.sets = c->sets;
}

static void take_backend(struct command *c)
{
	const char *on = weir_option(c->call, "on");
	if (!on || strcmp(on, "sim") == 0)
		return;
	c->plan.emulated = strcmp(on, "emu") == 0;
	if (!c->plan.emulated)
		mistake(c, weir_error(c->call, WEIR_EXIT_USAGE, "--on %s: sim or emu is expected", on));
}

/* The command line for the manifest: where the results go does not change them. */
static void take_arguments(struct command *c)
{
	const struct weir_invocation *call = c->call;
	c->arguments = calloc(2 * (size_t)call->n_given + call->n_operands + 2, sizeof *c->arguments);
	if (!c->arguments) {
		mistake(c, weir_error(call, WEIR_EXIT_FAILED, "out of memory"));
		return;
	}
	u32 n = 0;
	c->arguments[n++] = "weir";
	c->arguments[n++] = "run";
	for (u32 i = 0; i < call->n_operands; i++)
		c->arguments[n++] = call->operands[i];
	for (u32 i = 0; i < call->n_given; i++) {
		const struct weir_option *o = call->given[i].option;
		static const char *const flag[] = {"--controller", "--on",     "--seed",
						   "--repeat",	   "--set",    "--pcap",
						   "--qlog",	   "--iperf3", "--mahimahi-log"};
		for (size_t k = 0; k < sizeof flag / sizeof flag[0]; k++) {
			if (strcmp(flag[k] + 2, o->name) != 0)
				continue;
			c->arguments[n++] = flag[k];
			if (o->value)
				c->arguments[n++] = call->given[i].value;
		}
	}
	c->plan.arguments = c->arguments;
	c->plan.n_arguments = n;
}

static bool given(const struct command *c, const char *name)
{
	return weir_option(c->call, name) != NULL;
}

static bool writes_directory(const struct command *c)
{
	return given(c, "output") || !given(c, "json");
}

static void take_options(struct command *c)
{
	struct weir_plan *p = &c->plan;
	p->repeat = 1;
	take_backend(c);
	mistake(c, weir_option_u64(c->call, "seed", 0, WEIR_SEED_MAX, &c->seed));
	mistake(c, weir_option_u64(c->call, "repeat", 1, WEIR_REPEAT_MAX, &p->repeat));
	p->seed = given(c, "seed") ? &c->seed : NULL;
	p->exports = (struct weir_exports_wanted){given(c, "pcap"), given(c, "qlog"), given(c, "iperf3"),
						  given(c, "mahimahi-log")};
	if (!writes_directory(c) && weir_exports_any(&p->exports))
		mistake(c, weir_error(c->call, WEIR_EXIT_USAGE,
				      "--json alone writes no files: --pcap, --qlog, --iperf3 and "
				      "--mahimahi-log want -o DIR beside it"));
	take_sets(c);
	take_controllers(c);
	take_arguments(c);
	p->file = c->call->operands[0];
	p->registry = &c->registry;
	p->controllers = c->controllers;
	p->stop = &stop_asked;
}

/* Everything that can be wrong, before anything is run or written. */
static int prepare(struct command *c, char directory[PATH_MAX])
{
	if (weir_registry_init(&c->registry) < 0)
		return weir_error(c->call, WEIR_EXIT_FAILED, "out of memory");
	take_options(c);
	if (weir_plan_make(&c->plan, &c->diag) < 0) {
		weir_diag_print(&c->diag, c->plan.set.text, stderr);
		mistake(c, WEIR_EXIT_USAGE);
	}
	char why[512];
	int machine = c->code == WEIR_EXIT_OK ? weir_plan_check_machine(&c->plan, why) : 0;
	if (machine)
		mistake(c, weir_error(c->call, (enum weir_exit)machine, "%s", why));
	const char *output = weir_option(c->call, "output");
	int n = output ? snprintf(directory, PATH_MAX, "%s", output)
		       : snprintf(directory, PATH_MAX, "out/%s", c->plan.set.name ? c->plan.set.name : "");
	if (writes_directory(c) && n >= PATH_MAX)
		mistake(c, weir_error(c->call, WEIR_EXIT_USAGE, "the output directory's name is too long"));
	else if (writes_directory(c) && weir_outdir_check(directory, why) < 0)
		mistake(c, weir_error(c->call, WEIR_EXIT_USAGE, "%s", why));
	return c->code;
}

static void on_progress(void *ctx, double done, double total)
{
	weir_progress_update(ctx, done, total);
}

static void print_notes(const struct command *c)
{
	for (u32 i = 0; i < c->plan.n_jobs; i++)
		for (u32 k = 0; k < c->plan.jobs[i].summary.n_notes && c->plan.jobs[i].done; k++)
			fprintf(stderr, "%s: note: %s\n", c->call->path, c->plan.jobs[i].summary.note[k]);
}

static int print_results(const struct command *c)
{
	const struct weir_plan *p = &c->plan;
	if (given(c, "json")) {
		if (weir_plan_document(p, stdout) < 0)
			return weir_error(c->call, WEIR_EXIT_FAILED, "cannot write to standard output: %s",
					  strerror(errno));
		return WEIR_EXIT_OK;
	}
	for (u32 i = 0; i < p->n_jobs; i++) {
		if (!p->jobs[i].done)
			continue;
		if (i)
			putchar('\n');
		weir_run_table(stdout, &p->jobs[i].summary, p->jobs[i].label);
	}
	return WEIR_EXIT_OK;
}

static int write_report(struct command *c, const struct weir_outdir *dir)
{
	memset(&c->diag, 0, sizeof c->diag);
	int code = weir_report_write(dir->temporary, &c->diag);
	if (code != WEIR_EXIT_OK)
		weir_diag_print(&c->diag, NULL, stderr);
	return code == WEIR_EXIT_OK ? code : WEIR_EXIT_FAILED;
}

static int run_all(struct command *c, const char *directory)
{
	struct weir_outdir dir;
	struct weir_progress bar;
	char why[512];
	bool writes = writes_directory(c);
	if (writes && weir_outdir_begin(&dir, directory, why) < 0)
		return weir_error(c->call, WEIR_EXIT_FAILED, "%s", why);
	catch_signals();
	weir_progress_start(&bar, c->plan.set.name);
	c->plan.progress = on_progress;
	c->plan.progress_ctx = &bar;
	int failed = weir_plan_run(&c->plan, writes ? &dir : NULL, why) < 0;
	weir_progress_end(&bar);
	if (failed) {
		if (writes)
			weir_outdir_abandon(&dir);
		return weir_error(c->call, c->plan.code, "%s", why);
	}
	if (writes && write_report(c, &dir) != WEIR_EXIT_OK) {
		weir_outdir_abandon(&dir);
		return weir_error(c->call, WEIR_EXIT_FAILED, "the report could not be written");
	}
	if (writes && weir_outdir_commit(&dir, why) < 0)
		return weir_error(c->call, WEIR_EXIT_FAILED, "%s", why);
	int code = print_results(c);
	print_notes(c);
	if (writes)
		fprintf(stderr, "results in %s, report %s/report.html\n", directory, directory);
	if (c->plan.interrupted)
		return weir_error(c->call, WEIR_EXIT_FAILED,
				  "interrupted: the results are complete up to there");
	if (c->plan.invalid)
		return weir_error(c->call, WEIR_EXIT_INVALID,
				  "invalid: the emulator could not keep up with what was asked");
	return code;
}

static int cmd_run(struct weir_invocation *call)
{
	char directory[PATH_MAX];
	struct command *c = calloc(1, sizeof *c);
	if (!c)
		return weir_error(call, WEIR_EXIT_FAILED, "out of memory");
	c->call = call;
	int code = prepare(c, directory);
	if (code == WEIR_EXIT_OK)
		code = run_all(c, directory);
	weir_plan_free(&c->plan);
	weir_registry_free(&c->registry);
	for (u32 i = 0; i < c->n_plugins; i++) {
		weir_plugin_kernel_close(&c->compiled[i]);
		weir_plugin_close(&c->plugins[i]);
		free(c->headers[i]);
	}
	free(c->arguments);
	free(c);
	return code;
}

static const struct weir_option options[] = {
    {.name = "controller",
     .value = "NAME|./mine.h",
     .repeat = true,
     .help = "in place of every `controller: subject`, or of the controllers of all flows; several make one "
	     "run each"},
    {.name = "on", .value = "sim|emu", .help = "in simulation, or as kernel TCP over an emulated path"},
    WEIR_OPTION_SEED,
    {.name = "repeat", .value = "N", .help = "run N seeds; means and 95 % confidence intervals"},
    {.name = "set", .value = "KEY=VALUE", .repeat = true, .help = "change a key of the scenario, dotted"},
    WEIR_OPTION_OUTPUT,
    WEIR_OPTION_JSON,
    {.name = "pcap", .help = "also write packets.pcap and packets-receiver.pcap"},
    {.name = "qlog", .help = "also write trace.qlog"},
    {.name = "iperf3", .help = "also write iperf3.json"},
    {.name = "mahimahi-log", .help = "also write one mahimahi-HOP.log a hop"},
    {0},
};

const struct weir_command weir_cmd_run = {
    .name = "run",
    .synopsis = "FILE.yaml [--controller NAME|./mine.h]... [--on sim|emu] [--set KEY=VALUE]... [-o DIR]",
    .help = "simulate or emulate a scenario; leave a summary, series and a report",
    .details =
	"Results go to out/NAME/, replaced whole, or to DIR. With --json the summary goes to stdout, and\n"
	"without -o nothing is written.",
    .options = options,
    .operands_min = 1,
    .operands_max = 1,
    .run = cmd_run,
};
