/* SPDX-License-Identifier: MIT */
#include "build.h"

#include "age/wire.h"
#include "app/arrivals.h"
#include "arrivals.h"
#include "historic.h"
#include "traces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(WEIR_SCENARIO_ACP_HEADER_BYTES == WEIR_AGE_HEADER_BYTES &&
		   WEIR_SCENARIO_ACP_ANSWER_BYTES == WEIR_AGE_ANSWER_BYTES &&
		   WEIR_SCENARIO_ACP_UPDATE_MAX_BYTES == WEIR_AGE_VALUE_BYTES_MAX,
	       "the scenario's sizes are those of the wire");
_Static_assert((int)WEIR_SCENARIO_VIDEO == WEIR_APP_VIDEO, "the scenario's enums are the applications'");

struct weir_app_config weir_build_app(const struct weir_build *b, const struct weir_build_entry *e, u32 flow)
{
	const struct weir_scenario_flow *f = e->flow;
	const struct weir_scenario_app *a = &f->app;
	bool updates = a->kind == WEIR_SCENARIO_UPDATES, stream = f->transport == WEIR_SCENARIO_TCP;
	return (struct weir_app_config){
	    .kind = e->arrivals ? WEIR_APP_SIZED : (enum weir_app_kind)a->kind,
	    .rate_bps = a->rate_bps,
	    .chunk_bytes = updates && !stream ? weir_scenario_packet_bytes(f) : a->chunk_bytes,
	    .size_bytes = e->arrivals ? b->size_bytes[flow] : a->size_bytes,
	    .on_ns = a->on_ns,
	    .off_ns = a->off_ns,
	    .rate_uhz = a->rate_uhz,
	    .datagrams = updates && !stream,
	    .exponential = a->exponential || (updates && a->generate == WEIR_SCENARIO_GENERATE_POISSON),
	    .think_ns = a->think_ns,
	    .video = {.ladder_bps = a->ladder.bps,
		      .rungs = a->ladder.n,
		      .chunk_ns = a->video_chunk_ns,
		      .buffer_ns = a->video_buffer_ns},
	};
}

bool weir_build_is_elastic(const struct weir_build *b, const struct weir_build_entry *e, u32 flow)
{
	return e->arrivals && b->size_bytes[flow] > WEIR_ELASTIC_ABOVE_PACKETS * e->flow->endpoint.mss_bytes;
}

bool weir_build_completes(const struct weir_scenario_flow *f)
{
	return f->app.kind == WEIR_SCENARIO_SIZED || f->app.kind == WEIR_SCENARIO_REQUEST ||
	       f->app.kind == WEIR_SCENARIO_ARRIVALS;
}

static bool is_acp(const struct weir_scenario_flow *f)
{
	return f->transport == WEIR_SCENARIO_ACP;
}

static bool has_subject(const struct weir_scenario *s, bool acp)
{
	for (u32 i = 0; i < s->n_flows; i++)
		if (s->flows[i].controller.name && s->flows[i].controller.subject &&
		    is_acp(&s->flows[i]) == acp)
			return true;
	return false;
}

bool weir_build_replaces(const struct weir_scenario *s, const struct weir_build_with *with,
			 const struct weir_scenario_flow *f)
{
	if (!with->controller_name || !f->controller.name || is_acp(f) != (with->controller.age != NULL))
		return false;
	return has_subject(s, is_acp(f)) ? f->controller.subject : !f->traffic;
}

bool weir_build_is_native(const struct weir_scenario *s, const struct weir_build_with *with,
			  const struct weir_scenario_flow *f)
{
	if (!with->emulated || !f->controller.name || is_acp(f))
		return false;
	return weir_build_replaces(s, with, f) ? weir_controller_is_none(&with->controller)
					       : f->controller.kernel;
}

struct weir_controller weir_build_ops(const struct weir_scenario *s, const struct weir_build_with *with,
				      const struct weir_scenario_flow *f, const u64 **params)
{
	*params = NULL;
	if (!f->controller.name || weir_build_is_native(s, with, f))
		return (struct weir_controller){0};
	if (weir_build_replaces(s, with, f))
		return with->controller;
	*params = f->controller.params;
	return with->registry->ops[f->controller.index];
}

