/* SPDX-License-Identifier: MIT */
#include "life.h"

#include <stdlib.h>
#include <string.h>

static bool stops_early(const struct weir_build *b, const struct weir_build_entry *e)
{
	return e->flow->stop_ns < b->scenario->duration_ns;
}

/* Each of its flows, with what it had to send. */
static bool ends(const struct weir_build_entry *e)
{
	return e->arrivals || e->flow->app.kind == WEIR_SCENARIO_SIZED;
}

int weir_life_begin(struct weir_life *l, const struct weir_build *b)
{
	memset(l, 0, sizeof *l);
	l->b = b;
	l->from_ns = b->scenario->warmup_ns;
	l->link_base = calloc(b->scenario->n_hops + 1u, sizeof *l->link_base);
	l->link_base_capacity = calloc(b->scenario->n_hops + 1u, sizeof *l->link_base_capacity);
	if (!l->link_base || !l->link_base_capacity)
		return -1;
	if (l->from_ns && (!(l->base = calloc(b->n_flows + 1u, sizeof *l->base)) ||
			   !(l->entry_base = calloc(b->n_entries + 1u, sizeof *l->entry_base))))
		return -1;
	bool stop = false, sized = false, video = false;
	for (u32 i = 0; i < b->n_entries; i++) {
		stop = stop || stops_early(b, &b->entry[i]);
		sized = sized || ends(&b->entry[i]);
		video = video || b->entry[i].flow->app.kind == WEIR_SCENARIO_VIDEO;
	}
	if (stop && !(l->at_stop = calloc(b->n_flows + 1u, sizeof *l->at_stop)))
		return -1;
	if (video && !(l->video_base = calloc(b->n_flows + 1u, sizeof *l->video_base)))
		return -1;
	if (sized && !(l->completed_ns = malloc((b->n_flows + 1u) * sizeof *l->completed_ns)))
		return -1;
	for (u32 flow = 0; sized && flow < b->n_flows; flow++)
		l->completed_ns[flow] = WEIR_NEVER; /* 0 would be a time like any other */
	return 0;
}

u64 weir_life_next_ns(const struct weir_life *l, u64 now_ns)
{
	u64 next_ns = l->from_ns > now_ns ? l->from_ns : WEIR_NEVER;
	for (u32 i = 0; i < l->b->n_entries; i++)
		if (l->b->entry[i].flow->stop_ns > now_ns)
			next_ns = weir_min(next_ns, l->b->entry[i].flow->stop_ns);
	return next_ns;
}

bool weir_life_mark(struct weir_life *l, u64 now_ns)
{
	const struct weir_build *b = l->b;
	u64 waiting;
	for (u32 i = 0; l->at_stop && i < b->n_entries; i++) {
		const struct weir_build_entry *e = &b->entry[i];
		bool stops = e->flow->stop_ns > l->marked_ns && e->flow->stop_ns <= now_ns;
		for (u32 flow = e->first; stops && flow < e->first + e->count; flow++) {
			struct weir_flow_totals t;
			weir_backend_flow_totals(&b->backend, flow, &t);
			l->at_stop[flow] = (struct weir_life_bytes){t.delivered_bytes, t.received_wire_bytes};
		}
	}
	bool warm = l->base && l->from_ns > l->marked_ns && l->from_ns <= now_ns;
	l->marked_ns = now_ns;
	if (!warm)
		return false;
	for (u32 flow = 0; flow < b->n_flows; flow++) {
		struct weir_video v;
		weir_backend_flow_totals(&b->backend, flow, &l->base[flow]);
		if (l->video_base && weir_backend_flow_video(&b->backend, flow, &v))
			l->video_base[flow] = v.totals;
	}
	for (u32 i = 0; i < b->n_entries; i++)
		(void)weir_backend_entry_totals(&b->backend, i, &l->entry_base[i]);
	for (u32 i = 0; i < b->scenario->n_hops; i++) {
		l->link_base[i] = *weir_backend_hop_stats(&b->backend, i, &waiting);
		l->link_base_capacity[i] = weir_build_capacity_bytes(b, i, now_ns);
	}
	return true;
}

int weir_life_end(struct weir_life *l, u64 now_ns)
{
	l->end_ns = now_ns;
	u64 n;
	const struct weir_completion *c = weir_backend_completions(&l->b->backend, &n);
	for (u64 i = 0; l->completed_ns && i < n; i++)
		l->completed_ns[c[i].flow] = c[i].end_ns;
	return 0;
}

void weir_life_free(struct weir_life *l)
{
	free(l->base);
	free(l->entry_base);
	free(l->video_base);
	free(l->link_base);
	free(l->link_base_capacity);
	free(l->at_stop);
	free(l->completed_ns);
	memset(l, 0, sizeof *l);
}

static void subtract(struct weir_flow_totals *t, const struct weir_flow_totals *base)
{
	t->delivered_bytes -= base->delivered_bytes;
	t->received_wire_bytes -= base->received_wire_bytes;
	t->sent_packets -= base->sent_packets;
	t->sent_wire_bytes -= base->sent_wire_bytes;
	t->retransmitted_packets -= base->retransmitted_packets;
	t->lost_packets -= base->lost_packets;
	t->timeouts -= base->timeouts;
	t->recoveries -= base->recoveries;
	t->spurious -= base->spurious;
	t->ce_packets -= base->ce_packets;
}

void weir_life_of(const struct weir_life *l, const struct weir_build_entry *e, u32 flow,
		  struct weir_lived *out)
{
	static const struct weir_flow_totals nothing;
	const struct weir_flow_totals *base = l->base ? &l->base[flow] : &nothing;
	u64 from_ns = weir_max(l->from_ns, l->b->start_ns[flow]), to_ns = l->end_ns;
	weir_backend_flow_totals(&l->b->backend, flow, &out->totals);
	out->delivered_bytes = out->totals.delivered_bytes;
	out->received_bytes = out->totals.received_wire_bytes;
	if (l->at_stop && e->flow->stop_ns < l->end_ns) {
		to_ns = e->flow->stop_ns;
		out->delivered_bytes = l->at_stop[flow].delivered;
		out->received_bytes = l->at_stop[flow].received;
	}
	if (l->completed_ns && ends(e))
		to_ns = weir_min(to_ns, l->completed_ns[flow]);
	out->active_ns = weir_sub(to_ns, from_ns);
	out->delivered_bytes = weir_sub(out->delivered_bytes, base->delivered_bytes);
	out->received_bytes = weir_sub(out->received_bytes, base->received_wire_bytes);
	subtract(&out->totals, base);
}

bool weir_life_of_entry(const struct weir_life *l, u32 entry, struct weir_flow_totals *t)
{
	if (!weir_backend_entry_totals(&l->b->backend, entry, t))
		return false;
	if (l->entry_base)
		subtract(t, &l->entry_base[entry]);
	return true;
}
