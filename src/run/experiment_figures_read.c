/* SPDX-License-Identifier: MIT */
/* The figures of an experiment's file. */
#include "run/experiment_figures.h"
#include "run/experiment_grid.h"
#include "run/experiment_read.h"
#include "run/experiment_sweep.h"
#include "scenario/quantity.h"

#define FINEST_NS (10 * WEIR_NS_PER_US)

/* A point has one value of each axis: those that are not named are at their first. */
static void read_point(struct weir_experiment_reader *r, const struct weir_yaml *map, u32 *choice)
{
	const struct weir_yaml *at = weir_yaml_find(map, "at");

	for (u32 a = 0; a < WEIR_EXPERIMENT_MAX_AXES; a++)
		choice[a] = 0;
	if (at)
		weir_experiment_read_at(r, at, true, choice);
}

static void read_series(struct weir_experiment_reader *r, const struct weir_yaml *map,
			const struct weir_figure *f, struct weir_figure_line *line)
{
	line->series = weir_experiment_text(r, map, "series", true);
	if (line->series && !strchr(line->series, '.'))
		weir_experiment_say(r, weir_yaml_find(map, "series")->at, "a series is named FLOW.SIGNAL");
	if (line->series && strstr(line->series, "." WEIR_FIGURE_SENT) && !f->mean_over_ns)
		weir_experiment_say(r, map->at, WEIR_FIGURE_SENT " needs `mean_over`");
	read_point(r, map, line->choice);
}

/* Which of two of the model's numbers. */
static void read_number(struct weir_experiment_reader *r, const struct weir_yaml *map,
			struct weir_figure_line *line)
{
	const char *number = weir_experiment_text(r, map, "number", true);

	line->running = number && !strcmp(number, "running_throughput");
	if (number && !line->running && strcmp(number, "mean_window") != 0)
		weir_experiment_say(r, weir_yaml_find(map, "number")->at,
				    "mean_window or running_throughput is expected");
	read_point(r, map, line->choice);
}

static void read_curve(struct weir_experiment_reader *r, const struct weir_yaml *map,
		       const struct weir_figure *f, struct weir_figure_line *line)
{
	line->beside = weir_experiment_text(r, map, "beside", false);
	line->claim =
	    weir_experiment_read_curve(r, map, weir_experiment_text(r, map, "label", true), f->over);
	bool found = !line->beside;
	for (u32 i = 0; !found && &f->line[i] != line; i++)
		found = f->line[i].label && !strcmp(f->line[i].label, line->beside);
	if (!found)
		weir_experiment_say(r, weir_yaml_find(map, "beside")->at,
				    "the label of a line above is expected");
}

static void read_line(struct weir_experiment_reader *r, const struct weir_yaml *map,
		      const struct weir_figure *f, struct weir_figure_line *line)
{
	static const char *const series[] = {"label", "series", "at", NULL};
	static const char *const curve[] = {"label", "metric", "at",	"flows", "beside",  "window",
					    "time",  "above",  "below", "while", "compare", NULL};
	static const char *const number[] = {"label", "number", "at", NULL};

	if (!weir_experiment_is_map(r, map))
		return;
	weir_experiment_keys(r, map,
			     f->kind == WEIR_FIGURE_LINES    ? series
			     : f->kind == WEIR_FIGURE_CURVES ? curve
							     : number);
	line->label = weir_experiment_text(r, map, "label", f->kind != WEIR_FIGURE_CURVES);
	if (f->kind == WEIR_FIGURE_LINES)
		read_series(r, map, f, line);
	else if (f->kind == WEIR_FIGURE_CURVES)
		read_curve(r, map, f, line);
	else
		read_number(r, map, line);
}

static void read_lines(struct weir_experiment_reader *r, const struct weir_yaml *map, struct weir_figure *f)
{
	const struct weir_yaml *list = weir_yaml_find(map, "lines");

	if (!list || list->kind != WEIR_YAML_LIST || list->n == 0 || list->n > WEIR_FIGURE_LINES_MAX) {
		weir_experiment_say(r, list ? list->at : map->at, "`lines` is a list of 1 to %d lines",
				    WEIR_FIGURE_LINES_MAX);
		return;
	}
	f->line = weir_arena_get(r->experiment->arena, list->n * sizeof *f->line);
	for (const struct weir_yaml *node = list->first; f->line && node; node = node->next)
		read_line(r, node, f, &f->line[f->n_lines++]);
}

