/* SPDX-License-Identifier: MIT */
#include "build.h"

#include "cc/table.h"
#include "hops.h"
#include "traces.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)WEIR_SCENARIO_RENO == WEIR_RECOVERY_RENO &&
		   (int)WEIR_SCENARIO_POISSON == WEIR_APP_POISSON,
	       "the scenario's enums are the worlds' enums");

static int add_hop(struct weir_build *b, u32 i, const struct weir_traces *traces)
{
	struct weir_hop_config c = weir_hop_of(b->scenario, i, traces, b->mean_bps);
	u32 hop = weir_world_add_hop(b->world, &c);
	assert(hop == i || hop == WEIR_NONE);
	return hop == WEIR_NONE ? -1 : 0;
}

static int add_path(struct weir_build *b, const struct weir_scenario_path *p)
{
	const u32 *back = p->back;
	u32 n_back = p->n_back, own;
	if (n_back == 0) {
		char name[WEIR_HOP_NAME_BYTES];
		struct weir_hop_config c = weir_hop_way_back(p, name);
		own = weir_world_add_hop(b->world, &c);
		if (own == WEIR_NONE)
			return -1;
		back = &own;
		n_back = 1;
	}
	return weir_world_add_path(b->world, p->hops, p->n_hops, back, n_back) == WEIR_NONE ? -1 : 0;
}

static struct weir_endpoint_config endpoint_of(const struct weir_scenario_endpoint *e)
{
	return (struct weir_endpoint_config){
	    .mss_bytes = (u32)e->mss_bytes,
	    .header_bytes = (u32)e->header_bytes,
	    .rwnd_bytes = e->rwnd_bytes,
	    .initial_window_packets = (u32)e->initial_window_packets,
	    .ack_every = (u32)e->ack_every,
	    .delayed_ack_ns = e->delayed_ack_ns,
	    .recovery = (enum weir_recovery)e->recovery,
	    .tail_loss_probe = e->tail_loss_probe && e->recovery == WEIR_SCENARIO_SACK,
	    .undo = e->undo,
	    .ecn = e->ecn,
	    .rto_min_ns = e->rto_min_ns,
	    .rto_max_ns = e->rto_max_ns,
	    .pace = e->pace,
	    .first_sequence = e->first_sequence,
	};
}

static struct weir_app_config app_of(const struct weir_scenario_app *a)
{
	return (struct weir_app_config){
	    .kind = (enum weir_app_kind)a->kind,
	    .rate_bps = a->rate_bps,
	    .chunk_bytes = a->chunk_bytes,
	    .size_bytes = a->size_bytes,
	    .on_ns = a->on_ns,
	    .off_ns = a->off_ns,
	    .exponential = a->exponential,
	    .think_ns = a->think_ns,
	};
}

static bool has_subject(const struct weir_scenario *s)
{
	for (u32 i = 0; i < s->n_flows; i++)
		if (s->flows[i].controller.name && s->flows[i].controller.subject)
			return true;
	return false;
}

bool weir_build_replaces(const struct weir_scenario *s, const struct weir_build_with *with,
			 const struct weir_scenario_flow *f)
{
	if (!with->controller || !f->controller.name)
		return false;
	return has_subject(s) ? f->controller.subject : !f->traffic;
}

static int set_controller(struct weir_build *b, struct weir_build_entry *e,
			  const struct weir_build_with *with, const u64 **params)
{
	const struct weir_scenario_controller *c = &e->flow->controller;
	*params = NULL;
	if (!c->name)
		return 0;
	if (!weir_build_replaces(b->scenario, with, e->flow)) {
		e->ops = with->registry->ops[c->index];
		*params = c->params;
		snprintf(e->controller, sizeof e->controller, "%s%.80s", c->kernel ? "kernel:" : "", c->name);
		return 0;
	}
	e->ops = with->controller;
	snprintf(e->controller, sizeof e->controller, "%.95s", with->controller_name);
	e->own_params = calloc(e->ops->n_params + 1u, sizeof *e->own_params);
	if (!e->own_params)
		return -1;
	weir_cc_defaults(e->ops, e->own_params);
	*params = e->own_params;
	return 0;
}

static int add_flows(struct weir_build *b, struct weir_build_entry *e, const struct weir_build_with *with,
		     u64 seed)
{
	const struct weir_scenario_flow *f = e->flow;
	struct weir_flow_config c = {
	    .path = f->path,
	    .reverse = f->reverse,
	    .endpoint = endpoint_of(&f->endpoint),
	    .app = app_of(&f->app),
	    .stop_ns = f->stop_ns,
	    .fct = f->app.kind == WEIR_SCENARIO_SIZED || f->app.kind == WEIR_SCENARIO_REQUEST,
	};
	if (set_controller(b, e, with, &c.params) < 0)
		return -1;
	c.cc = e->ops;
	u64 point = weir_rng_point("start-jitter") ^ weir_rng_point(f->name);
	for (u32 i = 0; i < e->count; i++) {
		struct weir_rng rng;
		weir_rng_init(&rng, seed, point, i);
		u32 flow = e->first + i, hist = b->grouped ? (u32)(e - b->entry) : flow;
		c.start_ns = weir_add(f->start_ns, weir_rng_below(&rng, weir_add(f->start_jitter_ns, 1)));
		c.rtt_ns = e->ops ? &b->rtt_ns[hist] : NULL;
		c.queue_ns = &b->queue_ns[hist];
		b->start_ns[flow] = c.start_ns;
		u32 added = weir_world_add_flow(b->world, &c);
		assert(added == flow || added == WEIR_NONE);
		if (added == WEIR_NONE)
			return -1;
	}
	return 0;
}

