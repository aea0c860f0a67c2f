/* SPDX-License-Identifier: MIT */
/* One number on a scale of its own: where it lies, how sure it is, where it should lie. */
#ifndef WEIR_REPORT_GAUGE_H
#define WEIR_REPORT_GAUGE_H

#include "weir/types.h"

#include <stdio.h>

/* NaN stands for what there is not. */
struct weir_gauge {
	double band[2];	       /* where it should lie */
	double ci95[2];	       /* of the value */
	double mark;	       /* a tick: the paper's value, or no difference */
	double value;	       /* a dot */
	const char *css_class; /* of the dot and its interval: "holds", "misses", "explained" */
};

/* Nothing without a value or a scale. */
void weir_gauge(FILE *to, const struct weir_gauge *g);

#endif
