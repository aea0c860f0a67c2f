/* SPDX-License-Identifier: MIT */
#include "charts.h"

#include "lines.h"
#include "own.h"
#include "weir/num.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The charts that every report may have, in their order on the page. Signals beyond these are the
 * controllers' own and follow, collapsed, by unit. */
static const struct spec {
	const char *id, *title, *heading;
	enum { OF_FLOWS, OF_LINKS, OF_EMULATOR } of;
	const char *signal, *fallback; /* taken when no flow has the first */
	enum weir_line_kind kind;
	const char *companion; /* drawn thin beside it while there are few lines */
	bool smooth;
	const char *note;
} specs[] = {
    {"throughput", "Throughput", "", OF_FLOWS, "throughput_bps", "goodput_bps", WEIR_LINE, NULL, true, ""},
    {"rtt", "Round-trip time", "", OF_FLOWS, "rtt_ms", "srtt_ms", WEIR_LINE, NULL, false, ""},
    {"delay", "Queueing delay", "", OF_FLOWS, "queue_delay_ms", NULL, WEIR_LINE, NULL, false, ""},
    {"eta", "Elasticity of the traffic beside (eta)", "", OF_FLOWS, "cc.eta", NULL, WEIR_LINE, NULL, false,
     "elastic from the pilot's threshold on, by default 2"},
    {"one-way", "One-way delay", "", OF_FLOWS, "one_way_delay_ms", NULL, WEIR_LINE, NULL, false,
     "from the sender's device to the receiver's"},
    {"queue", "Queue of each link", "", OF_LINKS, "queue_bytes", NULL, WEIR_LINE, NULL, false, ""},
    {"window", "Window", "", OF_FLOWS, "cwnd_bytes", NULL, WEIR_LINE, "inflight_bytes", false, ""},
    {"inflight", "In flight", "", OF_FLOWS, "inflight_bytes", NULL, WEIR_LINE, NULL, false, ""},
    {"pacing", "Pacing rate", "", OF_FLOWS, "pacing_bps", NULL, WEIR_LINE, NULL, false, ""},
    {"age", "Age of information", "", OF_FLOWS, "age_ms", NULL, WEIR_LINE, NULL, false,
     "of the newest value at the receiver: mean over each sampling interval"},
    {"updates", "Update rate", "", OF_FLOWS, "update_hz", NULL, WEIR_LINE, NULL, false,
     "as the age controller sets it"},
    {"backlog", "Updates not yet acknowledged", "", OF_FLOWS, "backlog", NULL, WEIR_LINE, NULL, false,
     "those overtaken by newer ones do not count"},
    {"loss", "Lost packets", "", OF_FLOWS, "lost", NULL, WEIR_LINE_BAR, NULL, false,
     "in each sampling interval"},
    {"retransmitted", "Retransmitted packets", "", OF_FLOWS, "retransmitted", NULL, WEIR_LINE_BAR, NULL,
     false, "in each sampling interval"},
    {"active", "Active flows", "", OF_FLOWS, "active_flows", NULL, WEIR_LINE, NULL, false, ""},
    {"utilization", "Utilization of each link", "Links", OF_LINKS, "utilization", NULL, WEIR_LINE, NULL, true,
     ""},
    {"link-delay", "Queueing delay of each link", "Links", OF_LINKS, "queue_delay_ms", NULL, WEIR_LINE, NULL,
     false, ""},
    {"drops", "Packets dropped by each link", "Links", OF_LINKS, "drops", NULL, WEIR_LINE_BAR, NULL, false,
     "in each sampling interval"},
    {"losses", "Packets lost at random on each link", "Links", OF_LINKS, "losses", NULL, WEIR_LINE_BAR, NULL,
     false, "in each sampling interval"},
    {"goodput", "Goodput", "Goodput and smoothed times", OF_FLOWS, "goodput_bps", NULL, WEIR_LINE, NULL, true,
     "payload delivered in order"},
    {"srtt", "Smoothed round-trip time", "Goodput and smoothed times", OF_FLOWS, "srtt_ms", NULL, WEIR_LINE,
     NULL, false, ""},
    {"fresh", "Newer values a second", "Age, as its sender knows it", OF_FLOWS, "fresh_hz", NULL, WEIR_LINE,
     NULL, true, "at the receiver"},
    {"estimate", "Estimated age", "Age, as its sender knows it", OF_FLOWS, "age_estimate_ms", NULL, WEIR_LINE,
     NULL, false, "by the acknowledgements that came back"},
    {"gap", "Time between acknowledgements", "Age, as its sender knows it", OF_FLOWS, "gap_ms", NULL,
     WEIR_LINE, NULL, false, "the last one in each sampling interval"},
    {"lateness", "Lateness of the emulator", "Emulator", OF_EMULATOR, "lateness_us", NULL, WEIR_LINE,
     "lateness_max_us", false, "of the packets delivered in each sampling interval: mean, and at most"},
};
#define N_SPECS (sizeof specs / sizeof specs[0])

