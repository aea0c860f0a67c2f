/* SPDX-License-Identifier: MIT */
/* manifest.json (weir.manifest/1): all that is needed to run it again. */
#ifndef WEIR_RECORD_MANIFEST_H
#define WEIR_RECORD_MANIFEST_H

#include "json.h"
#include "weir/cc.h"

struct weir_manifest_axis {
	const char *key, *value;
};

struct weir_manifest_trace {
	const char *path;
	u64 hash; /* FNV-1a of its opportunities in ns and its period */
};

struct weir_manifest {
	const char *scenario, *title;
	const char *file; /* the scenario's file, as given */
	const char *text; /* its contents */
	size_t text_bytes;
	const char *label;	 /* which of several runs; NULL for a single one */
	const char *controller;	 /* of --controller, NULL without */
	const char *header_text; /* of a controller that was compiled on the fly, NULL otherwise */
	const char *backend;	 /* "sim", "emu" */
	const char *kernel;	 /* its release, in an emulation; else NULL */
	/* "FLOW" and "kernel:NAME" as its socket said, in an emulation */
	const struct weir_manifest_flow {
		const char *name, *controller;
	} * flows;
	u32 n_flows;
	/* The parameters of each entry's controller, as far as it is one of Weir's or a header's. */
	const struct weir_manifest_params {
		const char *flow;
		const struct weir_param *table;
		const u64 *values; /* NULL: the defaults */
		u32 n;
	} * params;
	u32 n_params;
	u64 seed, repeat;
	u32 n_sets, n_arguments, n_axes, n_traces;
	const char *const *sets;      /* KEY=VALUE of --set */
	const char *const *arguments; /* the command line without its output directory */
	const struct weir_manifest_axis *axes;
	const struct weir_manifest_trace *traces;
};

/* "ratio" and "Hz" are held in millionths and written as what they stand for. */
bool weir_param_in_millionths(const struct weir_param *p);

/* The whole document, but not its end: weir_json_finish is the caller's. */
void weir_manifest_write(struct weir_json *j, const struct weir_manifest *m);

#endif