static void read_window(struct weir_experiment_reader *r, const struct weir_yaml *node, struct weir_figure *f)
{
	if (node->kind != WEIR_YAML_LIST || node->n != 2) {
		weir_experiment_say(r, node->at, "a window is [from, to]");
		return;
	}
	weir_experiment_time(r, node->first, &f->from_ns);
	weir_experiment_time(r, node->last, &f->to_ns);
	if (f->from_ns >= f->to_ns)
		weir_experiment_say(r, node->at, "the window ends before it begins");
}

static void read_scale(struct weir_experiment_reader *r, const struct weir_yaml *map, struct weir_figure *f)
{
	const struct weir_yaml *divide = weir_yaml_find(map, "divide_by"),
			       *mean = weir_yaml_find(map, "mean_over");

	const char *axis = weir_experiment_text(r, map, "scale", false);

	f->unit = weir_experiment_text(r, map, "unit", true);
	f->log = axis && !strcmp(axis, "log");
	if (axis && !f->log && strcmp(axis, "linear") != 0)
		weir_experiment_say(r, weir_yaml_find(map, "scale")->at, "linear or log is expected");
	if (divide && weir_experiment_number(r, divide, &f->divide_by) && f->divide_by <= 0)
		weir_experiment_say(r, divide->at, "`divide_by` is above 0");
	if (mean)
		weir_experiment_time(r, mean, &f->mean_over_ns);
	if (mean && !f->mean_over_ns)
		weir_experiment_say(r, mean->at, "`mean_over` is above 0");
}

/* ---- each kind ---- */

static bool has_scale(const struct weir_experiment *e, u32 axis)
{
	struct weir_experiment_sweep *at = weir_arena_get(e->arena, e->axes[axis].n * sizeof *at);
	struct weir_experiment_plan plan;
	const char *unit = "";

	weir_experiment_plan(e, false, true, &plan);
	return at && weir_experiment_scale(&plan, axis, &unit, at);
}

static void read_over(struct weir_experiment_reader *r, const struct weir_yaml *map, struct weir_figure *f)
{
	const struct weir_experiment *e = r->experiment;
	const char *name = weir_experiment_text(r, map, "over", true);
	u32 axis = 0;

	while (name && axis < e->n_axes && strcmp(e->axes[axis].name, name) != 0)
		axis++;
	if (name && (axis == e->n_axes || !has_scale(e, axis)))
		weir_experiment_say(r, weir_yaml_find(map, "over")->at,
				    "the name of an axis is expected whose values are numbers of one unit");
	else if (name)
		f->over = axis;
}

/* Numbers that rise. */
static const double *read_numbers(struct weir_experiment_reader *r, const struct weir_yaml *map,
				  const char *key, u32 *n)
{
	const struct weir_yaml *list = weir_yaml_find(map, key);

	if (!list || list->kind != WEIR_YAML_LIST || list->n == 0 || list->n > 100) {
		weir_experiment_say(r, list ? list->at : map->at, "`%s` is a list of 1 to 100 numbers", key);
		return NULL;
	}
	double *x = weir_arena_get(r->experiment->arena, list->n * sizeof *x);
	for (const struct weir_yaml *node = list->first; x && node; node = node->next) {
		weir_experiment_number(r, node, &x[*n]);
		if (*n && x[*n] <= x[*n - 1])
			weir_experiment_say(r, node->at, "the numbers of `%s` rise", key);
		++*n;
	}
	return x;
}

static void read_tuning(struct weir_experiment_reader *r, const struct weir_yaml *map, struct weir_figure *f)
{
	const char *reading = weir_experiment_text(r, map, "reading", false);
	const struct weir_yaml *tolerance = weir_yaml_find(map, "tolerance");
	u32 i = 0;

	while (reading && i < WEIR_MODEL_READINGS && strcmp(reading, weir_model_reading_names[i]) != 0)
		i++;
	if (i == WEIR_MODEL_READINGS)
		weir_experiment_say(r, weir_yaml_find(map, "reading")->at,
				    "literal, renewal, two-state or epoch is expected");
	f->reading = (enum weir_model_reading)i;
	if (tolerance)
		weir_experiment_number(r, tolerance, &f->tolerance);
	f->grid.beta = read_numbers(r, map, "betas", &f->grid.n_betas);
	f->grid.lambda_max = read_numbers(r, map, "lambdas", &f->grid.n_lambdas);
	read_point(r, map, f->choice);
}

