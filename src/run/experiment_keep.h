/* SPDX-License-Identifier: MIT */
/* Runs of an experiment that were made before: one file each, under a name that is a hash of all that
 * determines the run. A file holds the summary and the rows of those series that somebody wanted, so that
 * claims can be judged again, and changed, without a run. */
#ifndef WEIR_RUN_EXPERIMENT_KEEP_H
#define WEIR_RUN_EXPERIMENT_KEEP_H

#include "run/experiment_series.h"
#include "run/traces.h"

#include <jansson.h>
#include <limits.h>

struct weir_keep {
	char folder[PATH_MAX];
	char program[20]; /* hash of this program's file: what another build measured is no result of this */
	bool any_build;
	char kernel[80];
};

/* What determines a run beside the program, and in an emulation the kernel. */
struct weir_keep_point {
	const char *scenario_text; /* file that the sets change */
	size_t scenario_bytes;
	const char *const *sets;
	u32 n_sets;
	const struct weir_traces *traces;
	u64 seed;
	bool emulated;
};

/* 0, or -1 with a sentence. Makes the folder. */
int weir_keep_open(struct weir_keep *k, const char *folder, bool any_build, char why[512]);
/* Whether the run is there; then its document, for the caller, and what its series say in the watched. What
 * cannot be read is not there. */
bool weir_keep_find(const struct weir_keep *k, const struct weir_keep_point *p, struct weir_watched *watched,
		    u32 n, json_t **document);
/* 0, or a weir_exit with a sentence. */
int weir_keep_add(const struct weir_keep *k, const struct weir_keep_point *p,
		  const struct weir_watched *watched, u32 n, const char *rows, const json_t *document,
		  char why[512]);

#endif
