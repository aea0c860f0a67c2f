/* SPDX-License-Identifier: MIT */
/* weir reproduce: runs experiments and says which of their claims hold. */
#include "cli/progress.h"
#include "command.h"
#include "core/nearest.h"
#include "record/json.h"
#include "record/outdir.h"
#include "reproduce.h"
#include "run/experiment_workers.h"
#include "shipped.h"
#include "values.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

static void on_signal(int signal)
{
	(void)signal;
	interrupted = 1;
}

struct job {
	const struct weir_invocation *call;
	struct weir_registry registry;
	bool emulated;
	u32 jobs;
	u32 n, mistakes;
	struct weir_reproduced *items;
	char **paths;
	const char *directory;
	char runs[PATH_MAX]; /* in the directory: the runs that are kept */
};

/* ---- which experiments ---- */

static int add_path(struct job *job, const char *path)
{
	for (u32 i = 0; i < job->n; i++)
		if (!strcmp(job->paths[i], path))
			return 0;
	char **longer = realloc(job->paths, (job->n + 1) * sizeof *longer);
	if (!longer)
		return -1;
	job->paths = longer;
	job->paths[job->n] = strdup(path);
	if (!job->paths[job->n])
		return -1;
	job->n++;
	return 0;
}

/* FOLDER/PAPER/NAME.yaml in parts; the paper is "" for a file directly in the folder. */
struct shipped_name {
	char paper[NAME_MAX + 1], name[NAME_MAX + 1], both[2 * NAME_MAX + 2];
};

static void split(struct shipped_name *n, const char *folder, const char *path)
{
	const char *rest = path + strlen(folder) + 1, *slash = strchr(rest, '/');

	snprintf(n->paper, sizeof n->paper, "%.*s", slash ? (int)(slash - rest) : 0, rest);
	snprintf(n->name, sizeof n->name, "%s", slash ? slash + 1 : rest);
	n->name[strlen(n->name) - strlen(".yaml")] = 0;
	snprintf(n->both, sizeof n->both, "%s%s%s", n->paper, slash ? "/" : "", n->name);
}

static int add_word(struct job *job, const char *word, const char *folder,
		    const struct weir_shipped_list *list)
{
	char suggestion[NAME_MAX + 1] = "";
	struct weir_nearest near = weir_nearest_to(word);
	struct shipped_name n;
	bool found = false;

	for (u32 i = 0; i < list->n; i++) {
		split(&n, folder, list->paths[i]);
		if (!strcmp(word, n.paper) || !strcmp(word, n.name) || !strcmp(word, n.both)) {
			found = true;
			if (add_path(job, list->paths[i]) < 0)
				return weir_error(job->call, WEIR_EXIT_FAILED, "out of memory");
		}
		weir_nearest_try(&near, n.name);
		if (near.name == n.name)
			snprintf(suggestion, sizeof suggestion, "%s", n.name);
		near.name = suggestion;
	}
	if (found)
		return 0;
	if (access(word, R_OK) == 0)
		return add_path(job, word) < 0 ? weir_error(job->call, WEIR_EXIT_FAILED, "out of memory") : 0;
	if (suggestion[0])
		return weir_error(job->call, WEIR_EXIT_USAGE,
				  "no experiment, paper or file is called %s; did you mean %s?", word,
				  suggestion);
	return weir_error(job->call, WEIR_EXIT_USAGE,
			  "no experiment, paper or file is called %s; `weir list experiments` lists them",
			  word);
}

static int choose(struct job *job)
{
	char folder[PATH_MAX];
	struct weir_shipped_list list = {0};
	int code = 0;

	if (!weir_shipped_folder("experiments", folder, sizeof folder))
		folder[0] = 0;
	else if (weir_shipped_files(folder, &list) < 0)
		code = weir_error(job->call, WEIR_EXIT_FAILED, "%s: %s", folder, strerror(errno));
	for (u32 i = 0; !code && i < job->call->n_operands; i++) {
		int wrong = add_word(job, job->call->operands[i], folder, &list);
		code = wrong ? wrong : code;
	}
	for (u32 i = 0; !code && !job->call->n_operands && i < list.n; i++)
		if (add_path(job, list.paths[i]) < 0)
			code = weir_error(job->call, WEIR_EXIT_FAILED, "out of memory");
	if (!code && job->n == 0)
		code = weir_error(job->call, WEIR_EXIT_MACHINE,
				  "there is no folder experiments/ here or beside the program");
	weir_shipped_free(&list);
	return code;
}

