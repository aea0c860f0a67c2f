/* SPDX-License-Identifier: MIT */
#include "experiment.h"

#include "gauge.h"
#include "html.h"
#include "page.h"
#include "svg.h"

#include <math.h>
#include <string.h>

struct page {
	const struct weir_report_experiment *e;
	u32 n;
};

/* Verdicts come from outside this room; only the known ones have a look of their own. */
static const char *verdict_class(const char *verdict)
{
	static const char *const known[] = {"holds", "misses", "explained", "invalid"};
	for (u32 i = 0; i < sizeof known / sizeof known[0]; i++)
		if (!strcmp(verdict, known[i]))
			return known[i];
	return "unknown";
}

static u32 count(const struct page *p, const char *verdict)
{
	u32 n = 0;
	for (u32 i = 0; i < p->n; i++)
		for (u32 k = 0; k < p->e[i].n_claims; k++)
			n += !strcmp(p->e[i].claim[k].verdict, verdict);
	return n;
}

/* ---- claims ---- */

static void number(FILE *to, double value, const char *unit)
{
	char text[WEIR_PRETTY_MAX];
	fputs(weir_digits(text, value, 4), to);
	if (!isnan(value) && *unit && strcmp(unit, "ratio") != 0) {
		fputc(' ', to);
		weir_html_text(to, unit);
	}
}

static void claim_row(FILE *to, const struct weir_report_claim *c)
{
	char text[2][WEIR_PRETTY_MAX];
	fprintf(to, "<tr><td class=\"verdict %s\">", verdict_class(c->verdict));
	weir_html_text(to, c->verdict);
	fputs("</td><td class=\"wide\">", to);
	weir_html_text(to, c->part ? c->part : c->text);
	if (*c->where && !c->part) {
		fputs(" <small>", to);
		weir_html_text(to, c->where);
		fputs("</small>", to);
	}
	if (*c->reason) {
		fputs("<br><small>", to);
		weir_html_text(to, c->reason);
		fputs("</small>", to);
	}
	fputs("</td><td>", to);
	number(to, c->measured, c->unit);
	if (!isnan(c->ci95[0]) && c->ci95[1] > c->ci95[0])
		fprintf(to, " <small>\302\261 %s</small>",
			weir_digits(text[0], (c->ci95[1] - c->ci95[0]) / 2, 2));
	fputs("</td><td>", to);
	number(to, c->paper, c->unit);
	fputs("</td><td>", to);
	if (isnan(c->band[0]) || isnan(c->band[1]))
		fputs("\342\200\223", to);
	else
		fprintf(to, "%s to %s", weir_digits(text[0], c->band[0], 4),
			weir_digits(text[1], c->band[1], 4));
	fprintf(to, "</td><td>%llu</td><td>", c->n);
	const struct weir_gauge gauge = {.band = {c->band[0], c->band[1]},
					 .ci95 = {c->ci95[0], c->ci95[1]},
					 .mark = c->paper,
					 .value = c->measured,
					 .css_class = verdict_class(c->verdict)};
	weir_gauge(to, &gauge);
	fputs("</td></tr>\n", to);
}

static void group_row(FILE *to, const struct weir_report_claim *c)
{
	fputs("<tr class=\"group\"><td class=\"wide\" colspan=\"7\">", to);
	weir_html_text(to, c->group);
	if (*c->where) {
		fputs(" <small>", to);
		weir_html_text(to, c->where);
		fputs("</small>", to);
	}
	fputs("</td></tr>\n", to);
}

