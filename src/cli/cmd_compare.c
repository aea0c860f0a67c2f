/* SPDX-License-Identifier: MIT */
/* weir compare: does a second result agree with a first one? */
#include "command.h"
#include "compare.h"
#include "record/json.h"
#include "record/outdir.h"
#include "scenario/quantity.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool part(const char *text, double *fraction, double *ms, char error[WEIR_QUANTITY_ERROR])
{
	u64 ns;
	size_t n = strlen(text);

	if (ms && n > 1 && text[n - 1] == 's') {
		if (!weir_quantity(text, WEIR_QUANTITY_TIME, &ns, error))
			return false;
		*ms = (double)ns / 1e6;
		return true;
	}
	if (!weir_quantity_fraction(text, fraction, error))
		return false;
	if (*fraction > 1 && text[n - 1] != '%') {
		snprintf(error, WEIR_QUANTITY_ERROR, "%s has no unit: write %s%%%s%s", text, text,
			 ms ? " or " : "", ms ? "2ms" : "");
		return false;
	}
	return true;
}

/* `5%`, and for --delay also `2ms` or both, by a comma. What is not named keeps its default. */
static int read_limit(const struct weir_invocation *call, const char *name, double *fraction, double *ms)
{
	const char *text = weir_option(call, name);
	char copy[64], error[WEIR_QUANTITY_ERROR], *rest = copy, *word;

	if (!text)
		return 0;
	snprintf(copy, sizeof copy, "%s", text);
	if (strlen(text) >= sizeof copy)
		return weir_usage_error(call, "--%s: the value is too long", name);
	while ((word = strsep(&rest, ","))) {
		if (!part(word, fraction, ms, error))
			return weir_usage_error(call, "--%s %s: %s", name, text, error);
	}
	return 0;
}

/* ---- reading and judging ---- */

static struct weir_compare_result result_of(const struct weir_compared_run *run)
{
	return (struct weir_compare_result){run->label, run->summary, run->series};
}

static int judge_pair(struct weir_compare_job *job, const struct weir_compared_run *first,
		      const struct weir_compared_run *second)
{
	struct weir_compare_result a = result_of(first), b = result_of(second);
	job->pair[job->n_pairs++] = (struct weir_compared_pair){first, second};
	return weir_compare(&a, &b, &job->limits, &job->result);
}

static int judge(const struct weir_invocation *call, struct weir_compare_job *job)
{
	struct weir_compared *a = &job->side[0], *b = &job->side[1];
	u32 pair[WEIR_COMPARE_RUNS_MAX];
	char why[512];
	int failed = 0;

	if (!weir_compared_match(a, b, pair, why))
		return weir_error(call, WEIR_EXIT_USAGE, "%s", why);
	for (u32 i = 0; i < a->n && !failed; i++)
		failed = pair[i] == WEIR_COMPARED_NONE
			     ? weir_compare_missing_run(a->run[i].label, &job->result)
			     : judge_pair(job, &a->run[i], &b->run[pair[i]]);
	for (u32 i = 0; i < b->n && !failed && b->several; i++)
		if (!b->run[i].matched)
			failed = weir_compare_missing_run(b->run[i].label, &job->result);
	if (failed)
		return weir_error(call, WEIR_EXIT_FAILED, "out of memory");
	if (job->result.n == 0)
		return weir_error(call, WEIR_EXIT_USAGE, "neither result has anything that can be compared");
	return 0;
}

/* ---- the directory ---- */

static int write_manifest(FILE *to, const struct weir_compare_job *job)
{
	struct weir_json j;

	weir_json_to_file(&j, to);
	weir_json_object(&j);
	weir_json_put_string(&j, "schema", "weir.manifest/1");
	weir_json_put_string(&j, "version", WEIR_VERSION);
	weir_json_put_string(&j, "first", job->operand[0]);
	weir_json_put_string(&j, "second", job->operand[1]);
	weir_json_object_end(&j);
	return weir_json_finish(&j);
}

static int write_file(const struct weir_invocation *call, const struct weir_compare_job *job,
		      const struct weir_outdir *dir, const char *name,
		      int (*write)(FILE *to, const struct weir_compare_job *job))
{
	char path[PATH_MAX];
	FILE *f = weir_outdir_path(dir, name, path) ? fopen(path, "w") : NULL;
	int failed = f ? write(f, job) : -1;

	if (f && fclose(f) != 0)
		failed = -1;
	if (failed)
		return weir_error(call, WEIR_EXIT_FAILED, "cannot write %s: %s", name, strerror(errno));
	return 0;
}

static int fill_directory(const struct weir_invocation *call, const struct weir_compare_job *job,
			  const struct weir_outdir *dir)
{
	static struct weir_diag diag;
	char page[PATH_MAX];
	int code = write_file(call, job, dir, "compare.json", weir_compare_json);

	if (!code)
		code = write_file(call, job, dir, "manifest.json", write_manifest);
	if (code)
		return code;
	if (!weir_outdir_path(dir, "report.html", page))
		return weir_error(call, WEIR_EXIT_FAILED, "the name of the directory is too long");
	code = weir_compare_page(page, job, &diag);
	weir_diag_print(&diag, NULL, stderr);
	return code;
}

