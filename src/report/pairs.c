/* SPDX-License-Identifier: MIT */
#include "pairs.h"

#include "html.h"
#include "svg.h"

#include <math.h>

#define RADIUS "4"
/* From here on a linear scale would press the small values together. */
#define LOG_FROM 20

static bool is_drawn(const struct weir_report_pair *p)
{
	return isfinite(p->x) && isfinite(p->y);
}

/* Bits a second are counted in millions. */
static double divisor(const struct weir_report_pairs *p)
{
	double high = 0;

	for (u32 i = 0; i < p->n; i++)
		if (is_drawn(&p->pair[i]))
			high = fmax(high, fmax(p->pair[i].x, p->pair[i].y));
	return high >= 1e6 ? 1e6 : 1;
}

/* Both axes have the same ends, so that the diagonal is where both are equal. */
static void scale(const struct weir_report_pairs *p, struct weir_frame *f)
{
	double low = HUGE_VAL, high = -HUGE_VAL;

	for (u32 i = 0; i < p->n; i++) {
		if (!is_drawn(&p->pair[i]))
			continue;
		low = fmin(low, fmin(p->pair[i].x, p->pair[i].y));
		high = fmax(high, fmax(p->pair[i].x, p->pair[i].y));
	}
	bool log = low > 0 && high >= LOG_FROM * low;
	f->x =
	    (struct weir_axis){.from = log ? low : fmin(low, 0), .to = high, .log = log, .title = p->x_title};
	weir_axis_round(&f->x, 5);
	f->y = f->x;
	f->y.title = p->y_title;
}

static void place(FILE *to, const struct weir_frame *f, double x, double y)
{
	weir_svg_number(to, weir_frame_x(f, x));
	fputc(' ', to);
	weir_svg_number(to, weir_frame_y(f, y));
}

static void mark(FILE *to, const struct weir_frame *f, const struct weir_report_pair *p)
{
	fputs("<circle class=\"pair ", to);
	weir_html_text(to, p->verdict);
	fputs("\" r=\"" RADIUS "\" cx=\"", to);
	weir_svg_number(to, weir_frame_x(f, p->x));
	fputs("\" cy=\"", to);
	weir_svg_number(to, weir_frame_y(f, p->y));
	fputs("\"><title>", to);
	weir_html_text(to, p->label);
	fputs("</title></circle>", to);
}

void weir_pairs(FILE *to, const struct weir_report_pairs *p)
{
	struct weir_frame f = {.width = 480, .height = 380, .left = 88, .right = 30, .top = 24, .bottom = 46};
	const double by = divisor(p);
	char x_title[160], y_title[160];

	scale(p, &f);
	if (by > 1) {
		snprintf(x_title, sizeof x_title, "%.140s, millions", p->x_title);
		snprintf(y_title, sizeof y_title, "%.140s, millions", p->y_title);
		f.x.title = x_title;
		f.y.title = y_title;
		f.x.from = f.y.from /= by;
		f.x.to = f.y.to /= by;
	}
	fputs("<figure><figcaption><h3>", to);
	weir_html_text(to, p->title);
	fputs("</h3></figcaption>", to);
	weir_frame_begin(to, &f, p->title);
	fputs("<path class=\"thin s0 d1\" d=\"M", to);
	place(to, &f, f.x.from, f.x.from);
	fputc('L', to);
	place(to, &f, f.x.to, f.x.to);
	fputs("\"/>", to);
	for (u32 i = 0; i < p->n; i++)
		if (is_drawn(&p->pair[i])) {
			struct weir_report_pair pair = p->pair[i];
			pair.x /= by;
			pair.y /= by;
			mark(to, &f, &pair);
		}
	weir_frame_end(to);
	fputs("</figure>\n", to);
}
