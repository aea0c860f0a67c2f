/* SPDX-License-Identifier: MIT */
/* Figures of the model alone. */
#include "run/experiment_figures.h"

#include <stdlib.h>
#include <string.h>

#define POINTS 500 /* of a line over iterations */

static int say(char why[512], const char *text)
{
	snprintf(why, 512, "%s", text);
	return -1;
}

/* ---- tuning ---- */

static int check_grid(const struct weir_model_config *path, const struct weir_model_grid *grid, char why[512])
{
	char wrong[WEIR_MODEL_WHY];

	for (u32 i = 0; i < grid->n_betas * grid->n_lambdas; i++) {
		struct weir_model_config c = *path;
		c.beta = grid->beta[i / grid->n_lambdas];
		c.lambda_max = grid->lambda_max[i % grid->n_lambdas];
		if (!weir_model_check(&c, wrong))
			return say(why, wrong);
	}
	return 0;
}

static int tune(const struct weir_figure *f, const struct weir_model_config *path,
		struct weir_figure_result *out, char why[512])
{
	const struct weir_model_grid *g = &f->grid;

	if (check_grid(path, g, why) < 0)
		return -1;
	out->matrix = calloc((size_t)g->n_betas * g->n_lambdas + 1, sizeof *out->matrix);
	out->best = calloc(g->n_betas + 1u, sizeof *out->best);
	out->eq36 = calloc(g->n_betas + 1u, sizeof *out->eq36);
	if (!out->matrix || !out->best || !out->eq36 ||
	    weir_model_matrix(path, g, out->matrix, NULL, NULL) < 0)
		return say(why, "out of memory");
	weir_model_optimum(g, out->matrix, f->tolerance, false, out->best);
	for (u32 b = 0; b < g->n_betas; b++)
		out->eq36[b] = weir_model_eq36(g->beta[b]);
	return 0;
}

/* ---- iterations ---- */

/* Of all iterations so many that a picture shows them. */
static int thin(const double *value, u64 n, struct weir_figure_trace *to)
{
	u64 step = n / POINTS + 1;

	to->point = calloc(n / step + 1, sizeof *to->point);
	if (!to->point)
		return -1;
	for (u64 t = 0; t < n; t += step)
		to->point[to->n++] = (struct weir_figure_point){(double)(t + 1), value[t]};
	to->room = to->n;
	return 0;
}

static int iterate(const struct weir_model_config *c, bool running, double divide_by,
		   struct weir_figure_trace *to, char why[512])
{
	double *mean = calloc(c->iterations + 1, sizeof *mean),
	       *ratio = calloc(c->iterations + 1, sizeof *ratio);
	struct weir_model_result r = {0};
	int rc = mean && ratio ? weir_model_iterations(c, mean, ratio, &r) : -1;

	for (u64 t = 0; rc == 0 && t < c->iterations; t++)
		(running ? ratio : mean)[t] /= divide_by;
	if (rc == 0)
		rc = thin(running ? ratio : mean, c->iterations, to);
	weir_model_result_free(&r);
	free(mean);
	free(ratio);
	return rc < 0 ? say(why, "out of memory") : 0;
}

/* ---- all of a point ---- */

static int make(const struct weir_experiment *e, const struct weir_registry *registry,
		const struct weir_scenario *scenario, const u32 *choice, const struct weir_figure *f,
		struct weir_figure_result *out, char why[512])
{
	bool tuning = f->kind == WEIR_FIGURE_TUNING && weir_experiment_fits(e, f->choice, choice);
	struct weir_model_config c;
	int rc = 0;

	if (f->kind == WEIR_FIGURE_ITERATIONS)
		for (u32 k = 0; rc == 0 && k < f->n_lines; k++) {
			if (!weir_experiment_fits(e, f->line[k].choice, choice))
				continue;
			rc = weir_modelled_config(scenario, &registry->catalog, WEIR_MODEL_LITERAL, &c, why)
				 ? iterate(&c, f->line[k].running, f->divide_by, &out->trace[k], why)
				 : -1;
		}
	if (rc == 0 && tuning)
		rc = weir_modelled_config(scenario, &registry->catalog, f->reading, &c, why)
			 ? tune(f, &c, out, why)
			 : -1;
	return rc;
}

int weir_figures_of_model(const struct weir_experiment *e, const struct weir_registry *registry,
			  const struct weir_scenario *scenario, const u32 *choice,
			  struct weir_figure_result *figures, char why[512])
{
	int rc = 0;

	for (u32 i = 0; rc == 0 && i < e->n_figures; i++)
		if (e->figures[i].kind == WEIR_FIGURE_TUNING || e->figures[i].kind == WEIR_FIGURE_ITERATIONS)
			rc = make(e, registry, scenario, choice, &e->figures[i], &figures[i], why);
	return rc;
}
