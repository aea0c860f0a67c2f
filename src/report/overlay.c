/* SPDX-License-Identifier: MIT */
#include "overlay.h"

#include "core/exit_code.h"
#include "gauge.h"
#include "html.h"
#include "page.h"
#include "sections.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct page {
	const struct weir_overlay *o;
	struct weir_report_data data;
	struct weir_entities entities;
	struct weir_charts charts;
	char side[2][32]; /* "sim", "emu", or "first", "second" */
};

static const char *scenario_title(const struct page *p)
{
	const json_t *summary = p->data.run[0].summary;
	const char *title = weir_get_text(summary, "title", "");
	return *title ? title : weir_get_text(summary, "scenario", "Two results");
}

/* ---- what came out ---- */

static void sentence(FILE *to, const struct page *p)
{
	const struct weir_overlay *o = p->o;
	fputs("<p class=\"sentence\">", to);
	if (!strcmp(o->verdict, "invalid"))
		fputs("<b>Nothing can be told</b>: an emulator could not keep up. ", to);
	fprintf(to, "Of %u numbers <b>%u</b> lie outside the limits", o->n_rows, o->outside);
	if (o->noise)
		fprintf(to, ", %u beyond them by no more than chance explains", o->noise);
	if (o->unsure)
		fprintf(to, ", and %u within them may be so by chance", o->unsure);
	fputs(". ", to);
	weir_html_text(to, o->limits);
	fputs("</p>\n", to);
}

static void header(FILE *to, const struct page *p)
{
	fputs("<header>\n<p class=\"kind\">", to);
	for (u32 i = 0; i < 2; i++) {
		fprintf(to, "%s<i class=\"swatch f8 d%u\"></i>", i ? " against " : "", i);
		weir_html_name(to, p->side[i]);
		fputs(" (", to);
		weir_html_name(to, p->o->operand[i]);
		fputs(")", to);
	}
	fputs("</p>\n<h1>", to);
	weir_html_name(to, scenario_title(p));
	fputs("</h1>\n", to);
	sentence(to, p);
	fputs("</header>\n", to);
	bool bad = !strcmp(p->o->verdict, "invalid");
	for (u32 i = 0; i < p->o->n_notes; i++) {
		fprintf(to, "<p class=\"note %s\">", bad && i == 0 ? "bad" : "plain");
		weir_html_text(to, p->o->note[i]);
		fputs("</p>\n", to);
	}
}

/* ---- the differences ---- */

static const char *verdict_class(const struct weir_overlay_row *r)
{
	if (!strcmp(r->verdict, "within"))
		return r->unsure ? "explained" : "holds";
	return !strcmp(r->verdict, "noise") ? "explained" : "misses";
}

/* "29.9 Mbit/s ± 3.5": the half width in the unit of the value. */
static void value_cell(FILE *to, enum weir_dimension dimension, double value, const double ci[2])
{
	char text[WEIR_PRETTY_MAX];
	fprintf(to, "<td>%s", weir_pretty(text, dimension, value));
	if (isfinite(value) && isfinite(ci[0]) && isfinite(ci[1])) {
		struct weir_scale scale = weir_scale_for(dimension, fabs(value));
		fprintf(to, " <small>\302\261 %s</small>",
			weir_digits(text, (ci[1] - ci[0]) / 2 / scale.divisor, 2));
	}
	fputs("</td>", to);
}

static void percent(FILE *to, double fraction)
{
	char text[WEIR_PRETTY_MAX];
	fprintf(to, "%s%s",
		fraction > 0   ? "+"
		: fraction < 0 ? "\342\210\222"
			       : "",
		weir_digits(text, round(fabs(fraction) * 1000) / 10, 3));
}

/* "+1.3 % [-19, +22]": of the first value. */
static void change_cell(FILE *to, const struct weir_overlay_row *r)
{
	double first = r->value[0];
	fputs("<td>", to);
	if (isfinite(r->difference) && first != 0) {
		percent(to, r->difference / first);
		fputs(" %", to);
		if (isfinite(r->difference_ci95[0])) {
			fputs(" <small>[", to);
			percent(to, r->difference_ci95[0] / first);
			fputs(", ", to);
			percent(to, r->difference_ci95[1] / first);
			fputs("]</small>", to);
		}
	}
	fputs("</td>", to);
}

static void difference_row(FILE *to, const struct weir_overlay_row *r, bool with_run)
{
	char words[64];
	enum weir_dimension dimension = weir_unit_of(r->metric).dimension;
	fprintf(to, "<tr><td class=\"verdict %s\">%s%s</td>", verdict_class(r), r->verdict,
		r->unsure ? ", unsure" : "");
	if (with_run) {
		fputs("<td class=\"text\">", to);
		weir_html_name(to, r->run);
		fputs("</td>", to);
	}
	fprintf(to, "<td class=\"text\">%s</td><th scope=\"row\">", r->kind);
	weir_html_name(to, r->name);
	fputs("</th><td class=\"text\">", to);
	weir_html_text(to, weir_signal_words(r->metric, words, sizeof words));
	fputs("</td>", to);
	value_cell(to, dimension, r->value[0], r->ci95[0]);
	value_cell(to, dimension, r->value[1], r->ci95[1]);
	change_cell(to, r);
	fputs("<td>", to);
	const struct weir_gauge gauge = {.band = {-r->largest_difference, r->largest_difference},
					 .ci95 = {r->difference_ci95[0], r->difference_ci95[1]},
					 .mark = 0,
					 .value = r->difference,
					 .css_class = verdict_class(r)};
	weir_gauge(to, &gauge);
	fputs("</td></tr>\n", to);
}

