/* SPDX-License-Identifier: MIT */
/* What `weir reproduce` makes of its results. */
#ifndef WEIR_CLI_REPRODUCE_H
#define WEIR_CLI_REPRODUCE_H

#include "run/experiment.h"

struct weir_reproduced {
	struct weir_experiment experiment;
	struct weir_experiment_result result;
};

/* One document (weir.reproduce/1). 0, or -1 with errno set. */
int weir_reproduce_json(FILE *to, const struct weir_reproduced *items, u32 n);
/* A table for people, on stdout. */
void weir_reproduce_text(const struct weir_reproduced *items, u32 n, bool colour);
/* Writes the page of all of them. Returns an enum weir_exit; why it failed is in *d. */
int weir_reproduce_page(const char *path, const struct weir_reproduced *items, u32 n, struct weir_diag *d);

#endif
