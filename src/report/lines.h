/* SPDX-License-Identifier: MIT */
/* The lines of charts, made from the tracks of runs. Values are in base units (bit/s, bytes, ms) until
 * the chart has chosen its own. */
#ifndef WEIR_REPORT_LINES_H
#define WEIR_REPORT_LINES_H

#include "charts.h"

struct weir_line_source {
	const struct weir_report_data *data;
	const struct weir_entities *entities;
	const struct weir_grid *grid;
};

/* Each adds the lines that there are data for, perhaps none. 0, or -1 when memory ran out. */

/* Flow or group `i`; a group becomes a band of its members. */
int weir_line_of_flow(const struct weir_line_source *s, struct weir_chart *chart, u32 i, const char *signal,
		      enum weir_line_kind kind, const char *suffix);
int weir_line_of_link(const struct weir_line_source *s, struct weir_chart *chart, u32 i, const char *signal,
		      enum weir_line_kind kind);
/* Of the emulator of a run. */
int weir_line_of_emulator(const struct weir_line_source *s, struct weir_chart *chart, u32 run,
			  const char *signal, enum weir_line_kind kind, const char *suffix);
/* What the busiest link could have carried. */
int weir_line_capacity(const struct weir_line_source *s, struct weir_chart *chart);
/* Sums of a signal over the flows: one thin line of all, or one line of each group. */
int weir_line_totals(const struct weir_line_source *s, struct weir_chart *chart, const char *signal,
		     enum weir_line_kind kind);

double weir_line_peak(const struct weir_line *line, const struct weir_grid *g);
void weir_line_divide(struct weir_line *line, const struct weir_grid *g, double divisor);

#endif
