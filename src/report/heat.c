/* SPDX-License-Identifier: MIT */
#include "heat.h"

#include "html.h"
#include "svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CELL_WIDTH_MIN 44.0
#define WIDTH_MIN 460.0 /* one scale for all heat maps of a page */
#define CELL_HEIGHT 26.0
#define LETTER 6.9 /* of a label, about */
#define TOP 40.0
/* From here on a linear scale would give all small values one colour. */
#define LOG_FROM 50
/* Text stays legible on it, in light and dark. */
#define WEAKEST_PERCENT 5
#define STRONGEST_PERCENT 55

struct sheet {
	const struct weir_heat *h;
	double left, cell_width, low, high;
	double least; /* above 0 */
	bool log;
};

static double longest(const char *const *names, u32 n)
{
	size_t longest = 0;
	for (u32 i = 0; i < n; i++)
		longest = strlen(names[i]) > longest ? strlen(names[i]) : longest;
	return (double)longest * LETTER;
}

static const struct weir_heat_cell *cell_at(const struct weir_heat *h, u32 row, u32 column)
{
	return &h->cell[(size_t)row * h->n_columns + column];
}

static void measure(struct sheet *s)
{
	const struct weir_heat *h = s->h;

	s->left = fmax(longest(h->row, h->n_rows), (double)strlen(h->row_title) * LETTER) + 14;
	s->cell_width = fmax(CELL_WIDTH_MIN, longest(h->column, h->n_columns) + 6);
	s->cell_width = fmax(s->cell_width, (WIDTH_MIN - s->left) / h->n_columns);
	s->low = s->least = HUGE_VAL;
	s->high = -HUGE_VAL;
	for (u32 i = 0; i < h->n_rows * h->n_columns; i++) {
		if (!isfinite(h->cell[i].value))
			continue;
		s->low = fmin(s->low, h->cell[i].value);
		s->high = fmax(s->high, h->cell[i].value);
		if (h->cell[i].value > 0)
			s->least = fmin(s->least, h->cell[i].value);
	}
	s->log = s->low >= 0 && s->high >= LOG_FROM * s->least;
}

/* How strong, 0 to 1. */
static double strength(const struct sheet *s, double value)
{
	double share = !(s->high > s->low) ? 1
		       : s->log		   ? fmax(log(value / s->least), 0) / log(s->high / s->least)
					   : (value - s->low) / (s->high - s->low);
	return s->h->less_is_better && s->high > s->low ? 1 - share : share;
}

static void rect(FILE *to, const struct sheet *s, const char *css_class, u32 row, u32 column, double inset)
{
	fprintf(to, "<rect class=\"%s\" x=\"", css_class);
	weir_svg_number(to, s->left + column * s->cell_width + inset);
	fputs("\" y=\"", to);
	weir_svg_number(to, TOP + row * CELL_HEIGHT + inset);
	fputs("\" width=\"", to);
	weir_svg_number(to, s->cell_width - 1 - 2 * inset);
	fputs("\" height=\"", to);
	weir_svg_number(to, CELL_HEIGHT - 1 - 2 * inset);
}

/* What a mouse is told. */
static void tell(FILE *to, const struct weir_heat *h, u32 row, u32 column, const struct weir_heat_cell *c)
{
	char text[WEIR_PRETTY_MAX];

	fputs("<title>", to);
	weir_html_text(to, h->row[row]);
	fputs(", ", to);
	weir_html_text(to, h->column[column]);
	fprintf(to, ": %s", weir_digits(text, c->value, 4));
	if (isfinite(c->ci95[0]) && isfinite(c->ci95[1]))
		fprintf(to, " \302\261 %s", weir_digits(text, (c->ci95[1] - c->ci95[0]) / 2, 2));
	fputc(' ', to);
	weir_html_text(to, h->unit);
	fputs("</title>", to);
}