struct weir_chart *weir_charts_add(struct weir_charts *c)
{
	if (c->n == c->room) {
		u32 room = c->room ? 2 * c->room : 32;
		struct weir_chart *chart = realloc(c->chart, room * sizeof *chart);
		if (!chart)
			return NULL;
		c->chart = chart;
		c->room = room;
	}
	c->chart[c->n] = (struct weir_chart){.unit = ""};
	return &c->chart[c->n++];
}

static void free_chart(struct weir_chart *chart)
{
	for (u32 i = 0; i < chart->n_lines; i++) {
		free(chart->line[i].cell);
		free(chart->line[i].low);
		free(chart->line[i].high);
	}
	free(chart->line);
	*chart = (struct weir_chart){.unit = ""};
}

/* Counts (packets a sample) are the same as nothing when all are 0; so are queues of idle links. */
static void drop_if_empty(struct weir_charts *c)
{
	struct weir_chart *chart = &c->chart[c->n - 1];
	double max = 0;
	bool any = false;
	for (u32 i = 0; i < chart->n_lines; i++) {
		any |= chart->line[i].kind != WEIR_LINE_AREA;
		max = fmax(max, weir_line_peak(&chart->line[i], &c->grid));
	}
	bool counts = chart->n_lines && chart->line[0].kind == WEIR_LINE_BAR;
	if (any && (max > 0 || !counts))
		return;
	free_chart(chart);
	c->n--;
}

/* Brings all lines of the newest chart into the unit that suits their peak. */
static void scale_chart(struct weir_charts *c)
{
	struct weir_chart *chart = &c->chart[c->n - 1];
	double max = 0;
	for (u32 i = 0; i < chart->n_lines; i++)
		max = fmax(max, weir_line_peak(&chart->line[i], &c->grid));
	struct weir_scale scale = weir_scale_for(chart->dimension, max);
	chart->unit = scale.symbol;
	for (u32 i = 0; i < chart->n_lines; i++)
		weir_line_divide(&chart->line[i], &c->grid, scale.divisor);
}

void weir_charts_settle(struct weir_charts *c)
{
	scale_chart(c);
	drop_if_empty(c);
}

static int add_flows(const struct weir_line_source *s, struct weir_chart *chart, const char *signal,
		     enum weir_line_kind kind, const char *suffix)
{
	for (u32 i = 0; i < s->entities->n_flows; i++)
		if (weir_line_of_flow(s, chart, i, signal, kind, suffix))
			return -1;
	return 0;
}

static int add_links(const struct weir_line_source *s, struct weir_chart *chart, const char *signal,
		     enum weir_line_kind kind)
{
	for (u32 i = 0; i < s->entities->n_links; i++)
		if (weir_line_of_link(s, chart, i, signal, kind))
			return -1;
	return 0;
}

