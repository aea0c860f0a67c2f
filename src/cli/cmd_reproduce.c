/* SPDX-License-Identifier: MIT */
/* weir reproduce: runs experiments and says which of their claims hold. */
#include "cli/progress.h"
#include "command.h"
#include "core/nearest.h"
#include "record/json.h"
#include "record/number.h"
#include "run/experiment.h"
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

/* One experiment of the job. */
struct item {
	struct weir_experiment experiment;
	struct weir_experiment_result result;
};

struct job {
	const struct weir_invocation *call;
	struct weir_registry registry;
	u32 n, mistakes;
	struct item *items;
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

static int run_one(struct job *job, struct item *item)
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

/* ---- what comes out ---- */

static void put_pair(struct weir_json *j, const char *key, bool known, double low, double high)
{
	weir_json_key(j, key);
	if (!known) {
		weir_json_null(j);
		return;
	}
	weir_json_line(j);
	weir_json_array(j);
	weir_json_double(j, low);
	weir_json_double(j, high);
	weir_json_array_end(j);
}

static void put_number(struct weir_json *j, const char *key, bool known, double x)
{
	if (known)
		weir_json_put_double(j, key, x);
	else
		weir_json_put_null(j, key);
}

static void put_claim(struct weir_json *j, const struct weir_claim *c, const struct weir_claim_result *r)
{
	weir_json_object(j);
	weir_json_put_string(j, "id", c->id);
	weir_json_put_string(j, "claim", c->text);
	weir_json_put_string(j, "unit", c->unit);
	put_number(j, "paper", c->has_paper, c->paper);
	put_pair(j, "band", true, c->band[0], c->band[1]);
	put_number(j, "measured", r->known, r->measured);
	put_pair(j, "ci95", r->has_ci, r->ci_low, r->ci_high);
	weir_json_put_u64(j, "n", r->n);
	weir_json_put_string(j, "verdict", weir_verdict_words[r->verdict]);
	weir_json_put_string(j, "reason", r->reason[0] ? r->reason : NULL);
	weir_json_object_end(j);
}

static int print_json(const struct job *job)
{
	struct weir_json j;

	weir_json_to_file(&j, stdout);
	weir_json_object(&j);
	weir_json_put_string(&j, "schema", "weir.reproduce/1");
	weir_json_put_array(&j, "experiments");
	for (u32 i = 0; i < job->n; i++) {
		const struct item *item = &job->items[i];
		weir_json_object(&j);
		weir_json_put_string(&j, "name", item->experiment.name);
		weir_json_put_string(&j, "backend", "sim");
		weir_json_put_array(&j, "claims");
		for (u32 c = 0; c < item->experiment.n_claims; c++)
			put_claim(&j, &item->experiment.claims[c], &item->result.claim[c]);
		weir_json_array_end(&j);
		weir_json_object_end(&j);
	}
	weir_json_array_end(&j);
	weir_json_object_end(&j);
	if (weir_json_finish(&j) < 0)
		return weir_error(job->call, WEIR_EXIT_FAILED, "cannot write: %s", strerror(errno));
	return 0;
}

/* Four significant digits: enough to see on which side of a band it lies, which the verdict says exactly. */
static void print_measured(const struct weir_claim_result *r)
{
	char text[64] = "-";

	if (r->known && r->has_ci)
		snprintf(text, sizeof text, "%.4g +- %.2g", r->measured, (r->ci_high - r->ci_low) / 2);
	else if (r->known)
		snprintf(text, sizeof text, "%.4g", r->measured);
	printf(" %20s", text);
}

static void print_claim(const struct weir_claim *c, const struct weir_claim_result *r, bool colour)
{
	static const char *const colours[WEIR_VERDICTS] = {"\033[32m", "\033[31m", "\033[33m"};
	char band[64], paper[32] = "-";

	snprintf(band, sizeof band, "%.4g .. %.4g", c->band[0], c->band[1]);
	if (c->has_paper)
		snprintf(paper, sizeof paper, "%.4g", c->paper);
	printf("  %s%-9s%s %-24s", colour ? colours[r->verdict] : "", weir_verdict_words[r->verdict],
	       colour ? "\033[0m" : "", c->id);
	print_measured(r);
	printf(" %20s %10s  %s\n", band, paper, c->unit);
	printf("            %s (%s)\n", c->text, c->where);
	if (r->reason[0])
		printf("            %s\n", r->reason);
	if (r->verdict == WEIR_VERDICT_EXPLAINED)
		printf("            evidence: %s\n", c->miss_evidence);
}

static void print_text(const struct job *job)
{
	bool colour = weir_terminal_colour(STDOUT_FILENO);

	for (u32 i = 0; i < job->n; i++) {
		const struct weir_experiment *e = &job->items[i].experiment;
		const struct weir_experiment_result *r = &job->items[i].result;
		printf("%s: %s\n", e->name, e->title);
		if (e->source)
			printf("  %s\n", e->source);
		printf("  %llu runs, %.0f simulated seconds\n\n", r->runs, r->simulated_s);
		printf("  %-9s %-24s %20s %20s %10s  %s\n", "", "claim", "measured", "band", "paper", "unit");
		for (u32 c = 0; c < e->n_claims; c++)
			print_claim(&e->claims[c], &r->claim[c], colour);
		putchar('\n');
	}
}

static u64 count(const struct job *job, enum weir_verdict verdict)
{
	u64 n = 0;

	for (u32 i = 0; i < job->n; i++)
		n += job->items[i].result.count[verdict];
	return n;
}

static int reproduce(struct job *job)
{
	int code = choose(job);

	if (!code)
		code = load(job);
	for (u32 i = 0; !code && i < job->n; i++)
		code = run_one(job, &job->items[i]);
	if (code)
		return code;
	if (weir_option(job->call, "json"))
		code = print_json(job);
	else
		print_text(job);
	fprintf(weir_option(job->call, "json") ? stderr : stdout, "%llu hold, %llu miss, %llu explained\n",
		count(job, WEIR_VERDICT_HOLDS), count(job, WEIR_VERDICT_MISSES),
		count(job, WEIR_VERDICT_EXPLAINED));
	if (!code && count(job, WEIR_VERDICT_MISSES))
		code = WEIR_EXIT_CLAIM;
	return code;
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
    WEIR_OPTION_JSON,
    {0},
};

const struct weir_command weir_cmd_reproduce = {
    .name = "reproduce",
    .synopsis = "[PAPER|NAME|FILE.yaml]... [--quick] [--json]",
    .help = "run experiments and judge their claims",
    .details =
	"Runs the named experiments, all experiments of the named papers, or everything in experiments/.\n"
	"A claim holds, misses, or is explained: it misses as its file expects, with reason and evidence.\n"
	"Exit status: 0 no claim misses, 5 some do, 2 a mistake in an experiment.",
    .options = options,
    .operands_max = WEIR_ANY,
    .run = cmd_reproduce,
};
