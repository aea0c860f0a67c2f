/* SPDX-License-Identifier: MIT */
/* Figures as papers draw them, wide and static: lines over time, and each packet as a dot. Plain data of the
 * caller's, who keeps it. */
#ifndef WEIR_REPORT_DRAWING_H
#define WEIR_REPORT_DRAWING_H

#include "weir/types.h"

#include <stdio.h>

struct weir_drawing_point {
	double x, y;
	bool again; /* of a dot: the packet had been sent before */
};

struct weir_drawing_line {
	const char *label;
	const struct weir_drawing_point *point;
	u32 n;
};

/* At most 24 lines are drawn. */
struct weir_drawing {
	const char *title, *where; /* where: in the paper; "" for nowhere */
	const char *note;	   /* "" for none */
	const char *x_title, *y_title;
	bool dots;  /* dots instead of lines */
	bool y_log; /* by powers of ten; what is not above 0 is left out */
	const struct weir_drawing_line *line;
	u32 n;
};

void weir_drawing(FILE *to, const struct weir_drawing *d);
/* Under the title of a figure: where it stands in the paper, and a note; either may be "". */
void weir_drawing_words(FILE *to, const char *where, const char *note);

#endif
