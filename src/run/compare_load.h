/* SPDX-License-Identifier: MIT */
/* The operands of a comparison, from disk: what one run left, or several runs of one command. */
#ifndef WEIR_RUN_COMPARE_LOAD_H
#define WEIR_RUN_COMPARE_LOAD_H

#include "run/compare.h"

#include <limits.h>

struct weir_compared_run {
	const char *label; /* NULL for a single run */
	const json_t *summary;
	struct weir_compare_series *series; /* NULL: there is no series.csv */
	char directory[PATH_MAX];
	bool matched;
};

struct weir_compared {
	json_t *document;
	struct weir_compared_run *run;
	u32 n;
	bool several; /* schema weir.run/1 */
};

/* Reads a directory, or the summary.json in one, and each series.csv beside a summary. An enum weir_exit;
 * what is wrong, and with which file, is in `d`. Free in any case. */
int weir_compared_load(const char *operand, struct weir_compared *c, struct weir_diag *d);
void weir_compared_free(struct weir_compared *c);

#define WEIR_COMPARED_NONE 0xffffffffU
/* Pairs the runs of both sides by label, or the only ones of each. pair[i] is the number in `b` of the i-th
 * run of `a`, or WEIR_COMPARED_NONE. False with a sentence when nothing matches. */
bool weir_compared_match(struct weir_compared *a, struct weir_compared *b, u32 *pair, char why[512]);

#endif
