/* SPDX-License-Identifier: MIT */
/* The ferry of a build: its hops, paths and ports. */
#include "emulated.h"
#include "hops.h"
#include "link/trace.h"

#include <stdlib.h>

static u64 base_rtt_ns(const struct weir_emulated *e)
{
	const struct weir_scenario *s = e->b->scenario;
	u64 least_ns = WEIR_NEVER;
	for (u32 i = 0; i < e->n_pairs; i++) {
		const struct weir_scenario_path *p = &s->paths[e->pair_path[i]];
		u64 ns = p->n_back ? 0 : p->back_delay_ns;
		for (u32 k = 0; k < p->n_hops; k++)
			ns = weir_add(ns, s->hops[p->hops[k]].delay_ns);
		for (u32 k = 0; k < p->n_back; k++)
			ns = weir_add(ns, s->hops[p->back[k]].delay_ns);
		least_ns = weir_min(least_ns, ns);
	}
	return least_ns;
}

static int add_hops(struct weir_emulated *e, const struct weir_traces *traces)
{
	const struct weir_build *b = e->b;
	e->trace = calloc(b->scenario->n_hops + 1u, sizeof *e->trace);
	if (!e->trace)
		return -1;
	for (u32 i = 0; i < b->scenario->n_hops; i++) {
		struct weir_hop_config c = weir_hop_of(b->scenario, i, traces, b->mean_bps);
		if (c.rate.trace && weir_trace_delay(c.rate.trace, e->lead_ns, &e->trace[i]) < 0)
			return -1;
		c.rate.trace = c.rate.trace ? &e->trace[i] : NULL;
		if (weir_ferry_add_hop(e->ferry, &c) == WEIR_FERRY_NONE)
			return -1;
		weir_ferry_set_hop_wait(e->ferry, i, &b->wait_ns[i]);
	}
	e->n_hops = b->scenario->n_hops;
	return 0;
}

static int add_paths(struct weir_emulated *e)
{
	const struct weir_scenario *s = e->b->scenario;
	for (u32 i = 0; i < s->n_paths; i++) {
		const struct weir_scenario_path *p = &s->paths[i];
		const u32 *back = p->back;
		u32 n_back = p->n_back, own = e->n_hops;
		char name[WEIR_HOP_NAME_BYTES];
		if (n_back == 0) {
			struct weir_hop_config c = weir_hop_way_back(p, name);
			if (weir_ferry_add_hop(e->ferry, &c) == WEIR_FERRY_NONE)
				return -1;
			e->n_hops++;
			back = &own;
			n_back = 1;
		}
		if (weir_ferry_add_path(e->ferry, p->hops, p->n_hops, WEIR_UP) == WEIR_FERRY_NONE ||
		    weir_ferry_add_path(e->ferry, back, n_back, WEIR_DOWN) == WEIR_FERRY_NONE)
			return -1;
	}
	return 0;
}

static int add_ports(struct weir_emulated *e)
{
	for (u32 i = 0; i < e->n_pairs; i++)
		for (u32 side = 0; side < WEIR_SIDES; side++)
			if (weir_ferry_add_port(e->ferry, &e->site.host[side][i].tun,
						2 * e->pair_path[i] + (side == WEIR_RIGHT),
						2 * i + (side == WEIR_LEFT)) == WEIR_FERRY_NONE)
				return -1;
	return 0;
}

int weir_emulated_make_ferry(struct weir_emulated *e, const struct weir_traces *traces)
{
	const struct weir_build *b = e->b;
	e->ferry = weir_ferry_new(&(struct weir_ferry_config){.seed = e->config.seed,
							      .start_clock_ns = e->zero_clock_ns - e->lead_ns,
							      .base_rtt_ns = base_rtt_ns(e),
							      .warmup_ns = e->warm_ns,
							      .publish_ns = e->config.publish_ns,
							      .first_port = WEIR_EMULATED_FIRST_PORT,
							      .n_flows = e->n_slots});
	if (!e->ferry || add_hops(e, traces) < 0 || add_paths(e) < 0 || add_ports(e) < 0)
		return -1;
	for (u32 slot = 0; slot < e->n_slots; slot++)
		weir_ferry_set_flow(e->ferry, slot, e->flow[slot].reverse ? WEIR_DOWN : WEIR_UP,
				    &b->delay_ns[slot], &b->queue_ns[slot]);
	weir_emulated_watch(e);
	return weir_emulated_begin_looks(e);
}
