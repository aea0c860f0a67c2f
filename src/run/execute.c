/* SPDX-License-Identifier: MIT */
/* The second half of a plan: running it and writing what it leaves. */
#include "emulate.h"
#include "plan.h"
#include "record/repeats.h"
#include "record/series.h"
#include "simulate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define WHY_BYTES 512

__attribute__((format(printf, 2, 3))) static int fail(char why[WHY_BYTES], const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	vsnprintf(why, WHY_BYTES, format, ap);
	va_end(ap);
	return -1;
}

static double now_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Where a job's files go: the directory itself, or the job's own in it. */
static bool job_path(const struct weir_outdir *dir, const struct weir_job *job, const char *name,
		     char path[PATH_MAX])
{
	char below[WEIR_LABEL_BYTES_MAX + 64];
	snprintf(below, sizeof below, "%s%s%s", job->directory, *job->directory && *name ? "/" : "", name);
	return weir_outdir_path(dir, below, path);
}

static void document_fields(struct weir_json *j, const struct weir_plan *p, const struct weir_job *job)
{
	weir_summary_fields(j, &job->summary);
	weir_json_put_string(j, "label", *job->label ? job->label : NULL);
	weir_json_put_string(j, "directory", *job->directory ? job->directory : NULL);
	weir_json_put_object(j, "axes");
	for (u32 i = 0; i < p->set.n_axes; i++)
		weir_json_put_string(j, p->set.axes[i].key, weir_plan_choice(p, job, i));
	weir_json_object_end(j);
	if (job->n_documents > 1) {
		weir_json_key(j, "repeats");
		if (weir_repeats_write(j, (const char *const *)job->documents, job->n_documents, job->seed) <
		    0) {
			j->error = ENOMEM;
			weir_json_null(j);
		}
	}
}

static int write_json(const struct weir_outdir *dir, const struct weir_job *job, const char *name,
		      void (*body)(struct weir_json *, const struct weir_plan *, const struct weir_job *),
		      const struct weir_plan *p, char why[WHY_BYTES])
{
	char path[PATH_MAX];
	if (!job_path(dir, job, name, path))
		return fail(why, "%s: the path is too long", name);
	FILE *out = fopen(path, "w");
	if (!out)
		return fail(why, "cannot write %s: %s", name, strerror(errno));
	struct weir_json j;
	weir_json_to_file(&j, out);
	body(&j, p, job);
	int failed = weir_json_finish(&j) < 0, error = errno;
	if (fclose(out) != 0 && !failed) {
		failed = 1;
		error = errno;
	}
	return failed ? fail(why, "cannot write %s: %s", name, strerror(error)) : 0;
}

static void summary_body(struct weir_json *j, const struct weir_plan *p, const struct weir_job *job)
{
	weir_json_object(j);
	document_fields(j, p, job);
	weir_json_object_end(j);
}

/* Kernel flows: each controller was read back from its socket, else the run would have failed. */
static void put_controllers(struct weir_manifest *m, const struct weir_summary *s,
			    struct weir_manifest_flow *flows)
{
	m->kernel = s->emulation.verdict ? s->emulation.kernel : NULL;
	m->flows = flows;
	for (u32 i = 0; i < s->n_flows; i++)
		if (*s->flow[i].controller)
			flows[m->n_flows++] =
			    (struct weir_manifest_flow){s->flow[i].name, s->flow[i].controller};
}

static void put_params(struct weir_manifest *m, const struct weir_plan *p, const struct weir_job *job,
		       struct weir_manifest_params *params)
{
	const struct weir_build_with with = weir_plan_with(p, job);
	m->params = params;
	for (u32 i = 0; params && i < job->scenario.n_flows; i++) {
		const struct weir_scenario_flow *f = &job->scenario.flows[i];
		const u64 *values;
		const struct weir_controller ops = weir_build_ops(&job->scenario, &with, f, &values);
		const struct weir_controller_about about = weir_controller_about(&ops);
		if (!weir_controller_is_none(&ops))
			params[m->n_params++] =
			    (struct weir_manifest_params){f->name, about.params, values, about.n_params};
	}
}

