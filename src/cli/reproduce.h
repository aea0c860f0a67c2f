/* SPDX-License-Identifier: MIT */
/* What `weir reproduce` makes of its results. */
#ifndef WEIR_CLI_REPRODUCE_H
#define WEIR_CLI_REPRODUCE_H

#include "command.h"
#include "report/experiment.h"
#include "run/experiment_figures.h"
#include "run/experiment_sweep.h"
#include "scenario/arena.h"

#include <limits.h>

struct weir_reproduced {
	struct weir_experiment experiment;
	struct weir_experiment_result result;
	struct weir_figure_result *figures; /* NULL: not made */
};

/* One document (weir.reproduce/1). 0, or -1 with errno set. */
int weir_reproduce_json(FILE *to, const struct weir_reproduced *items, u32 n);
/* A table for people, on stdout. */
void weir_reproduce_text(const struct weir_reproduced *items, u32 n, bool colour);
/* Writes the page of all of them. Returns an enum weir_exit; why it failed is in *d. */
int weir_reproduce_page(const char *path, const struct weir_reproduced *items, u32 n, struct weir_diag *d);

/* Its figures: wide ones, those over an axis, and those of the tuner; *n of them, NULL when out of memory. */
const struct weir_drawing *weir_reproduce_drawings(struct weir_arena *arena,
						   const struct weir_reproduced *item, u32 *n);
const struct weir_report_sweep *weir_reproduce_curves(struct weir_arena *arena,
						      const struct weir_reproduced *item, u32 *n);
const struct weir_report_tuning *weir_reproduce_tunings(struct weir_arena *arena,
							const struct weir_reproduced *item, u32 *n);
/* Of its figures those that are grids. */
const struct weir_heat *weir_reproduce_grids(struct weir_arena *arena, const struct weir_reproduced *item,
					     u32 *n);
/* Its `conclusion` with what was measured in it; false: it has none, and nothing is written. */
bool weir_reproduce_conclusion(FILE *to, const struct weir_reproduced *item);
/* "rate, Mbit/s" */
const char *weir_reproduce_axis_title(struct weir_arena *arena, const char *axis, const char *unit);
/* Whether such an axis is drawn by powers of ten. */
bool weir_reproduce_is_log(const struct weir_experiment_sweep *at, u32 n);

/* "emu" when some of its runs were emulated. */
static inline const char *weir_reproduced_backend(const struct weir_reproduced *item)
{
	return item->result.emulated_runs ? "emu" : "sim";
}

/* ---- with -o: reproduce_directory.c ---- */

struct weir_reproduce_directory {
	const struct weir_invocation *call;
	const char *path;
	bool emulated;
	const struct weir_reproduced *items;
	u32 n;
};
/* Makes the directory, with a manifest and a place for the runs, unless it is there. A weir_exit, its reason
 * already told. */
int weir_reproduce_begin(const struct weir_reproduce_directory *d, char runs[PATH_MAX]);
/* Everything else; the runs stay. */
int weir_reproduce_end(const struct weir_reproduce_directory *d, const char *runs);

#endif
