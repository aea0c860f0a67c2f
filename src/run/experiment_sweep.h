/* SPDX-License-Identifier: MIT */
/* What a claim's metric does along an axis: for pictures, not for verdicts. */
#ifndef WEIR_RUN_EXPERIMENT_SWEEP_H
#define WEIR_RUN_EXPERIMENT_SWEEP_H

#include "run/experiment.h"

struct weir_experiment_sweep {
	double x;		/* the axis value, in `unit` */
	double y;		/* mean over all runs there, NaN where there is none */
	double ci_low, ci_high; /* 95 %, NaN for fewer than two runs */
};

/* The values of an axis that are run, as numbers: x of each, and their common unit ("BDP", "Mbit/s") in
 * *unit. False when they are not all quantities of one kind; such an axis has no scale. `out` has room for
 * axes[axis].n. */
bool weir_experiment_scale(const struct weir_experiment_plan *p, u32 axis, const char **unit,
			   struct weir_experiment_sweep *out);
/* Fills y and the intervals for one claim. False when there are not at least two values. The claim's `at`
 * holds on the other axes. */
bool weir_experiment_sweep(const struct weir_experiment_result *r, u32 claim, u32 axis,
			   struct weir_experiment_sweep *out);

#endif
