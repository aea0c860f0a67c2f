/* SPDX-License-Identifier: MIT */
/* weir run: one scenario in, records and a report out. */
#include "command.h"
#include "progress.h"
#include "report/report.h"
#include "run/plan.h"
#include "run_controllers.h"
#include "run_table.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SETS_MAX 256

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
	struct weir_run_controllers controllers;
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
		static const char *const flag[] = {"--controller",   "--on",   "--seed", "--repeat",
						   "--set",	     "--pcap", "--qlog", "--iperf3",
						   "--mahimahi-log", "--sends"};
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
	p->exports = (struct weir_exports_wanted){.pcap = given(c, "pcap"),
						  .qlog = given(c, "qlog"),
						  .iperf3 = given(c, "iperf3"),
						  .mahimahi = given(c, "mahimahi-log"),
						  .sends = given(c, "sends")};
	if (!writes_directory(c) && weir_exports_any(&p->exports))
		mistake(c, weir_error(c->call, WEIR_EXIT_USAGE,
				      "--json alone writes no files: --pcap, --qlog, --iperf3, "
				      "--mahimahi-log and --sends want -o DIR beside it"));
	take_sets(c);
	mistake(c, weir_run_controllers_take(&c->controllers, c->call, p->emulated, &c->registry));
	take_arguments(c);
	p->file = c->call->operands[0];
	p->registry = &c->registry;
	p->controllers = c->controllers.controller;
	p->n_controllers = c->controllers.n;
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
	weir_run_controllers_free(&c->controllers);
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
    {.name = "sends", .help = "also write sends.csv: each data packet as it left"},
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
