/* SPDX-License-Identifier: MIT */
#include "series.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

static void flush_rows(struct weir_series *s)
{
	if (!s->error && s->used && fwrite(s->buffer, 1, s->used, s->out) != s->used)
		s->error = errno ? errno : EIO;
	s->used = 0;
}

void weir_series_begin(struct weir_series *s, FILE *out)
{
	memset(s, 0, sizeof *s);
	s->out = out;
	s->used = (u32)strlen(WEIR_SERIES_HEADER);
	memcpy(s->buffer, WEIR_SERIES_HEADER, s->used);
}

void weir_series_time(struct weir_series *s, u64 now_ns)
{
	s->time_length = weir_number_fixed(s->time, now_ns, 9);
	s->time[s->time_length++] = ',';
	s->head_length = 0;
}

/* A field that holds a separator is quoted (RFC 4180). */
static u32 put_field(char *out, u32 used, u32 room, const char *text, bool quote)
{
	for (; *text && used + 2 < room; text++) {
		if (quote && *text == '"')
			out[used++] = '"';
		out[used++] = *text;
	}
	return used;
}

void weir_series_flow(struct weir_series *s, const char *prefix, const char *name)
{
	u32 room = sizeof s->head - 2;
	bool quote = strpbrk(name, ",\"\r\n") != NULL;
	memcpy(s->head, s->time, s->time_length);
	u32 n = s->time_length;
	if (quote)
		s->head[n++] = '"';
	n = put_field(s->head, n, room, prefix, quote);
	n = put_field(s->head, n, room, name, quote);
	if (quote)
		s->head[n++] = '"';
	s->head[n++] = ',';
	s->head_length = n;
}

static void put_row(struct weir_series *s, const char *signal, const char *number, u32 length)
{
	size_t signal_length = strlen(signal);
	assert(s->head_length && signal_length < 256);
	if (s->used + s->head_length + signal_length + length + 2 > sizeof s->buffer)
		flush_rows(s);
	char *p = s->buffer + s->used;
	memcpy(p, s->head, s->head_length);
	p += s->head_length;
	memcpy(p, signal, signal_length);
	p += signal_length;
	*p++ = ',';
	memcpy(p, number, length);
	p += length;
	*p++ = '\n';
	s->used = (u32)(p - s->buffer);
	s->rows++;
}

void weir_series_value(struct weir_series *s, const char *signal, double value)
{
	char number[WEIR_NUMBER_MAX];
	u32 n = weir_number_format(number, value);
	if (n)
		put_row(s, signal, number, n);
}

void weir_series_fixed(struct weir_series *s, const char *signal, u64 value, u32 decimals)
{
	char number[WEIR_NUMBER_MAX];
	put_row(s, signal, number, weir_number_fixed(number, value, decimals));
}

int weir_series_finish(struct weir_series *s)
{
	flush_rows(s);
	errno = 0;
	if (!s->error && (fflush(s->out) != 0 || ferror(s->out)))
		s->error = errno ? errno : EIO;
	errno = s->error;
	return s->error ? -1 : 0;
}