/* The kernel's own; what kernel TCP shows of itself stands in for a controller's signals. */
static void name_native(struct weir_build_entry *e, const char *name)
{
	bool prefixed = strncmp(name, "kernel:", 7) == 0;
	snprintf(e->controller, sizeof e->controller, "%s%.80s", prefixed ? "" : "kernel:", name);
}

static int take_defaults(struct weir_build_entry *e)
{
	u32 n = weir_controller_about(&e->ops).n_params;
	e->params = e->own_params = calloc(n + 1u, sizeof *e->own_params);
	if (!e->own_params)
		return -1;
	weir_controller_defaults(&e->ops, e->own_params);
	return 0;
}

static int set_controller(const struct weir_build *b, struct weir_build_entry *e,
			  const struct weir_build_with *with)
{
	const struct weir_scenario_controller *c = &e->flow->controller;
	e->controlled = (c->name && !is_acp(e->flow)) || weir_is_historic(e->flow);
	if (weir_is_historic(e->flow)) {
		snprintf(e->controller, sizeof e->controller, "%s", weir_historic_name(&e->flow->endpoint));
		e->signals = weir_bsd43_signals;
		e->n_signals = WEIR_BSD43_SIGNALS;
	}
	if (!c->name)
		return 0;
	bool replaced = weir_build_replaces(b->scenario, with, e->flow);
	if (weir_build_is_native(b->scenario, with, e->flow)) {
		name_native(e, replaced ? with->controller_name : c->name);
		return 0;
	}
	e->ops = weir_build_ops(b->scenario, with, e->flow, &e->params);
	if (replaced)
		snprintf(e->controller, sizeof e->controller, "%.95s", with->controller_name);
	else
		snprintf(e->controller, sizeof e->controller, "%s%.80s", c->kernel ? "kernel:" : "", c->name);
	if (replaced && take_defaults(e) < 0)
		return -1;
	e->signals = weir_controller_about(&e->ops).signals;
	e->n_signals = weir_controller_about(&e->ops).n_signals;
	return 0;
}

static void set_starts(struct weir_build *b, const struct weir_build_entry *e, u64 seed)
{
	const struct weir_scenario_flow *f = e->flow;
	u64 point = weir_rng_point("start-jitter") ^ weir_rng_point(f->name);
	for (u32 i = 0; i < e->count; i++) {
		struct weir_rng rng;
		weir_rng_init(&rng, seed, point, i);
		b->start_ns[e->first + i] =
		    weir_add(f->start_ns, weir_rng_below(&rng, weir_add(f->start_jitter_ns, 1)));
	}
}

/* Which flows the run has; of those that arrive at random only now how many. */
static int lay_out(struct weir_build *b, const struct weir_traces *traces, u64 seed)
{
	const struct weir_scenario *s = b->scenario;
	u64 n = 0, plain = 0;
	for (u32 i = 0; i < s->n_flows; i++)
		plain += s->flows[i].app.kind == WEIR_SCENARIO_ARRIVALS ? 0 : s->flows[i].count;
	for (u32 i = 0; i < s->n_flows; i++) {
		const struct weir_scenario_flow *f = &s->flows[i];
		struct weir_build_entry *e = &b->entry[i];
		bool arrivals = f->app.kind == WEIR_SCENARIO_ARRIVALS;
		*e = (struct weir_build_entry){.flow = f,
					       .first = (u32)n,
					       .count = (u32)f->count,
					       .first_hist = b->n_hists,
					       .arrivals = arrivals,
					       .grouped = arrivals || plain > WEIR_FLOWS_RECORDED_MAX,
					       .numbered = arrivals || f->count > 1,
					       .fair = !f->traffic && !arrivals};
		if (arrivals && weir_build_arrivals(b, e, traces, seed) < 0)
			return -1;
		n += e->count;
		b->n_hists += e->grouped ? 1 : e->count;
		b->n_recorded += e->grouped ? 0 : e->count;
	}
	b->n_flows = (u32)n;
	return 0;
}

