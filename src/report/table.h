/* SPDX-License-Identifier: MIT */
/* Tables of numbers taken by name from objects of a summary. */
#ifndef WEIR_REPORT_TABLE_H
#define WEIR_REPORT_TABLE_H

#include "theme.h"

#include <jansson.h>
#include <stdio.h>

struct weir_column {
	const char *title, *path; /* "rtt_ms.p95" */
	enum weir_dimension dimension;
	bool text;     /* a string instead of a number */
	double factor; /* to the dimension's base unit; 0: 1 */
};

struct weir_row {
	const char *name, *run; /* run: "" for a single one */
	i32 colour;		/* swatch beside the name; -1: none */
	u32 dash;
	const json_t *object;
};

/* A table in a box that scrolls by itself. A column that is null in every row is left out, as is a table
 * without rows. Numbers of repeated runs carry half the width of their confidence interval. */
void weir_table(FILE *to, const char *heading, const char *first, const struct weir_column *column,
		u32 n_columns, const struct weir_row *row, u32 n_rows);
/* One cell. */
void weir_table_number(FILE *to, enum weir_dimension dimension, double value);

#endif
