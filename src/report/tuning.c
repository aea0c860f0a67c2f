/* SPDX-License-Identifier: MIT */
#include "tuning.h"

#include "heat.h"
#include "html.h"
#include "page.h"
#include "svg.h"

#include <math.h>
#include <stdlib.h>

#define LINES_MAX 8

struct range {
	double low, high;
};

static struct range range_of(const struct weir_report_tuning *t)
{
	struct range r = {HUGE_VAL, -HUGE_VAL};

	for (u32 i = 0; i < t->n_betas * t->n_lambdas; i++) {
		r.low = fmin(r.low, t->share[i]);
		r.high = fmax(r.high, t->share[i]);
	}
	return r;
}

static double value_at(const struct weir_report_tuning *t, u32 beta, u32 lambda)
{
	return t->share[(size_t)beta * t->n_lambdas + lambda];
}

/* ---- the heat map ---- */

struct sheet {
	struct weir_heat_cell *cell;
	char (*text)[WEIR_PRETTY_MAX];
	const char **name; /* of the rows, then of the columns */
};

static void fill_sheet(const struct weir_report_tuning *t, struct sheet *s)
{
	for (u32 b = 0; b < t->n_betas; b++)
		for (u32 k = 0; k < t->n_lambdas; k++)
			s->cell[b * t->n_lambdas + k] = (struct weir_heat_cell){
			    .value = value_at(t, b, k),
			    .ci95 = {(double)NAN, (double)NAN},
			    .marks = (k == t->best[b] ? WEIR_HEAT_FIRST_MARK : 0U) |
				     (t->lambda_max[k] == t->recommended[b] ? WEIR_HEAT_SECOND_MARK : 0U)};
	for (u32 i = 0; i < t->n_betas + t->n_lambdas; i++)
		s->name[i] =
		    weir_digits(s->text[i], i < t->n_betas ? t->beta[i] : t->lambda_max[i - t->n_betas], 4);
}

static void heat_map(FILE *to, const struct weir_report_tuning *t)
{
	u32 n_names = t->n_betas + t->n_lambdas;
	struct sheet s = {calloc((size_t)t->n_betas * t->n_lambdas, sizeof *s.cell),
			  calloc(n_names, sizeof *s.text), calloc(n_names, sizeof *s.name)};

	if (s.cell && s.text && s.name) {
		fill_sheet(t, &s);
		const struct weir_heat h = {.title = "Normalised throughput by beta and lambda_max",
					    .note = "",
					    .row_title = "beta",
					    .column_title = "lambda_max",
					    .unit = "",
					    .row = s.name,
					    .column = s.name + t->n_betas,
					    .n_rows = t->n_betas,
					    .n_columns = t->n_lambdas,
					    .cell = s.cell,
					    .mark = {"the optimum of the row", t->reference}};
		weir_heat(to, &h);
	}
	free(s.cell);
	free(s.text);
	free(s.name);
}

/* ---- lines ---- */

/* Which of many is drawn as the i-th of at most LINES_MAX lines. */
static u32 chosen(u32 n, u32 i)
{
	return n <= LINES_MAX ? i : (u32)((u64)i * (n - 1) / (LINES_MAX - 1));
}

struct lines {
	const struct weir_report_tuning *t;
	bool by_beta; /* one line a beta over lambda_max; else one a lambda_max over beta */
};

static u32 points_of(const struct lines *l)
{
	return l->by_beta ? l->t->n_lambdas : l->t->n_betas;
}

static u32 lines_of(const struct lines *l)
{
	return l->by_beta ? l->t->n_betas : l->t->n_lambdas;
}

static double x_of(const struct lines *l, u32 point)
{
	return l->by_beta ? l->t->lambda_max[point] : l->t->beta[point];
}

static double y_of(const struct lines *l, u32 line, u32 point)
{
	return l->by_beta ? value_at(l->t, line, point) : value_at(l->t, point, line);
}

static void dot(FILE *to, const struct weir_frame *f, double x, double y, u32 colour, double radius)
{
	fprintf(to, "<circle class=\"dot f%u\" r=\"", colour);
	weir_svg_number(to, radius);
	fputs("\" cx=\"", to);
	weir_svg_number(to, weir_frame_x(f, x));
	fputs("\" cy=\"", to);
	weir_svg_number(to, weir_frame_y(f, y));
	fputs("\"/>", to);
}

static void one_line(FILE *to, const struct weir_frame *f, const struct lines *l, u32 line, u32 look)
{
	fprintf(to, "<path class=\"line s%u\" d=\"", weir_theme_colour(look));
	for (u32 k = 0; k < points_of(l); k++) {
		fputc(k ? 'L' : 'M', to);
		weir_svg_number(to, weir_frame_x(f, x_of(l, k)));
		fputc(' ', to);
		weir_svg_number(to, weir_frame_y(f, y_of(l, line, k)));
	}
	fputs("\"/>", to);
	if (l->by_beta && l->t->best[line] < l->t->n_lambdas)
		dot(to, f, x_of(l, l->t->best[line]), y_of(l, line, l->t->best[line]),
		    weir_theme_colour(look), 4.5);
}

static void key(FILE *to, const struct lines *l, u32 n)
{
	char text[WEIR_PRETTY_MAX];

	fputs("<p class=\"key\">", to);
	for (u32 i = 0; i < n; i++) {
		u32 line = chosen(lines_of(l), i);
		fprintf(to, "<span><i class=\"swatch f%u\"></i>%s %s</span> ", weir_theme_colour(i),
			l->by_beta ? "beta" : "lambda_max",
			weir_digits(text, l->by_beta ? l->t->beta[line] : l->t->lambda_max[line], 4));
	}
	fputs("</p></figcaption>", to);
}