/* Untouched pages of a histogram cost nothing: calloc of this size maps fresh memory. */
static int allocate(struct weir_build *b)
{
	const struct weir_scenario *s = b->scenario;
	u64 *starts = realloc(b->start_ns, (b->n_flows + 1u) * sizeof *b->start_ns);
	if (!starts)
		return -1;
	b->start_ns = starts;
	b->rtt_ns = calloc(b->n_hists + 1u, sizeof *b->rtt_ns);
	b->queue_ns = calloc(b->n_hists + 1u, sizeof *b->queue_ns);
	b->wait_ns = calloc(s->n_hops + 1u, sizeof *b->wait_ns);
	b->mean_bps = calloc(s->n_hops + 1u, sizeof *b->mean_bps);
	bool aged = false;
	for (u32 i = 0; i < s->n_flows; i++)
		aged = aged || s->flows[i].age.measured;
	if (aged && !(b->age = calloc(b->n_hists + 1u, sizeof *b->age)))
		return -1;
	return b->rtt_ns && b->queue_ns && b->wait_ns && b->mean_bps ? 0 : -1;
}

int weir_build(struct weir_build *b, const struct weir_scenario *s, const struct weir_build_with *with,
	       const struct weir_traces *traces, u64 seed)
{
	memset(b, 0, sizeof *b);
	b->scenario = s;
	b->registry = with->registry;
	b->n_entries = s->n_flows;
	b->entry = calloc(b->n_entries + 1u, sizeof *b->entry);
	if (!b->entry || lay_out(b, traces, seed) < 0 || allocate(b) < 0)
		return -1;
	weir_traces_rates(traces, s, b->mean_bps);
	if (with->emulated && !(b->delay_ns = calloc(b->n_hists + 1u, sizeof *b->delay_ns)))
		return -1;
	for (u32 i = 0; i < s->n_flows; i++) {
		if (set_controller(b, &b->entry[i], with) < 0)
			return -1;
		if (!b->entry[i].arrivals)
			set_starts(b, &b->entry[i], seed);
	}
	return 0;
}

const struct weir_build_entry *weir_build_entry_of(const struct weir_build *b, u32 flow)
{
	u32 low = 0, high = b->n_entries;
	while (high - low > 1) {
		u32 middle = (low + high) / 2;
		if (b->entry[middle].first <= flow)
			low = middle;
		else
			high = middle;
	}
	return &b->entry[low];
}

struct weir_source_config weir_build_source(const struct weir_build_entry *e)
{
	const struct weir_scenario_flow *f = e->flow;
	struct weir_source_config c = weir_source_defaults(e->ops.age, e->params);
	c.floor_hz = (double)f->age.floor_uhz / 1e6;
	c.ceiling_hz = (double)f->age.ceiling_uhz / 1e6;
	c.max_age_ns = f->age.max_age_ns;
	c.bound_ns = f->age.bound_ns;
	c.just_in_time = f->app.generate == WEIR_SCENARIO_GENERATE_AT_SLOT;
	return c;
}

void weir_build_free(struct weir_build *b)
{
	for (u32 i = 0; b->entry && i < b->n_entries; i++)
		free(b->entry[i].own_params);
	free(b->entry);
	free(b->start_ns);
	free(b->size_bytes);
	free(b->rtt_ns);
	free(b->queue_ns);
	free(b->age);
	free(b->delay_ns);
	free(b->wait_ns);
	free(b->mean_bps);
	memset(b, 0, sizeof *b);
}

void weir_build_flow_name(const struct weir_build_entry *e, u32 flow, char name[WEIR_BUILD_NAME_BYTES])
{
	if (!e->numbered)
		snprintf(name, WEIR_BUILD_NAME_BYTES, "%.80s", e->flow->name);
	else
		snprintf(name, WEIR_BUILD_NAME_BYTES, "%.80s.%u", e->flow->name, flow - e->first + 1);
}

void weir_build_group_name(const struct weir_build_entry *e, char name[WEIR_BUILD_NAME_BYTES])
{
	snprintf(name, WEIR_BUILD_NAME_BYTES, "%.80s%s", e->flow->name, e->numbered ? ".*" : "");
}

u64 weir_build_capacity_bytes(const struct weir_build *b, u32 hop, u64 now_ns)
{
	u64 waiting;
	if (b->scenario->hops[hop].rate_kind == WEIR_SCENARIO_FIXED)
		return weir_muldiv(b->mean_bps[hop], now_ns, 8 * WEIR_NS_PER_S);
	return weir_backend_hop_stats(&b->backend, hop, &waiting)->capacity_bytes;
}
