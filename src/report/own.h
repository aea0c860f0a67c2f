/* SPDX-License-Identifier: MIT */
/* The charts of what controllers say of themselves, and of whatever else has no chart of its own. */
#ifndef WEIR_REPORT_OWN_H
#define WEIR_REPORT_OWN_H

#include "lines.h"

/* Choices (values that stand for words) that every reader wants to see beside throughput and delay: in the
 * open. Each returns 0, or -1 when memory ran out. */
int weir_own_charts_open(const struct weir_line_source *s, struct weir_charts *c);
/* All others, in collapsed blocks by unit; without the signals for which `has_chart` is true. */
int weir_own_charts(const struct weir_line_source *s, struct weir_charts *c,
		    bool (*has_chart)(const char *signal));

#endif
