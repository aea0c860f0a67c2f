/* SPDX-License-Identifier: MIT */
/* Completion times by size, of what began after the warm-up. */
#include "summarise.h"

#include <stdlib.h>
#include <string.h>

#define CLASSES_MOST (WEIR_FCT_CLASSES > WEIR_FCT_DECADES ? WEIR_FCT_CLASSES : WEIR_FCT_DECADES)

struct classes {
	u32 n;
	const char *const *size;
	const u64 *border; /* n + 1 of them */
};

static const char *const class_size[WEIR_FCT_CLASSES] = {"<10kB", "10kB-100kB", "100kB-1MB", "1MB-10MB",
							 ">=10MB"};
static const u64 class_border[] = {0, 10000, 100000, 1000000, 10000000, WEIR_NEVER};
static const struct classes plain = {WEIR_FCT_CLASSES, class_size, class_border};

/* The classes of the published figure (Nimbus, SIGCOMM 2022, Fig. 19), and what is larger. */
static const char *const decade_size[WEIR_FCT_DECADES] = {"15kB", "150kB", "1.5MB",
							  "15MB", "150MB", "larger"};
static const u64 decade_border[] = {0, 15000, 150000, 1500000, 15000000, 150000000, WEIR_NEVER};
static const struct classes decades = {WEIR_FCT_DECADES, decade_size, decade_border};

static u32 class_of(const struct classes *c, u64 bytes)
{
	u32 k = 0;
	while (bytes >= c->border[k + 1])
		k++;
	return k;
}

static void write_classes(const struct classes *c, const struct weir_hist *hist, struct weir_fct_summary *out)
{
	for (u32 k = 0; k < c->n; k++) {
		out[k] = (struct weir_fct_summary){
		    .size = c->size[k], .min_bytes = c->border[k], .max_bytes = c->border[k + 1]};
		weir_spread_from_hist(&out[k].fct_ms, &hist[k], 1e6);
	}
}

/* e NULL: of all entries. */
static void add_completions(const struct weir_build *b, const struct weir_life *life,
			    const struct weir_build_entry *e, const struct classes *c, struct weir_hist *hist)
{
	u64 n;
	const struct weir_completion *done = weir_backend_completions(&b->backend, &n);
	memset(hist, 0, c->n * sizeof *hist);
	for (u64 i = 0; i < n; i++) {
		if (e && (done[i].flow < e->first || done[i].flow - e->first >= e->count))
			continue;
		if (done[i].start_ns >= life->from_ns)
			weir_hist_add(&hist[class_of(c, done[i].bytes)], done[i].end_ns - done[i].start_ns);
	}
}

static void sum_groups(struct weir_summary *out, const struct weir_build *b, const struct weir_life *life,
		       struct weir_hist *hist)
{
	for (u32 i = 0, group = 0; i < b->n_entries; i++) {
		const struct weir_build_entry *e = &b->entry[i];
		if (!weir_build_has_group(e))
			continue;
		struct weir_group_summary *g = &out->group[group++];
		if (!weir_build_completes(e->flow))
			continue;
		add_completions(b, life, e, &decades, hist);
		g->n_fct = decades.n;
		write_classes(&decades, hist, g->fct);
	}
}

int weir_summarise_fct(struct weir_summary *out, const struct weir_build *b, const struct weir_life *life)
{
	bool any = false;
	for (u32 i = 0; i < b->n_entries; i++)
		any = any || weir_build_completes(b->entry[i].flow);
	if (!any)
		return 0;
	struct weir_hist *hist = calloc(CLASSES_MOST, sizeof *hist);
	if (!hist)
		return -1;
	add_completions(b, life, NULL, &plain, hist);
	out->n_fct = plain.n;
	write_classes(&plain, hist, out->fct);
	sum_groups(out, b, life, hist);
	free(hist);
	return 0;
}
