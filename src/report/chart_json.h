/* SPDX-License-Identifier: MIT */
/* The charts as the data block that charts.js reads. */
#ifndef WEIR_REPORT_CHART_JSON_H
#define WEIR_REPORT_CHART_JSON_H

#include "charts.h"

#include <stdio.h>

/* Columns of numbers are strings, "1.5,,-,2": nothing between commas is no sample, '-' a gap. Shorter
 * than JSON's arrays by half, and there is no place for a NaN. 0, or -1 when memory ran out. */
int weir_chart_json(FILE *to, const struct weir_charts *charts, const struct weir_entities *e);

#endif
