/* SPDX-License-Identifier: MIT */
#include "run_table.h"

#include <math.h>
#include <string.h>

#define ROWS_MAX 16
#define NAME_MAX_COLUMNS 32

/* "47.9 Mbit/s", "-" where there is none. */
static const char *rate_text(char text[24], double bps)
{
	static const struct {
		double from;
		const char *unit;
	} scale[] = {{1e9, "Gbit/s"}, {1e6, "Mbit/s"}, {1e3, "kbit/s"}, {0, "bit/s"}};
	u32 i = 0;
	if (isnan(bps))
		return "-";
	while (scale[i].from > 0 && bps < scale[i].from)
		i++;
	double x = scale[i].from > 0 ? bps / scale[i].from : bps;
	snprintf(text, 24, "%.*f %s", x < 10 ? 2 : x < 100 ? 1 : 0, x, scale[i].unit);
	return text;
}

static const char *spread_text(char text[24], const struct weir_spread *s)
{
	if (s->n == 0)
		return "-";
	snprintf(text, 24, "%.1f / %.1f", s->p50, s->p95);
	return text;
}

static const char *percent_text(char text[24], double fraction)
{
	if (isnan(fraction))
		return "-";
	snprintf(text, 24, fraction > 0 && fraction < .0001 ? "%.4f %%" : "%.2f %%", fraction * 100);
	return text;
}

static const char *count_text(char text[24], u64 n)
{
	if (n == WEIR_NEVER)
		return "-";
	snprintf(text, 24, "%llu", n);
	return text;
}

struct row {
	const char *name, *controller;
	double goodput_bps, loss_fraction;
	const struct weir_spread *rtt_ms, *queue_delay_ms;
	u64 retransmitted;
};

/* Among many flows, one of several equal ones is told by its group's row. */
static bool is_told(const struct weir_summary *s, const char *name)
{
	const char *dot = strrchr(name, '.');
	if (s->n_flows <= ROWS_MAX || !dot)
		return true;
	for (u32 i = 0; i < s->n_groups; i++)
		if (strncmp(s->group[i].name, name, (size_t)(dot - name) + 1) == 0)
			return false;
	return true;
}

static int width_of(const struct weir_summary *s)
{
	size_t width = strlen("bottleneck");
	for (u32 i = 0; i < s->n_flows && i < ROWS_MAX; i++)
		width = strlen(s->flow[i].name) > width ? strlen(s->flow[i].name) : width;
	for (u32 i = 0; i < s->n_groups; i++)
		width = strlen(s->group[i].name) > width ? strlen(s->group[i].name) : width;
	for (u32 i = 0; i < s->n_links; i++)
		width = strlen(s->link[i].name) > width ? strlen(s->link[i].name) : width;
	return width > NAME_MAX_COLUMNS ? NAME_MAX_COLUMNS : (int)width;
}

static void put_row(FILE *out, int width, const struct row *r)
{
	char rate[24], rtt[24], queue[24], loss[24], again[24];
	fprintf(out, "%-*.*s  %-12.12s %13s  %15s  %15s  %9s  %8s\n", width, width, r->name,
		*r->controller ? r->controller : "-", rate_text(rate, r->goodput_bps),
		spread_text(rtt, r->rtt_ms), spread_text(queue, r->queue_delay_ms),
		percent_text(loss, r->loss_fraction), count_text(again, r->retransmitted));
}

static void put_flows(FILE *out, const struct weir_summary *s, int width)
{
	fprintf(out, "%-*s  %-12s %13s  %15s  %15s  %9s  %8s\n", width, "flow", "controller", "goodput",
		"RTT p50/p95 ms", "queue p50/p95", "loss", "retrans.");
	u32 rows = 0, left_out = 0;
	for (u32 i = 0; i < s->n_flows; i++) {
		const struct weir_flow_summary *f = &s->flow[i];
		if (!is_told(s, f->name) || rows == ROWS_MAX) {
			left_out++;
			continue;
		}
		rows++;
		put_row(out, width,
			&(struct row){f->name, f->controller, f->goodput_bps, f->loss_fraction, &f->rtt_ms,
				      &f->queue_delay_ms, f->retransmitted});
	}
	for (u32 i = 0; i < s->n_groups; i++) {
		const struct weir_group_summary *g = &s->group[i];
		put_row(out, width,
			&(struct row){g->name, g->controller, g->goodput_bps, g->loss_fraction, &g->rtt_ms,
				      &g->queue_delay_ms, g->retransmitted});
	}
	if (left_out)
		fprintf(out, "and %u single flows in summary.json\n", left_out);
}

static void put_links(FILE *out, const struct weir_summary *s, int width)
{
	char rate[24], queue[24], used[24];
	fprintf(out, "\n%-*s  %12s  %8s  %15s  %8s\n", width, "link", "capacity", "used", "queue p50/p95 ms",
		"drops");
	for (u32 i = 0; i < s->n_links; i++) {
		const struct weir_link_summary *l = &s->link[i];
		fprintf(out, "%-*.*s  %12s  %8s  %16s  %8llu\n", width, width, l->name,
			rate_text(rate, l->capacity_bps), percent_text(used, l->utilization),
			spread_text(queue, &l->queue_delay_ms), l->drops);
	}
}

/* How long flows took that came and went. */
static void put_completions(FILE *out, const struct weir_summary *s, int width)
{
	bool headed = false;
	for (u32 i = 0; i < s->n_groups; i++) {
		const struct weir_group_summary *g = &s->group[i];
		for (u32 k = 0; k < g->n_fct; k++) {
			char spread[24];
			if (!g->fct[k].fct_ms.n)
				continue;
			if (!headed)
				fprintf(out, "\n%-*s  %12s  %8s  %20s\n", width, "flows of", "up to", "ended",
					"took p50/p95 ms");
			headed = true;
			fprintf(out, "%-*.*s  %12s  %8llu  %20s\n", width, width, g->name, g->fct[k].size,
				g->fct[k].fct_ms.n, spread_text(spread, &g->fct[k].fct_ms));
		}
	}
}

static void put_videos(FILE *out, const struct weir_summary *s)
{
	for (u32 i = 0; i < s->n_flows; i++) {
		const struct weir_video_summary *v = &s->flow[i].video;
		char rate[24];
		if (v->there)
			fprintf(out, "\n%.*s plays %s on average; stalls: %llu, of %.1f s in all\n",
				NAME_MAX_COLUMNS, s->flow[i].name, rate_text(rate, v->bitrate_bps),
				v->rebuffers, v->rebuffer_s);
	}
}

void weir_run_table(FILE *out, const struct weir_summary *s, const char *label)
{
	int width = width_of(s);
	const struct weir_emulation *e = &s->emulation;
	fprintf(out, "%s%s%s  (%g s %s, seed %llu%s)\n", s->title, *label ? ": " : "", label, s->simulated_s,
		e->verdict ? "emulated" : "simulated", s->seed, s->interrupted ? ", interrupted" : "");
	put_flows(out, s, width);
	put_links(out, s, width);
	put_completions(out, s, width);
	put_videos(out, s);
	if (!isnan(s->jain_throughput))
		fprintf(out, "\nJain's index of throughput: %.4f\n", s->jain_throughput);
	if (e->verdict)
		fprintf(out, "\nemulation: %s: %s\n", e->verdict, e->reason);
}
