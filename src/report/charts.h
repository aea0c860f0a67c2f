/* SPDX-License-Identifier: MIT */
/* The charts of a report as plain data on one common time column: which lines, in which unit. Two writers
 * draw them: charts.js from JSON, svg.c without scripts. */
#ifndef WEIR_REPORT_CHARTS_H
#define WEIR_REPORT_CHARTS_H

#include "entities.h"

#define WEIR_CHART_ROWS 2000	  /* of the time column, at most */
#define WEIR_CHART_STRETCHES 120  /* rates are means over such a part of what is shown */
#define WEIR_CHART_VALUES 600000U /* of all charts together: keeps the file below some 5 MB */

enum weir_line_kind {
	WEIR_LINE,
	WEIR_LINE_THIN, /* a companion of the line before */
	WEIR_LINE_AREA, /* filled down to zero, behind all others, in steps */
	WEIR_LINE_BAND, /* a median between two quantiles */
	WEIR_LINE_BAR,	/* one stem a sample */
};

struct weir_line {
	char label[2 * WEIR_LABEL_BYTES + 32];
	u32 colour, dash;
	i32 entity; /* index into the flows of struct weir_entities; -1: nobody's */
	enum weir_line_kind kind;
	struct weir_cell *cell;	      /* one a row of the grid, in the chart's unit */
	struct weir_cell *low, *high; /* of a band, else NULL */
};

struct weir_chart {
	char id[40];
	char title[128];
	char note[160];	  /* half a sentence under the title, or "" */
	char heading[64]; /* of the collapsed block that it stands in; "": in the open */
	const char *unit;
	const json_t *words; /* of a choice: what 0, 1, ... stand for; NULL: numbers */
	enum weir_dimension dimension;
	bool from_zero;
	bool smooth; /* rates: shown as means over smooth_s, since packets come in bursts */
	struct weir_line *line;
	u32 n_lines, room;
};

struct weir_charts {
	struct weir_grid grid;
	double start_s, end_s;
	double smooth_s; /* of the whole run; charts.js takes less when zoomed in */
	double rtt_s;	 /* below some multiples of it rates are bursts of single windows */
	double warmup_s; /* what lies before is not in the summary; 0 for none */
	struct weir_chart *chart;
	u32 n, room;
};

/* 0, or -1 when memory ran out. */
int weir_charts_make(const struct weir_report_data *data, const struct weir_entities *e,
		     struct weir_charts *c);
void weir_charts_free(struct weir_charts *c);

/* A new chart to be filled; NULL: no memory. Once its lines are there: brings them into one unit, and takes
 * the chart back if there is nothing in it. */
struct weir_chart *weir_charts_add(struct weir_charts *c);
void weir_charts_settle(struct weir_charts *c);

#endif
