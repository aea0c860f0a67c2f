/* SPDX-License-Identifier: MIT */
/* A metric over two axes of an experiment: a figure of the kind WEIR_FIGURE_GRID. */
#ifndef WEIR_RUN_EXPERIMENT_GRID_H
#define WEIR_RUN_EXPERIMENT_GRID_H

#include "run/experiment_figures.h"

struct weir_experiment_reader;
struct weir_yaml;

/* Reads what is special about one. */
void weir_experiment_read_grid(struct weir_experiment_reader *r, const struct weir_yaml *map,
			       struct weir_figure *f);

struct weir_experiment_cell {
	double value;		/* mean over the seeds; NaN: nothing was run there */
	double ci_low, ci_high; /* 95 %, NaN for fewer than two runs */
};

/* Of one value of the axis `rows` and one of `columns`; on the other axes the figure's own point counts. */
struct weir_experiment_cell weir_experiment_cell(const struct weir_experiment_result *r,
						 const struct weir_figure *f, u32 row, u32 column);

#endif
