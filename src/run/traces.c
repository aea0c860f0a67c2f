/* SPDX-License-Identifier: MIT */
#include "traces.h"

#include "link/trace.h"

#include <stdlib.h>
#include <string.h>

static u64 hash_of(const struct weir_trace *t)
{
	u64 h = 0xcbf29ce484222325ULL;
	for (u64 i = 0; i <= t->n; i++) {
		u64 x = i < t->n ? t->at_ns[i] : t->period_ns;
		for (u32 byte = 0; byte < 8; byte++, x >>= 8)
			h = (h ^ (x & 0xff)) * 0x100000001b3ULL;
	}
	return h;
}

static void explain(const struct weir_diag *d, const char *path, char *text, size_t bytes)
{
	const struct weir_diag_entry *e = &d->entry[0];
	u32 others = d->n - 1 + d->more;
	int n = e->line ? snprintf(text, bytes, "%s:%u:%u: %s", path, e->line, e->column, e->text)
			: snprintf(text, bytes, "%s: %s", path, e->text);
	if (others && n > 0 && (size_t)n < bytes)
		snprintf(text + n, bytes - (size_t)n, " (and %u more: `weir trace check` lists them)",
			 others);
}

static struct weir_traced *load(const char *path, char *text, size_t text_bytes)
{
	struct weir_diag *d = calloc(1, sizeof *d);
	struct weir_traced *file = calloc(1, sizeof *file);
	struct weir_trace *trace = calloc(1, sizeof *trace);
	char *name = strdup(path);
	if (!d || !file || !trace || !name) {
		snprintf(text, text_bytes, "%s: out of memory", path);
	} else if (weir_trace_load(path, 0, 0, trace, d) < 0) {
		explain(d, path, text, text_bytes);
	} else {
		*file = (struct weir_traced){.path = name,
					     .trace = trace,
					     .mean_bps = (u64)(weir_trace_mean_bps(trace) + .5),
					     .hash = hash_of(trace)};
		free(d);
		return file;
	}
	free(d);
	free(file);
	free(trace);
	free(name);
	return NULL;
}

static void free_file(struct weir_traced *file)
{
	weir_trace_fini(file->trace);
	free(file->trace);
	free(file->path);
	free(file);
}

const struct weir_traced *weir_traces_read(struct weir_traces *t, const char *path, char *text,
					   size_t text_bytes)
{
	const struct weir_traced *known = weir_traces_find(t, path);
	if (known)
		return known;
	struct weir_traced *file = load(path, text, text_bytes);
	if (!file)
		return NULL;
	struct weir_traced **bigger = realloc(t->file, (t->n + 1u) * sizeof *bigger);
	if (!bigger) {
		snprintf(text, text_bytes, "%s: out of memory", path);
		free_file(file);
		return NULL;
	}
	t->file = bigger;
	t->file[t->n++] = file;
	return file;
}

const struct weir_traced *weir_traces_find(const struct weir_traces *t, const char *path)
{
	for (u32 i = 0; i < t->n; i++)
		if (strcmp(t->file[i]->path, path) == 0)
			return t->file[i];
	return NULL;
}

void weir_traces_rates(const struct weir_traces *t, const struct weir_scenario *s, u64 *mean_bps)
{
	for (u32 i = 0; i < s->n_hops; i++)
		mean_bps[i] = s->hops[i].rate_kind == WEIR_SCENARIO_TRACE
				  ? weir_traces_find(t, s->hops[i].trace)->mean_bps
				  : s->hops[i].rate_bps;
}

void weir_traces_free(struct weir_traces *t)
{
	for (u32 i = 0; i < t->n; i++)
		free_file(t->file[i]);
	free(t->file);
	*t = (struct weir_traces){0};
}
