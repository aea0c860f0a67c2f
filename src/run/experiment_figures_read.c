/* SPDX-License-Identifier: MIT */
/* The figures of an experiment's file. */
#include "run/experiment_figures.h"
#include "run/experiment_read.h"
#include "scenario/quantity.h"

/* A point has one value of each axis: those that are not named are at their first. */
static void read_point(struct weir_experiment_reader *r, const struct weir_yaml *map, u32 *choice)
{
	const struct weir_yaml *at = weir_yaml_find(map, "at");

	for (u32 a = 0; a < WEIR_EXPERIMENT_MAX_AXES; a++)
		choice[a] = 0;
	if (at)
		weir_experiment_read_at(r, at, true, choice);
}

static void read_line(struct weir_experiment_reader *r, const struct weir_yaml *map,
		      const struct weir_figure *f, struct weir_figure_line *line)
{
	static const char *const keys[] = {"label", "series", "at", NULL};

	if (!weir_experiment_is_map(r, map))
		return;
	weir_experiment_keys(r, map, keys);
	line->label = weir_experiment_text(r, map, "label", true);
	line->series = weir_experiment_text(r, map, "series", true);
	if (line->series && !strchr(line->series, '.'))
		weir_experiment_say(r, weir_yaml_find(map, "series")->at, "a series is named FLOW.SIGNAL");
	if (line->series && strstr(line->series, "." WEIR_FIGURE_SENT) && !f->mean_over_ns)
		weir_experiment_say(r, map->at, WEIR_FIGURE_SENT " needs `mean_over`");
	read_point(r, map, line->choice);
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

static void read_time(struct weir_experiment_reader *r, const struct weir_yaml *node, u64 *ns)
{
	char error[WEIR_QUANTITY_ERROR] = "a time is expected";

	if (node->kind != WEIR_YAML_TEXT || !weir_quantity(node->text, WEIR_QUANTITY_TIME, ns, error))
		weir_experiment_say(r, node->at, "%s", error);
}

static void read_window(struct weir_experiment_reader *r, const struct weir_yaml *node, struct weir_figure *f)
{
	if (node->kind != WEIR_YAML_LIST || node->n != 2) {
		weir_experiment_say(r, node->at, "a window is [from, to]");
		return;
	}
	read_time(r, node->first, &f->from_ns);
	read_time(r, node->last, &f->to_ns);
	if (f->from_ns >= f->to_ns)
		weir_experiment_say(r, node->at, "the window ends before it begins");
}

static void read_scale(struct weir_experiment_reader *r, const struct weir_yaml *map, struct weir_figure *f)
{
	const struct weir_yaml *divide = weir_yaml_find(map, "divide_by"),
			       *mean = weir_yaml_find(map, "mean_over");

	f->unit = weir_experiment_text(r, map, "unit", true);
	if (divide && weir_experiment_number(r, divide, &f->divide_by) && f->divide_by <= 0)
		weir_experiment_say(r, divide->at, "`divide_by` is above 0");
	if (mean)
		read_time(r, mean, &f->mean_over_ns);
	if (mean && !f->mean_over_ns)
		weir_experiment_say(r, mean->at, "`mean_over` is above 0");
}

static void read_figure(struct weir_experiment_reader *r, const struct weir_yaml *map, struct weir_figure *f)
{
	static const char *const sequence[] = {"draw", "title", "where", "window", "at", NULL};
	static const char *const lines[] = {"draw",	 "title",     "where", "unit", "window",
					    "divide_by", "mean_over", "lines", NULL};
	const char *draw = weir_experiment_text(r, map, "draw", true);
	const struct weir_yaml *window = weir_yaml_find(map, "window");

	*f = (struct weir_figure){.divide_by = 1, .to_ns = WEIR_NEVER, .unit = ""};
	f->kind = draw && !strcmp(draw, "sequence") ? WEIR_FIGURE_SEQUENCE : WEIR_FIGURE_LINES;
	if (draw && f->kind == WEIR_FIGURE_LINES && strcmp(draw, "lines") != 0)
		weir_experiment_say(r, weir_yaml_find(map, "draw")->at, "sequence or lines is expected");
	weir_experiment_keys(r, map, f->kind == WEIR_FIGURE_SEQUENCE ? sequence : lines);
	f->title = weir_experiment_text(r, map, "title", true);
	f->where = weir_experiment_text(r, map, "where", false);
	if (window)
		read_window(r, window, f);
	if (f->kind == WEIR_FIGURE_SEQUENCE) {
		read_point(r, map, f->choice);
	} else {
		read_scale(r, map, f);
		read_lines(r, map, f);
	}
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
