/* SPDX-License-Identifier: MIT */
#include "link_path.h"

#include <stdlib.h>
#include <string.h>

static int allocate(struct weir_link_path *out, u32 n_up, u32 n_down)
{
	u32 n = n_up + n_down;
	out->hop = calloc(n, sizeof *out->hop);
	out->mean_bps = calloc(n, sizeof *out->mean_bps);
	out->order[WEIR_UP] = calloc(n_up, sizeof *out->order[WEIR_UP]);
	out->order[WEIR_DOWN] = calloc(n_down, sizeof *out->order[WEIR_DOWN]);
	return out->hop && out->mean_bps && out->order[WEIR_UP] && out->order[WEIR_DOWN] ? 0 : -1;
}

static void put(struct weir_link_path *out, u32 way, u32 hop)
{
	out->order[way][out->n[way]++] = hop;
	out->delay_ns[way] = weir_add(out->delay_ns[way], out->hop[hop].delay_ns);
}

int weir_link_path_make(const struct weir_scenario *s, u32 path, const struct weir_traces *traces,
			struct weir_link_path *out)
{
	const struct weir_scenario_path *p = &s->paths[path];
	memset(out, 0, sizeof *out);
	u64 *mean_bps = calloc(s->n_hops + 1u, sizeof *mean_bps);
	u32 *known = calloc(s->n_hops + 1u, sizeof *known); /* number in `out`, from 1 */
	int failed = !mean_bps || !known ? -1 : allocate(out, p->n_hops, p->n_back ? p->n_back : 1);
	if (!failed)
		weir_traces_rates(traces, s, mean_bps);
	for (u32 i = 0; i < p->n_hops + p->n_back && !failed; i++) {
		u32 way = i < p->n_hops ? WEIR_UP : WEIR_DOWN;
		u32 hop = way == WEIR_UP ? p->hops[i] : p->back[i - p->n_hops];
		if (!known[hop]) {
			out->hop[out->n_hops] = weir_hop_of(s, hop, traces, mean_bps);
			out->mean_bps[out->n_hops] = mean_bps[hop];
			known[hop] = ++out->n_hops;
		}
		put(out, way, known[hop] - 1);
	}
	if (!failed && !p->n_back) {
		out->hop[out->n_hops] = weir_hop_way_back(p, out->back_name);
		put(out, WEIR_DOWN, out->n_hops++);
	}
	free(mean_bps);
	free(known);
	return failed;
}

void weir_link_path_free(struct weir_link_path *p)
{
	free(p->hop);
	free(p->mean_bps);
	for (u32 way = 0; way < WEIR_WAYS; way++)
		free(p->order[way]);
	memset(p, 0, sizeof *p);
}

int weir_link_path_add(const struct weir_link_path *p, struct weir_ferry *ferry)
{
	for (u32 i = 0; i < p->n_hops; i++)
		if (weir_ferry_add_hop(ferry, &p->hop[i]) == WEIR_FERRY_NONE)
			return -1;
	for (u32 way = 0; way < WEIR_WAYS; way++)
		if (weir_ferry_add_path(ferry, p->order[way], p->n[way], way) == WEIR_FERRY_NONE)
			return -1;
	return 0;
}
