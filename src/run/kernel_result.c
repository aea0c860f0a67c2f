/* SPDX-License-Identifier: MIT */
#include "kernel_result.h"

#include "kernel_file.h"
#include "record/manifest.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#define FLOW_BYTES 16384

bool weir_kernel_result_is_flow(const struct weir_kernel_flow *f)
{
	return f && f->acked_bytes >= FLOW_BYTES;
}

static void add_notes(const struct weir_kernel_result *r, struct weir_summary *s)
{
	u32 flows = 0;
	for (u32 i = 0; i < WEIR_KERNEL_TRACE_FLOWS_MAX; i++)
		flows += weir_kernel_result_is_flow(r->flow[i]);
	weir_summary_note(s,
			  "Calls of %s in the kernel, as its sockets saw the path; time 0 is the first call.",
			  r->wanted->kernel_name);
	if (r->counts.dropped)
		weir_summary_note(
		    s,
		    "%llu calls were lost: the watcher could not keep up. What is missing is missing "
		    "from every number here.",
		    r->counts.dropped);
	if (r->differing)
		weir_summary_note(s,
				  "%llu calls have other answers than this program's controller of that name "
				  "gives: another header "
				  "or version. Its own signals are left out from there on.",
				  r->differing);
	if (r->rows_omitted)
		weir_summary_note(s, "series.csv is full: %llu looks at flows found no room.",
				  r->rows_omitted);
	if (r->unseen)
		weir_summary_note(
		    s, "%llu calls of further sockets are not in the series: there is room for %u.",
		    r->unseen, WEIR_KERNEL_TRACE_FLOWS_MAX);
	if (r->counts.sockets > flows)
		weir_summary_note(s, "%u sockets that delivered less than %u bytes are no flows here.",
				  r->counts.sockets - flows, FLOW_BYTES);
}

/* NULL when out of memory. */
static struct weir_summary *summarise(const struct weir_kernel_result *r)
{
	struct weir_summary *s = calloc(1, sizeof *s);
	struct weir_flow_summary *flow = calloc(WEIR_KERNEL_TRACE_FLOWS_MAX, sizeof *flow);
	if (!s || !flow) {
		free(s);
		free(flow);
		return NULL;
	}
	snprintf(s->scenario, sizeof s->scenario, "%s", r->wanted->kernel_name);
	snprintf(s->title, sizeof s->title, "%s in the kernel", r->wanted->kernel_name);
	s->backend = "kernel";
	s->wall_s = s->simulated_s = (double)(r->end_ns - r->origin_ns) / 1e9;
	s->sampling_s = s->flow_sampling_s = (double)r->wanted->sample_ns / 1e9;
	s->events = r->counts.records;
	s->packets = WEIR_NEVER;
	s->jain_throughput = (double)NAN;
	s->flow = flow;
	const struct weir_kernel_signals signals = weir_kernel_trace_signals(r->wanted);
	for (u32 i = 0; i < WEIR_KERNEL_TRACE_FLOWS_MAX; i++)
		if (weir_kernel_result_is_flow(r->flow[i]))
			weir_kernel_flow_summarise(r->flow[i], r->origin_ns, &signals, r->wanted->kernel_name,
						   &flow[s->n_flows++]);
	add_notes(r, s);
	return s;
}

static int finish_json(const char *name, struct weir_json *j, FILE *f, char *why)
{
	int failed = weir_json_finish(j), error = errno;
	if (fclose(f) != 0 && !failed) {
		failed = -1;
		error = errno;
	}
	return failed ? weir_kernel_file_failed(why, name, error) : 0;
}

static int write_summary(const struct weir_kernel_result *r, char *why)
{
	char path[PATH_MAX];
	struct weir_json j;
	struct weir_summary *s = summarise(r);
	weir_outdir_path(r->directory, "summary.json", path);
	FILE *f = s ? weir_kernel_file_create(why, path) : NULL;
	if (!s)
		return weir_kernel_file_failed(why, path, ENOMEM);
	if (f) {
		weir_json_to_file(&j, f);
		weir_json_object(&j);
		weir_summary_fields(&j, s);
		weir_json_put_u64(&j, "calls", r->counts.records);
		weir_json_put_u64(&j, "calls_dropped", r->counts.dropped);
		weir_json_put_u64(&j, "calls_omitted", r->counts.omitted);
		weir_json_object_end(&j);
	}
	weir_summary_free(s);
	free(s);
	return f ? finish_json(path, &j, f, why) : -1;
}

static int write_manifest(const struct weir_kernel_result *r, char *why)
{
	char path[PATH_MAX];
	struct weir_json j;
	struct utsname machine = {0};
	const struct weir_manifest_flow flow = {r->wanted->name, r->wanted->kernel_name};
	uname(&machine);
	weir_outdir_path(r->directory, "manifest.json", path);
	FILE *f = weir_kernel_file_create(why, path);
	if (!f)
		return -1;
	const struct weir_manifest m = {
	    .scenario = r->wanted->kernel_name,
	    .text = "", /* no scenario */
	    .controller = r->wanted->head.controller,
	    .backend = "kernel",
	    .kernel = machine.release,
	    .flows = &flow,
	    .n_flows = 1,
	    .repeat = 1,
	    .n_arguments = r->wanted->n_arguments,
	    .arguments = r->wanted->arguments,
	};
	weir_json_to_file(&j, f);
	weir_manifest_write(&j, &m);
	return finish_json(path, &j, f, why);
}

int weir_kernel_result_write(const struct weir_kernel_result *r, char why[WEIR_KERNEL_TRACE_WHY_BYTES])
{
	int failed = write_summary(r, why);
	return failed ? failed : write_manifest(r, why);
}