static void claims(FILE *to, const struct weir_report_experiment *e)
{
	if (!e->n_claims)
		return;
	fputs(
	    "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">verdict</th><th scope=\"col\" "
	    "class=\"text\">"
	    "claim</th><th scope=\"col\">measured</th><th scope=\"col\">paper</th><th scope=\"col\">band</th>"
	    "<th scope=\"col\">runs</th><th scope=\"col\"></th></tr></thead><tbody>\n",
	    to);
	const char *group = NULL;
	for (u32 i = 0; i < e->n_claims; i++) {
		if (e->claim[i].group && (!group || strcmp(group, e->claim[i].group) != 0))
			group_row(to, &e->claim[i]);
		group = e->claim[i].group;
		claim_row(to, &e->claim[i]);
	}
	fputs("</tbody></table></div>\n", to);
}

/* ---- sweeps ---- */

static bool is_drawn(const struct weir_report_sweep *s, const struct weir_report_sweep_point *p)
{
	return isfinite(p->x) && isfinite(p->y) && (!s->x_log || p->x > 0) && (!s->y_log || p->y > 0);
}

static void scale_sweep(const struct weir_report_sweep *s, struct weir_frame *f)
{
	double low = HUGE_VAL;

	f->x = (struct weir_axis){.from = HUGE_VAL, .to = -HUGE_VAL, .log = s->x_log, .title = s->x_title};
	f->y = (struct weir_axis){
	    .from = s->y_log ? HUGE_VAL : 0, .to = -HUGE_VAL, .log = s->y_log, .title = s->y_title};
	for (u32 i = 0; i < s->n; i++)
		for (u32 k = 0; k < s->line[i].n; k++) {
			const struct weir_report_sweep_point *p = &s->line[i].point[k];
			if (!is_drawn(s, p))
				continue;
			low = fmin(low, p->y);
			f->x.from = fmin(f->x.from, p->x);
			f->x.to = fmax(f->x.to, p->x);
			f->y.from = fmin(f->y.from, p->y);
			f->y.to = fmax(f->y.to, isnan(p->ci95[1]) ? p->y : p->ci95[1]);
		}
	/* all in the upper half: looked at from near */
	if (s->near && !s->y_log && low > f->y.to / 2)
		f->y.from = low - (f->y.to - low) / 4;
	weir_axis_round(&f->x, 6);
	weir_axis_round(&f->y, 5);
}

static void place(FILE *to, const struct weir_frame *f, char command, double x, double y)
{
	fputc(command, to);
	weir_svg_number(to, weir_frame_x(f, x));
	fputc(' ', to);
	weir_svg_number(to, weir_frame_y(f, y));
}

static void dot(FILE *to, const struct weir_frame *f, u32 colour, const struct weir_report_sweep_point *p)
{
	fprintf(to, "<circle class=\"dot f%u\" r=\"3.5\" cx=\"", colour);
	weir_svg_number(to, weir_frame_x(f, p->x));
	fputs("\" cy=\"", to);
	weir_svg_number(to, weir_frame_y(f, p->y));
	fputs("\"/>", to);
}

static void sweep_line(FILE *to, const struct weir_frame *f, const struct weir_report_sweep *s, u32 i)
{
	const struct weir_report_sweep_line *line = &s->line[i];
	bool pen_up = true;
	fprintf(to, "<path class=\"line s%u d%u\" d=\"", line->colour, line->dash);
	for (u32 k = 0; k < line->n; k++) {
		if (is_drawn(s, &line->point[k]))
			place(to, f, pen_up ? 'M' : 'L', line->point[k].x, line->point[k].y);
		pen_up = !is_drawn(s, &line->point[k]);
	}
	fprintf(to, "\"/><path class=\"thin s%u\" d=\"", line->colour);
	for (u32 k = 0; k < line->n; k++) {
		const struct weir_report_sweep_point *p = &line->point[k];
		if (!is_drawn(s, p) || isnan(p->ci95[0]) || isnan(p->ci95[1]))
			continue;
		place(to, f, 'M', p->x, s->y_log ? fmax(p->ci95[0], f->y.from) : p->ci95[0]);
		place(to, f, 'L', p->x, p->ci95[1]);
	}
	fputs("\"/>", to);
	for (u32 k = 0; line->dots && k < line->n; k++)
		if (is_drawn(s, &line->point[k]))
			dot(to, f, line->colour, &line->point[k]);
}