static const struct {
	const char *word;
	const char *const *keys;
} kinds[] = {
    [WEIR_FIGURE_SEQUENCE] = {"sequence",
			      (const char *const[]){"draw", "title", "where", "note", "window", "at", NULL}},
    [WEIR_FIGURE_LINES] = {"lines",
			   (const char *const[]){"draw", "title", "where", "note", "unit", "scale", "window",
						 "divide_by", "mean_over", "sample", "lines", NULL}},
    [WEIR_FIGURE_CURVES] = {"curves", (const char *const[]){"draw", "title", "where", "note", "unit", "scale",
							    "over", "lines", NULL}},
    [WEIR_FIGURE_TUNING] = {"tuning", (const char *const[]){"draw", "title", "where", "note", "at", "reading",
							    "tolerance", "betas", "lambdas", NULL}},
    [WEIR_FIGURE_GRID] = {"grid", (const char *const[]){"draw", "title", "where", "note", "unit", "metric",
							"flows", "rows", "columns", "at", "better", "window",
							"time", "above", "below", "while", "compare", NULL}},
    [WEIR_FIGURE_SPECTRUM] = {"spectrum",
			      (const char *const[]){"draw", "title", "where", "note", "unit", "scale",
						    "window", "divide_by", "sample", "lines", NULL}},
    [WEIR_FIGURE_ITERATIONS] = {"iterations", (const char *const[]){"draw", "title", "where", "note", "unit",
								    "scale", "lines", NULL}},
};
#define KINDS (sizeof kinds / sizeof kinds[0])

static void read_content(struct weir_experiment_reader *r, const struct weir_yaml *map, struct weir_figure *f)
{
	switch (f->kind) {
	case WEIR_FIGURE_SEQUENCE:
		read_point(r, map, f->choice);
		return;
	case WEIR_FIGURE_TUNING:
		read_tuning(r, map, f);
		return;
	case WEIR_FIGURE_GRID:
		read_point(r, map, f->choice);
		weir_experiment_read_grid(r, map, f);
		return;
	case WEIR_FIGURE_CURVES:
		read_over(r, map, f);
		break;
	default:
		break;
	}
	read_scale(r, map, f);
	read_lines(r, map, f);
}

static void read_figure(struct weir_experiment_reader *r, const struct weir_yaml *map, struct weir_figure *f)
{
	const char *draw = weir_experiment_text(r, map, "draw", true);
	const struct weir_yaml *window = weir_yaml_find(map, "window"),
			       *sample = weir_yaml_find(map, "sample");
	u32 kind = 0;

	*f = (struct weir_figure){.divide_by = 1, .to_ns = WEIR_NEVER, .unit = ""};
	while (kind < KINDS && (!draw || strcmp(draw, kinds[kind].word) != 0))
		kind++;
	if (draw && kind == KINDS)
		weir_experiment_say(
		    r, weir_yaml_find(map, "draw")->at,
		    "sequence, lines, curves, grid, tuning, iterations or spectrum is expected");
	kind = kind == KINDS ? WEIR_FIGURE_LINES : kind;
	f->spectrum = kind == WEIR_FIGURE_SPECTRUM;
	f->kind = f->spectrum ? WEIR_FIGURE_LINES : (enum weir_figure_kind)kind;
	weir_experiment_keys(r, map, kinds[kind].keys);
	f->title = weir_experiment_text(r, map, "title", true);
	f->where = weir_experiment_text(r, map, "where", false);
	f->note = weir_experiment_text(r, map, "note", false);
	if (window && kind != WEIR_FIGURE_GRID) /* there it is of the metric */
		read_window(r, window, f);
	if (sample)
		weir_experiment_time(r, sample, &f->sample_ns);
	if (sample && f->sample_ns < FINEST_NS)
		weir_experiment_say(r, sample->at, "`sample` is at least 10 us");
	if (f->spectrum && !window)
		weir_experiment_say(r, map->at, "`window` is missing");
	read_content(r, map, f);
}

void weir_experiment_read_figures(struct weir_experiment_reader *r, const struct weir_yaml *list)
{
	struct weir_experiment *e = r->experiment;

	if (!list)
		return;
	if (list->kind != WEIR_YAML_LIST || list->n > WEIR_FIGURES_MAX) {
		weir_experiment_say(r, list->at, "a list of at most %d figures is expected",
				    WEIR_FIGURES_MAX);
		return;
	}
	e->figures = weir_arena_get(e->arena, (list->n + 1) * sizeof *e->figures);
	for (const struct weir_yaml *map = list->first; e->figures && map; map = map->next)
		if (weir_experiment_is_map(r, map))
			read_figure(r, map, &e->figures[e->n_figures++]);
}
