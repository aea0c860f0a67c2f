/* SPDX-License-Identifier: MIT */
/* From the curves and tunings of an experiment to figures of its page. */
#include "report/theme.h"
#include "reproduce.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* From here on a linear scale would press the small values together. */
#define LOG_FROM 20

static const char *text_or_empty(const char *text)
{
	return text ? text : "";
}

const char *weir_reproduce_axis_title(struct weir_arena *arena, const char *axis, const char *unit)
{
	char text[256];
	int n = snprintf(text, sizeof text, *unit ? "%s, %s" : "%s%s", axis, unit);

	return weir_arena_text(arena, text, n < (int)sizeof text ? (size_t)n : sizeof text - 1);
}

bool weir_reproduce_is_log(const struct weir_experiment_sweep *at, u32 n)
{
	double lowest = at[0].x, highest = at[0].x;

	for (u32 i = 1; i < n; i++) {
		lowest = fmin(lowest, at[i].x);
		highest = fmax(highest, at[i].x);
	}
	return lowest > 0 && highest >= LOG_FROM * lowest;
}

/* A line beside another has its colour, dashed. */
static void look_of(const struct weir_figure *f, u32 line, struct weir_report_sweep_line *all, u32 *colours)
{
	struct weir_report_sweep_line *out = &all[line];
	const char *beside = f->line[line].beside;

	out->dots = !beside;
	for (u32 i = 0; beside && i < line; i++)
		if (!strcmp(f->line[i].label, beside)) {
			out->colour = all[i].colour;
			/* the second beside the same one is dotted */
			out->dash = 1;
			for (u32 k = i + 1; k < line; k++)
				out->dash += all[k].colour == out->colour;
			return;
		}
	out->colour = weir_theme_colour(*colours);
	out->dash = weir_theme_dash(*colours);
	++*colours;
}

static bool curve_of(struct weir_arena *arena, const struct weir_reproduced *item,
		     const struct weir_figure *f, u32 line, struct weir_experiment_sweep *at,
		     struct weir_report_sweep_line *out)
{
	u32 n = item->result.plan.used[f->over];
	struct weir_report_sweep_point *point = weir_arena_get(arena, (n + 1) * sizeof *point);

	if (!point)
		return false;
	out->label = f->line[line].label;
	out->point = point;
	if (!weir_experiment_sweep(&item->result, f->line[line].claim, f->over, at))
		return true;
	out->n = n;
	for (u32 i = 0; i < n; i++)
		point[i] = (struct weir_report_sweep_point){
		    .x = at[i].x, .y = at[i].y, .ci95 = {at[i].ci_low, at[i].ci_high}};
	return true;
}

static bool curves_of(struct weir_arena *arena, const struct weir_reproduced *item,
		      const struct weir_figure *f, struct weir_report_sweep *out)
{
	const struct weir_experiment *e = &item->experiment;
	struct weir_experiment_sweep *at = weir_arena_get(arena, e->axes[f->over].n * sizeof *at);
	struct weir_report_sweep_line *line = weir_arena_get(arena, (f->n_lines + 1) * sizeof *line);
	const char *unit = "";
	u32 colours = 0;

	*out = (struct weir_report_sweep){.title = f->title,
					  .where = text_or_empty(f->where),
					  .note = text_or_empty(f->note),
					  .y_title = f->unit,
					  .y_log = f->log,
					  .near = true,
					  .line = line,
					  .n = f->n_lines};
	if (!at || !line)
		return false;
	if (weir_experiment_scale(&item->result.plan, f->over, &unit, at))
		out->x_log = weir_reproduce_is_log(at, item->result.plan.used[f->over]);
	out->x_title = weir_reproduce_axis_title(arena, e->axes[f->over].name, unit);
	for (u32 i = 0; i < f->n_lines; i++) {
		look_of(f, i, line, &colours);
		if (!curve_of(arena, item, f, i, at, &line[i]))
			return false;
	}
	return out->x_title != NULL;
}

const struct weir_report_sweep *weir_reproduce_curves(struct weir_arena *arena,
						      const struct weir_reproduced *item, u32 *n)
{
	const struct weir_experiment *e = &item->experiment;
	struct weir_report_sweep *sweep = weir_arena_get(arena, (e->n_figures + 1) * sizeof *sweep);

	*n = 0;
	for (u32 i = 0; sweep && i < e->n_figures; i++)
		if (e->figures[i].kind == WEIR_FIGURE_CURVES &&
		    !curves_of(arena, item, &e->figures[i], &sweep[(*n)++]))
			return NULL;
	return sweep;
}

const struct weir_report_tuning *weir_reproduce_tunings(struct weir_arena *arena,
							const struct weir_reproduced *item, u32 *n)
{
	const struct weir_experiment *e = &item->experiment;
	struct weir_report_tuning *out = weir_arena_get(arena, (e->n_figures + 1) * sizeof *out);

	*n = 0;
	for (u32 i = 0; out && i < e->n_figures; i++) {
		const struct weir_figure *f = &e->figures[i];
		const struct weir_figure_result *r = &item->figures[i];
		if (f->kind == WEIR_FIGURE_TUNING && r->matrix)
			out[(*n)++] = (struct weir_report_tuning){.title = f->title,
								  .about = text_or_empty(f->where),
								  .verdict = text_or_empty(f->note),
								  .reference = "eq. 36",
								  .beta = f->grid.beta,
								  .lambda_max = f->grid.lambda_max,
								  .n_betas = f->grid.n_betas,
								  .n_lambdas = f->grid.n_lambdas,
								  .share = r->matrix,
								  .best = r->best,
								  .recommended = r->eq36};
	}
	return out;
}
