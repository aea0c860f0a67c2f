/* SPDX-License-Identifier: MIT */
#include "svg.h"

#include "core/fmath.h"
#include "html.h"
#include "weir/num.h"

#include <math.h>

void weir_svg_number(FILE *to, double x)
{
	long tenths = lround(x * 10);
	unsigned long size = tenths < 0 ? 0UL - (unsigned long)tenths : (unsigned long)tenths;
	fprintf(to, "%s%lu", tenths < 0 ? "-" : "", size / 10);
	if (size % 10)
		fprintf(to, ".%lu", size % 10);
}

double weir_tick_step(double range, u32 wanted)
{
	double rough = range / wanted, step = 1;
	if (!(rough > 0) || !isfinite(rough))
		return 1;
	while (step > rough)
		step /= 10;
	while (step * 10 <= rough)
		step *= 10;
	return rough <= step ? step : rough <= 2 * step ? 2 * step : rough <= 5 * step ? 5 * step : 10 * step;
}

static void round_log(struct weir_axis *axis)
{
	/* a power of ten that was reached by dividing is near itself, not equal to it */
	double low = 1, high = 1, from = axis->from * (1 + 1e-9), to = axis->to * (1 - 1e-9);
	while (low > from)
		low /= 10;
	while (low * 10 <= from)
		low *= 10;
	while (high < to)
		high *= 10;
	while (high / 10 >= to)
		high /= 10;
	axis->from = low;
	axis->to = high > low ? high : low * 10;
}

void weir_axis_round(struct weir_axis *axis, u32 ticks_wanted)
{
	if (!isfinite(axis->from) || !isfinite(axis->to) || axis->to - axis->from <= 0 ||
	    (axis->log && axis->from <= 0)) {
		axis->from =
		    isfinite(axis->from) && axis->from > 0 && axis->from == axis->to ? axis->from / 2 : 0;
		axis->to = axis->from > 0 ? axis->from * 3 : 1;
		axis->log &= axis->from > 0;
	}
	if (axis->log) {
		round_log(axis);
		return;
	}
	double step = weir_tick_step(axis->to - axis->from, ticks_wanted);
	axis->from = floor(axis->from / step) * step;
	axis->to = ceil(axis->to / step) * step;
}

/* Where a value stands between the ends: 0 to 1. */
static double share(const struct weir_axis *axis, double value)
{
	double at = axis->log ? weir_log(value / axis->from) / weir_log(axis->to / axis->from)
			      : (value - axis->from) / (axis->to - axis->from);
	at = at < 0 ? 0 : at > 1 ? 1 : at;
	return axis->reversed ? 1 - at : at;
}

double weir_frame_x(const struct weir_frame *f, double x)
{
	return f->left + share(&f->x, x) * (f->width - f->left - f->right);
}

double weir_frame_y(const struct weir_frame *f, double y)
{
	return f->height - f->bottom - share(&f->y, y) * (f->height - f->top - f->bottom);
}

void weir_svg_text(FILE *to, double x, double y, const char *anchor, const char *css_class, const char *text)
{
	fputs("<text x=\"", to);
	weir_svg_number(to, x);
	fputs("\" y=\"", to);
	weir_svg_number(to, y);
	fprintf(to, "\" text-anchor=\"%s\" class=\"%s\">", anchor, css_class);
	weir_html_text(to, text);
	fputs("</text>", to);
}

static void grid_line(FILE *to, double x1, double y1, double x2, double y2)
{
	fputs("<path class=\"grid\" d=\"M", to);
	weir_svg_number(to, x1);
	fputc(' ', to);
	weir_svg_number(to, y1);
	fputc('L', to);
	weir_svg_number(to, x2);
	fputc(' ', to);
	weir_svg_number(to, y2);
	fputs("\"/>", to);
}

/* Small powers of ten are written as such, all of an axis alike. */
static const char *tick_words(const struct weir_axis *axis, double value, char text[WEIR_PRETTY_MAX])
{
	if (!axis->log || axis->from > 1e-4)
		return weir_digits(text, value, 6);
	snprintf(text, WEIR_PRETTY_MAX, "1e%ld", lround(log10(value)));
	return text;
}

static void tick_x(FILE *to, const struct weir_frame *f, double value)
{
	char text[WEIR_PRETTY_MAX];
	double x = weir_frame_x(f, value);
	grid_line(to, x, f->top, x, f->height - f->bottom);
	weir_svg_text(to, x, f->height - f->bottom + 16, "middle", "tick", tick_words(&f->x, value, text));
}