/* Untouched pages of a histogram cost nothing: calloc of this size maps fresh memory. */
static int allocate(struct weir_build *b)
{
	const struct weir_scenario *s = b->scenario;
	b->n_flows = (u32)s->total_flows;
	b->n_entries = s->n_flows;
	b->grouped = b->n_flows > WEIR_FLOWS_RECORDED_MAX;
	b->n_hists = b->grouped ? b->n_entries : b->n_flows;
	b->entry = calloc(b->n_entries + 1u, sizeof *b->entry);
	b->start_ns = calloc(b->n_flows + 1u, sizeof *b->start_ns);
	b->rtt_ns = calloc(b->n_hists + 1u, sizeof *b->rtt_ns);
	b->queue_ns = calloc(b->n_hists + 1u, sizeof *b->queue_ns);
	b->wait_ns = calloc(s->n_hops + 1u, sizeof *b->wait_ns);
	b->mean_bps = calloc(s->n_hops + 1u, sizeof *b->mean_bps);
	return b->entry && b->start_ns && b->rtt_ns && b->queue_ns && b->wait_ns && b->mean_bps ? 0 : -1;
}

static int add_all(struct weir_build *b, const struct weir_build_with *with, const struct weir_traces *traces,
		   u64 seed)
{
	const struct weir_scenario *s = b->scenario;
	weir_traces_rates(traces, s, b->mean_bps);
	for (u32 i = 0; i < s->n_hops; i++) {
		if (add_hop(b, i, traces) < 0)
			return -1;
		weir_world_set_hop_wait(b->world, i, &b->wait_ns[i]);
	}
	for (u32 i = 0; i < s->n_paths; i++)
		if (add_path(b, &s->paths[i]) < 0)
			return -1;
	u32 first = 0;
	for (u32 i = 0; i < s->n_flows; i++) {
		struct weir_build_entry *e = &b->entry[i];
		*e = (struct weir_build_entry){.flow = &s->flows[i],
					       .first = first,
					       .count = (u32)s->flows[i].count,
					       .fair = !s->flows[i].traffic};
		first += e->count;
		if (add_flows(b, e, with, seed) < 0)
			return -1;
	}
	return 0;
}

int weir_build(struct weir_build *b, const struct weir_scenario *s, const struct weir_build_with *with,
	       const struct weir_traces *traces, u64 seed)
{
	memset(b, 0, sizeof *b);
	b->scenario = s;
	if (allocate(b) < 0)
		return -1;
	b->world =
	    weir_world_new(&(struct weir_world_config){.seed = seed, .flows_hint = (u32)s->total_flows});
	return b->world ? add_all(b, with, traces, seed) : -1;
}

void weir_build_free(struct weir_build *b)
{
	weir_world_free(b->world);
	for (u32 i = 0; b->entry && i < b->n_entries; i++)
		free(b->entry[i].own_params);
	free(b->entry);
	free(b->start_ns);
	free(b->rtt_ns);
	free(b->queue_ns);
	free(b->wait_ns);
	free(b->mean_bps);
	memset(b, 0, sizeof *b);
}

void weir_build_flow_name(const struct weir_build_entry *e, u32 flow, char name[WEIR_BUILD_NAME_BYTES])
{
	if (e->flow->count == 1)
		snprintf(name, WEIR_BUILD_NAME_BYTES, "%.80s", e->flow->name);
	else
		snprintf(name, WEIR_BUILD_NAME_BYTES, "%.80s.%u", e->flow->name, flow - e->first + 1);
}

void weir_build_group_name(const struct weir_build_entry *e, char name[WEIR_BUILD_NAME_BYTES])
{
	snprintf(name, WEIR_BUILD_NAME_BYTES, "%.80s%s", e->flow->name, e->count > 1 ? ".*" : "");
}

u64 weir_build_capacity_bytes(const struct weir_build *b, u32 hop, u64 now_ns)
{
	u64 waiting;
	if (b->scenario->hops[hop].rate_kind == WEIR_SCENARIO_FIXED)
		return weir_muldiv(b->mean_bps[hop], now_ns, 8 * WEIR_NS_PER_S);
	return weir_world_hop_stats(b->world, hop, &waiting)->capacity_bytes;
}
