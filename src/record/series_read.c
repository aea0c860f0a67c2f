/* SPDX-License-Identifier: MIT */
#include "series_read.h"

#include "core/decimal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_BYTES 4096
#define TIME_MAX_S 1e9

/* Cuts one line into its fields in place; returns how many, at most max + 1 to tell "too many", 0 for a
 * quote that does not end. */
static u32 split(char *line, char **field, u32 max)
{
	u32 n = 0;
	for (char *in = line;; in++) {
		char *out = in, *start = in;
		if (*in == '"') {
			for (in++; *in && !(*in == '"' && in[1] != '"'); in++) {
				in += *in == '"';
				*out++ = *in;
			}
			if (*in != '"' || (in[1] && in[1] != ','))
				return 0;
			in++;
		} else {
			in += strcspn(in, ",");
			out = in;
		}
		bool last = !*in;
		*out = 0;
		if (n < max)
			field[n] = start;
		n++;
		if (last || n > max)
			return n;
	}
}

/* A finite number that fills the whole field. */
static bool number(const char *text, double *x)
{
	if (weir_decimal_plain(text, x))
		return true;
	if (strspn(text, "+-.0123456789eE") != strlen(text) || !*text)
		return false;
	char *end;
	*x = strtod(text, &end);
	return !*end && isfinite(*x);
}

struct reader {
	weir_series_taker *take;
	void *ctx;
	struct weir_diag *d;
	u32 line;
	double time_s;
	char text[LINE_MAX_BYTES];
};

/* About the row being read; `field` is where in it, NULL for the whole of it. */
static int complain(struct reader *r, const char *what, const char *field)
{
	u32 column = field ? (u32)(field - r->text) + 1 : 1;
	if (field && *field)
		weir_diag_add(r->d, r->line, column, "%s: '%.80s'", what, field);
	else
		weir_diag_add(r->d, r->line, column, "%s", what);
	return -1;
}

static int complain_of_file(struct reader *r, const char *what)
{
	weir_diag_add(r->d, 0, 0, "%s", what);
	return -1;
}

static int read_row(struct reader *r)
{
	char *field[4];
	double time_s, value = (double)NAN;
	if (split(r->text, field, 4) != 4)
		return complain(r, "a row is time_s,flow,signal,value", NULL);
	if (!number(field[0], &time_s) || time_s < 0 || time_s > TIME_MAX_S)
		return complain(r, "not a time in seconds", field[0]);
	if (time_s < r->time_s)
		return complain(r, "time goes back", field[0]);
	r->time_s = time_s;
	if (!*field[1])
		return complain(r, "the name of the flow is empty", field[1]);
	if (!*field[2])
		return complain(r, "the name of the signal is empty", field[2]);
	if (*field[3] && !number(field[3], &value))
		return complain(r, "not a number", field[3]);
	const char *why = r->take(r->ctx, &(struct weir_series_row){time_s, field[1], field[2], value});
	return why ? complain(r, why, NULL) : 0;
}

/* Cuts the end of line off; false when there is none although the buffer is full. */
static bool end_line(char *text, size_t room)
{
	size_t n = strlen(text);
	if (n + 1 == room && text[n - 1] != '\n')
		return false;
	if (n && text[n - 1] == '\n')
		text[--n] = 0;
	if (n && text[n - 1] == '\r')
		text[--n] = 0;
	return true;
}

int weir_series_read(FILE *f, weir_series_taker *take, void *ctx, struct weir_diag *d)
{
	struct reader r = {.take = take, .ctx = ctx, .d = d};
	while (fgets(r.text, sizeof r.text, f)) {
		r.line++;
		if (!end_line(r.text, sizeof r.text))
			return complain(&r, "the line is longer than 4094 bytes", NULL);
		if (r.line > 1 && read_row(&r))
			return -1;
		if (r.line == 1 && strcmp(r.text, "time_s,flow,signal,value"))
			return complain(&r, "the first line is not time_s,flow,signal,value", NULL);
	}
	if (ferror(f))
		return complain_of_file(&r, strerror(errno));
	if (!r.line)
		return complain_of_file(&r, "the file is empty");
	return 0;
}
