/* SPDX-License-Identifier: MIT */
#include "trace.h"

#include <errno.h>
#include <stdlib.h>

#define HEADER "# weir-trace"

struct parser {
	const char *at, *end; /* the rest of the text */
	const char *line;     /* where the current line begins, for columns */
	u32 line_number;
	u32 blank_line, blank_lines; /* the first of a run of blank lines, while nothing followed it */
	bool has_header, sort;
	u64 header_period_ns, last_ns;
	u64 *at_ns;
	u64 n, size;
	struct weir_diag *d;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static u32 column(const struct parser *p, const char *at)
{
	return (u32)(at - p->line) + 1;
}

/* Digits, and up to six more behind a point, as ns; the whole of [s, end) or a mistake. Returns false,
 * having said why. */
static bool parse_ms(struct parser *p, const char *s, const char *end, bool fraction, u64 *ns)
{
	const char *start = s;
	u64 value = 0, unit = WEIR_NS_PER_MS;
	for (; s < end && is_digit(*s); s++)
		value = weir_min(value * 10 + (u64)(*s - '0'), WEIR_TRACE_MOST_MS + 1);
	if (s == start) {
		weir_diag_add(p->d, p->line_number, column(p, s),
			      "not a number: a timestamp is decimal digits, in ms");
		return false;
	}
	if (value > WEIR_TRACE_MOST_MS) {
		weir_diag_add(p->d, p->line_number, column(p, start), "more than %llu ms",
			      WEIR_TRACE_MOST_MS);
		return false;
	}
	value *= WEIR_NS_PER_MS;
	if (s < end && *s == '.' && !fraction) {
		weir_diag_add(p->d, p->line_number, column(p, s),
			      "a fraction of a ms needs the header '" HEADER " period_ms=...'");
		return false;
	}
	if (s < end && *s == '.') {
		for (s++; s < end && is_digit(*s) && unit > 1; s++) {
			unit /= 10;
			value += (u64)(*s - '0') * unit;
		}
	}
	if (s < end) {
		weir_diag_add(p->d, p->line_number, column(p, s),
			      "unexpected after a timestamp: one decimal number a line, up to 6 decimals");
		return false;
	}
	*ns = value;
	return true;
}

static void parse_header(struct parser *p, const char *s, const char *end)
{
	static const char key[] = "period_ms=";
	if (p->has_header)
		weir_diag_add(p->d, p->line_number, 1, "a second header");
	else if (p->n)
		weir_diag_add(p->d, p->line_number, 1, "the header must stand before the first timestamp");
	p->has_header = true;
	while (s < end && is_blank(*s))
		s++;
	size_t length = sizeof key - 1;
	if ((size_t)(end - s) < length || memcmp(s, key, length) != 0) {
		weir_diag_add(p->d, p->line_number, column(p, s),
			      "unknown key in the header: only period_ms=NUMBER may stand there");
		return;
	}
	if (!parse_ms(p, s + length, end, true, &p->header_period_ns))
		return;
	if (p->header_period_ns == 0)
		weir_diag_add(p->d, p->line_number, column(p, s), "the period must be longer than 0 ms");
}

static bool append(struct parser *p, u64 ns)
{
	if (p->n == p->size) {
		u64 size = p->size ? 2 * p->size : 1024;
		u64 *at_ns = size <= WEIR_TRACE_MOST_ENTRIES ? realloc(p->at_ns, size * sizeof *at_ns) : NULL;
		if (!at_ns) {
			weir_diag_add(p->d, p->line_number, 0, "more than %u timestamps, or out of memory",
				      WEIR_TRACE_MOST_ENTRIES);
			return false;
		}
		p->at_ns = at_ns;
		p->size = size;
	}
	p->at_ns[p->n++] = ns;
	return true;
}

static bool parse_timestamp(struct parser *p, const char *s, const char *end)
{
	u64 ns;
	if (p->blank_lines)
		weir_diag_add(p->d, p->blank_line, 1, "%s in the middle of the trace",
			      p->blank_lines > 1 ? "blank lines" : "a blank line");
	p->blank_lines = 0;
	if (!parse_ms(p, s, end, p->has_header, &ns))
		return true;
	if (ns < p->last_ns && !p->sort)
		weir_diag_add(p->d, p->line_number, column(p, s),
			      "%.15g ms after %.15g ms: timestamps must not go back "
			      "('weir trace convert --sort' puts them in order)",
			      (double)ns / 1e6, (double)p->last_ns / 1e6);
	p->last_ns = ns;
	return append(p, ns);
}

/* False when it makes no sense to read on. */
static bool parse_line(struct parser *p, const char *s, const char *end)
{
	while (end > s && is_blank(end[-1]))
		end--;
	while (s < end && is_blank(*s))
		s++;
	if (s == end) {
		p->blank_line = p->blank_lines ? p->blank_line : p->line_number;
		p->blank_lines++;
		return true;
	}
	if (*s != '#')
		return parse_timestamp(p, s, end);
	size_t length = sizeof HEADER - 1;
	if ((size_t)(end - s) >= length && memcmp(s, HEADER, length) == 0 &&
	    (s + length == end || is_blank(s[length])))
		parse_header(p, s + length, end);
	return true;
}

static int compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;
	return x < y ? -1 : x > y;
}

