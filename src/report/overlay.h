/* SPDX-License-Identifier: MIT */
/* Two results on the same axes, and the verdict on their differences. The caller brings plain data and keeps
 * it; the runs themselves are read from their directories. */
#ifndef WEIR_REPORT_OVERLAY_H
#define WEIR_REPORT_OVERLAY_H

#include "core/diag.h"

/* NaN stands for a number that there is not. */
struct weir_overlay_row {
	const char *run;    /* label of the pair, "" for a single one */
	const char *kind;   /* "flow" */
	const char *name;   /* of the flow */
	const char *metric; /* "goodput_bps": names the unit too. "" where nothing is measured */
	double value[2], ci95[2][2];
	double difference, difference_ci95[2];
	double largest_difference; /* that is within */
	const char *verdict;	   /* "within", "outside", "noise", "missing" */
	bool unsure;		   /* within, but the interval passes the limit */
};

/* One run of each side that stand for the same thing. */
struct weir_overlay_pair {
	const char *label; /* "" for a single one */
	const char *directory[2];
};

struct weir_overlay {
	const char *operand[2]; /* as given */
	const char *verdict;	/* "within", "outside", "invalid" */
	const char *limits;	/* "Goodput within 5 %, ..." */
	u32 outside, noise, unsure;
	const struct weir_overlay_pair *pair;
	u32 n_pairs;
	const struct weir_overlay_row *row;
	u32 n_rows;
	const char *const *note;
	u32 n_notes;
};

/* Writes the page to `path`, whole or not at all. Returns an enum weir_exit; what is wrong is in `d`. */
int weir_report_overlay(const char *path, const struct weir_overlay *o, struct weir_diag *d);

#endif
