/* SPDX-License-Identifier: MIT */
#include "facts.h"
#include "html.h"
#include "sections.h"
#include "table.h"
#include "theme.h"

#include <math.h>
#include <string.h>

static void tile(FILE *to, const char *name, enum weir_dimension dimension, double value, const char *below)
{
	char text[WEIR_PRETTY_MAX];
	if (isnan(value))
		return;
	weir_pretty(text, dimension, value);
	/* Number and unit in two sizes. */
	char *unit = text;
	while (*unit && *unit != ' ')
		unit++;
	bool has_unit = *unit;
	*unit = 0;
	fprintf(to, "<div class=\"tile\"><dt>%s</dt><dd>%s", name, text);
	if (has_unit)
		fprintf(to, "<span class=\"unit\"> %s</span>", unit + 1);
	fputs("</dd>", to);
	if (*below) {
		fputs("<dd class=\"below\">", to);
		weir_html_text(to, below);
		fputs("</dd>", to);
	}
	fputs("</div>\n", to);
}

static void spread_tile(FILE *to, const char *name, const json_t *spread)
{
	char p95[WEIR_PRETTY_MAX], below[96];
	if (!spread)
		return;
	snprintf(below, sizeof below, "95th percentile %s",
		 weir_pretty(p95, WEIR_TIME, weir_get_number(spread, "p95")));
	tile(to, name, WEIR_TIME, weir_get_number(spread, "p50"), below);
}

static void tiles(FILE *to, const struct weir_facts *f)
{
	char below[160], text[WEIR_PRETTY_MAX];
	const json_t *summary = f->run->summary;
	fputs("<dl class=\"tiles\">\n", to);
	snprintf(below, sizeof below, f->flows == 1 ? "%u flow" : "%u flows, together", f->flows);
	tile(to, "Goodput", WEIR_RATE, f->goodput_bps, below);
	double capacity = weir_get_number(f->link, "capacity_bps");
	snprintf(below, sizeof below, "%.60s%s%s", weir_get_text(f->link, "name", ""),
		 isnan(capacity) ? "" : ", ", isnan(capacity) ? "" : weir_pretty(text, WEIR_RATE, capacity));
	tile(to, "Utilization", WEIR_SHARE, weir_get_number(f->link, "utilization"), below);
	spread_tile(to, "Queueing delay", f->delay);
	spread_tile(to, "Round-trip time", f->rtt);
	double lost = (double)NAN;
	const json_t *flows = json_object_get(summary, "flows");
	for (size_t i = 0; i < json_array_size(flows); i++) {
		double x = weir_get_number(json_array_get(flows, i), "packets_lost");
		lost = isnan(lost) ? x : lost + x;
	}
	snprintf(below, sizeof below, isnan(lost) ? "of all packets" : "%s packets",
		 weir_pretty(text, WEIR_COUNT, lost));
	tile(to, "Loss", WEIR_SHARE, f->loss_fraction, below);
	tile(to, "Fairness", WEIR_PLAIN, f->jain, "Jain index of throughput");
	tile(to, "Age", WEIR_TIME, f->age_mean_ms, "of what was known, in the mean");
	double packets = weir_get_number(summary, "packets"), wall = weir_get_number(summary, "wall_s");
	if (wall > 0)
		snprintf(below, sizeof below, "%s packets in %s", weir_pretty(text, WEIR_COUNT, packets),
			 weir_pretty((char[WEIR_PRETTY_MAX]){0}, WEIR_TIME, wall * 1e3));
	const char *word = weir_get(summary, "emulation.verdict")		     ? "Emulated"
			   : strcmp(weir_get_text(summary, "backend", ""), "kernel") ? "Simulated"
										     : "Watched";
	tile(to, word, WEIR_TIME, f->simulated_s * 1e3, wall > 0 && !isnan(packets) ? below : "");
	fputs("</dl>\n", to);
}

/* One row a run. */
struct side {
	const struct weir_run_data *run;
	double value[9];
};
static const struct {
	const char *title;
	enum weir_dimension dimension;
} sides[] = {
    {"goodput", WEIR_RATE}, {"utilization", WEIR_SHARE}, {"queueing delay, median", WEIR_TIME},
    {"95 %", WEIR_TIME},    {"RTT, median", WEIR_TIME},	 {"95 %", WEIR_TIME},
    {"loss", WEIR_SHARE},   {"Jain index", WEIR_PLAIN},	 {"age", WEIR_TIME},
};
#define N_SIDES (sizeof sides / sizeof sides[0])

static void side_of(const struct weir_run_data *run, struct side *s)
{
	struct weir_facts f;
	weir_facts_of(run, &f);
	*s = (struct side){run,
			   {f.goodput_bps, weir_get_number(f.link, "utilization"),
			    weir_get_number(f.delay, "p50"), weir_get_number(f.delay, "p95"),
			    weir_get_number(f.rtt, "p50"), weir_get_number(f.rtt, "p95"), f.loss_fraction,
			    f.jain, f.age_mean_ms}};
}

static void side_by_side(FILE *to, const struct weir_report_data *data)
{
	bool known[N_SIDES] = {false};
	struct side s;
	for (u32 i = 0; i < data->n_runs; i++) {
		side_of(&data->run[i], &s);
		for (u32 k = 0; k < N_SIDES; k++)
			known[k] |= !isnan(s.value[k]);
	}
	fputs("<div class=\"scroll\"><table><thead><tr><th scope=\"col\">run</th>", to);
	for (u32 k = 0; k < N_SIDES; k++)
		if (known[k])
			fprintf(to, "<th scope=\"col\">%s</th>", sides[k].title);
	fputs("</tr></thead><tbody>\n", to);
	for (u32 i = 0; i < data->n_runs; i++) {
		side_of(&data->run[i], &s);
		fputs("<tr><th scope=\"row\">", to);
		weir_html_name(to, s.run->label);
		fputs("</th>", to);
		for (u32 k = 0; k < N_SIDES; k++)
			if (known[k])
				weir_table_number(to, sides[k].dimension, s.value[k]);
		fputs("</tr>\n", to);
	}
	fputs("</tbody></table></div>\n", to);
}

void weir_section_figures(FILE *to, const struct weir_report_data *data)
{
	if (data->n_runs > 1) {
		side_by_side(to, data);
		return;
	}
	struct weir_facts f;
	weir_facts_of(data->run, &f);
	tiles(to, &f);
}