static void check_period(struct parser *p, struct weir_trace *t)
{
	u64 last_ns = p->n ? p->at_ns[p->n - 1] : 0;
	if (p->n == 0)
		weir_diag_add(p->d, 0, 0, "the trace is empty: no timestamp in it");
	else if (!t->own_period && last_ns == 0)
		weir_diag_add(p->d, 0, 0,
			      "every timestamp is 0: the period of a trace is its last timestamp, which must "
			      "be above 0 (for a constant rate: 'weir trace make cbr --rate RATE')");
	else if (t->own_period && t->period_ns < last_ns)
		weir_diag_add(p->d, 0, 0, "the period of %.15g ms ends before the last timestamp, %.15g ms",
			      (double)t->period_ns / 1e6, (double)last_ns / 1e6);
	else if (!t->own_period)
		t->period_ns = last_ns;
}

int weir_trace_parse(const char *text, size_t length, unsigned options, u64 period_ns, struct weir_trace *t,
		     struct weir_diag *d)
{
	struct parser p = {.at = text, .end = text + length, .sort = options & WEIR_TRACE_SORT, .d = d};
	u32 mistakes = d->n;
	*t = (struct weir_trace){0};

	while (p.at < p.end) {
		const char *newline = memchr(p.at, '\n', (size_t)(p.end - p.at));
		const char *end = newline ? newline : p.end;
		p.line = p.at;
		p.line_number++;
		if (!parse_line(&p, p.at, end))
			break;
		p.at = newline ? newline + 1 : p.end;
	}
	if (p.sort && p.n)
		qsort(p.at_ns, p.n, sizeof *p.at_ns, compare);
	*t = (struct weir_trace){.at_ns = p.at_ns, .n = p.n};
	t->own_period = period_ns || p.has_header;
	t->period_ns = period_ns ? period_ns : p.header_period_ns;
	if (d->n == mistakes)
		check_period(&p, t);
	if (d->n == mistakes)
		return 0;
	weir_trace_fini(t);
	return -1;
}

static char *slurp(FILE *f, size_t most, size_t *length, struct weir_diag *d)
{
	size_t size = 0, room = 0;
	char *text = NULL;
	do {
		room = room ? 2 * room : 1 << 16;
		char *more = realloc(text, room + 1);
		if (!more) {
			weir_diag_add(d, 0, 0, "out of memory");
			free(text);
			return NULL;
		}
		text = more;
		size += fread(text + size, 1, room - size, f);
	} while (size == room && size <= most);
	if (ferror(f)) {
		weir_diag_add(d, 0, 0, "cannot read: %s", strerror(errno));
	} else if (size > most) {
		weir_diag_add(d, 0, 0, "larger than %zu MiB", most >> 20);
	} else {
		text[size] = 0;
		*length = size;
		return text;
	}
	free(text);
	return NULL;
}

char *weir_trace_read(const char *path, size_t most, size_t *length, struct weir_diag *d)
{
	bool standard = strcmp(path, "-") == 0;
	snprintf(d->file, sizeof d->file, "%s", standard ? "standard input" : path);
	FILE *f = standard ? stdin : fopen(path, "rb");
	if (!f) {
		weir_diag_add(d, 0, 0, "cannot open: %s", strerror(errno));
		return NULL;
	}
	char *text = slurp(f, most, length, d);
	if (!standard)
		fclose(f);
	return text;
}

int weir_trace_load(const char *path, unsigned options, u64 period_ns, struct weir_trace *t,
		    struct weir_diag *d)
{
	size_t length;
	*t = (struct weir_trace){0};
	char *text = weir_trace_read(path, WEIR_TRACE_MOST_BYTES, &length, d);
	if (!text)
		return -1;
	int result = weir_trace_parse(text, length, options, period_ns, t, d);
	free(text);
	return result;
}
