/* SPDX-License-Identifier: MIT */
/* weir reproduce: runs experiments and says which of their claims hold. */
#include "cli/progress.h"
#include "command.h"
#include "core/nearest.h"
#include "record/json.h"
#include "record/outdir.h"
#include "reproduce.h"
#include "shipped.h"

#include <errno.h>
#include <limits.h>
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
	u32 n, mistakes;
	struct weir_reproduced *items;
	char **paths;
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
	    .stop = &interrupted,
	    .progress = on_progress,
	    .progress_ctx = &bar,
	    .complaints = stderr,
	};

	weir_progress_start(&bar, item->experiment.name);
	int rc = weir_experiment_run(&run, &item->result);
	int why = errno;
	weir_progress_end(&bar);
	if (rc == -2)
		return WEIR_EXIT_USAGE;
	if (rc < 0 && interrupted)
		return weir_error(job->call, WEIR_EXIT_FAILED, "%s: interrupted", item->experiment.name);
	if (rc < 0)
		return weir_error(job->call, WEIR_EXIT_FAILED, "%s: %s", item->experiment.name,
				  strerror(why));
	return 0;
}

static u64 count(const struct job *job, enum weir_verdict verdict)
{
	u64 n = 0;

	for (u32 i = 0; i < job->n; i++)
		n += job->items[i].result.count[verdict];
	return n;
}

/* ---- the directory ---- */

static int write_manifest(const struct job *job, FILE *to)
{
	struct weir_json j;

	weir_json_to_file(&j, to);
	weir_json_object(&j);
	weir_json_put_string(&j, "schema", "weir.manifest/1");
	weir_json_put_string(&j, "version", WEIR_VERSION);
	weir_json_put_string(&j, "backend", "sim");
	weir_json_put_bool(&j, "quick", weir_option(job->call, "quick") != NULL);
	weir_json_put_array(&j, "experiments");
	for (u32 i = 0; i < job->n; i++) {
		const struct weir_experiment *e = &job->items[i].experiment;
		weir_json_object(&j);
		weir_json_put_string(&j, "name", e->name);
		weir_json_put_string(&j, "file", e->path);
		weir_json_key(&j, "text");
		weir_json_string_n(&j, e->text, e->bytes);
		weir_json_object_end(&j);
	}
	weir_json_array_end(&j);
	weir_json_object_end(&j);
	return weir_json_finish(&j);
}

static int write_results(const struct job *job, FILE *to)
{
	return weir_reproduce_json(to, job->items, job->n);
}

static int write_file(const struct job *job, const struct weir_outdir *dir, const char *name,
		      int (*write)(const struct job *job, FILE *to))
{
	char path[PATH_MAX];
	FILE *f = weir_outdir_path(dir, name, path) ? fopen(path, "w") : NULL;
	int rc = f ? write(job, f) : -1;

	if (f && fclose(f) != 0)
		rc = -1;
	if (rc < 0)
		return weir_error(job->call, WEIR_EXIT_FAILED, "cannot write %s: %s", name, strerror(errno));
	return 0;
}

static int fill_directory(const struct job *job, const struct weir_outdir *dir)
{
	static struct weir_diag diag;
	char page[PATH_MAX];
	int code = write_file(job, dir, "reproduce.json", write_results);

	if (!code)
		code = write_file(job, dir, "manifest.json", write_manifest);
	if (code)
		return code;
	if (!weir_outdir_path(dir, "report.html", page))
		return weir_error(job->call, WEIR_EXIT_FAILED, "the name of the directory is too long");
	code = weir_reproduce_page(page, job->items, job->n, &diag);
	weir_diag_print(&diag, NULL, stderr);
	return code;
}

static int write_directory(const struct job *job, const char *path)
{
	struct weir_outdir dir;
	char why[512];

	if (weir_outdir_begin(&dir, path, why) < 0)
		return weir_error(job->call, WEIR_EXIT_FAILED, "%s", why);
	int code = fill_directory(job, &dir);
	if (code)
		weir_outdir_abandon(&dir);
	else if (weir_outdir_commit(&dir, why) < 0)
		return weir_error(job->call, WEIR_EXIT_FAILED, "%s", why);
	else
		fprintf(stderr, "results in %s, report %s/report.html\n", path, path);
	return code;
}

/* ---- the whole ---- */

static int say(const struct job *job)
{
	bool json = weir_option(job->call, "json") != NULL;
	u64 misses = count(job, WEIR_VERDICT_MISSES);

	if (json && weir_reproduce_json(stdout, job->items, job->n) < 0)
		return weir_error(job->call, WEIR_EXIT_FAILED, "cannot write: %s", strerror(errno));
	if (!json)
		weir_reproduce_text(job->items, job->n, weir_terminal_colour(STDOUT_FILENO));
	fprintf(json ? stderr : stdout, "%llu hold, %llu miss, %llu explained\n",
		count(job, WEIR_VERDICT_HOLDS), misses, count(job, WEIR_VERDICT_EXPLAINED));
	return misses ? WEIR_EXIT_CLAIM : 0;
}

static int reproduce(struct job *job)
{
	const char *directory = weir_option(job->call, "output");
	char why[512];
	int code = choose(job);

	if (!code)
		code = load(job);
	if (!code && directory && weir_outdir_check(directory, why) < 0)
		code = weir_error(job->call, WEIR_EXIT_USAGE, "%s", why);
	for (u32 i = 0; !code && i < job->n; i++)
		code = run_one(job, &job->items[i]);
	if (!code && directory)
		code = write_directory(job, directory);
	return code ? code : say(job);
}

static int cmd_reproduce(struct weir_invocation *call)
{
	struct job job = {.call = call};
	const char *on = weir_option(call, "on");

	if (on && !strcmp(on, "emu"))
		return weir_error(call, WEIR_EXIT_USAGE,
				  "--on emu is not built yet in version " WEIR_VERSION);
	if (on && strcmp(on, "sim"))
		return weir_error(call, WEIR_EXIT_USAGE, "--on %s: sim is expected", on);
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	int code = reproduce(&job);
	for (u32 i = 0; i < job.n; i++) {
		if (job.items) {
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
    {.name = "on", .value = "sim", .help = "where to run"},
    {.name = "quick", .help = "fewer seeds and axis points, every claim"},
    WEIR_OPTION_OUTPUT,
    WEIR_OPTION_JSON,
    {0},
};

const struct weir_command weir_cmd_reproduce = {
    .name = "reproduce",
    .synopsis = "[PAPER|NAME|FILE.yaml]... [--quick] [-o DIR] [--json]",
    .help = "run experiments and judge their claims",
    .details =
	"Runs the named experiments, all experiments of the named papers, or everything in experiments/.\n"
	"A claim holds, misses, or is explained: it misses as its file expects, with reason and evidence.\n"
	"Exit status: 0 no claim misses, 5 some do, 2 a mistake in an experiment.",
    .options = options,
    .operands_max = WEIR_ANY,
    .run = cmd_reproduce,
};