static int load(struct job *job)
{
	job->items = calloc(job->n, sizeof *job->items);
	if (!job->items || weir_registry_init(&job->registry) < 0)
		return weir_error(job->call, WEIR_EXIT_FAILED, "out of memory");
	for (u32 i = 0; i < job->n; i++)
		job->mistakes +=
		    weir_experiment_load(job->paths[i], &job->registry, &job->items[i].experiment, stderr);
	return job->mistakes ? WEIR_EXIT_USAGE : 0;
}

/* --at AXIS=VALUE */
static int choose_values(struct job *job)
{
	const char *choice;
	char why[512];

	for (u32 i = 0; i < job->n; i++)
		for (u32 k = 0; (choice = weir_option_at(job->call, "at", k)) != NULL; k++)
			if (weir_experiment_select(&job->items[i].experiment, choice, why) < 0)
				return weir_error(job->call, WEIR_EXIT_USAGE, "--at: %s", why);
	return 0;
}

/* ---- running ---- */

static void on_progress(void *ctx, double done, double total)
{
	weir_progress_update(ctx, done, total);
}

static int run_one(struct job *job, struct weir_reproduced *item)
{
	struct weir_progress bar;
	const struct weir_experiment_run run = {
	    .experiment = &item->experiment,
	    .registry = &job->registry,
	    .quick = weir_option(job->call, "quick") != NULL,
	    .emulated = job->emulated,
	    .jobs = job->jobs,
	    .keep = job->directory ? job->runs : NULL,
	    .keep_of_any_build = weir_option(job->call, "reuse") != NULL,
	    .stop = &interrupted,
	    .progress = on_progress,
	    .progress_ctx = &bar,
	    .complaints = stderr,
	};

	weir_progress_start(&bar, item->experiment.name);
	int rc = weir_experiment_run(&run, &item->result);
	if (rc == 0 && job->directory && weir_figures_make(&run, &item->figures, item->result.why) < 0) {
		item->result.code = WEIR_EXIT_FAILED;
		rc = -1;
	}
	weir_progress_end(&bar);
	if (rc == -2)
		return WEIR_EXIT_USAGE;
	if (rc < 0 && interrupted && job->directory)
		return weir_error(
		    job->call, WEIR_EXIT_FAILED,
		    "%s: interrupted; the runs made so far are in %s, and the same command goes on "
		    "from there",
		    item->experiment.name, job->runs);
	if (rc < 0 && interrupted)
		return weir_error(job->call, WEIR_EXIT_FAILED, "%s: interrupted", item->experiment.name);
	if (rc < 0)
		return weir_error(job->call, item->result.code, "%s: %s", item->experiment.name,
				  item->result.why);
	return 0;
}

static u64 count(const struct job *job, enum weir_verdict verdict)
{
	u64 n = 0;

	for (u32 i = 0; i < job->n; i++)
		n += job->items[i].result.count[verdict];
	return n;
}

/* ---- the whole ---- */

static bool has_emulated(const struct weir_experiment *e)
{
	for (u32 a = 0; a < e->n_axes; a++)
		for (u32 v = 0; v < e->axes[a].n; v++)
			if (e->axes[a].values[v].emulated)
				return true;
	return false;
}

/* What a reader of the numbers must know beside them. */
static void say_beside(const struct job *job, FILE *to)
{
	for (u32 i = 0; i < job->n; i++) {
		const struct weir_experiment_result *r = &job->items[i].result;
		const char *name = job->items[i].experiment.name;
		if (r->not_judged)
			fprintf(to, "%s: %u claim%s not judged, since not all points were run%s\n", name,
				r->not_judged, r->not_judged == 1 ? " was" : "s were",
				job->emulated || !has_emulated(&job->items[i].experiment)
				    ? ""
				    : " (--on emu adds the emulated ones)");
		if (r->kept)
			fprintf(to, "%s: %llu of %llu runs had been made before and were kept in %s\n", name,
				r->kept, r->runs, job->runs);
		if (r->repeated)
			fprintf(to,
				"%s: %llu of %llu emulated runs were repeated, since the emulator could not "
				"keep up\n",
				name, r->repeated, r->emulated_runs);
	}
}

