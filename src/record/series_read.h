/* SPDX-License-Identifier: MIT */
/* Reads series.csv back, row by row. The file is hostile: rows, fields, numbers and the order of time are
 * checked, and nothing is kept. */
#ifndef WEIR_RECORD_SERIES_READ_H
#define WEIR_RECORD_SERIES_READ_H

#include "core/diag.h"

#include <stdio.h>

struct weir_series_row {
	double time_s;
	const char *flow, *signal; /* not empty; until the next row only */
	double value;		   /* NaN: a gap */
};

/* Called for each row in order of time; NULL, or a sentence that ends the reading. */
typedef const char *weir_series_taker(void *ctx, const struct weir_series_row *row);

/* Rows `time_s,flow,signal,value` after that header, fields quoted or not as in RFC 4180. 0, or -1 after
 * adding what is wrong to `d`, with its line. */
int weir_series_read(FILE *f, weir_series_taker *take, void *ctx, struct weir_diag *d);

#endif
