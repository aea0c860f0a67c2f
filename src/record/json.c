/* SPDX-License-Identifier: MIT */
#include "json.h"

#include "number.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void put(struct weir_json *j, const char *text, size_t n)
{
	if (j->error)
		return;
	if (j->file) {
		if (fwrite(text, 1, n, j->file) != n)
			j->error = errno ? errno : EIO;
		return;
	}
	if (n > j->room - j->used) {
		size_t room = j->room ? j->room : 4096;
		while (room - j->used < n && room <= SIZE_MAX / 2)
			room *= 2;
		char *bigger = room - j->used < n ? NULL : realloc(j->buffer, room);
		if (!bigger) {
			j->error = ENOMEM;
			return;
		}
		j->buffer = bigger;
		j->room = room;
	}
	memcpy(j->buffer + j->used, text, n);
	j->used += n;
}

static void put_text(struct weir_json *j, const char *text)
{
	put(j, text, strlen(text));
}

static void new_line(struct weir_json *j)
{
	put(j, "\n", 1);
	for (u32 i = 0; i < j->depth; i++)
		put(j, "  ", 2);
}

void weir_json_to_file(struct weir_json *j, FILE *file)
{
	memset(j, 0, sizeof *j);
	j->file = file;
}

void weir_json_to_buffer(struct weir_json *j)
{
	memset(j, 0, sizeof *j);
}

int weir_json_finish(struct weir_json *j)
{
	assert(j->done && j->depth == 0);
	put(j, j->file ? "\n" : "\n\0", j->file ? 1 : 2);
	errno = 0;
	if (j->file && (fflush(j->file) != 0 || ferror(j->file)) && !j->error)
		j->error = errno ? errno : EIO;
	if (!j->error)
		return 0;
	weir_json_abandon(j);
	errno = j->error;
	return -1;
}

char *weir_json_take(struct weir_json *j, size_t *length)
{
	assert(j->done && !j->file && !j->error);
	char *text = j->buffer;
	if (length)
		*length = j->used - 1;
	j->buffer = NULL;
	return text;
}

const char *weir_json_text(const struct weir_json *j, size_t *length)
{
	assert(j->done && !j->file && !j->error);
	*length = j->used - 1;
	return j->buffer;
}

void weir_json_rewind(struct weir_json *j)
{
	struct weir_json fresh = {.buffer = j->buffer, .room = j->room};
	assert(!j->file);
	*j = fresh;
}

void weir_json_abandon(struct weir_json *j)
{
	free(j->buffer);
	j->buffer = NULL;
	j->used = j->room = 0;
}

/* What stands between a value (or a key) and the thing before it. */
static void separate(struct weir_json *j)
{
	if (j->depth == 0)
		return;
	bool line = j->level[j->depth - 1].line, filled = j->level[j->depth - 1].filled;
	if (filled)
		put(j, ",", 1);
	if (!line)
		new_line(j);
	else if (filled)
		put(j, " ", 1);
	j->level[j->depth - 1].filled = true;
}

static void before_value(struct weir_json *j)
{
	assert(!j->done);
	if (j->depth && j->level[j->depth - 1].object) {
		assert(j->has_key);
		j->has_key = false;
	} else {
		assert(!j->has_key);
		separate(j);
	}
}

static void after_value(struct weir_json *j)
{
	j->done = j->depth == 0;
}

static void open_level(struct weir_json *j, bool object)
{
	before_value(j);
	assert(j->depth < WEIR_JSON_DEPTH);
	bool line = j->line_next || (j->depth && j->level[j->depth - 1].line);
	j->line_next = false;
	j->level[j->depth].object = object;
	j->level[j->depth].line = line;
	j->level[j->depth].filled = false;
	j->depth++;
	put(j, object ? "{" : "[", 1);
}

static void close_level(struct weir_json *j, bool object)
{
	assert(j->depth > 0 && j->level[j->depth - 1].object == object && !j->has_key);
	j->depth--;
	if (j->level[j->depth].filled && !j->level[j->depth].line)
		new_line(j);
	put(j, object ? "}" : "]", 1);
	after_value(j);
}

void weir_json_line(struct weir_json *j)
{
	j->line_next = true;
}

void weir_json_object(struct weir_json *j)
{
	open_level(j, true);
}

void weir_json_object_end(struct weir_json *j)
{
	close_level(j, true);
}

void weir_json_array(struct weir_json *j)
{
	open_level(j, false);
}

void weir_json_array_end(struct weir_json *j)
{
	close_level(j, false);
}