static void manifest_body(struct weir_json *j, const struct weir_plan *p, const struct weir_job *job)
{
	struct weir_manifest_axis axes[64];
	struct weir_manifest_trace *traces = calloc(p->traces.n + 1u, sizeof *traces);
	/* The directory above several runs stands for all values. */
	bool above = p->n_jobs > 1 && !*job->label;
	u32 n_axes = above ? 0 : (u32)weir_min(p->set.n_axes, 64);
	for (u32 i = 0; i < n_axes; i++)
		axes[i] = (struct weir_manifest_axis){p->set.axes[i].key, weir_plan_choice(p, job, i)};
	for (u32 i = 0; traces && i < p->traces.n; i++)
		traces[i] = (struct weir_manifest_trace){p->traces.file[i]->path, p->traces.file[i]->hash};
	struct weir_manifest m = {
	    .scenario = job->scenario.name,
	    .title = job->scenario.title,
	    .file = p->file,
	    .text = p->set.text,
	    .text_bytes = p->set.text_bytes,
	    .label = *job->label ? job->label : NULL,
	    .controller = job->controller ? job->controller->name : NULL,
	    .header_text = job->controller ? job->controller->header_text : NULL,
	    .backend = p->emulated ? "emu" : "sim",
	    .seed = job->seed,
	    .repeat = p->repeat,
	    .n_sets = p->n_sets,
	    .n_arguments = p->n_arguments,
	    .n_axes = n_axes,
	    .n_traces = traces ? p->traces.n : 0,
	    .sets = p->sets,
	    .arguments = p->arguments,
	    .axes = axes,
	    .traces = traces,
	};
	struct weir_manifest_flow *flows = calloc(job->summary.n_flows + 1u, sizeof *flows);
	struct weir_manifest_params *params = calloc(job->scenario.n_flows + 1u, sizeof *params);
	if (p->emulated && flows)
		put_controllers(&m, &job->summary, flows);
	if (!above)
		put_params(&m, p, job, params);
	weir_manifest_write(j, &m);
	if (!traces || !flows || !params)
		j->error = ENOMEM;
	free(params);
	free(traces);
	free(flows);
}

/* Results of one seed as text, to be averaged over seeds later. */
static int keep_document(struct weir_job *job, const struct weir_summary *s)
{
	struct weir_json j;
	weir_json_to_buffer(&j);
	weir_json_object(&j);
	weir_summary_fields(&j, s);
	weir_json_object_end(&j);
	if (weir_json_finish(&j) < 0)
		return -1;
	job->documents[job->n_documents++] = weir_json_take(&j, NULL);
	return 0;
}

struct progress {
	const struct weir_plan *p;
	double total_runs;
};

static void on_progress(void *ctx, double done, double total)
{
	const struct progress *g = ctx;
	if (g->p->progress)
		g->p->progress(g->p->progress_ctx, g->p->work_done + done / total, g->total_runs);
}

/* Where a run writes as it goes: the first seed only. */
struct recorded {
	struct weir_series *series;
	struct weir_exports *exports;
	struct weir_exports_wanted live; /* of an emulation */
	char directory[PATH_MAX];
};

static int run_backend(struct weir_plan *p, const struct weir_simulate_config *c, const struct recorded *to,
		       struct weir_summary *summary, char why[WHY_BYTES])
{
	if (p->emulated) {
		struct weir_emulate_config e = {.run = *c};
		if (to) {
			e.live = to->live;
			e.directory = to->directory;
		}
		int code = weir_emulate(&e, summary, why);
		p->code = code ? (enum weir_exit)code : p->code;
		return code ? -1 : 0;
	}
	if (weir_simulate(c, summary) == 0)
		return 0;
	return fail(why, "the simulation failed: %s", strerror(errno));
}

static bool is_invalid(const struct weir_summary *s)
{
	return s->emulation.verdict && strcmp(s->emulation.verdict, "invalid") == 0;
}

/* The k-th seed of a job; `to` is NULL for all but the first. */
static int run_seed(struct weir_plan *p, struct weir_job *job, u64 k, const struct recorded *to,
		    char why[WHY_BYTES])
{
	struct progress g = {p, (double)p->n_jobs * (double)p->repeat};
	struct weir_simulate_config c = {
	    .scenario = &job->scenario,
	    .with = weir_plan_with(p, job),
	    .traces = &p->traces,
	    .seed = job->seed + k,
	    .series = to ? to->series : NULL,
	    .exports = to ? to->exports : NULL,
	    .stop = p->stop,
	    .progress = on_progress,
	    .progress_ctx = &g,
	};
	struct weir_summary summary = {0};
	double began_s = now_s();
	int failed = run_backend(p, &c, to, &summary, why) < 0;
	summary.wall_s = now_s() - began_s;
	p->work_done += 1;
	p->interrupted = p->interrupted || summary.interrupted;
	p->invalid = p->invalid || is_invalid(&summary);
	/* Of a later seed that was cut short nothing is kept: it would bend the means. */
	bool counts = !failed && p->repeat > 1 && (k == 0 || !summary.interrupted);
	if (counts && keep_document(job, &summary) < 0)
		failed = fail(why, "out of memory");
	if (k == 0)
		job->summary = summary;
	else
		weir_summary_free(&summary);
	return failed ? -1 : 0;
}

static int run_seeds(struct weir_plan *p, struct weir_job *job, const struct recorded *to,
		     char why[WHY_BYTES])
{
	job->documents = calloc(p->repeat + 1, sizeof *job->documents);
	if (!job->documents)
		return fail(why, "out of memory");
	for (u64 k = 0; k < p->repeat && !p->interrupted; k++)
		if (run_seed(p, job, k, k == 0 ? to : NULL, why) < 0)
			return -1;
	if (p->interrupted && job->n_documents > 0 && job->n_documents < p->repeat)
		weir_summary_note(&job->summary, "interrupted: %u of %llu seeds were run", job->n_documents,
				  p->repeat);
	job->done = true;
	p->n_done++;
	return 0;
}

