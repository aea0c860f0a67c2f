/* SPDX-License-Identifier: MIT */
/* Experiments as one page: each claim beside what was measured, and what was measured along the axes.
 * Static figures only; the caller brings plain data and keeps it. */
#ifndef WEIR_REPORT_EXPERIMENT_H
#define WEIR_REPORT_EXPERIMENT_H

#include "core/diag.h"
#include "drawing.h"
#include "heat.h"
#include "pairs.h"
#include "tuning.h"

/* NaN stands for a number that there is not. */
struct weir_report_claim {
	const char *id, *text, *unit;
	const char *where; /* in the paper; "" for nowhere */
	double paper, measured;
	double band[2], ci95[2];
	u64 n;		     /* numbers that went into `measured` */
	const char *verdict; /* "holds", "misses", "explained" */
	const char *reason;  /* "" where it holds */
	/* Of several claims that were written as one: what `text` says without the point, and the point. NULL
	 * otherwise. */
	const char *group, *part;
};

struct weir_report_sweep_point {
	double x, y;
	double ci95[2]; /* of y */
};

struct weir_report_sweep_line {
	const char *label;
	u32 colour, dash; /* as weir_theme_colour and weir_theme_dash */
	bool dots;	  /* a dot at each point */
	const struct weir_report_sweep_point *point;
	u32 n;
};

/* One chart of a number along an axis, one line a value of another axis; at most 24 lines are drawn. */
struct weir_report_sweep {
	const char *title, *x_title, *y_title;
	const char *where, *note; /* where: in the paper; "" for nowhere and none */
	bool x_log, y_log;
	bool near; /* the vertical axis need not begin at 0 */
	const struct weir_report_sweep_line *line;
	u32 n;
};

struct weir_report_experiment {
	const char *name, *title, *source, *backend;
	const char *conclusion; /* a paragraph; NULL or "" for none */
	const struct weir_report_claim *claim;
	u32 n_claims;
	const struct weir_report_sweep *sweep;
	u32 n_sweeps;
	const struct weir_report_pairs *pairs;
	u32 n_pairs;
	const struct weir_drawing *drawing; /* as the paper has them */
	u32 n_drawings;
	const struct weir_report_tuning *tuning;
	u32 n_tunings;
	const struct weir_heat *heat;
	u32 n_heats;
};

/* Writes the page to `path`, whole or not at all. Returns an enum weir_exit; why it failed is in `d`. */
int weir_report_experiments(const char *path, const struct weir_report_experiment *e, u32 n,
			    struct weir_diag *d);

#endif
