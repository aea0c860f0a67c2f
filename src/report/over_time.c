/* SPDX-License-Identifier: MIT */
#include "chart_json.h"
#include "html.h"
#include "sections.h"
#include "svg.h"

#include <errno.h>
#include <string.h>

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

/* The words of a choice need some height each. */
static const char *kind_of(const struct weir_chart *chart)
{
	size_t words = json_array_size(chart->words);
	return words > 4 ? " choice tall" : words ? " choice" : "";
}

static void chart_frame(FILE *to, const struct weir_chart *chart, const struct weir_charts *all)
{
	fprintf(to, "<section class=\"chart%s\" id=\"chart-%s\"><h3>", kind_of(chart), chart->id);
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

void weir_section_charts(FILE *to, const struct weir_charts *c)
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

int weir_section_data(FILE *to, const struct weir_charts *c, const struct weir_entities *e)
{
	fputs("<script type=\"application/json\" id=\"report-data\">", to);
	if (weir_chart_json(to, c, e)) {
		errno = ENOMEM;
		return -1;
	}
	fputs("</script>\n", to);
	return 0;
}
