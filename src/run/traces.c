/* SPDX-License-Identifier: MIT */
#include "traces.h"

#include "app/sizes.h"
#include "core/fmath.h"
#include "link/trace.h"

#include <stdlib.h>
#include <string.h>

#define HASH_BEGIN 0xcbf29ce484222325ULL

static u64 hash_word(u64 h, u64 x)
{
	for (u32 byte = 0; byte < 8; byte++, x >>= 8)
		h = (h ^ (x & 0xff)) * 0x100000001b3ULL;
	return h;
}

static u64 hash_of(const struct weir_trace *t)
{
	u64 h = HASH_BEGIN;
	for (u64 i = 0; i <= t->n; i++)
		h = hash_word(h, i < t->n ? t->at_ns[i] : t->period_ns);
	return h;
}

static u64 hash_sizes(const struct weir_sizes *s)
{
	u64 h = HASH_BEGIN;
	for (u32 i = 0; i < s->n; i++)
		h = hash_word(hash_word(h, weir_double_bits(s->point[i].bytes)),
			      weir_double_bits(s->point[i].fraction));
	return h;
}

static void explain(const struct weir_diag *d, const char *path, bool trace, char *text, size_t bytes)
{
	const struct weir_diag_entry *e = &d->entry[0];
	u32 others = d->n - 1 + d->more;
	int n = e->line ? snprintf(text, bytes, "%s:%u:%u: %s", path, e->line, e->column, e->text)
			: snprintf(text, bytes, "%s: %s", path, e->text);
	if (others && n > 0 && (size_t)n < bytes)
		snprintf(text + n, bytes - (size_t)n, " (and %u more%s)", others,
			 trace ? ": `weir trace check` lists them" : "");
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
		explain(d, path, true, text, text_bytes);
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

static struct weir_traced *load_sizes(const char *path, char *text, size_t text_bytes)
{
	struct weir_diag *d = calloc(1, sizeof *d);
	struct weir_traced *file = calloc(1, sizeof *file);
	struct weir_sizes *sizes = calloc(1, sizeof *sizes);
	char *name = strdup(path), *table = NULL;
	size_t length = 0;
	bool room = d && file && sizes && name, ok = false;
	if (!room)
		snprintf(text, text_bytes, "%s: out of memory", path);
	else if ((table = weir_trace_read(path, WEIR_SIZES_FILE_MOST, &length, d)) != NULL)
		ok = weir_sizes_parse(table, length, sizes, d) == 0;
	if (ok)
		*file = (struct weir_traced){.path = name, .sizes = sizes, .hash = hash_sizes(sizes)};
	else if (room)
		explain(d, path, false, text, text_bytes);
	free(table);
	free(d);
	if (ok)
		return file;
	free(sizes);
	free(file);
	free(name);
	return NULL;
}

static void free_file(struct weir_traced *file)
{
	if (file->trace)
		weir_trace_fini(file->trace);
	if (file->sizes)
		weir_sizes_free(file->sizes);
	free(file->trace);
	free(file->sizes);
	free(file->path);
	free(file);
}

/* NULL stays NULL. */
static const struct weir_traced *keep(struct weir_traces *t, struct weir_traced *file, char *text,
				      size_t text_bytes)
{
	struct weir_traced **bigger = file ? realloc(t->file, (t->n + 1u) * sizeof *bigger) : NULL;
	if (file && !bigger) {
		snprintf(text, text_bytes, "%s: out of memory", file->path);
		free_file(file);
	}
	if (!bigger)
		return NULL;
	t->file = bigger;
	t->file[t->n++] = file;
	return file;
}

const struct weir_traced *weir_traces_read(struct weir_traces *t, const char *path, char *text,
					   size_t text_bytes)
{
	const struct weir_traced *known = weir_traces_find(t, path);
	if (known)
		return known;
	return keep(t, load(path, text, text_bytes), text, text_bytes);
}

static const struct weir_traced *find(const struct weir_traces *t, const char *path, bool trace)
{
	for (u32 i = 0; i < t->n; i++)
		if (strcmp(t->file[i]->path, path) == 0 && !t->file[i]->trace == !trace)
			return t->file[i];
	return NULL;
}

const struct weir_traced *weir_traces_find(const struct weir_traces *t, const char *path)
{
	return find(t, path, true);
}

bool weir_traces_read_sizes(struct weir_traces *t, const struct weir_scenario_app *app,
			    struct weir_sizes *out, char *text, size_t text_bytes)
{
	if (weir_sizes_named(app->sizes, out))
		return true;
	const struct weir_traced *file = find(t, app->sizes, false);
	if (!file)
		file = keep(t, load_sizes(app->sizes, text, text_bytes), text, text_bytes);
	if (file)
		*out = *file->sizes;
	return file;
}

void weir_traces_sizes(const struct weir_traces *t, const struct weir_scenario_app *app,
		       struct weir_sizes *out)
{
	if (!weir_sizes_named(app->sizes, out))
		*out = *find(t, app->sizes, false)->sizes;
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
