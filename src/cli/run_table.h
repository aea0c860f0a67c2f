/* SPDX-License-Identifier: MIT */
/* The few numbers that a person wants to see right after a run. */
#ifndef WEIR_CLI_RUN_TABLE_H
#define WEIR_CLI_RUN_TABLE_H

#include "record/summary.h"

#include <stdio.h>

/* label: which of several runs, "" for the only one. */
void weir_run_table(FILE *out, const struct weir_summary *s, const char *label);

#endif