/* Length of the well-formed UTF-8 sequence at p (Unicode table 3-7), 0 if there is none. */
static size_t utf8_length(const u8 *p, size_t left)
{
	u8 low = 0x80, high = 0xbf;
	size_t n;
	if (p[0] < 0x80)
		return 1;
	if (p[0] >= 0xc2 && p[0] <= 0xdf)
		n = 2;
	else if (p[0] >= 0xe0 && p[0] <= 0xef)
		n = 3;
	else if (p[0] >= 0xf0 && p[0] <= 0xf4)
		n = 4;
	else
		return 0;
	if (n > left)
		return 0;
	low = p[0] == 0xe0 ? 0xa0 : p[0] == 0xf0 ? 0x90 : low;
	high = p[0] == 0xed ? 0x9f : p[0] == 0xf4 ? 0x8f : high;
	if (p[1] < low || p[1] > high)
		return 0;
	for (size_t i = 2; i < n; i++)
		if (p[i] < 0x80 || p[i] > 0xbf)
			return 0;
	return n;
}

static void put_escape(struct weir_json *j, u8 c)
{
	static const char plain[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
	const char *found = c ? strchr(plain, c) : NULL;
	char text[8];
	if (found)
		snprintf(text, sizeof text, "\\%c", letter[found - plain]);
	else
		snprintf(text, sizeof text, "\\u%04x", c);
	put_text(j, text);
}

static void put_string(struct weir_json *j, const char *text, size_t bytes)
{
	const u8 *p = (const u8 *)text;
	size_t clean = 0; /* bytes before i, not yet written, that need no change */
	put(j, "\"", 1);
	for (size_t i = 0; i < bytes;) {
		size_t n = utf8_length(p + i, bytes - i);
		bool escape = n == 1 && (p[i] < 0x20 || p[i] == '"' || p[i] == '\\' || p[i] == 0x7f);
		if (n > 0 && !escape) {
			i += n;
			continue;
		}
		put(j, text + clean, i - clean);
		if (escape)
			put_escape(j, p[i]);
		else
			put_text(j, "\xef\xbf\xbd");
		clean = ++i;
	}
	put(j, text + clean, bytes - clean);
	put(j, "\"", 1);
}

void weir_json_key(struct weir_json *j, const char *name)
{
	assert(j->depth && j->level[j->depth - 1].object && !j->has_key);
	separate(j);
	put_string(j, name, strlen(name));
	put(j, ": ", 2);
	j->has_key = true;
}

void weir_json_string_n(struct weir_json *j, const char *text, size_t bytes)
{
	before_value(j);
	put_string(j, text, bytes);
	after_value(j);
}

static void put_word(struct weir_json *j, const char *word)
{
	before_value(j);
	put_text(j, word);
	after_value(j);
}

void weir_json_string(struct weir_json *j, const char *text)
{
	if (text)
		weir_json_string_n(j, text, strlen(text));
	else
		put_word(j, "null");
}

void weir_json_u64(struct weir_json *j, u64 x)
{
	char text[24];
	snprintf(text, sizeof text, "%llu", x);
	put_word(j, text);
}

void weir_json_i64(struct weir_json *j, i64 x)
{
	char text[24];
	snprintf(text, sizeof text, "%lld", x);
	put_word(j, text);
}

void weir_json_double(struct weir_json *j, double x)
{
	char text[WEIR_NUMBER_MAX];
	put_word(j, weir_number_format(text, x) ? text : "null");
}

void weir_json_bool(struct weir_json *j, bool x)
{
	put_word(j, x ? "true" : "false");
}

void weir_json_null(struct weir_json *j)
{
	put_word(j, "null");
}

void weir_json_put_object(struct weir_json *j, const char *name)
{
	weir_json_key(j, name);
	weir_json_object(j);
}

void weir_json_put_array(struct weir_json *j, const char *name)
{
	weir_json_key(j, name);
	weir_json_array(j);
}

void weir_json_put_string(struct weir_json *j, const char *name, const char *text)
{
	weir_json_key(j, name);
	weir_json_string(j, text);
}

void weir_json_put_u64(struct weir_json *j, const char *name, u64 x)
{
	weir_json_key(j, name);
	weir_json_u64(j, x);
}

void weir_json_put_i64(struct weir_json *j, const char *name, i64 x)
{
	weir_json_key(j, name);
	weir_json_i64(j, x);
}

void weir_json_put_double(struct weir_json *j, const char *name, double x)
{
	weir_json_key(j, name);
	weir_json_double(j, x);
}

void weir_json_put_bool(struct weir_json *j, const char *name, bool x)
{
	weir_json_key(j, name);
	weir_json_bool(j, x);
}

void weir_json_put_null(struct weir_json *j, const char *name)
{
	weir_json_key(j, name);
	weir_json_null(j);
}
