/* SPDX-License-Identifier: MIT */
/* What series.csv says about the numbers that are compared: how sure each of them is. */
#ifndef WEIR_RUN_COMPARE_SERIES_H
#define WEIR_RUN_COMPARE_SERIES_H

#include "core/diag.h"

#include <jansson.h>

struct weir_compare_series;

/* Keeps of the file what belongs to the flows, groups and links of the summary, which must outlive it. NULL
 * with what is wrong in `d`. */
struct weir_compare_series *weir_compare_series_read(FILE *f, const json_t *summary, struct weir_diag *d);
void weir_compare_series_free(struct weir_compare_series *s);

/* Standard error and degrees of freedom (batches.h) of the goodput (of a link: throughput) or of the median
 * queue delay of an element of this list of the summary: "flows", "groups" or "links". False where there is
 * none. */
bool weir_compare_series_error(const struct weir_compare_series *s, const char *list, const json_t *element,
			       bool delay, double *standard_error, u32 *freedom);

#endif