static void cell(FILE *to, const struct sheet *s, u32 row, u32 column)
{
	const struct weir_heat_cell *c = cell_at(s->h, row, column);
	double x = s->left + (column + .5) * s->cell_width, y = TOP + (row + .5) * CELL_HEIGHT + 4;
	char text[WEIR_PRETTY_MAX];

	if (!isfinite(c->value)) {
		weir_svg_text(to, x, y, "middle", "tick", "\342\200\223");
		return;
	}
	long percent =
	    lround(WEAKEST_PERCENT + (STRONGEST_PERCENT - WEAKEST_PERCENT) * strength(s, c->value));
	fputs("<g>", to);
	tell(to, s->h, row, column, c);
	rect(to, s, "f0", row, column, 0);
	fprintf(to, "\" fill-opacity=\".%02ld\"/>", percent);
	/* Shares to the same digit, so that a column can be compared by eye. */
	if (s->high < 10 && s->low >= 0 && s->least >= .001)
		snprintf(text, sizeof text, "%.3f", c->value);
	else
		weir_digits(text, c->value, 3);
	weir_svg_text(to, x, y, "middle", "label", text[0] == '0' && text[1] == '.' ? text + 1 : text);
	fputs("</g>", to);
}

static void marks(FILE *to, const struct sheet *s)
{
	static const char *const classes[] = {"mark s1", "mark d1 s8"};

	for (u32 row = 0; row < s->h->n_rows; row++)
		for (u32 column = 0; column < s->h->n_columns; column++)
			for (u32 i = 0; i < 2; i++)
				if (cell_at(s->h, row, column)->marks & 1U << i) {
					rect(to, s, classes[i], row, column, .5);
					fputs("\"/>", to);
				}
}

static void names(FILE *to, const struct sheet *s)
{
	const struct weir_heat *h = s->h;

	for (u32 row = 0; row < h->n_rows; row++)
		weir_svg_text(to, s->left - 8, TOP + (row + .5) * CELL_HEIGHT + 4, "end", "tick",
			      h->row[row]);
	for (u32 column = 0; column < h->n_columns; column++)
		weir_svg_text(to, s->left + (column + .5) * s->cell_width, TOP - 8, "middle", "tick",
			      h->column[column]);
	weir_svg_text(to, 4, TOP - 8, "start", "axis", h->row_title);
	weir_svg_text(to, s->left + h->n_columns * s->cell_width / 2, 13, "middle", "axis", h->column_title);
}

static void caption(FILE *to, const struct weir_heat *h)
{
	static const char *const swatches[] = {"f1", "f8 d1"};

	fputs("<figure><figcaption><h3>", to);
	weir_html_text(to, h->title);
	fputs("</h3>", to);
	if (*h->note) {
		fputs("<p>", to);
		weir_html_text(to, h->note);
		fputs("</p>", to);
	}
	fputs("<p class=\"key\">", to);
	for (u32 i = 0; i < 2; i++) {
		if (!h->mark[i])
			continue;
		fprintf(to, "<span><i class=\"swatch %s\"></i>", swatches[i]);
		weir_html_text(to, h->mark[i]);
		fputs("</span> ", to);
	}
	fputs("</p></figcaption>", to);
}

void weir_heat(FILE *to, const struct weir_heat *h)
{
	struct sheet s = {.h = h};

	if (!h->n_rows || !h->n_columns || (u64)h->n_rows * h->n_columns > WEIR_HEAT_CELLS_MAX)
		return;
	measure(&s);
	caption(to, h);
	fputs("<svg class=\"heat\" role=\"img\" aria-label=\"", to);
	weir_html_text(to, h->title);
	fprintf(to, "\" viewBox=\"0 0 %ld %ld\">", lround(s.left + h->n_columns * s.cell_width + 4),
		lround(TOP + h->n_rows * CELL_HEIGHT + 4));
	names(to, &s);
	for (u32 row = 0; row < h->n_rows; row++)
		for (u32 column = 0; column < h->n_columns; column++)
			cell(to, &s, row, column);
	marks(to, &s);
	fputs("</svg></figure>\n", to);
}