static void tick_y(FILE *to, const struct weir_frame *f, double value)
{
	char text[WEIR_PRETTY_MAX];
	double y = weir_frame_y(f, value);
	grid_line(to, f->left, y, f->width - f->right, y);
	weir_svg_text(to, f->left - 7, y + 4, "end", "tick", tick_words(&f->y, value, text));
}

static void ticks(FILE *to, const struct weir_frame *f, const struct weir_axis *axis, u32 wanted,
		  void (*draw)(FILE *, const struct weir_frame *, double))
{
	if (axis->log) {
		for (double v = axis->from; v <= axis->to * 1.001; v *= 10)
			draw(to, f, v);
		return;
	}
	double step = weir_tick_step(axis->to - axis->from, wanted);
	/* Counted: far from zero a step may be too small to move a double at all. */
	double first = ceil(axis->from / step - 1e-9);
	for (u32 i = 0; i <= wanted + 1 && (first + i) * step <= axis->to + step * 1e-9; i++)
		draw(to, f, (first + i) * step);
}

void weir_frame_begin(FILE *to, const struct weir_frame *f, const char *label)
{
	fputs("<svg role=\"img\" aria-label=\"", to);
	weir_html_text(to, label);
	fprintf(to, "\" viewBox=\"0 0 %d %d\">", (int)f->width, (int)f->height);
	ticks(to, f, &f->x, (u32)(f->width / 80), tick_x);
	ticks(to, f, &f->y, (u32)(f->height / 45), tick_y);
	if (f->x.title)
		weir_svg_text(to, f->left + (f->width - f->left - f->right) / 2, f->height - 6, "middle",
			      "axis", f->x.title);
	if (f->y.title)
		weir_svg_text(to, 4, 12, "start", "axis", f->y.title);
}

void weir_frame_end(FILE *to)
{
	fputs("</svg>\n", to);
}

/* ---- a chart of the report ---- */

#define STATIC_WIDTH 560.0
#define STATIC_HEIGHT 200.0
#define STATIC_STRETCHES 150 /* two points in each, or one mean */

/* A column of cells, cut into stretches of equal numbers of rows. */
struct cut {
	const struct weir_grid *g;
	u32 stretches;
	bool means; /* one mean a stretch, else its two extremes */
};

/* What is drawn of stretch k, in order of time; *gap: the line is broken in it. */
static u32 stretch(const struct cut *cut, const struct weir_cell *cell, u32 k, struct weir_point out[2],
		   bool *gap)
{
	u32 rows = cut->g->rows;
	u32 from = (u32)((u64)rows * k / cut->stretches), to = (u32)((u64)rows * (k + 1) / cut->stretches);
	u32 low = rows, high = rows, known = 0;
	double sum = 0;
	*gap = false;
	for (u32 i = from; i < to; i++) {
		*gap |= cell[i].state == WEIR_CELL_GAP;
		if (cell[i].state != WEIR_CELL_VALUE)
			continue;
		if (low == rows || cell[i].value < cell[low].value)
			low = i;
		if (high == rows || cell[i].value > cell[high].value)
			high = i;
		sum += cell[i].value;
		known++;
	}
	if (!known)
		return 0;
	u32 first = low < high ? low : high, second = low < high ? high : low;
	out[0] = (struct weir_point){cut->g->t_s[first], cell[first].value};
	out[1] = (struct weir_point){cut->g->t_s[second], cell[second].value};
	if (cut->means)
		out[0] = (struct weir_point){(cut->g->t_s[from] + cut->g->t_s[to - 1]) / 2, sum / known};
	return cut->means || low == high ? 1 : 2;
}

static double lowest(const struct weir_chart *chart, const struct cut *cut)
{
	double low = chart->from_zero ? 0 : HUGE_VAL;
	for (u32 i = 0; i < chart->n_lines; i++)
		for (u32 k = 0; k < cut->stretches; k++) {
			const struct weir_line *line = &chart->line[i];
			struct weir_point p[2];
			bool gap;
			u32 n = stretch(cut, line->low ? line->low : line->cell, k, p, &gap);
			while (n-- > 0)
				low = fmin(low, p[n].value);
		}
	return low;
}

