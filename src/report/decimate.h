/* SPDX-License-Identifier: MIT */
/* Fewer points without losing what the eye looks for: of every stretch of time the smallest and the
 * largest value stay, so that a peak of one sample is still there in a picture of an hour. */
#ifndef WEIR_REPORT_DECIMATE_H
#define WEIR_REPORT_DECIMATE_H

#include "weir/types.h"

struct weir_point {
	double t_s;
	double value; /* NaN: a gap, here the line ends */
};

/* Reduces `n` points in time order to at most 2 * buckets, in place and in order; returns how many are
 * left. A stretch without any value becomes one gap. buckets > 0. */
u32 weir_decimate(struct weir_point *point, u32 n, u32 buckets);
/* The same with one mean a stretch: for rates, which over a longer time are the mean by definition. */
u32 weir_average(struct weir_point *point, u32 n, u32 buckets);

/* ---- one time column for all charts ---- */

/* The rows of all charts. Either every distinct time of the input, or (when there are too many) two rows
 * in each of rows/2 equal stretches, for the two extremes in the order in which they came. */
struct weir_grid {
	double *t_s;
	u32 rows;
	bool exact;
	double start_s, width_s; /* of the stretches, when not exact */
};

enum weir_cell_state {
	WEIR_CELL_NONE, /* no sample at this row: a line passes */
	WEIR_CELL_VALUE,
	WEIR_CELL_GAP, /* a line ends here */
};
struct weir_cell {
	double value;
	enum weir_cell_state state;
};

/* Takes the times of a series into the grid while it holds at most max_rows of them; 0, or -1 when memory
 * ran out. After the last call weir_grid_settle chooses the stretches if there were more. */
int weir_grid_add(struct weir_grid *g, const struct weir_point *point, u32 n, u32 max_rows);
int weir_grid_settle(struct weir_grid *g, u32 max_rows);
/* Puts a series on the grid: `cell` holds g->rows. With `means` a stretch holds the mean of its points twice
 * instead of the extremes. A hole of many times the usual distance of the points becomes a gap: the flow was
 * away. */
void weir_grid_place(const struct weir_grid *g, const struct weir_point *point, u32 n, bool means,
		     struct weir_cell *cell);
void weir_grid_free(struct weir_grid *g);

#endif