static int say(const struct job *job)
{
	bool json = weir_option(job->call, "json") != NULL;
	u64 misses = count(job, WEIR_VERDICT_MISSES), invalid = count(job, WEIR_VERDICT_INVALID);

	if (json && weir_reproduce_json(stdout, job->items, job->n) < 0)
		return weir_error(job->call, WEIR_EXIT_FAILED, "cannot write: %s", strerror(errno));
	if (!json)
		weir_reproduce_text(job->items, job->n, weir_terminal_colour(STDOUT_FILENO));
	fprintf(json ? stderr : stdout, "%llu hold, %llu miss, %llu explained\n",
		count(job, WEIR_VERDICT_HOLDS), misses, count(job, WEIR_VERDICT_EXPLAINED));
	say_beside(job, stderr);
	if (invalid)
		weir_error(job->call, WEIR_EXIT_INVALID,
			   "invalid: no verdict on %llu claims, since the emulator could not keep up",
			   invalid);
	return misses ? WEIR_EXIT_CLAIM : invalid ? WEIR_EXIT_INVALID : 0;
}

static int reproduce(struct job *job)
{
	struct weir_reproduce_directory dir = {.call = job->call, .emulated = job->emulated};
	char why[512];
	int code = choose(job);

	job->directory = weir_option(job->call, "output");
	if (!code)
		code = load(job);
	if (!code)
		code = choose_values(job);
	dir.items = job->items;
	dir.n = job->n;
	dir.path = job->directory;
	if (!code && job->directory && weir_outdir_check(job->directory, why) < 0)
		code = weir_error(job->call, WEIR_EXIT_USAGE, "%s", why);
	if (!code && job->directory)
		code = weir_reproduce_begin(&dir, job->runs);
	for (u32 i = 0; !code && i < job->n; i++)
		code = run_one(job, &job->items[i]);
	if (!code && job->directory)
		code = weir_reproduce_end(&dir, job->runs);
	return code ? code : say(job);
}

/* That this process may use. */
static u64 processors(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof set, &set) != 0)
		return 1;
	return weir_clamp((u64)CPU_COUNT(&set), 1, WEIR_WORKERS_MAX);
}

static int cmd_reproduce(struct weir_invocation *call)
{
	struct job job = {.call = call};
	const char *on = weir_option(call, "on");

	u64 jobs = processors();
	int code = weir_option_u64(call, "jobs", 1, WEIR_WORKERS_MAX, &jobs);
	if (code)
		return code;
	job.jobs = (u32)jobs;
	job.emulated = on && !strcmp(on, "emu");
	if (on && !job.emulated && strcmp(on, "sim") != 0)
		return weir_error(call, WEIR_EXIT_USAGE, "--on %s: sim or emu is expected", on);
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	code = reproduce(&job);
	for (u32 i = 0; i < job.n; i++) {
		if (job.items) {
			weir_figures_free(&job.items[i].experiment, job.items[i].figures);
			weir_experiment_result_free(&job.items[i].result);
			weir_experiment_free(&job.items[i].experiment);
		}
		free(job.paths[i]);
	}
	weir_registry_free(&job.registry);
	free(job.items);
	free(job.paths);
	return code;
}

static const struct weir_option options[] = {
    {.name = "on",
     .value = "sim|emu",
     .help = "the simulated points only (the default), or the emulated ones too"},
    {.name = "quick", .help = "fewer seeds and axis points, every claim"},
    {.name = "at", .value = "AXIS=VALUE,...", .repeat = true, .help = "only these values of an axis"},
    {.name = "jobs",
     .value = "N",
     .help = "so many simulations at once; as many as there are processors if absent"},
    {.name = "reuse", .help = "with -o: also take runs that another build of this version left there"},
    WEIR_OPTION_OUTPUT,
    WEIR_OPTION_JSON,
    {0},
};

const struct weir_command weir_cmd_reproduce = {
    .name = "reproduce",
    .synopsis = "[PAPER|NAME|FILE.yaml]... [--on sim|emu] [--quick] [--at AXIS=VALUE]... [-o DIR] [--json]",
    .help = "run experiments and judge their claims",
    .details =
	"Runs the named experiments, all experiments of the named papers, or everything in experiments/.\n"
	"A claim holds, misses, or is explained: it misses as its file expects, with reason and evidence.\n"
	"With -o each finished run is kept in DIR/runs; the same command goes on where it was interrupted.\n"
	"Exit status: 0 no claim misses, 5 some do, 4 for some the emulator could not keep up, 2 a mistake.",
    .options = options,
    .operands_max = WEIR_ANY,
    .run = cmd_reproduce,
};