static double highest(const struct weir_chart *chart, const struct cut *cut)
{
	double high = 0;
	for (u32 i = 0; i < chart->n_lines; i++)
		for (u32 k = 0; k < cut->stretches; k++) {
			const struct weir_line *line = &chart->line[i];
			struct weir_point p[2];
			bool gap;
			u32 n = stretch(cut, line->high ? line->high : line->cell, k, p, &gap);
			while (n-- > 0)
				high = fmax(high, p[n].value);
		}
	return high;
}

static void point(FILE *to, const struct weir_frame *f, char command, double x, double y)
{
	fputc(command, to);
	weir_svg_number(to, weir_frame_x(f, x));
	fputc(' ', to);
	weir_svg_number(to, weir_frame_y(f, y));
}

static void draw_line(FILE *to, const struct weir_frame *f, const struct weir_line *line,
		      const struct cut *cut)
{
	bool bars = line->kind == WEIR_LINE_BAR, pen_up = true, gap;
	static const char *const classes[] = {[WEIR_LINE] = "line",
					      [WEIR_LINE_THIN] = "thin",
					      [WEIR_LINE_AREA] = "thin",
					      [WEIR_LINE_BAND] = "line",
					      [WEIR_LINE_BAR] = "bar"};
	fprintf(to, "<path class=\"%s s%u d%u\" d=\"", classes[line->kind], line->colour, line->dash);
	for (u32 k = 0; k < cut->stretches; k++) {
		struct weir_point two[2];
		u32 n = stretch(cut, line->cell, k, two, &gap);
		for (u32 i = 0; i < n; i++) {
			if (bars && two[i].value == 0)
				continue;
			if (bars)
				point(to, f, 'M', two[i].t_s, 0);
			point(to, f, pen_up && !bars ? 'M' : 'L', two[i].t_s, two[i].value);
			pen_up = false;
		}
		pen_up |= gap;
	}
	fputs("\"/>", to);
}

/* The area between two columns of cells, or between one and zero. */
static void draw_area(FILE *to, const struct weir_frame *f, const struct weir_line *line,
		      const struct cut *cut)
{
	const struct weir_cell *top = line->high ? line->high : line->cell;
	struct cut means = {cut->g, cut->stretches, true};
	struct weir_point p[2];
	bool first = true, gap;
	fprintf(to, "<path class=\"area f%u\" d=\"", line->colour);
	for (u32 k = 0; k < cut->stretches; k++)
		if (stretch(&means, top, k, p, &gap)) {
			point(to, f, first ? 'M' : 'L', p[0].t_s, p[0].value);
			first = false;
		}
	for (u32 k = cut->stretches; k-- > 0 && !first;)
		if (stretch(&means, line->low ? line->low : top, k, p, &gap))
			point(to, f, 'L', p[0].t_s, line->low ? p[0].value : 0);
	fputs("\"/>", to);
}

void weir_svg_chart(FILE *to, const struct weir_chart *chart, const struct weir_charts *all)
{
	const struct weir_grid *g = &all->grid;
	double span_s = all->end_s > all->start_s ? all->end_s - all->start_s : 1;
	struct cut cut = {g, STATIC_STRETCHES, chart->smooth};
	if (chart->smooth && all->smooth_s > 0)
		cut.stretches = (u32)weir_clamp((u64)(span_s / all->smooth_s), 1, STATIC_STRETCHES);
	cut.stretches = (u32)weir_clamp(cut.stretches, 1, weir_max(g->rows, 1));
	struct weir_frame f = {
	    .width = STATIC_WIDTH, .height = STATIC_HEIGHT, .left = 56, .right = 10, .top = 20, .bottom = 26};
	f.x = (struct weir_axis){.from = all->start_s, .to = all->start_s + span_s};
	f.y =
	    (struct weir_axis){.from = lowest(chart, &cut), .to = highest(chart, &cut), .title = chart->unit};
	weir_axis_round(&f.y, 4);
	weir_frame_begin(to, &f, chart->title);
	for (u32 i = 0; i < chart->n_lines && g->rows; i++)
		if (chart->line[i].kind == WEIR_LINE_AREA || chart->line[i].kind == WEIR_LINE_BAND)
			draw_area(to, &f, &chart->line[i], &cut);
	for (u32 i = 0; i < chart->n_lines && g->rows; i++)
		draw_line(to, &f, &chart->line[i], &cut);
	for (size_t i = 0; i < json_array_size(chart->words); i++)
		weir_svg_text(to, f.left + 4, weir_frame_y(&f, (double)i) - 4, "start", "tick",
			      weir_get_text(json_array_get(chart->words, i), "", ""));
	weir_frame_end(to);
}
