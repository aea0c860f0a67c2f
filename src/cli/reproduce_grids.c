/* SPDX-License-Identifier: MIT */
/* From the grids of an experiment to heat maps. */
#include "reproduce.h"
#include "run/experiment_grid.h"

#include <math.h>

/* The values of an axis that were run. Their number; index and name have room for all. */
static u32 used(const struct weir_experiment_plan *p, u32 axis, u32 *index, const char **name)
{
	u32 n = 0;

	for (u32 v = 0; v < p->experiment->axes[axis].n; v++)
		if (weir_experiment_is_used(p, axis, v)) {
			index[n] = v;
			name[n++] = p->experiment->axes[axis].values[v].name;
		}
	return n;
}

/* The best of each column, where there are others. */
static void mark_best(struct weir_heat_cell *cell, const struct weir_heat *h)
{
	for (u32 column = 0; column < h->n_columns && h->n_rows > 1; column++) {
		struct weir_heat_cell *best = NULL;
		for (u32 row = 0; row < h->n_rows; row++) {
			struct weir_heat_cell *c = &cell[row * h->n_columns + column];
			if (isfinite(c->value) &&
			    (!best || (h->less_is_better ? c->value < best->value : c->value > best->value)))
				best = c;
		}
		if (best)
			best->marks = WEIR_HEAT_FIRST_MARK;
	}
}

static bool heat_of(struct weir_arena *arena, const struct weir_reproduced *item, const struct weir_figure *f,
		    struct weir_heat *h)
{
	const struct weir_experiment_result *r = &item->result;
	const struct weir_experiment_axis *rows = &item->experiment.axes[f->rows],
					  *columns = &item->experiment.axes[f->columns];
	u32 *row = weir_arena_get(arena, rows->n * sizeof *row);
	u32 *column = weir_arena_get(arena, columns->n * sizeof *column);
	const char **row_name = weir_arena_get(arena, rows->n * sizeof *row_name);
	const char **column_name = weir_arena_get(arena, columns->n * sizeof *column_name);
	struct weir_heat_cell *cell = weir_arena_get(arena, (size_t)rows->n * columns->n * sizeof *cell);

	if (!row || !column || !row_name || !column_name || !cell)
		return false;
	*h = (struct weir_heat){.title = f->title,
				.note = f->note	   ? f->note
					: f->where ? f->where
						   : "",
				.row_title = rows->name,
				.column_title = columns->name,
				.unit = f->unit,
				.row = row_name,
				.column = column_name,
				.n_rows = used(&r->plan, f->rows, row, row_name),
				.n_columns = used(&r->plan, f->columns, column, column_name),
				.cell = cell,
				.less_is_better = f->less_is_better,
				.mark = {"the best of the column", NULL}};
	for (u32 i = 0; i < h->n_rows * h->n_columns; i++) {
		struct weir_experiment_cell c =
		    weir_experiment_cell(r, f, row[i / h->n_columns], column[i % h->n_columns]);
		cell[i] = (struct weir_heat_cell){.value = c.value, .ci95 = {c.ci_low, c.ci_high}};
	}
	if (f->none_is_best)
		h->mark[0] = NULL;
	else
		mark_best(cell, h);
	return true;
}

const struct weir_heat *weir_reproduce_grids(struct weir_arena *arena, const struct weir_reproduced *item,
					     u32 *n)
{
	const struct weir_experiment *e = &item->experiment;
	struct weir_heat *h = weir_arena_get(arena, (e->n_figures + 1) * sizeof *h);

	*n = 0;
	for (u32 i = 0; h && i < e->n_figures; i++)
		if (e->figures[i].kind == WEIR_FIGURE_GRID &&
		    !heat_of(arena, item, &e->figures[i], &h[(*n)++]))
			return NULL;
	return h;
}
