/* SPDX-License-Identifier: MIT */
/* A user's table of flow sizes. */
#include "sizes.h"

#include "core/decimal.h"

#include <stdlib.h>

#define WORD_BYTES 24
#define WORDS 3 /* the third is one too many */

struct parser {
	struct weir_diag *d;
	struct weir_sizes_point *point;
	u32 n, room, line;
	bool failed;
};

static void mistake(struct parser *p, u32 column, const char *what, const char *word)
{
	weir_diag_add(p->d, p->line, column, what, word);
	p->failed = true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == ',';
}

struct word {
	char text[WORD_BYTES];
	u32 column;
};

/* The first words of a line; what is longer than a number may be is cut, and is no number then. */
static u32 split(const char *at, const char *end, struct word word[WORDS])
{
	const char *start = at;
	u32 n = 0;
	while (n < WORDS) {
		while (at < end && is_blank(*at))
			at++;
		if (at == end || *at == '#')
			break;
		u32 length = 0;
		word[n].column = (u32)(at - start) + 1;
		for (; at < end && !is_blank(*at); at++)
			if (length < WORD_BYTES - 1)
				word[n].text[length++] = *at ? *at : '?';
		word[n++].text[length] = 0;
	}
	return n;
}

static bool keep(struct parser *p, struct weir_sizes_point point)
{
	if (p->n == p->room) {
		u32 room = p->room ? 2 * p->room : 64;
		struct weir_sizes_point *more = realloc(p->point, room * sizeof *more);
		if (!more)
			return false;
		p->point = more;
		p->room = room;
	}
	p->point[p->n++] = point;
	return true;
}

static void check_order(struct parser *p, const struct word *word, struct weir_sizes_point point)
{
	const struct weir_sizes_point *last = p->n ? &p->point[p->n - 1] : NULL;
	if (!last && point.fraction != 0)
		mistake(p, word[1].column,
			"%s: the first line has fraction 0: below which no flow lies, such as 0 0",
			word[1].text);
	else if (last && point.bytes < last->bytes)
		mistake(p, word[0].column, "%s: sizes rise from line to line", word[0].text);
	else if (last && point.fraction < last->fraction)
		mistake(p, word[1].column, "%s: fractions are cumulative and rise from line to line",
			word[1].text);
	else if (last && last->fraction == 1)
		mistake(p, 1, "%s: the table has ended with fraction 1 before", word[0].text);
	else if (last && point.bytes == last->bytes && point.fraction == last->fraction)
		mistake(p, 1, "%s: the same point twice", word[0].text);
}

static void parse_line(struct parser *p, const char *at, const char *end)
{
	struct word word[WORDS];
	struct weir_sizes_point point;
	u32 n = split(at, end, word);
	if (n == 0)
		return;
	if (n != 2)
		mistake(p, word[n > 2 ? 2 : 0].column,
			"%s: a line is \"BYTES FRACTION\", such as 10000 0.976", word[n > 2 ? 2 : 0].text);
	else if (!weir_decimal_plain(word[0].text, &point.bytes) || point.bytes < 0 ||
		 point.bytes > WEIR_SIZES_MOST_BYTES)
		mistake(p, word[0].column, "%s: a size in bytes is digits, from 0 to 1000000000000000",
			word[0].text);
	else if (!weir_decimal_plain(word[1].text, &point.fraction) || point.fraction < 0 ||
		 point.fraction > 1)
		mistake(p, word[1].column, "%s: a fraction is from 0 to 1, written as 0.5", word[1].text);
	else if (check_order(p, word, point), !keep(p, point))
		mistake(p, 0, "%s", "out of memory");
}

static void check_end(struct parser *p)
{
	p->line = 0;
	if (p->failed)
		return;
	if (p->n < 2)
		mistake(p, 0, "%s", "at least two points are needed, such as 0 0 and 10000 1");
	else if (p->point[p->n - 1].fraction != 1)
		mistake(p, 0, "%s", "the last line must have fraction 1: the largest flow");
	else if (p->point[p->n - 1].bytes < 1)
		mistake(p, 0, "%s", "the largest flow is smaller than 1 byte");
}

int weir_sizes_parse(const char *text, size_t length, struct weir_sizes *s, struct weir_diag *d)
{
	struct parser p = {.d = d};
	const char *at = text, *end = text + length;
	*s = (struct weir_sizes){0};
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at)), *stop = newline ? newline : end;
		p.line++;
		if (p.n == WEIR_SIZES_MOST_POINTS) {
			mistake(&p, 0, "%s", "more than 10000 points");
			break;
		}
		parse_line(&p, at, stop);
		at = newline ? newline + 1 : end;
	}
	check_end(&p);
	if (p.failed) {
		free(p.point);
		return -1;
	}
	*s = (struct weir_sizes){.point = p.point, .n = p.n, .own = p.point};
	s->mean_bytes = weir_sizes_mean(p.point, p.n);
	return 0;
}
