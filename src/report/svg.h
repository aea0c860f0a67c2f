/* SPDX-License-Identifier: MIT */
/* Figures as SVG inside the page: no script, no style of their own (classes of style.css: s0...s8 strokes,
 * f0...f8 fills, d0...d2 dashes), so that they follow light, dark and print. */
#ifndef WEIR_REPORT_SVG_H
#define WEIR_REPORT_SVG_H

#include "charts.h"

struct weir_axis {
	double from, to; /* what the ends stand for */
	bool log;	 /* powers of ten; from > 0 */
	bool reversed;	 /* x only: grows to the left */
	const char *title;
};

struct weir_frame {
	double width, height;		 /* of the whole figure, in its own units */
	double left, right, top, bottom; /* margins around the plot */
	struct weir_axis x, y;
};

/* Widens the axis to round numbers; a range that is empty or not finite becomes [0, 1]. */
void weir_axis_round(struct weir_axis *axis, u32 ticks_wanted);
/* The distance of ticks that gives about `wanted` of them over `range`: 1, 2 or 5 times a power of ten. */
double weir_tick_step(double range, u32 wanted);

double weir_frame_x(const struct weir_frame *f, double x);
double weir_frame_y(const struct weir_frame *f, double y);
/* Opens the figure and draws grid, ticks and titles; `label` is what a screen reader says. */
void weir_frame_begin(FILE *to, const struct weir_frame *f, const char *label);
void weir_frame_end(FILE *to);

/* A number with one decimal at most, whatever the locale. */
void weir_svg_number(FILE *to, double x);
void weir_svg_text(FILE *to, double x, double y, const char *anchor, const char *css_class, const char *text);

/* One chart of the report, small, for readers without scripts and for print. */
void weir_svg_chart(FILE *to, const struct weir_chart *chart, const struct weir_charts *all);

#endif