static int write_directory(const struct weir_invocation *call, const struct weir_compare_job *job,
			   const char *path)
{
	struct weir_outdir dir;
	char why[512];

	if (weir_outdir_begin(&dir, path, why) < 0)
		return weir_error(call, WEIR_EXIT_FAILED, "%s", why);
	int code = fill_directory(call, job, &dir);
	if (code)
		weir_outdir_abandon(&dir);
	else if (weir_outdir_commit(&dir, why) < 0)
		return weir_error(call, WEIR_EXIT_FAILED, "%s", why);
	else
		fprintf(stderr, "results in %s, report %s/report.html\n", path, path);
	return code;
}

/* ---- the verb ---- */

static int say(const struct weir_invocation *call, const struct weir_compare_job *job)
{
	if (!weir_option(call, "json"))
		weir_compare_text(job);
	else if (weir_compare_json(stdout, job) < 0)
		return weir_error(call, WEIR_EXIT_FAILED, "cannot write: %s", strerror(errno));
	if (job->result.invalid)
		return weir_error(call, WEIR_EXIT_INVALID,
				  "an emulator could not keep up: neither agreement nor disagreement counts");
	return job->result.outside ? WEIR_EXIT_CLAIM : WEIR_EXIT_OK;
}

/* What is compared must not be replaced by the comparison. */
static bool would_replace(const struct weir_compare_job *job, const char *directory)
{
	char target[PATH_MAX], run[PATH_MAX];
	if (!realpath(directory, target))
		return false;
	size_t n = strlen(target);
	for (u32 side = 0; side < 2; side++)
		for (u32 i = 0; i < job->side[side].n; i++) {
			const char *of = realpath(job->side[side].run[i].directory, run);
			if (of && !strncmp(of, target, n) && (of[n] == 0 || of[n] == '/'))
				return true;
		}
	return false;
}

static int compare(const struct weir_invocation *call, struct weir_compare_job *job)
{
	static struct weir_diag diag;
	const char *directory = weir_option(call, "output");
	char why[512];
	int code = WEIR_EXIT_OK;

	if (read_limit(call, "goodput", &job->limits.goodput_fraction, NULL) ||
	    read_limit(call, "delay", &job->limits.delay_fraction, &job->limits.delay_ms))
		return WEIR_EXIT_USAGE;
	if (directory && weir_outdir_check(directory, why) < 0)
		return weir_error(call, WEIR_EXIT_USAGE, "%s", why);
	for (u32 i = 0; i < 2; i++) {
		memset(&diag, 0, sizeof diag);
		job->operand[i] = call->operands[i];
		int loaded = weir_compared_load(job->operand[i], &job->side[i], &diag);
		weir_diag_print(&diag, NULL, stderr);
		code = code ? code : loaded;
	}
	if (!code && directory && would_replace(job, directory))
		code = weir_error(call, WEIR_EXIT_USAGE, "-o %s would replace what is to be compared",
				  directory);
	if (!code)
		code = judge(call, job);
	if (!code && directory)
		code = write_directory(call, job, directory);
	return code ? code : say(call, job);
}

static int cmd_compare(struct weir_invocation *call)
{
	struct weir_compare_job *job = calloc(1, sizeof *job);
	if (!job)
		return weir_error(call, WEIR_EXIT_FAILED, "out of memory");
	job->limits = (struct weir_compare_limits)WEIR_COMPARE_DEFAULTS;
	int code = compare(call, job);
	weir_comparison_free(&job->result);
	weir_compared_free(&job->side[0]);
	weir_compared_free(&job->side[1]);
	free(job);
	return code;
}

static const struct weir_option options[] = {
    {.name = "goodput", .value = "5%", .help = "largest difference of a goodput"},
    {.name = "delay",
     .value = "10%,2ms",
     .help = "largest difference of a median queue delay, whichever is more"},
    WEIR_OPTION_OUTPUT,
    WEIR_OPTION_JSON,
    {0},
};

const struct weir_command weir_cmd_compare = {
    .name = "compare",
    .synopsis = "DIR DIR [--goodput 5%] [--delay 10%,2ms] [-o DIR] [--json]",
    .help = "tell whether a second result agrees with a first one",
    .details =
	"Flows, groups and links of two results are matched by name, several runs by label. Goodput and\n"
	"median queue delay are judged by the first, with 95 % confidence intervals: over the repeats of\n"
	"--repeat, else over batches of a run's series. A difference beyond the limit whose interval\n"
	"reaches the limit is noise and not outside; what only one of the two has is outside. -o DIR\n"
	"leaves a page with both on the same axes.\n"
	"Exit status: 0 nothing outside, 5 something outside, 4 an emulator calls its own result invalid,\n"
	"2 a result cannot be read.",
    .options = options,
    .operands_min = 2,
    .operands_max = 2,
    .run = cmd_compare,
};
