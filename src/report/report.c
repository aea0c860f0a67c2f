/* SPDX-License-Identifier: MIT */
#include "report.h"

#include "chart_json.h"
#include "core/exit_code.h"
#include "html.h"
#include "page.h"
#include "sections.h"
#include "svg.h"

#include <errno.h>
#include <string.h>

struct report {
	struct weir_report_data data;
	struct weir_entities entities;
	struct weir_charts charts;
};

static const char *title_of(const struct weir_report_data *data)
{
	const char *title = weir_get_text(data->run[0].summary, "title", "");
	if (!*title)
		title = weir_get_text(data->run[0].manifest, "title", "");
	return *title ? title : weir_get_text(data->run[0].summary, "scenario", "Weir report");
}

static void header(FILE *to, const struct weir_report_data *data)
{
	const json_t *summary = data->run[0].summary;
	char text[WEIR_PRETTY_MAX];
	fputs("<header>\n<p class=\"kind\">", to);
	weir_html_name(to, weir_get_text(summary, "scenario", ""));
	const char *backend = weir_get_text(summary, "backend", "");
	fprintf(to, " \302\267 %s",
		!strcmp(backend, "sim")	  ? "simulated"
		: !strcmp(backend, "emu") ? "emulated"
					  : "");
	if (data->n_runs == 1)
		fprintf(to, " \302\267 seed %s", weir_digits(text, weir_get_number(summary, "seed"), 15));
	fputs("</p>\n<h1>", to);
	weir_html_name(to, title_of(data));
	fputs("</h1>\n", to);
	weir_section_sentence(to, data);
	fputs("</header>\n", to);
}

/* The key of a chart for readers without scripts; with them charts.js makes its own. */
static void static_key(FILE *to, const struct weir_chart *chart)
{
	fputs("<p class=\"key\">", to);
	for (u32 i = 0; i < chart->n_lines; i++) {
		fprintf(to, "<span><i class=\"swatch f%u d%u\"></i>", chart->line[i].colour,
			chart->line[i].dash);
		weir_html_name(to, chart->line[i].label);
		fputs("</span> ", to);
	}
	fputs("</p>", to);
}

static void chart_frame(FILE *to, const struct weir_chart *chart, const struct weir_charts *all)
{
	fprintf(to, "<section class=\"chart\" id=\"chart-%s\"><h3>", chart->id);
	weir_html_text(to, chart->title);
	if (*chart->unit)
		fprintf(to, "<span class=\"unit\">, %s</span>", chart->unit);
	fputs("</h3>", to);
	char text[WEIR_PRETTY_MAX];
	if (chart->smooth)
		fprintf(to, "<p class=\"about\">mean over %s</p>",
			weir_pretty(text, WEIR_TIME, all->smooth_s * 1e3));
	else if (*chart->note)
		fprintf(to, "<p class=\"about\">%s</p>", chart->note);
	fputs("<div class=\"legend\"></div><div class=\"plot\"></div><noscript>", to);
	static_key(to, chart);
	weir_svg_chart(to, chart, all);
	fputs("</noscript></section>\n", to);
}

static void charts(FILE *to, const struct weir_charts *c)
{
	const char *heading = "";
	fputs(
	    "<h2>Over time</h2>\n<div class=\"toolbar\" hidden><div class=\"chips\"></div><div "
	    "class=\"tools\">"
	    "<output></output><button type=\"button\" data-do=\"left\" "
	    "aria-label=\"Earlier\">\342\227\200</button>"
	    "<button type=\"button\" data-do=\"in\" aria-label=\"Zoom in\">+</button><button type=\"button\" "
	    "data-do=\"out\" aria-label=\"Zoom out\">\342\210\222</button><button type=\"button\" "
	    "data-do=\"right\" "
	    "aria-label=\"Later\">\342\226\266</button><button type=\"button\" "
	    "data-do=\"all\">All</button></div>"
	    "<p class=\"hint\">Hover for values, drag to zoom, shift-drag to move, double-click for "
	    "all.</p></div>\n"
	    "<div class=\"charts\">\n",
	    to);
	for (u32 i = 0; i < c->n; i++) {
		const struct weir_chart *chart = &c->chart[i];
		if (strcmp(chart->heading, heading)) {
			fputs(*heading ? "</div></details>\n" : "</div>\n", to);
			fputs("<details class=\"block\"><summary>", to);
			weir_html_text(to, chart->heading);
			fputs("</summary><div class=\"charts\">\n", to);
			heading = chart->heading;
		}
		chart_frame(to, chart, c);
	}
	fputs(*heading ? "</div></details>\n" : "</div>\n", to);
}

static int fill(FILE *to, void *ctx)
{
	const struct report *r = ctx;
	weir_page_begin(to, title_of(&r->data), true);
	header(to, &r->data);
	weir_section_notes(to, &r->data, &r->entities);
	weir_section_figures(to, &r->data);
	charts(to, &r->charts);
	fputs("<div class=\"figures\">\n", to);
	weir_section_scatter(to, &r->data, &r->entities);
	weir_section_distributions(to, &r->data, &r->entities);
	fputs("</div>\n", to);
	weir_section_tables(to, &r->data, &r->entities);
	weir_section_manifest(to, &r->data);
	fputs("<script type=\"application/json\" id=\"report-data\">", to);
	if (weir_chart_json(to, &r->charts, &r->entities)) {
		errno = ENOMEM;
		return -1;
	}
	fputs("</script>\n", to);
	weir_page_end(to, true);
	return 0;
}

static int make(const char *dir, struct report *r, struct weir_diag *d)
{
	char path[4096];
	int code = weir_report_load(dir, &r->data, d);
	if (code != WEIR_EXIT_OK)
		return code;
	snprintf(d->file, sizeof d->file, "%.250s", dir);
	if (weir_entities_make(&r->data, &r->entities) ||
	    weir_charts_make(&r->data, &r->entities, &r->charts)) {
		weir_diag_add(d, 0, 0, "out of memory");
		return WEIR_EXIT_FAILED;
	}
	if (snprintf(path, sizeof path, "%s/report.html", dir) >= (int)sizeof path) {
		weir_diag_add(d, 0, 0, "the path is too long");
		return WEIR_EXIT_USAGE;
	}
	return weir_page_write(path, fill, r, d);
}

int weir_report_write(const char *dir, struct weir_diag *d)
{
	struct report r = {0};
	int code = make(dir, &r, d);
	weir_charts_free(&r.charts);
	weir_entities_free(&r.entities);
	weir_report_unload(&r.data);
	return code;
}
