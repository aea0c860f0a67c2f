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
	struct weir_frame f = {.width = 480, .height = 380, .left = 88, .right = 18, .top = 24, .bottom = 46};

	scale(p, &f);
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
		if (is_drawn(&p->pair[i]))
			mark(to, &f, &p->pair[i]);
	weir_frame_end(to);
	fputs("</figure>\n", to);
}
