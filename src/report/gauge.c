/* SPDX-License-Identifier: MIT */
#include "gauge.h"

#include "svg.h"

#include <math.h>

#define GAUGE_WIDTH 180.0

static double low_end(double a, double b)
{
	return isnan(a) ? b : isnan(b) ? a : fmin(a, b);
}

static double high_end(double a, double b)
{
	return isnan(a) ? b : isnan(b) ? a : fmax(a, b);
}

static void bar(FILE *to, const char *css_class, double from, double to_x, double y, double height)
{
	fprintf(to, "<rect class=\"%s\" x=\"", css_class);
	weir_svg_number(to, from);
	fputs("\" y=\"", to);
	weir_svg_number(to, y);
	fputs("\" width=\"", to);
	weir_svg_number(to, fmax(to_x - from, 1.5));
	fputs("\" height=\"", to);
	weir_svg_number(to, height);
	fputs("\"/>", to);
}

/* The band, the mark as a tick, the value as a dot with its interval, on one scale. */
void weir_gauge(FILE *to, const struct weir_gauge *g)
{
	double low = low_end(low_end(g->band[0], g->ci95[0]), low_end(g->mark, g->value));
	double high = high_end(high_end(g->band[1], g->ci95[1]), high_end(g->mark, g->value));
	if (!isfinite(low) || !isfinite(high) || high <= low || isnan(g->value))
		return;
	double margin = (high - low) * .08, scale = (GAUGE_WIDTH - 12) / (high - low + 2 * margin);
	double origin = 6 - (low - margin) * scale;
	fputs("<svg class=\"gauge\" viewBox=\"0 0 180 24\" aria-hidden=\"true\">", to);
	if (!isnan(g->band[0]) && !isnan(g->band[1]))
		bar(to, "band", origin + g->band[0] * scale, origin + g->band[1] * scale, 6, 12);
	if (!isnan(g->mark))
		bar(to, "paper", origin + g->mark * scale - .75, origin + g->mark * scale + .75, 2, 20);
	if (!isnan(g->ci95[0]) && !isnan(g->ci95[1])) {
		char css_class[32];
		snprintf(css_class, sizeof css_class, "interval %s", g->css_class);
		bar(to, css_class, origin + g->ci95[0] * scale, origin + g->ci95[1] * scale, 11, 2);
	}
	fprintf(to, "<circle class=\"%s\" r=\"4.5\" cy=\"12\" cx=\"", g->css_class);
	weir_svg_number(to, origin + g->value * scale);
	fputs("\"/></svg>", to);
}
