/* SPDX-License-Identifier: MIT */
#include "check.h"

#include "app/arrivals.h"
#include "buffer.h"

#include <stdlib.h>
#include <string.h>

static bool same(const struct weir_diag_entry *a, const struct weir_diag_entry *b)
{
	return a->line == b->line && a->column == b->column && strcmp(a->text, b->text) == 0 &&
	       strcmp(a->argument, b->argument) == 0;
}

/* The points of a sweep share most of their text: the same mistake is told once. */
static void forget_repeated(struct weir_diag *diag, u32 before)
{
	u32 kept = before;
	for (u32 i = before; i < diag->n; i++) {
		bool known = false;
		for (u32 k = 0; k < kept; k++)
			known = known || same(&diag->entry[k], &diag->entry[i]);
		if (!known)
			diag->entry[kept++] = diag->entry[i];
	}
	diag->n = kept;
}

static void check_controller(const struct weir_scenario_set *set, const struct weir_scenario *s,
			     const struct weir_build_with *with, const struct weir_scenario_flow *f,
			     struct weir_diag *diag)
{
	const struct weir_scenario_controller *c = &f->controller;
	if (!c->name || weir_build_replaces(s, with, f))
		return;
	if (c->subject) {
		weir_scenario_mistake(set, diag, c->at,
				      "%s: `controller: subject` needs --controller NAME on the command line",
				      f->name);
	} else if (c->kernel && !with->emulated && c->index != WEIR_SCENARIO_NONE &&
		   with->registry->ops[c->index].pilot) {
		weir_scenario_mistake(
		    set, diag, c->at,
		    "%s: kernel:%s: no kernel has a controller of this kind (pilot): write %s", f->name,
		    c->name, c->name);
	} else if (c->index == WEIR_SCENARIO_NONE && !with->emulated) {
		const char *near = weir_registry_nearest(with->registry, c->name);
		weir_scenario_mistake(
		    set, diag, c->at,
		    "%s: kernel:%s has no simulated form here%s%s%s; it runs with --on emu only", f->name,
		    c->name, near ? " (did you mean kernel:" : "", near ? near : "", near ? "?)" : "");
	}
}

/* What the scenario room cannot know: buffers in BDP, or in ms of a trace. */
static void check_buffers(const struct weir_scenario_set *set, const struct weir_scenario *s,
			  const struct weir_traces *traces, struct weir_diag *diag)
{
	u64 *mean_bps = calloc(s->n_hops + 1u, sizeof *mean_bps);
	if (!mean_bps) {
		weir_diag_add(diag, 0, 0, "out of memory");
		return;
	}
	weir_traces_rates(traces, s, mean_bps);
	for (u32 i = 0; i < s->n_hops; i++) {
		const struct weir_scenario_hop *h = &s->hops[i];
		u64 bytes = weir_buffer_resolve(s, i, &h->buffer, mean_bps).bytes;
		if (bytes && bytes < h->largest_packet_bytes)
			weir_scenario_mistake(
			    set, diag, h->buffer.at,
			    "buffer: on this path it is %llu bytes, less than one packet of %llu bytes",
			    bytes, h->largest_packet_bytes);
	}
	free(mean_bps);
}

static double arrivals_expected(const struct weir_scenario *s, const struct weir_scenario_flow *f,
				const struct weir_sizes *sizes)
{
	u64 time_ns = weir_sub(weir_min(f->stop_ns, s->duration_ns), f->start_ns);
	return weir_arrivals_expected(sizes, f->app.load_bps, time_ns);
}

static void check_arrivals(const struct weir_scenario_set *set, const struct weir_scenario *s,
			   const struct weir_scenario_flow *f, struct weir_traces *traces,
			   struct weir_diag *diag)
{
	struct weir_sizes sizes;
	char why[200];
	if (f->app.kind != WEIR_SCENARIO_ARRIVALS)
		return;
	if (!weir_traces_read_sizes(traces, &f->app, &sizes, why, sizeof why)) {
		weir_scenario_mistake(set, diag, f->app.sizes_at,
				      "sizes: %s. It is a file, or one of caida, dctcp, vl2 and fb-cache",
				      why);
		return;
	}
	double n = arrivals_expected(s, f, &sizes);
	if (n > WEIR_SCENARIO_MAX_FLOWS)
		weir_scenario_mistake(
		    set, diag, f->at,
		    "load: %.0f flows of %.0f B on average; at most 1000000: less load, or larger "
		    "flows",
		    n, sizes.mean_bytes);
}

