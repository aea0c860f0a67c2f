/* SPDX-License-Identifier: MIT */
#include "core/stats.h"
#include "html.h"
#include "sections.h"
#include "svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 200

struct curve {
	const struct weir_entity *who;
	double quantile[STEPS + 1];
};

/* Quantiles of the samples of one flow; false when there are too few to speak of a distribution. */
static bool quantiles_of(const struct weir_report_data *data, const struct weir_entity *who,
			 const char *signal, struct curve *curve)
{
	const struct weir_track *track =
	    weir_tracks_find(&data->run[who->run].tracks, who->member[0], signal);
	if (who->n_members != 1 || !track || track->n_sample < 20)
		return false;
	double *sorted = malloc(track->n_sample * sizeof *sorted);
	if (!sorted)
		return false;
	memcpy(sorted, track->sample, track->n_sample * sizeof *sorted);
	weir_sort(sorted, track->n_sample);
	for (u32 i = 0; i <= STEPS; i++)
		curve->quantile[i] = weir_quantile_sorted(sorted, track->n_sample, (double)i / STEPS);
	curve->who = who;
	free(sorted);
	return true;
}

static void draw_curve(FILE *to, const struct weir_frame *f, const struct curve *curve)
{
	fprintf(to, "<path class=\"line s%u d%u\" d=\"", curve->who->colour, curve->who->dash);
	for (u32 i = 0; i <= STEPS; i++) {
		fputc(i ? 'L' : 'M', to);
		weir_svg_number(to, weir_frame_x(f, curve->quantile[i]));
		fputc(' ', to);
		weir_svg_number(to, weir_frame_y(f, (double)i / STEPS * 100));
	}
	fputs("\"><title>", to);
	weir_html_text(to, curve->who->label);
	fputs("</title></path>", to);
}

/* One tail must not press all curves against the axis: with a long one the axis is logarithmic. */
static void scale_delay(struct weir_axis *x, const struct curve *curve, u32 n)
{
	double low = HUGE_VAL, high = 0, typical = 0;
	for (u32 i = 0; i < n; i++) {
		low = fmin(low, curve[i].quantile[0]);
		high = fmax(high, curve[i].quantile[STEPS]);
		typical = fmax(typical, curve[i].quantile[STEPS / 2]);
	}
	x->log = low > 0 && high > 50 * typical;
	x->from = x->log ? low : 0;
	x->to = high > 0 ? high : 1;
	weir_axis_round(x, 6);
}

static void legend(FILE *to, const struct curve *curve, u32 n)
{
	fputs("<p class=\"key\">", to);
	for (u32 i = 0; i < n; i++) {
		fprintf(to, "<span><i class=\"swatch f%u d%u\"></i>", curve[i].who->colour,
			curve[i].who->dash);
		weir_html_name(to, curve[i].who->label);
		fputs("</span> ", to);
	}
	fputs("</p>", to);
}

static void figure(FILE *to, const struct weir_report_data *data, const struct weir_entities *e,
		   const char *signal, const char *title, const char *axis)
{
	struct curve *curve = calloc(e->n_flows + 1, sizeof *curve);
	u32 n = 0;
	if (!curve)
		return;
	for (u32 i = 0; i < e->n_flows; i++)
		n += quantiles_of(data, &e->flow[i], signal, &curve[n]);
	if (n) {
		struct weir_frame f = {
		    .width = 480, .height = 300, .left = 46, .right = 18, .top = 24, .bottom = 46};
		scale_delay(&f.x, curve, n);
		f.x.title = axis;
		f.y = (struct weir_axis){.from = 0, .to = 100, .title = "% of the samples at or below"};
		fprintf(to, "<figure><figcaption><h3>%s</h3>", title);
		legend(to, curve, n);
		fputs("</figcaption>", to);
		weir_frame_begin(to, &f, title);
		for (u32 i = 0; i < n; i++)
			draw_curve(to, &f, &curve[i]);
		weir_frame_end(to);
		fputs("</figure>\n", to);
	}
	free(curve);
}

void weir_section_distributions(FILE *to, const struct weir_report_data *data, const struct weir_entities *e)
{
	figure(to, data, e, "rtt_ms", "Distribution of round-trip time", "round-trip time, ms");
	figure(to, data, e, "queue_delay_ms", "Distribution of queueing delay", "queueing delay, ms");
	figure(to, data, e, "age_ms", "Distribution of age", "age of information, ms");
}