static int open_exports(const struct weir_plan *p, const struct weir_job *job, const struct weir_outdir *dir,
			struct recorded *to, char why[WHY_BYTES])
{
	const struct weir_scenario_record *r = &job->scenario.record;
	struct weir_exports_wanted w = {p->exports.pcap || r->pcap, p->exports.qlog || r->qlog,
					p->exports.iperf3 || r->iperf3, p->exports.mahimahi || r->mahimahi,
					p->exports.sends || r->sends};
	const char *file;
	if (!weir_exports_any(&w))
		return 0;
	if (!job_path(dir, job, "", to->directory))
		return fail(why, "the path is too long");
	if (p->emulated) {
		to->live = w;
		w = (struct weir_exports_wanted){.iperf3 = w.iperf3};
		if (!weir_exports_any(&w))
			return 0;
	}
	to->exports = weir_exports_open(&w, to->directory, &job->scenario, &file);
	return to->exports ? 0 : fail(why, "cannot write %s: %s", file, strerror(errno));
}

/* series.csv stays open while the job runs, and the exports with it. */
static int run_recorded(struct weir_plan *p, struct weir_job *job, const struct weir_outdir *dir, FILE *csv,
			char why[WHY_BYTES])
{
	struct recorded to = {.series = malloc(sizeof *to.series)};
	const char *file;
	if (!to.series)
		return fail(why, "out of memory");
	weir_series_begin(to.series, csv);
	int failed = open_exports(p, job, dir, &to, why) < 0 || run_seeds(p, job, &to, why) < 0;
	if (to.exports && weir_exports_close(to.exports, &file) < 0 && !failed) {
		fail(why, "cannot write %s: %s", file, strerror(errno));
		failed = 1;
	}
	if (weir_series_finish(to.series) < 0 && !failed) {
		fail(why, "cannot write series.csv: %s", strerror(errno));
		failed = 1;
	}
	free(to.series);
	return failed ? -1 : 0;
}

static int run_job(struct weir_plan *p, struct weir_job *job, const struct weir_outdir *dir,
		   char why[WHY_BYTES])
{
	char path[PATH_MAX];
	if (!dir)
		return run_seeds(p, job, NULL, why);
	if (*job->directory && (!job_path(dir, job, "", path) || mkdir(path, 0777) != 0))
		return fail(why, "cannot make the directory %s: %s", job->directory, strerror(errno));
	FILE *csv = job_path(dir, job, "series.csv", path) ? fopen(path, "w") : NULL;
	if (!csv)
		return fail(why, "cannot write series.csv: %s", strerror(errno));
	int failed = run_recorded(p, job, dir, csv, why) < 0;
	if (fclose(csv) != 0 && !failed) {
		fail(why, "cannot write series.csv: %s", strerror(errno));
		failed = 1;
	}
	if (failed || write_json(dir, job, "summary.json", summary_body, p, why) < 0)
		return -1;
	return write_json(dir, job, "manifest.json", manifest_body, p, why);
}

static void all_body(struct weir_json *j, const struct weir_plan *p, const struct weir_job *job)
{
	(void)job;
	weir_json_object(j);
	weir_json_put_string(j, "schema", "weir.run/1");
	weir_json_put_string(j, "scenario", p->set.name);
	weir_json_put_string(j, "version", WEIR_VERSION);
	weir_json_put_array(j, "runs");
	for (u32 i = 0; i < p->n_jobs; i++) {
		if (!p->jobs[i].done)
			continue;
		weir_json_object(j);
		document_fields(j, p, &p->jobs[i]);
		weir_json_object_end(j);
	}
	weir_json_array_end(j);
	weir_json_object_end(j);
}

int weir_plan_run(struct weir_plan *p, const struct weir_outdir *dir, char why[WHY_BYTES])
{
	p->code = WEIR_EXIT_FAILED;
	for (u32 i = 0; i < p->n_jobs && !p->interrupted; i++)
		if (run_job(p, &p->jobs[i], dir, why) < 0)
			return -1;
	if (!dir || p->n_jobs == 1)
		return 0;
	/* The top directory of several runs has the same two files, so that it is known as a result. */
	struct weir_job top = {.scenario = p->jobs[0].scenario, .seed = p->jobs[0].seed};
	if (write_json(dir, &top, "summary.json", all_body, p, why) < 0)
		return -1;
	return write_json(dir, &top, "manifest.json", manifest_body, p, why);
}

int weir_plan_document(const struct weir_plan *p, FILE *out)
{
	struct weir_json j;
	weir_json_to_file(&j, out);
	if (p->n_jobs == 1)
		summary_body(&j, p, &p->jobs[0]);
	else
		all_body(&j, p, NULL);
	return weir_json_finish(&j);
}
