/* SPDX-License-Identifier: MIT */
#include "fair_share.h"

#include <stdlib.h>
#include <string.h>

static bool crosses(const struct weir_build *b, const struct weir_build_entry *e, u32 hop)
{
	const struct weir_scenario_path *path = &b->scenario->paths[e->flow->path];
	const u32 *hops = e->flow->reverse ? path->back : path->hops;
	u32 n = e->flow->reverse ? path->n_back : path->n_hops;
	for (u32 i = 0; e->arrivals && i < n; i++)
		if (hops[i] == hop)
			return true;
	return false;
}

int weir_fair_share_begin(struct weir_fair_share *f, const struct weir_build *b, u32 hop)
{
	memset(f, 0, sizeof *f);
	f->link_Bps = (double)b->mean_bps[hop] / 8;
	u32 flows = 0, n = 0;
	for (u32 i = 0; i < b->n_entries; i++) {
		flows += crosses(b, &b->entry[i], hop) ? b->entry[i].count : 0;
		n += crosses(b, &b->entry[i], hop);
	}
	if (!n || f->link_Bps <= 0)
		return 0;
	f->done_bytes = calloc(flows + 1u, sizeof *f->done_bytes);
	f->entries = calloc(n, sizeof *f->entries);
	if (!f->done_bytes || !f->entries)
		return -1;
	for (u32 i = 0; i < b->n_entries; i++) {
		const struct weir_build_entry *e = &b->entry[i];
		double mss = (double)weir_max(e->flow->endpoint.mss_bytes, 1);
		double wire = (mss + (double)e->flow->endpoint.header_bytes) / mss;
		if (crosses(b, e, hop))
			f->entries[f->n_entries++] =
			    (struct weir_fair_share_entry){.entry = e, .wire = wire, .next = e->first};
	}
	return 0;
}

void weir_fair_share_free(struct weir_fair_share *f)
{
	free(f->done_bytes);
	free(f->entries);
	memset(f, 0, sizeof *f);
}

static void push(struct weir_fair_share *f, double done_bytes)
{
	double *heap = f->done_bytes;
	u32 at = f->active++;
	for (; at && heap[(at - 1) / 2] > done_bytes; at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = done_bytes;
}

static void pop(struct weir_fair_share *f)
{
	double *heap = f->done_bytes, last = heap[--f->active];
	u32 at = 0;
	for (u32 child = 1; child < f->active; child = 2 * at + 1) {
		if (child + 1 < f->active && heap[child + 1] < heap[child])
			child++;
		if (heap[child] >= last)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = last;
}

/* Serves all that are there until to_s. */
static void serve(struct weir_fair_share *f, double to_s)
{
	while (f->now_s < to_s) {
		double each_Bps = f->link_Bps / (f->active + 1), bytes = (to_s - f->now_s) * each_Bps;
		bool ends = f->active && f->done_bytes[0] - f->served_bytes <= bytes;
		if (ends)
			bytes = f->done_bytes[0] - f->served_bytes;
		f->now_s = ends ? f->now_s + bytes / each_Bps : to_s;
		f->served_bytes += bytes;
		f->share_bytes += bytes;
		if (ends)
			pop(f);
	}
}

/* The entry whose next flow comes first, at or before `ns`; NULL: none does. */
static struct weir_fair_share_entry *next_arrival(struct weir_fair_share *f, const struct weir_build *b,
						  u64 ns)
{
	struct weir_fair_share_entry *first = NULL;
	for (u32 i = 0; i < f->n_entries; i++) {
		struct weir_fair_share_entry *e = &f->entries[i];
		if (e->next < e->entry->first + e->entry->count && b->start_ns[e->next] <= ns) {
			first = e;
			ns = b->start_ns[e->next];
		}
	}
	return first;
}

double weir_fair_share_until(struct weir_fair_share *f, const struct weir_build *b, u64 now_ns)
{
	struct weir_fair_share_entry *e;
	while ((e = next_arrival(f, b, now_ns))) {
		serve(f, (double)b->start_ns[e->next] * 1e-9);
		push(f, f->served_bytes + (double)b->size_bytes[e->next] * e->wire);
		e->next++;
	}
	serve(f, (double)now_ns * 1e-9);
	double share_bytes = f->share_bytes;
	f->share_bytes = 0;
	return share_bytes;
}
