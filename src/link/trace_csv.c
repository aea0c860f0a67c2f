/* SPDX-License-Identifier: MIT */
#include "trace_rates.h"

#include <stdlib.h>

#define MOST_S (WEIR_TRACE_MOST_MS / 1000)

struct table {
	const char *line; /* for columns */
	u32 line_number;
	struct weir_rate_step *steps;
	u64 n, size, end_ns;
	u64 first_ns; /* times count from the first row's */
	bool ended, any;
	struct weir_diag *d;
};

static void mistake(struct table *t, const char *at, const char *text)
{
	weir_diag_add(t->d, t->line_number, (u32)(at - t->line) + 1, "%s", text);
}

/* A decimal number of at most `most`, in units of 1/unit (a power of ten); decimals beyond are cut off.
 * Moves *s behind it; false when there is none. */
static bool number(const char **s, const char *end, u64 most, u64 unit, u64 *value)
{
	const char *start = *s;
	u64 whole = 0, rest = 0, place = unit;
	for (; *s < end && **s >= '0' && **s <= '9'; ++*s)
		whole = weir_min(whole * 10 + (u64)(**s - '0'), most + 1);
	if (*s == start)
		return false;
	if (*s < end && **s == '.')
		for (++*s; *s < end && **s >= '0' && **s <= '9'; ++*s) {
			place /= 10;
			rest += (u64)(**s - '0') * place;
		}
	*value = whole * unit + rest;
	return whole <= most;
}

static bool append(struct table *t, u64 at_ns, u64 bps)
{
	if (t->n == t->size) {
		u64 size = t->size ? 2 * t->size : 1024;
		struct weir_rate_step *steps =
		    size <= WEIR_TRACE_MOST_ENTRIES ? realloc(t->steps, size * sizeof *steps) : NULL;
		if (!steps) {
			weir_diag_add(t->d, t->line_number, 0, "more than %u rows, or out of memory",
				      WEIR_TRACE_MOST_ENTRIES);
			return false;
		}
		t->steps = steps;
		t->size = size;
	}
	t->steps[t->n++] = (struct weir_rate_step){at_ns, bps};
	return true;
}

static bool take_row(struct table *t, const char *s, u64 at_ns, bool has_rate, u64 bps)
{
	if (!t->any)
		t->first_ns = at_ns;
	t->any = true;
	if (t->ended) {
		mistake(t, s, "a row after the one without a rate, which is the end");
	} else if (at_ns < t->first_ns || (t->n && at_ns - t->first_ns <= t->steps[t->n - 1].at_ns)) {
		mistake(t, s, "times must rise from row to row");
	} else if (!has_rate) {
		t->ended = true;
		t->end_ns = at_ns - t->first_ns;
	} else {
		return append(t, at_ns - t->first_ns, bps);
	}
	return true;
}

static const char *skip_blanks(const char *s, const char *end)
{
	while (s < end && (*s == ' ' || *s == '\t'))
		s++;
	return s;
}

/* False when it makes no sense to read on. */
static bool parse_row(struct table *t, const char *s, const char *end)
{
	static const char header[] = "time_s,rate_bps";
	u64 at_ns, bps = 0;
	while (end > s && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
		end--;
	s = skip_blanks(s, end);
	if (s == end || *s == '#')
		return true;
	if (!t->any && (size_t)(end - s) == sizeof header - 1 && memcmp(s, header, sizeof header - 1) == 0)
		return true;
	const char *start = s;
	if (!number(&s, end, MOST_S, WEIR_NS_PER_S, &at_ns)) {
		mistake(t, start, "not a time: seconds as a decimal number, at most 115 days");
		return true;
	}
	s = skip_blanks(s, end);
	if (s == end || *s != ',') {
		mistake(t, s, "expected a comma and the rate in bit/s");
		return true;
	}
	s = skip_blanks(s + 1, end);
	bool has_rate = s < end;
	const char *rate = s;
	if (has_rate && !number(&s, end, WEIR_TRACE_MOST_BPS, 1, &bps))
		mistake(t, rate, "not a rate: bit/s as a decimal number, at most 1e12");
	else if (s < end)
		mistake(t, s, "unexpected after the rate");
	else
		return take_row(t, start, at_ns, has_rate, bps);
	return true;
}

int weir_trace_parse_csv(const char *text, size_t length, u64 period_ns, struct weir_trace *trace,
			 struct weir_diag *d)
{
	struct table t = {.d = d};
	const char *at = text, *end = text + length;
	u32 mistakes = d->n;
	*trace = (struct weir_trace){0};
	for (bool go_on = true; go_on && at < end;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		t.line = at;
		t.line_number++;
		go_on = parse_row(&t, at, newline ? newline : end);
		at = newline ? newline + 1 : end;
	}
	u64 last_ns = t.n ? t.steps[t.n - 1].at_ns : 0;
	if (period_ns)
		t.end_ns = period_ns;
	else if (!t.ended && t.n > 1)
		t.end_ns = 2 * last_ns - t.steps[t.n - 2].at_ns;
	if (d->n == mistakes && t.n == 0)
		weir_diag_add(d, 0, 0, "no row `time_s,rate_bps` in it");
	else if (d->n == mistakes && t.end_ns <= last_ns)
		weir_diag_add(d, 0, 0, "one row says no end: add a row without a rate, or give the period");
	int result = d->n == mistakes ? weir_trace_from_steps(t.steps, t.n, t.end_ns, trace, d) : -1;
	free(t.steps);
	return result;
}
