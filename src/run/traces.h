/* SPDX-License-Identifier: MIT */
/* The files that a scenario names (traces, tables of flow sizes), each read once whatever the number of
 * points and repeats. */
#ifndef WEIR_RUN_TRACES_H
#define WEIR_RUN_TRACES_H

#include "scenario/scenario.h"

struct weir_trace;
struct weir_sizes;

struct weir_traced {
	char *path;
	struct weir_trace *trace; /* or */
	struct weir_sizes *sizes;
	u64 mean_bps; /* of a trace */
	u64 hash;     /* FNV-1a of the opportunities or points: whether a later run had the same file */
};

struct weir_traces { /* all zero is empty */
	u32 n;
	struct weir_traced **file;
};

/* Reads a file unless it is there. NULL when it cannot be read or is no trace: *text then says why. */
const struct weir_traced *weir_traces_read(struct weir_traces *t, const char *path, char *text,
					   size_t text_bytes);
/* One that was read before. */
const struct weir_traced *weir_traces_find(const struct weir_traces *t, const char *path);
/* The table of flow sizes of this application: one that comes along, or a file, likewise. False: *text says
 * why. The points stay the table's or t's own. */
bool weir_traces_read_sizes(struct weir_traces *t, const struct weir_scenario_app *app,
			    struct weir_sizes *out, char *text, size_t text_bytes);
/* Likewise, of one that was read before: it cannot fail. */
void weir_traces_sizes(const struct weir_traces *t, const struct weir_scenario_app *app,
		       struct weir_sizes *out);
/* Mean rate of each hop, 0 for an infinitely fast one. All traces of the scenario are there. */
void weir_traces_rates(const struct weir_traces *t, const struct weir_scenario *s, u64 *mean_bps);
void weir_traces_free(struct weir_traces *t);

#endif
