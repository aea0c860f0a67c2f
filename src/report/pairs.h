/* SPDX-License-Identifier: MIT */
/* Two ways to get the same number, one mark for each point: across what the one gave, up the other. What
 * agrees lies on the diagonal. */
#ifndef WEIR_REPORT_PAIRS_H
#define WEIR_REPORT_PAIRS_H

#include <stdio.h>

#include "weir/types.h"

struct weir_report_pair {
	double x, y; /* not drawn unless both are finite */
	const char *label, *verdict;
};

struct weir_report_pairs {
	const char *title, *x_title, *y_title;
	const struct weir_report_pair *pair;
	u32 n;
};

void weir_pairs(FILE *to, const struct weir_report_pairs *p);

#endif
