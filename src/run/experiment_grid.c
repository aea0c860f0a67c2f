/* SPDX-License-Identifier: MIT */
#include "run/experiment_grid.h"

#include "core/stats.h"
#include "run/experiment_read.h"

#include <math.h>

static u32 read_axis(struct weir_experiment_reader *r, const struct weir_yaml *map, const char *key)
{
	const struct weir_experiment *e = r->experiment;
	const char *name = weir_experiment_text(r, map, key, true);

	for (u32 a = 0; name && a < e->n_axes; a++)
		if (!strcmp(e->axes[a].name, name))
			return a;
	if (name)
		weir_experiment_say(r, weir_yaml_find(map, key)->at, "the name of an axis is expected");
	return 0;
}

void weir_experiment_read_grid(struct weir_experiment_reader *r, const struct weir_yaml *map,
			       struct weir_figure *f)
{
	const struct weir_yaml *better = weir_yaml_find(map, "better");
	const char *word = !better ? "more" : better->kind == WEIR_YAML_TEXT ? better->text : "";
	u32 mistakes = r->diag.n;

	f->unit = weir_experiment_text(r, map, "unit", true);
	f->rows = read_axis(r, map, "rows");
	f->columns = read_axis(r, map, "columns");
	if (better && strcmp(word, "more") != 0 && strcmp(word, "less") != 0 && strcmp(word, "neither") != 0)
		weir_experiment_say(r, better->at, "more, less or neither is expected");
	f->less_is_better = !strcmp(word, "less");
	f->none_is_best = !strcmp(word, "neither");
	if (r->diag.n != mistakes)
		return;
	if (f->rows == f->columns)
		weir_experiment_say(r, weir_yaml_find(map, "columns")->at, "the rows are this axis already");
	f->claim = weir_experiment_read_curve(r, map, f->title, f->columns);
}

struct weir_experiment_cell weir_experiment_cell(const struct weir_experiment_result *r,
						 const struct weir_figure *f, u32 row, u32 column)
{
	const struct weir_experiment_plan *p = &r->plan;
	const double *values = &r->values[(size_t)f->claim * p->n_points * p->n_seeds];
	struct weir_experiment_cell cell;
	struct weir_stats s = {0};
	u32 choice[WEIR_EXPERIMENT_MAX_AXES];

	for (u32 run = 0; run < p->n_points * p->n_seeds; run++) {
		weir_experiment_choices(p, run / p->n_seeds, choice);
		bool here = choice[f->rows] == row && choice[f->columns] == column;
		for (u32 a = 0; a < p->experiment->n_axes && here; a++)
			here = a == f->rows || a == f->columns || choice[a] == f->choice[a];
		if (here && isfinite(values[run]))
			weir_stats_add(&s, values[run]);
	}
	cell.value = s.n ? s.mean : (double)NAN;
	if (!weir_stats_ci95(&s, &cell.ci_low, &cell.ci_high))
		cell.ci_low = cell.ci_high = (double)NAN;
	return cell;
}
