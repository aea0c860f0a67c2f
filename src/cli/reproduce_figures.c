/* SPDX-License-Identifier: MIT */
/* From the figures of an experiment to drawings. */
#include "reproduce.h"

#include <math.h>

static const char *text_or_empty(const char *text)
{
	return text ? text : "";
}

/* Bins of mean_over, each at its middle; the points as they are where there is none. */
static bool draw_line(struct weir_arena *arena, const struct weir_figure *f,
		      const struct weir_figure_trace *t, struct weir_drawing_line *out)
{
	struct weir_drawing_point *point = weir_arena_get(arena, (t->n + 1) * sizeof *point);
	double bin_s = (double)f->mean_over_ns / 1e9;

	if (!point)
		return false;
	for (u32 i = 0; i < t->n;) {
		double sum = 0, bin = bin_s > 0 ? floor(t->point[i].time_s / bin_s) : 0;
		u32 from = i;
		do
			sum += t->point[i++].value;
		while (bin_s > 0 && i < t->n && floor(t->point[i].time_s / bin_s) == bin);
		point[out->n++] = (struct weir_drawing_point){
		    .x = bin_s > 0 ? (bin + .5) * bin_s : t->point[from].time_s, .y = sum / (i - from)};
	}
	out->point = point;
	return true;
}

static bool draw_lines(struct weir_arena *arena, const struct weir_figure *f,
		       const struct weir_figure_result *r, struct weir_drawing *out)
{
	struct weir_drawing_line *line = weir_arena_get(arena, (f->n_lines + 1) * sizeof *line);

	for (u32 i = 0; line && i < f->n_lines; i++) {
		line[i].label = f->line[i].label;
		if (!draw_line(arena, f, &r->trace[i], &line[i]))
			return false;
	}
	out->line = line;
	out->n = f->n_lines;
	return line != NULL;
}

static bool draw_sequence(struct weir_arena *arena, const struct weir_figure_result *r,
			  struct weir_drawing *out)
{
	struct weir_drawing_line *line = weir_arena_get(arena, (r->n_flows + 1) * sizeof *line);
	struct weir_drawing_point *point = weir_arena_get(arena, (r->sends.n + 1) * sizeof *point);
	u32 n = 0;

	if (!line || !point)
		return false;
	for (u32 flow = 0; flow < r->n_flows; flow++) {
		line[flow].label = r->flow[flow].name;
		line[flow].point = point + n;
		for (u32 i = 0; i < r->sends.n; i++) {
			const struct weir_send *p = &r->sends.send[i];
			if (p->flow != flow)
				continue;
			point[n++] = (struct weir_drawing_point){.x = (double)p->time_ns / 1e9,
								 .y = (double)p->first_byte / 1e3,
								 .again = p->again};
			line[flow].n++;
		}
	}
	out->line = line;
	out->n = r->n_flows;
	out->dots = true;
	out->y_title = "sequence number, kB";
	out->note = r->sends.left_out ? "The first 200,000 packets." : "Each dot is a packet as it was sent.";
	return true;
}

static bool draw(struct weir_arena *arena, const struct weir_figure *f, const struct weir_figure_result *r,
		 struct weir_drawing *out)
{
	*out = (struct weir_drawing){.title = f->title,
				     .where = text_or_empty(f->where),
				     .note = "",
				     .x_title = f->kind == WEIR_FIGURE_ITERATIONS ? "iterations"
						: f->spectrum			  ? "frequency, Hz"
										  : "time, s",
				     .y_title = f->unit,
				     .y_log = f->log};
	bool good =
	    f->kind == WEIR_FIGURE_SEQUENCE ? draw_sequence(arena, r, out) : draw_lines(arena, f, r, out);
	out->note = f->note ? f->note : out->note;
	return good;
}

const struct weir_drawing *weir_reproduce_drawings(struct weir_arena *arena,
						   const struct weir_reproduced *item, u32 *n)
{
	const struct weir_experiment *e = &item->experiment;
	struct weir_drawing *d = weir_arena_get(arena, (e->n_figures + 1) * sizeof *d);

	*n = 0;
	for (u32 i = 0; d && i < e->n_figures; i++) {
		enum weir_figure_kind kind = e->figures[i].kind;
		if (kind != WEIR_FIGURE_SEQUENCE && kind != WEIR_FIGURE_LINES &&
		    kind != WEIR_FIGURE_ITERATIONS)
			continue;
		if (!draw(arena, &e->figures[i], &item->figures[i], &d[(*n)++]))
			return NULL;
	}
	return d;
}
