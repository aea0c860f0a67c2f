/* SPDX-License-Identifier: MIT */
#include "facts.h"
#include "html.h"
#include "sections.h"
#include "svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define POINTS_MAX 1000
#define LABELS_MAX 12

struct dot {
	const char *label;
	u32 colour, dash;
	double delay_ms, rate_bps;
	double delay_ci[2], rate_ci[2];
	bool has_delay_ci, has_rate_ci;
};

struct dots {
	struct dot dot[POINTS_MAX];
	u32 n;
	bool of_rtt; /* no queueing delay is known */
};

/* The p95 of every dot is the same quantity: queueing delay where all have it, else round-trip time. */
static void add(struct dots *d, const char *label, u32 colour, u32 dash, const json_t *summary)
{
	const char *path = d->of_rtt ? "rtt_ms.p95" : "queue_delay_ms.p95";
	struct dot x = {.label = label, .colour = colour, .dash = dash};
	x.delay_ms = weir_get_number(summary, path);
	x.rate_bps = weir_get_number(summary, "throughput_bps");
	if (isnan(x.rate_bps))
		x.rate_bps = weir_get_number(summary, "goodput_bps");
	if (d->n == POINTS_MAX || isnan(x.delay_ms) || isnan(x.rate_bps))
		return;
	x.has_delay_ci = weir_get_interval(summary, path, x.delay_ci);
	x.has_rate_ci = weir_get_interval(summary, "throughput_bps", x.rate_ci);
	d->dot[d->n++] = x;
}

/* Each flow of each run, with the entity that it belongs to; a group that the summary made is one dot. */
static void add_all(struct dots *d, const struct weir_report_data *data, const struct weir_entities *e)
{
	d->n = 0;
	for (u32 i = 0; i < e->n_flows; i++) {
		const struct weir_entity *who = &e->flow[i];
		const json_t *flow, *flows = json_object_get(data->run[who->run].summary, "flows");
		if (who->summary)
			add(d, who->label, who->colour, who->dash, who->summary);
		/* Members stand in the order of the summary. */
		u32 next = 0;
		for (size_t k = 0; k < json_array_size(flows) && !who->summary && next < who->n_members;
		     k++) {
			flow = json_array_get(flows, k);
			if (strcmp(weir_get_text(flow, "name", ""), who->member[next]))
				continue;
			add(d, who->member[next++], who->colour, who->dash, flow);
		}
	}
}

/* Small differences must not look large: the axis of rates starts at 0, that of delays too. */
static void scale_axes(const struct dots *d, struct weir_frame *f, double *rate_divisor)
{
	double delay = 0, rate = 0;
	for (u32 i = 0; i < d->n; i++) {
		const struct dot *x = &d->dot[i];
		delay = fmax(delay, x->has_delay_ci ? x->delay_ci[1] : x->delay_ms);
		rate = fmax(rate, x->has_rate_ci ? x->rate_ci[1] : x->rate_bps);
	}
	struct weir_scale scale = weir_scale_for(WEIR_RATE, rate);
	*rate_divisor = scale.divisor;
	f->x.from = f->y.from = 0;
	f->x.to = delay > 0 ? delay * 1.05 : 1;
	f->y.to = rate > 0 ? rate / scale.divisor * 1.1 : 1;
	f->y.title = scale.symbol;
	weir_axis_round(&f->x, 6);
	weir_axis_round(&f->y, 5);
}

static void whisker(FILE *to, double x1, double y1, double x2, double y2, u32 colour)
{
	fprintf(to, "<path class=\"thin s%u\" d=\"M", colour);
	weir_svg_number(to, x1);
	fputc(' ', to);
	weir_svg_number(to, y1);
	fputc('L', to);
	weir_svg_number(to, x2);
	fputc(' ', to);
	weir_svg_number(to, y2);
	fputs("\"/>", to);
}