static int add_emulators(const struct weir_line_source *s, struct weir_chart *chart, const struct spec *spec)
{
	for (u32 r = 0; r < s->data->n_runs; r++)
		if (weir_line_of_emulator(s, chart, r, spec->companion, WEIR_LINE_THIN, "at most") ||
		    weir_line_of_emulator(s, chart, r, spec->signal, spec->kind, "mean"))
			return -1;
	return 0;
}

static bool few_lines(const struct weir_line_source *s)
{
	return s->entities->n_flows <= 4 && !s->entities->grouped && !s->data->overlay;
}

static bool has_signal(const struct weir_line_source *s, const char *signal)
{
	for (u32 r = 0; r < s->data->n_runs; r++) {
		const struct weir_tracks *t = &s->data->run[r].tracks;
		for (u32 i = 0; i < t->n; i++)
			if (strncmp(t->track[i].flow, "link:", 5) && !strcmp(t->track[i].signal, signal))
				return true;
	}
	return false;
}

/* The lines of a chart. Of groups, what can be summed is summed; the rest is shown as a band. */
static int add_lines(const struct weir_line_source *s, struct weir_chart *chart, const struct spec *spec,
		     const char *signal)
{
	bool grouped = s->entities->grouped, throughput = !strcmp(spec->id, "throughput");
	if (spec->of == OF_EMULATOR)
		return add_emulators(s, chart, spec);
	if (spec->of == OF_LINKS)
		return add_links(s, chart, signal, spec->kind);
	if (grouped && (throughput || spec->kind == WEIR_LINE_BAR)) {
		size_t n = strlen(chart->title);
		snprintf(chart->title + n, sizeof chart->title - n, " of all flows");
		return weir_line_totals(s, chart, signal, spec->kind);
	}
	bool both = spec->companion && few_lines(s) && has_signal(s, spec->companion);
	if (add_flows(s, chart, signal, spec->kind, both ? "window" : ""))
		return -1;
	/* A sum means something where all flows share the one link. */
	bool total =
	    throughput && s->data->n_runs == 1 && s->entities->n_flows > 1 && s->entities->n_links <= 1;
	return total ? weir_line_totals(s, chart, signal, WEIR_LINE_THIN) : 0;
}

static int make_standard(const struct weir_line_source *s, struct weir_charts *c, const struct spec *spec)
{
	const char *signal = spec->signal;
	if (spec->fallback && !has_signal(s, signal))
		signal = spec->fallback;
	struct weir_chart *chart = weir_charts_add(c);
	if (!chart)
		return -1;
	snprintf(chart->id, sizeof chart->id, "%s", spec->id);
	snprintf(chart->heading, sizeof chart->heading, "%s", spec->heading);
	snprintf(chart->note, sizeof chart->note, "%s", spec->note);
	bool both = spec->of == OF_FLOWS && spec->companion && few_lines(s) && has_signal(s, spec->companion);
	snprintf(chart->title, sizeof chart->title, "%s%s", spec->title, both ? " and in flight" : "");
	chart->dimension = spec->kind == WEIR_LINE_BAR ? WEIR_PACKETS : weir_unit_of(signal).dimension;
	chart->from_zero = true;
	chart->smooth = spec->smooth;
	int failed = !strcmp(spec->id, "throughput") && weir_line_capacity(s, chart);
	if (!failed)
		failed = add_lines(s, chart, spec, signal);
	if (!failed && both)
		failed = add_flows(s, chart, spec->companion, WEIR_LINE_THIN, "in flight");
	if (failed)
		return -1;
	weir_charts_settle(c);
	return 0;
}