static void sweep(FILE *to, const struct weir_report_sweep *s)
{
	u32 n = s->n < WEIR_THEME_COLOURS * WEIR_THEME_DASHES ? s->n : WEIR_THEME_COLOURS * WEIR_THEME_DASHES;
	struct weir_frame f = {.width = 480, .height = 300, .left = 52, .right = 18, .top = 24, .bottom = 46};
	scale_sweep(s, &f);
	fputs("<figure><figcaption><h3>", to);
	weir_html_text(to, s->title);
	fputs("</h3>", to);
	weir_drawing_words(to, s->where, s->note);
	fputs("<p class=\"key\">", to);
	for (u32 i = 0; i < n; i++) {
		fprintf(to, "<span><i class=\"swatch f%u d%u\"></i>", s->line[i].colour, s->line[i].dash);
		weir_html_name(to, s->line[i].label);
		fputs("</span> ", to);
	}
	fputs("</p></figcaption>", to);
	weir_frame_begin(to, &f, s->title);
	for (u32 i = 0; i < n; i++)
		sweep_line(to, &f, s, i);
	weir_frame_end(to);
	fputs("</figure>\n", to);
}

static void figures(FILE *to, const struct weir_report_experiment *e)
{
	if (!e->n_sweeps && !e->n_pairs && !e->n_tunings && !e->n_heats)
		return;
	fputs("<div class=\"figures\">\n", to);
	for (u32 i = 0; i < e->n_heats; i++)
		weir_heat(to, &e->heat[i]);
	for (u32 i = 0; i < e->n_pairs; i++)
		weir_pairs(to, &e->pairs[i]);
	for (u32 i = 0; i < e->n_sweeps; i++)
		sweep(to, &e->sweep[i]);
	for (u32 i = 0; i < e->n_tunings; i++)
		weir_tuning_figures(to, &e->tuning[i]);
	fputs("</div>\n", to);
}

static void experiment(FILE *to, const struct weir_report_experiment *e)
{
	fputs("<h2>", to);
	weir_html_text(to, e->title);
	fputs("</h2>\n<p class=\"about\">", to);
	weir_html_name(to, e->name);
	fputs(" \302\267 ", to);
	weir_html_text(to, e->backend);
	if (*e->source) {
		fputs(" \302\267 ", to);
		weir_html_text(to, e->source);
	}
	fputs("</p>\n", to);
	if (e->conclusion && *e->conclusion) {
		fputs("<p class=\"sentence\">", to);
		weir_html_text(to, e->conclusion);
		fputs("</p>\n", to);
	}
	figures(to, e);
	for (u32 i = 0; i < e->n_drawings; i++)
		weir_drawing(to, &e->drawing[i]);
	claims(to, e);
}

static int fill(FILE *to, void *ctx)
{
	const struct page *p = ctx;
	weir_page_begin(to, "Weir: claims and measurements", false);
	fputs("<header><h1>Claims and measurements</h1>\n", to);
	fprintf(to,
		"<p class=\"sentence\">Of %u claims <b>%u hold</b>, %u miss and %u miss for a reason that is "
		"known.",
		count(p, "holds") + count(p, "misses") + count(p, "explained"), count(p, "holds"),
		count(p, "misses"), count(p, "explained"));
	if (count(p, "invalid"))
		fprintf(to, " On %u more there is no verdict, since the emulator could not keep up.",
			count(p, "invalid"));
	fputs("</p></header>\n", to);
	for (u32 i = 0; i < p->n; i++)
		experiment(to, &p->e[i]);
	weir_page_end(to, false);
	return 0;
}

int weir_report_experiments(const char *path, const struct weir_report_experiment *e, u32 n,
			    struct weir_diag *d)
{
	struct page p = {e, n};
	return weir_page_write(path, fill, &p, d);
}
