/* SPDX-License-Identifier: MIT */
/* Who sits where: pairs of hosts for paths, flows on pairs, and the site that they live in. */
#include "emulable.h"
#include "emulated.h"

#include <stdlib.h>

/* Pairs of hosts belong to paths: what comes from a device takes one path. Each path with flows gets one
 * pair, and the rest go one by one to the path with the most flows for each of its pairs. */
static void deal_pairs(struct weir_emulated *e, u64 *flows, u64 *pairs)
{
	const struct weir_scenario *s = e->b->scenario;
	u32 most = (u32)weir_min(e->n_slots, WEIR_EMULATED_PAIRS_MAX);
	for (u32 i = 0; i < s->n_flows; i++)
		flows[s->flows[i].path] += s->flows[i].count;
	for (u32 p = 0; p < s->n_paths; p++) {
		pairs[p] = flows[p] > 0;
		e->n_pairs += flows[p] > 0;
	}
	while (e->n_pairs < most) {
		u32 best = 0;
		for (u32 p = 1; p < s->n_paths; p++)
			if (flows[p] * weir_max(pairs[best], 1) > flows[best] * weir_max(pairs[p], 1))
				best = p;
		pairs[best]++;
		e->n_pairs++;
	}
}

/* Where the age of a stream or of datagrams is asked for: acp tells its own. False: no memory. */
static bool watch_ages(struct weir_emulated *e)
{
	const struct weir_build *b = e->b;
	for (u32 slot = 0; slot < e->n_slots; slot++) {
		const struct weir_build_entry *entry = &b->entry[e->flow[slot].entry];
		if (!entry->flow->age.measured || entry->ops.age)
			continue;
		e->flow[slot].age = calloc(1, sizeof *e->flow[slot].age);
		if (!e->flow[slot].age)
			return false;
		weir_emulated_age_init(e->flow[slot].age, entry->flow->age.bound_ns, &b->age[slot]);
	}
	return true;
}

/* Flows of a path go round its pairs. */
static void seat_flows(struct weir_emulated *e, const u64 *pairs, u64 *first, u64 *next)
{
	const struct weir_build *b = e->b;
	u32 pair = 0;
	for (u32 p = 0; p < b->scenario->n_paths; p++) {
		first[p] = pair;
		for (u64 k = 0; k < pairs[p]; k++)
			e->pair_path[pair++] = p;
	}
	for (u32 i = 0; i < b->n_entries; i++) {
		const struct weir_build_entry *entry = &b->entry[i];
		u32 p = entry->flow->path;
		u32 n = entry->grouped ? 1 : entry->count;
		for (u32 slot = entry->first_hist; slot < entry->first_hist + n; slot++) {
			e->flow[slot].entry = i;
			e->flow[slot].pair = (u32)(first[p] + next[p]++ % pairs[p]);
			e->flow[slot].reverse = entry->flow->reverse;
			e->flow[slot].stop_ns = weir_add(e->lead_ns, entry->flow->stop_ns);
			/* Round trips of a crowd have no witness: its connections share a port. */
			if (entry->controlled && !entry->arrivals)
				e->flow[slot].rtt_ns = &b->rtt_ns[slot];
		}
	}
}

int weir_emulated_seat(struct weir_emulated *e)
{
	u32 n = e->b->scenario->n_paths + 1;
	u64 *numbers = calloc(4 * (size_t)n, sizeof *numbers);
	e->n_slots = e->b->n_hists;
	e->flow = calloc(e->n_slots + 1u, sizeof *e->flow);
	e->pair_path = calloc(WEIR_EMULATED_PAIRS_MAX + 1u, sizeof *e->pair_path);
	e->signals = calloc(e->b->n_entries + 1u, sizeof *e->signals);
	bool ok = numbers && e->flow && e->pair_path && e->signals;
	if (ok) {
		deal_pairs(e, numbers, numbers + n);
		seat_flows(e, numbers + n, numbers + 2 * n, numbers + 3 * n);
		ok = watch_ages(e);
	}
	free(numbers);
	return ok ? 0 : -1;
}

static bool any_ecn(const struct weir_scenario *s)
{
	for (u32 i = 0; i < s->n_flows; i++)
		if (s->flows[i].controller.name && s->flows[i].endpoint.ecn)
			return true;
	return false;
}

int weir_emulated_open_site(struct weir_emulated *e, char why[512])
{
	const struct weir_scenario *s = e->b->scenario;
	bool rootless;
	if (weir_netns_prepare(&rootless, why) < 0)
		return WEIR_EXIT_MACHINE;
	const struct weir_site_config c = {
	    .hosts = e->n_pairs, .mtu_bytes = weir_emulable_mtu_bytes(s), .ecn = any_ecn(s)};
	if (weir_site_open(&e->site, &c, why) < 0)
		return WEIR_EXIT_MACHINE;
	e->site_open = true;
	return 0;
}
