/* SPDX-License-Identifier: MIT */
#include "drawing.h"

#include "html.h"
#include "svg.h"

#include <math.h>

#define LINES_MAX (WEIR_THEME_COLOURS * WEIR_THEME_DASHES)

/* Of what is drawn with one look. */
enum part { LINE, FIRST, AGAIN };

static bool is_drawn(const struct weir_drawing *d, const struct weir_drawing_point *p, enum part part)
{
	return isfinite(p->x) && isfinite(p->y) && (!d->y_log || p->y > 0) &&
	       (part == LINE || p->again == (part == AGAIN));
}

static void scale(const struct weir_drawing *d, u32 n, struct weir_frame *f)
{
	f->x = (struct weir_axis){.from = HUGE_VAL, .to = -HUGE_VAL, .title = d->x_title};
	f->y = (struct weir_axis){.from = HUGE_VAL, .to = -HUGE_VAL, .log = d->y_log, .title = d->y_title};
	for (u32 i = 0; i < n; i++)
		for (u32 k = 0; k < d->line[i].n; k++) {
			const struct weir_drawing_point *p = &d->line[i].point[k];
			if (!is_drawn(d, p, LINE))
				continue;
			f->x.from = fmin(f->x.from, p->x);
			f->x.to = fmax(f->x.to, p->x);
			f->y.from = fmin(f->y.from, p->y);
			f->y.to = fmax(f->y.to, p->y);
		}
	/* A part far from zero is looked at from near, all else from zero. */
	if (!d->y_log && f->y.from < f->y.to * .9)
		f->y.from = fmin(f->y.from, 0);
	if (f->x.from < f->x.to / 10)
		f->x.from = fmin(f->x.from, 0);
	weir_axis_round(&f->x, 8);
	weir_axis_round(&f->y, 6);
}

static void place(FILE *to, const struct weir_frame *f, const struct weir_drawing_point *p)
{
	weir_svg_number(to, weir_frame_x(f, p->x));
	fputc(' ', to);
	weir_svg_number(to, weir_frame_y(f, p->y));
}

/* A dot is a line of no length with round ends. */
static void dots(FILE *to, const struct weir_frame *f, const struct weir_drawing *d, u32 i, enum part part)
{
	const struct weir_drawing_line *line = &d->line[i];
	if (part == AGAIN)
		fputs("<path class=\"again\" d=\"", to);
	else
		fprintf(to, "<path class=\"sent s%u\" d=\"", weir_theme_colour(i));
	for (u32 k = 0; k < line->n; k++) {
		if (!is_drawn(d, &line->point[k], part))
			continue;
		fputc('M', to);
		place(to, f, &line->point[k]);
		fputs("h0", to);
	}
	fputs("\"/>", to);
}

static void line(FILE *to, const struct weir_frame *f, const struct weir_drawing *d, u32 i)
{
	const struct weir_drawing_line *l = &d->line[i];
	bool pen_up = true;
	fprintf(to, "<path class=\"line s%u d%u\" d=\"", weir_theme_colour(i), weir_theme_dash(i));
	for (u32 k = 0; k < l->n; k++) {
		if (is_drawn(d, &l->point[k], LINE)) {
			fputc(pen_up ? 'M' : 'L', to);
			place(to, f, &l->point[k]);
		}
		pen_up = !is_drawn(d, &l->point[k], LINE);
	}
	fputs("\"/>", to);
}

static bool any_again(const struct weir_drawing *d, u32 n)
{
	for (u32 i = 0; i < n; i++)
		for (u32 k = 0; k < d->line[i].n; k++)
			if (d->line[i].point[k].again)
				return true;
	return false;
}

void weir_drawing_words(FILE *to, const char *where, const char *note)
{
	if (!*where && !*note)
		return;
	fputs("<p>", to);
	weir_html_text(to, where);
	fputs(*where && *note ? ". " : "", to);
	weir_html_text(to, note);
	fputs("</p>", to);
}

static void caption(FILE *to, const struct weir_drawing *d, u32 n)
{
	fputs("<figcaption><h3>", to);
	weir_html_text(to, d->title);
	fputs("</h3>", to);
	weir_drawing_words(to, d->where, d->note);
	fputs("<p class=\"key\">", to);
	for (u32 i = 0; i < n; i++) {
		fprintf(to, "<span><i class=\"swatch f%u d%u\"></i>", weir_theme_colour(i),
			d->dots ? 0 : weir_theme_dash(i));
		weir_html_name(to, d->line[i].label);
		fputs("</span> ", to);
	}
	if (d->dots && any_again(d, n))
		fputs("<span><i class=\"swatch again\"></i>sent again</span>", to);
	fputs("</p></figcaption>", to);
}

void weir_drawing(FILE *to, const struct weir_drawing *d)
{
	u32 n = d->n < LINES_MAX ? d->n : LINES_MAX;
	struct weir_frame f = {
	    .width = 1000, .height = d->dots ? 460 : 330, .left = 60, .right = 30, .top = 24, .bottom = 46};
	scale(d, n, &f);
	fputs("<figure class=\"drawing\">", to);
	caption(to, d, n);
	fputs("<div class=\"strip\">", to);
	weir_frame_begin(to, &f, d->title);
	for (u32 i = 0; !d->dots && i < n; i++)
		line(to, &f, d, i);
	for (u32 i = 0; d->dots && i < n; i++)
		dots(to, &f, d, i, FIRST);
	for (u32 i = 0; d->dots && i < n; i++)
		dots(to, &f, d, i, AGAIN);
	weir_frame_end(to);
	fputs("</div></figure>\n", to);
}