/* Puts each label above its dot, or lower where one already stands. */
static double free_height(const double *x, const double *y, u32 n, double at_x, double at_y)
{
	double height = at_y - 10;
	for (u32 tries = 0; tries < 2 * n; tries++) {
		bool taken = false;
		for (u32 i = 0; i < n; i++)
			taken |= fabs(x[i] - at_x) < 110 && fabs(y[i] - height) < 13;
		if (!taken)
			return height;
		height += 13;
	}
	return height;
}

static void draw_dots(FILE *to, const struct dots *d, const struct weir_frame *f, double rate_divisor)
{
	double label_x[LABELS_MAX], label_y[LABELS_MAX];
	bool labels = d->n <= LABELS_MAX;
	for (u32 i = 0; i < d->n; i++) {
		const struct dot *p = &d->dot[i];
		double x = weir_frame_x(f, p->delay_ms), y = weir_frame_y(f, p->rate_bps / rate_divisor);
		if (p->has_delay_ci)
			whisker(to, weir_frame_x(f, p->delay_ci[0]), y, weir_frame_x(f, p->delay_ci[1]), y,
				p->colour);
		if (p->has_rate_ci)
			whisker(to, x, weir_frame_y(f, p->rate_ci[0] / rate_divisor), x,
				weir_frame_y(f, p->rate_ci[1] / rate_divisor), p->colour);
		fprintf(to, "<circle class=\"dot f%u\" r=\"%s\" cx=\"", p->colour, labels ? "5.5" : "3.5");
		weir_svg_number(to, x);
		fputs("\" cy=\"", to);
		weir_svg_number(to, y);
		fputs("\"><title>", to);
		weir_html_text(to, p->label);
		fputs("</title></circle>", to);
		if (!labels)
			continue;
		label_x[i] = x;
		label_y[i] = free_height(label_x, label_y, i, x, y);
	}
	for (u32 i = 0; i < d->n && labels; i++) {
		/* Towards the middle, so that no label leaves the figure. */
		bool right = label_x[i] > f->left + (f->width - f->left - f->right) / 2;
		char text[64];
		snprintf(text, sizeof text, "%.40s", d->dot[i].label);
		weir_svg_text(to, label_x[i] + (right ? -9 : 9), label_y[i] + 5, right ? "end" : "start",
			      "label", text);
	}
}

/* Too many dots for names: whose is which colour. */
static void key(FILE *to, const struct weir_entities *e)
{
	fputs("<p class=\"key\">", to);
	for (u32 i = 0; i < e->n_flows; i++) {
		fprintf(to, "<span><i class=\"swatch f%u\"></i>", e->flow[i].colour);
		weir_html_name(to, e->flow[i].label);
		fputs("</span> ", to);
	}
	fputs("</p>", to);
}

void weir_section_scatter(FILE *to, const struct weir_report_data *data, const struct weir_entities *e)
{
	struct dots *d = calloc(1, sizeof *d);
	if (!d)
		return;
	add_all(d, data, e);
	u32 with_delay = d->n;
	d->of_rtt = true;
	add_all(d, data, e);
	if (d->n <= with_delay) {
		d->of_rtt = false;
		add_all(d, data, e);
	}
	if (d->n >= 2) {
		struct weir_frame f = {
		    .width = 480, .height = 300, .left = 46, .right = 18, .top = 24, .bottom = 46};
		double rate_divisor;
		f.x.reversed = true;
		f.x.title = d->of_rtt ? "95th percentile of round-trip time, ms (less is right)"
				      : "95th percentile of queueing delay, ms (less is right)";
		scale_axes(d, &f, &rate_divisor);
		fputs("<figure><figcaption><h3>Throughput against delay</h3><p>Best is the upper right "
		      "corner.</p>",
		      to);
		if (d->n > LABELS_MAX)
			key(to, e);
		fputs("</figcaption>", to);
		weir_frame_begin(to, &f, "Throughput against delay");
		draw_dots(to, d, &f, rate_divisor);
		weir_frame_end(to);
		fputs("</figure>\n", to);
	}
	free(d);
}
