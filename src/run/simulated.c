/* SPDX-License-Identifier: MIT */
#include "simulated.h"

#include "historic.h"
#include "hops.h"

#include <assert.h>

_Static_assert((int)WEIR_SCENARIO_RENO == WEIR_RECOVERY_RENO, "the scenario's enums are the worlds' enums");

static int add_hop(struct weir_simulated *s, u32 i, const struct weir_traces *traces)
{
	const struct weir_build *b = s->b;
	struct weir_hop_config c = weir_hop_of(b->scenario, i, traces, b->mean_bps);
	u32 hop = weir_world_add_hop(s->world, &c);
	assert(hop == i || hop == WEIR_NONE);
	if (hop == WEIR_NONE)
		return -1;
	weir_world_set_hop_wait(s->world, i, &b->wait_ns[i]);
	return 0;
}

static int add_path(struct weir_simulated *s, const struct weir_scenario_path *p)
{
	const u32 *back = p->back;
	u32 n_back = p->n_back, own;
	if (n_back == 0) {
		char name[WEIR_HOP_NAME_BYTES];
		struct weir_hop_config c = weir_hop_way_back(p, name);
		own = weir_world_add_hop(s->world, &c);
		if (own == WEIR_NONE)
			return -1;
		back = &own;
		n_back = 1;
	}
	return weir_world_add_path(s->world, p->hops, p->n_hops, back, n_back) == WEIR_NONE ? -1 : 0;
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

static int add_flows(struct weir_simulated *s, const struct weir_build_entry *e, u64 seed)
{
	const struct weir_build *b = s->b;
	const struct weir_scenario_flow *f = e->flow;
	struct weir_flow_config c = {
	    .path = f->path,
	    .reverse = f->reverse,
	    .cc = e->ops.cc,
	    .pilot = e->ops.pilot,
	    .params = e->params,
	    .endpoint = endpoint_of(&f->endpoint),
	    .stop_ns = f->stop_ns,
	    .age = f->age.measured,
	    .age_bound_ns = f->age.bound_ns,
	    .fct = weir_build_completes(f),
	    .fin = e->arrivals,
	};
	struct weir_source_config source;
	if (e->ops.age) {
		source = weir_build_source(e);
		c.acp = &source;
	}
	for (u32 flow = e->first; flow < e->first + e->count; flow++) {
		struct weir_bsd43_config historic = weir_historic_sender(&f->endpoint, seed, flow);
		c.historic = weir_is_historic(f) ? &historic : NULL;
		weir_historic_receiver(&f->endpoint, seed, flow, &c.endpoint);
		u32 hist = weir_build_hist(e, flow);
		c.app = weir_build_app(b, e, flow);
		c.start_ns = b->start_ns[flow];
		c.rtt_ns = e->controlled || c.acp ? &b->rtt_ns[hist] : NULL;
		c.age_spread = f->age.measured ? &b->age[hist] : NULL;
		c.queue_ns = &b->queue_ns[hist];
		u32 added = weir_world_add_flow(s->world, &c);
		assert(added == flow || added == WEIR_NONE);
		if (added == WEIR_NONE)
			return -1;
	}
	return 0;
}

static int add_all(struct weir_simulated *s, const struct weir_traces *traces, u64 seed)
{
	const struct weir_scenario *sc = s->b->scenario;
	for (u32 i = 0; i < sc->n_hops; i++)
		if (add_hop(s, i, traces) < 0)
			return -1;
	for (u32 i = 0; i < sc->n_paths; i++)
		if (add_path(s, &sc->paths[i]) < 0)
			return -1;
	for (u32 i = 0; i < s->b->n_entries; i++)
		if (add_flows(s, &s->b->entry[i], seed) < 0)
			return -1;
	return 0;
}

static const struct weir_world *world_of(const void *ctx)
{
	return ((const struct weir_simulated *)ctx)->world;
}

static u64 now_ns(const void *ctx)
{
	return weir_world_now_ns(world_of(ctx));
}

static u64 events(const void *ctx)
{
	return weir_world_events(world_of(ctx));
}

static void flow_totals(const void *ctx, u32 flow, struct weir_flow_totals *t)
{
	weir_world_flow_totals(world_of(ctx), flow, t);
}

static void flow_now(const void *ctx, u32 flow, struct weir_flow_now *n)
{
	weir_world_flow_now(world_of(ctx), flow, n);
}

static void flow_tallies(const void *ctx, u32 hist, struct weir_flow_tallies *t)
{
	const struct weir_build *b = ((const struct weir_simulated *)ctx)->b;
	*t = (struct weir_flow_tallies){.rtt = {b->rtt_ns[hist].n, b->rtt_ns[hist].sum},
					.queue = {b->queue_ns[hist].n, b->queue_ns[hist].sum}};
}

static const struct weir_link_stats *hop_stats(const void *ctx, u32 hop, u64 *waiting_bytes)
{
	return weir_world_hop_stats(((const struct weir_simulated *)ctx)->world, hop, waiting_bytes);
}

static struct weir_tally hop_wait(const void *ctx, u32 hop)
{
	const struct weir_build *b = ((const struct weir_simulated *)ctx)->b;
	return (struct weir_tally){b->wait_ns[hop].n, b->wait_ns[hop].sum};
}

static const struct weir_completion *completions(const void *ctx, u64 *n)
{
	return weir_world_completions(world_of(ctx), n);
}

static bool flow_age(const void *ctx, u32 flow, struct weir_flow_age *a)
{
	return weir_world_flow_age(((const struct weir_simulated *)ctx)->world, flow, a);
}

static bool flow_pilot(const void *ctx, u32 flow, double value[WEIR_PILOT_SIGNALS_MAX])
{
	return weir_world_flow_pilot(world_of(ctx), flow, value);
}

static bool flow_video(const void *ctx, u32 flow, struct weir_video *v)
{
	return weir_world_flow_video(world_of(ctx), flow, v);
}

static const struct weir_backend_ops simulated_ops = {
    .name = "sim",
    .counts_timeouts = true,
    .counts_recoveries = true,
    .now_ns = now_ns,
    .events = events,
    .flow_totals = flow_totals,
    .flow_now = flow_now,
    .flow_tallies = flow_tallies,
    .hop_stats = hop_stats,
    .hop_wait = hop_wait,
    .completions = completions,
    .flow_age = flow_age,
    .flow_video = flow_video,
    .flow_pilot = flow_pilot,
};

int weir_simulated_begin(struct weir_simulated *s, struct weir_build *b, const struct weir_traces *traces,
			 u64 seed)
{
	*s = (struct weir_simulated){.b = b};
	s->world = weir_world_new(&(struct weir_world_config){.seed = seed, .flows_hint = b->n_flows});
	if (!s->world || add_all(s, traces, seed) < 0)
		return -1;
	b->backend = (struct weir_backend){&simulated_ops, s};
	return 0;
}

void weir_simulated_free(struct weir_simulated *s)
{
	weir_world_free(s->world);
	s->world = NULL;
}