static bool has_pilot(const struct weir_scenario *s, const struct weir_build_with *with,
		      const struct weir_scenario_flow *f)
{
	if (!f->controller.name)
		return false;
	if (weir_build_replaces(s, with, f))
		return with->controller.pilot;
	return f->controller.index != WEIR_SCENARIO_NONE && with->registry->ops[f->controller.index].pilot;
}

/* Each keeps a spectrum and more: what a mistyped count must not cost. */
static void check_pilots(const struct weir_scenario_set *set, const struct weir_scenario *s,
			 const struct weir_build_with *with, struct weir_traces *traces,
			 struct weir_diag *diag)
{
	double n = 0;
	struct weir_sizes sizes;
	char why[200];
	for (u32 i = 0; i < s->n_flows && n <= WEIR_PILOTED_FLOWS_MAX; i++) {
		const struct weir_scenario_flow *f = &s->flows[i];
		if (!has_pilot(s, with, f))
			continue;
		if (f->app.kind != WEIR_SCENARIO_ARRIVALS)
			n += (double)f->count;
		else if (weir_traces_read_sizes(traces, &f->app, &sizes, why, sizeof why))
			n += arrivals_expected(s, f, &sizes);
		if (n > WEIR_PILOTED_FLOWS_MAX)
			weir_scenario_mistake(set, diag, f->at, "%s: %.0f flows with a pilot; at most %d",
					      f->name, n, WEIR_PILOTED_FLOWS_MAX);
	}
}

u32 weir_check_hops(const struct weir_scenario_set *set, const struct weir_scenario *s,
		    struct weir_traces *traces, struct weir_diag *diag)
{
	u32 before = diag->n;
	bool traced = true;
	for (u32 i = 0; i < s->n_hops; i++) {
		char why[200];
		const struct weir_scenario_hop *h = &s->hops[i];
		if (h->rate_kind == WEIR_SCENARIO_TRACE &&
		    !weir_traces_read(traces, h->trace, why, sizeof why)) {
			weir_scenario_mistake(set, diag, h->trace_at, "%s", why);
			traced = false;
		}
	}
	if (traced)
		check_buffers(set, s, traces, diag);
	forget_repeated(diag, before);
	return diag->n - before;
}

/* A controller on the command line that fits to no flow would change nothing, silently. */
static void check_replacement(const struct weir_scenario *s, const struct weir_build_with *with,
			      struct weir_diag *diag)
{
	bool any = !with->controller_name || !s->n_flows;
	for (u32 i = 0; i < s->n_flows; i++)
		any = any || weir_build_replaces(s, with, &s->flows[i]) ||
		      (s->flows[i].transport == WEIR_SCENARIO_ACP) == (with->controller.age != NULL);
	if (!any)
		weir_diag_add(diag, 0, 0, "--controller %s: no flow here %s", with->controller_name,
			      with->controller.age ? "has transport: acp, which an age controller needs"
						   : "sets a window: all have transport: acp");
}

u32 weir_check_point(const struct weir_scenario_set *set, const struct weir_scenario *s,
		     const struct weir_build_with *with, struct weir_traces *traces, struct weir_diag *diag)
{
	u32 before = diag->n;
	weir_check_hops(set, s, traces, diag);
	for (u32 i = 0; i < s->n_flows; i++)
		check_controller(set, s, with, &s->flows[i], diag);
	for (u32 i = 0; i < s->n_flows; i++)
		check_arrivals(set, s, &s->flows[i], traces, diag);
	check_pilots(set, s, with, traces, diag);
	check_replacement(s, with, diag);
	forget_repeated(diag, before);
	return diag->n - before;
}
