/* SPDX-License-Identifier: MIT */
/* What `weir compare` has read and judged, and what it makes of it. */
#ifndef WEIR_CLI_COMPARE_H
#define WEIR_CLI_COMPARE_H

#include "core/diag.h"
#include "run/compare_load.h"

#include <stdio.h>

#define WEIR_COMPARE_RUNS_MAX 256

struct weir_compared_pair {
	const struct weir_compared_run *first, *second;
};

struct weir_compare_job {
	const char *operand[2];
	struct weir_compare_limits limits;
	struct weir_compared side[2];
	struct weir_compared_pair pair[WEIR_COMPARE_RUNS_MAX]; /* the runs that both sides have */
	u32 n_pairs;
	struct weir_comparison result;
};

/* A table for people, on stdout. */
void weir_compare_text(const struct weir_compare_job *job);
/* One document (weir.compare/1). 0, or -1 with errno set. */
int weir_compare_json(FILE *to, const struct weir_compare_job *job);
/* A page with both sides on the same axes. Returns an enum weir_exit; why it failed is in *d. */
int weir_compare_page(const char *path, const struct weir_compare_job *job, struct weir_diag *d);

#endif