static void differences(FILE *to, const struct page *p)
{
	bool with_run = *p->o->pair[0].label;
	fputs("<h2>Differences</h2>\n<p class=\"about\">The band is what is within the limits, the tick no "
	      "difference, the dot the second less the first with its 95 % confidence interval.</p>\n"
	      "<div class=\"scroll\"><table><thead><tr><th scope=\"col\" class=\"text\">verdict</th>",
	      to);
	if (with_run)
		fputs("<th scope=\"col\" class=\"text\">run</th>", to);
	fputs("<th scope=\"col\" class=\"text\"></th><th scope=\"col\" class=\"text\">name</th>"
	      "<th scope=\"col\" class=\"text\">number</th>",
	      to);
	for (u32 i = 0; i < 2; i++) {
		fputs("<th scope=\"col\">", to);
		weir_html_name(to, p->side[i]);
		fputs("</th>", to);
	}
	fputs("<th scope=\"col\">change</th><th scope=\"col\" "
	      "class=\"text\">difference</th></tr></thead><tbody>\n",
	      to);
	for (u32 i = 0; i < p->o->n_rows; i++)
		difference_row(to, &p->o->row[i], with_run);
	fputs("</tbody></table></div>\n", to);
}

/* ---- the page ---- */

static void commands(FILE *to, const struct page *p)
{
	fputs("<h2>Run them again</h2>\n", to);
	for (u32 i = 0; i < 2; i++)
		weir_section_command(to, p->data.run[i].manifest);
}

static int fill(FILE *to, void *ctx)
{
	const struct page *p = ctx;
	weir_page_begin(to, scenario_title(p), true);
	header(to, p);
	differences(to, p);
	weir_section_emulation(to, &p->data);
	weir_section_charts(to, &p->charts);
	fputs("<div class=\"figures\">\n", to);
	weir_section_scatter(to, &p->data, &p->entities);
	weir_section_distributions(to, &p->data, &p->entities);
	fputs("</div>\n", to);
	weir_section_tables(to, &p->data, &p->entities);
	commands(to, p);
	if (weir_section_data(to, &p->charts, &p->entities))
		return -1;
	weir_page_end(to, true);
	return 0;
}

/* What to call the two sides: their backends where these differ. */
static void name_sides(struct page *p)
{
	static const char *const order[] = {"first", "second"};
	const char *backend[2];
	for (u32 i = 0; i < 2; i++)
		backend[i] = weir_get_text(p->data.run[i].summary, "backend", "");
	bool differ = *backend[0] && *backend[1] && strcmp(backend[0], backend[1]) != 0;
	for (u32 i = 0; i < 2; i++)
		snprintf(p->side[i], sizeof p->side[i], "%.30s", differ ? backend[i] : order[i]);
	for (u32 i = 0; i < p->data.n_runs; i++) {
		struct weir_run_data *run = &p->data.run[i];
		const char *label = p->o->pair[run->pair].label;
		snprintf(run->label, sizeof run->label, "%.120s%s%s", label, *label ? ", " : "",
			 p->side[run->side]);
	}
}

/* Side by side in memory: first and second of the first pair, then of the next. */
static int load(struct page *p, struct weir_diag *d)
{
	u32 n = 2 * p->o->n_pairs;
	p->data.overlay = true;
	p->data.run = calloc(n + 1, sizeof *p->data.run);
	if (!p->data.run || n > WEIR_RUNS_MAX) {
		weir_diag_add(d, 0, 0, "more runs than a page can show");
		return WEIR_EXIT_FAILED;
	}
	for (u32 i = 0; i < n; i++) {
		struct weir_report_data one;
		int code = weir_report_load(p->o->pair[i / 2].directory[i % 2], &one, d);
		if (code == WEIR_EXIT_OK && one.n_runs == 1) {
			p->data.run[p->data.n_runs] = one.run[0];
			p->data.run[p->data.n_runs].pair = i / 2;
			p->data.run[p->data.n_runs++].side = i % 2;
			free(one.run);
			continue;
		}
		weir_report_unload(&one);
		if (code == WEIR_EXIT_OK)
			weir_diag_add(d, 0, 0, "it holds several runs");
		return code ? code : WEIR_EXIT_USAGE;
	}
	return WEIR_EXIT_OK;
}

int weir_report_overlay(const char *path, const struct weir_overlay *o, struct weir_diag *d)
{
	struct page p = {.o = o};
	int code = load(&p, d);
	if (code == WEIR_EXIT_OK) {
		name_sides(&p);
		snprintf(d->file, sizeof d->file, "%.250s", path);
		if (weir_entities_make(&p.data, &p.entities) == 0 &&
		    weir_charts_make(&p.data, &p.entities, &p.charts) == 0) {
			code = weir_page_write(path, fill, &p, d);
		} else {
			weir_diag_add(d, 0, 0, "out of memory");
			code = WEIR_EXIT_FAILED;
		}
	}
	weir_charts_free(&p.charts);
	weir_entities_free(&p.entities);
	weir_report_unload(&p.data);
	return code;
}