static void line_figure(FILE *to, const struct weir_report_tuning *t, bool by_beta)
{
	struct lines l = {t, by_beta};
	struct range r = range_of(t);
	u32 n = lines_of(&l) < LINES_MAX ? lines_of(&l) : LINES_MAX;
	const char *title = by_beta ? "Throughput over lambda_max" : "Throughput over beta";
	struct weir_frame f = {.width = 480, .height = 300, .left = 52, .right = 18, .top = 24, .bottom = 46};

	if (points_of(&l) < 2)
		return;
	f.x = (struct weir_axis){
	    .from = x_of(&l, 0), .to = x_of(&l, points_of(&l) - 1), .title = by_beta ? "lambda_max" : "beta"};
	f.y = (struct weir_axis){.from = r.low, .to = r.high, .title = "share of the link"};
	weir_axis_round(&f.x, 6);
	weir_axis_round(&f.y, 5);
	fprintf(to, "<figure><figcaption><h3>%s%s</h3>", title, by_beta ? "; a dot at the optimum" : "");
	key(to, &l, n);
	weir_frame_begin(to, &f, title);
	for (u32 i = 0; i < n; i++)
		one_line(to, &f, &l, chosen(lines_of(&l), i), i);
	weir_frame_end(to);
	fputs("</figure>\n", to);
}

/* ---- tables ---- */

/* With so many decimals; a dash for what there is not. */
static void number_cell(FILE *to, const char *before, double value, int decimals)
{
	if (isnan(value))
		fputs("<td>\342\200\223</td>", to);
	else
		fprintf(to, "<td>%s%.*f</td>", before, decimals, value);
}

static void setting_cell(FILE *to, double value)
{
	char text[WEIR_PRETTY_MAX];

	fprintf(to, "<td>%s</td>", weir_digits(text, value, 4));
}

static void head(FILE *to, const char *const *title)
{
	fputs("<div class=\"scroll\"><table><thead><tr>", to);
	for (; *title; title++) {
		fputs("<th scope=\"col\">", to);
		weir_html_text(to, *title);
		fputs("</th>", to);
	}
	fputs("</tr></thead><tbody>\n", to);
}

static void optima(FILE *to, const struct weir_report_tuning *t)
{
	const char *const titles[] = {"beta", "optimum", "share of the link", t->reference, NULL};
	char text[WEIR_PRETTY_MAX];

	fputs("<h2>The optimum of each beta</h2>\n", to);
	head(to, titles);
	for (u32 b = 0; b < t->n_betas; b++) {
		bool some = t->best[b] < t->n_lambdas;
		fprintf(to, "<tr><th scope=\"row\">%s</th>", weir_digits(text, t->beta[b], 4));
		setting_cell(to, some ? t->lambda_max[t->best[b]] : (double)NAN);
		number_cell(to, "", some ? value_at(t, b, t->best[b]) : (double)NAN, 6);
		setting_cell(to, t->recommended[b]);
		fputs("</tr>\n", to);
	}
	fputs("</tbody></table></div>\n", to);
}

static void trials(FILE *to, const struct weir_report_tuning *t)
{
	static const char *const titles[] = {"controller", "setting",  "model", "simulation",
					     "95 %",	   "residual", "runs",	NULL};

	if (!t->n_trials)
		return;
	fputs("<h2>Model and simulation</h2>\n", to);
	head(to, titles);
	for (u32 i = 0; i < t->n_trials; i++) {
		const struct weir_report_trial *x = &t->trial[i];
		fputs("<tr><th scope=\"row\">", to);
		weir_html_name(to, x->name);
		fputs("</th><td class=\"text\">", to);
		weir_html_text(to, x->setting);
		fputs("</td>", to);
		number_cell(to, "", x->model, 4);
		number_cell(to, "", x->simulated, 4);
		number_cell(to, "\302\261 ", (x->ci95[1] - x->ci95[0]) / 2, 4);
		number_cell(to, x->simulated > x->model ? "+" : "", x->simulated - x->model, 4);
		fprintf(to, "<td>%llu</td></tr>\n", x->n);
	}
	fputs("</tbody></table></div>\n", to);
}

void weir_tuning_figures(FILE *to, const struct weir_report_tuning *t)
{
	if ((u64)t->n_betas * t->n_lambdas <= WEIR_HEAT_CELLS_MAX)
		heat_map(to, t);
	line_figure(to, t, true);
	line_figure(to, t, false);
}

static int fill(FILE *to, void *ctx)
{
	const struct weir_report_tuning *t = ctx;

	weir_page_begin(to, t->title, false);
	fputs("<header><h1>", to);
	weir_html_text(to, t->title);
	fputs("</h1><p class=\"sentence\">", to);
	weir_html_text(to, t->about);
	fputs("</p><p class=\"note\">", to);
	weir_html_text(to, t->verdict);
	fputs("</p></header>\n<div class=\"figures\">\n", to);
	weir_tuning_figures(to, t);
	fputs("</div>\n", to);
	trials(to, t);
	optima(to, t);
	weir_page_end(to, false);
	return 0;
}

int weir_report_tuning(const char *path, const struct weir_report_tuning *t, struct weir_diag *d)
{
	struct weir_report_tuning copy = *t;

	return weir_page_write(path, fill, &copy, d);
}