/* "Throughput of each flow", where the chart above it shows sums. */
static int make_each(const struct weir_line_source *s, struct weir_charts *c)
{
	struct weir_chart *chart = weir_charts_add(c);
	if (!chart)
		return -1;
	snprintf(chart->id, sizeof chart->id, "throughput-each");
	snprintf(chart->title, sizeof chart->title, "Throughput of single flows");
	chart->dimension = WEIR_RATE;
	chart->from_zero = true;
	if (add_flows(s, chart, "throughput_bps", WEIR_LINE, ""))
		return -1;
	weir_charts_settle(c);
	return 0;
}

static bool is_standard(const char *signal)
{
	for (u32 i = 0; i < N_SPECS; i++)
		if (!strcmp(signal, specs[i].signal) ||
		    (specs[i].companion && !strcmp(signal, specs[i].companion)))
			return true;
	return false;
}

static int make_grid(const struct weir_report_data *data, const struct weir_entities *e,
		     struct weir_charts *c)
{
	u64 lines = 0;
	for (u32 r = 0; r < data->n_runs; r++)
		lines += data->run[r].tracks.n;
	if (e->grouped)
		lines = 3 * (u64)e->n_flows * (N_SPECS + 16);
	u32 rows = (u32)weir_clamp(WEIR_CHART_VALUES / weir_max(lines, 1), 200, WEIR_CHART_ROWS);
	c->start_s = 0;
	for (u32 r = 0; r < data->n_runs; r++) {
		const struct weir_tracks *t = &data->run[r].tracks;
		for (u32 i = 0; i < t->n; i++)
			if (weir_grid_add(&c->grid, t->track[i].point, t->track[i].n, rows))
				return -1;
		double simulated = weir_get_number(data->run[r].summary, "simulated_s");
		double warmup = weir_get_number(data->run[r].summary, "warmup_s");
		c->end_s = simulated > c->end_s ? simulated : c->end_s;
		c->warmup_s = warmup > c->warmup_s ? warmup : c->warmup_s;
	}
	c->end_s = fmax(c->end_s, c->grid.start_s + c->grid.width_s);
	return weir_grid_settle(&c->grid, rows);
}

/* The longest mean round-trip time of any flow: a window's burst comes once in it. */
static double longest_rtt_s(const struct weir_report_data *data)
{
	static const char *const lists[] = {"flows", "groups"};
	double longest = 0;
	for (u32 r = 0; r < data->n_runs; r++)
		for (u32 l = 0; l < 2; l++) {
			const json_t *list = json_object_get(data->run[r].summary, lists[l]);
			for (size_t i = 0; i < json_array_size(list); i++) {
				double rtt = weir_get_number(json_array_get(list, i), "rtt_ms.mean") / 1e3;
				longest = rtt > longest ? rtt : longest;
			}
		}
	return longest;
}

int weir_charts_make(const struct weir_report_data *data, const struct weir_entities *e,
		     struct weir_charts *c)
{
	*c = (struct weir_charts){0};
	int failed = make_grid(data, e, c);
	struct weir_line_source source = {data, e, &c->grid};
	double span_s = c->end_s - c->start_s;
	c->rtt_s = fmin(longest_rtt_s(data), span_s / 20);
	c->smooth_s = fmax(span_s / WEIR_CHART_STRETCHES, c->rtt_s);
	for (u32 i = 0; i < N_SPECS && !failed; i++) {
		if (!strcmp(specs[i].id, "inflight") && few_lines(&source))
			continue;
		failed = make_standard(&source, c, &specs[i]);
		if (!failed && i == 0 && e->grouped)
			failed = make_each(&source, c);
		if (!failed && !strcmp(specs[i].id, "delay"))
			failed = weir_own_charts_open(&source, c);
	}
	if (!failed)
		failed = weir_own_charts(&source, c, is_standard);
	if (failed)
		weir_charts_free(c);
	return failed;
}

void weir_charts_free(struct weir_charts *c)
{
	for (u32 i = 0; i < c->n; i++)
		free_chart(&c->chart[i]);
	free(c->chart);
	weir_grid_free(&c->grid);
	*c = (struct weir_charts){0};
}
