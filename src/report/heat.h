/* SPDX-License-Identifier: MIT */
/* A number for each row and column, the better the stronger its colour. Plain data of the caller's, who keeps
 * it. */
#ifndef WEIR_REPORT_HEAT_H
#define WEIR_REPORT_HEAT_H

#include "weir/types.h"

#include <stdio.h>

#define WEIR_HEAT_CELLS_MAX 4000 /* more are thinner than a pixel: nothing is drawn */

enum { WEIR_HEAT_FIRST_MARK = 1, WEIR_HEAT_SECOND_MARK = 2 }; /* frames around a cell */

struct weir_heat_cell {
	double value;	/* NaN: there is none */
	double ci95[2]; /* NaN: not known */
	u32 marks;
};

struct weir_heat {
	const char *title;
	const char *note; /* "" for none */
	const char *row_title, *column_title, *unit;
	const char *const *row, *const *column; /* their names */
	u32 n_rows, n_columns;
	const struct weir_heat_cell *cell; /* [row][column] */
	bool less_is_better;
	const char *mark[2]; /* what the marks mean; NULL: they do not occur */
};

/* A figure. */
void weir_heat(FILE *to, const struct weir_heat *h);

#endif
