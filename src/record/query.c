/* SPDX-License-Identifier: MIT */
#include "query.h"

#include "core/nearest.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *check_schema(json_t *document, const char *schema, const char *what, char *error)
{
	if (!document) {
		snprintf(error, WEIR_QUERY_ERROR_BYTES, "%s", what);
		return NULL;
	}
	const char *given = json_string_value(json_object_get(document, "schema"));
	if (given && (!schema || !strcmp(given, schema)))
		return document;
	if (given)
		snprintf(error, WEIR_QUERY_ERROR_BYTES, "schema is \"%.64s\", \"%s\" is expected", given,
			 schema);
	else
		snprintf(error, WEIR_QUERY_ERROR_BYTES,
			 "not a document of Weir: no schema, \"%s\" is expected",
			 schema ? schema : "weir.summary/1");
	json_decref(document);
	return NULL;
}

json_t *weir_query_parse(const char *text, size_t bytes, const char *schema,
			 char error[WEIR_QUERY_ERROR_BYTES])
{
	json_error_t at;
	char what[WEIR_QUERY_ERROR_BYTES];
	json_t *document = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &at);

	if (!document)
		snprintf(what, sizeof what, "line %d, column %d: %s", at.line, at.column, at.text);
	return check_schema(document, schema, what, error);
}

/* Appends the rest of the file to *text. 0, or an errno. */
static int read_rest(FILE *f, char **text, size_t *bytes)
{
	size_t room = 0;

	for (;;) {
		if (*bytes == room) {
			room = room ? 2 * room : 1 << 16;
			char *larger = room <= WEIR_QUERY_FILE_MAX ? realloc(*text, room) : NULL;
			if (!larger)
				return room <= WEIR_QUERY_FILE_MAX ? ENOMEM : EFBIG;
			*text = larger;
		}
		size_t n = fread(*text + *bytes, 1, room - *bytes, f);
		if (ferror(f))
			return errno;
		if (n == 0)
			return 0;
		*bytes += n;
	}
}

json_t *weir_query_load(const char *path, const char *schema, char error[WEIR_QUERY_ERROR_BYTES])
{
	char *text = NULL;
	size_t bytes = 0;
	json_t *document = NULL;
	FILE *f = fopen(path, "rb");
	int why = f ? read_rest(f, &text, &bytes) : errno;

	if (why)
		snprintf(error, WEIR_QUERY_ERROR_BYTES, "%s", strerror(why));
	else
		document = weir_query_parse(text, bytes, schema, error);
	if (f)
		fclose(f);
	free(text);
	return document;
}

const char *weir_query_element_name(const json_t *element)
{
	const char *name = json_string_value(json_object_get(element, "name"));
	return name ? name : json_string_value(json_object_get(element, "size"));
}

/* Length of `key` if it is the whole of `rest` or its beginning before a dot, else 0. */
static size_t fits(const char *key, const char *rest)
{
	size_t n = strlen(key);
	return n && !strncmp(key, rest, n) && (rest[n] == '.' || rest[n] == 0) ? n : 0;
}

/* The member whose name is the longest beginning of `rest`; *used is its length. */
static const json_t *step(const json_t *in, const char *rest, size_t *used)
{
	const json_t *best = NULL;
	const char *key;
	json_t *value;
	size_t i, n;

	*used = 0;
	if (json_is_array(in)) {
		json_array_foreach(in, i, value)
		{
			key = weir_query_element_name(value);
			n = key ? fits(key, rest) : 0;
			if (n > *used) {
				*used = n;
				best = value;
			}
		}
		return best;
	}
	json_object_foreach((json_t *)(uintptr_t)in, key, value)
	{
		n = fits(key, rest);
		if (n > *used) {
			*used = n;
			best = value;
		}
	}
	return best;
}

static void unknown(const json_t *in, const char *name, const char *rest, char *error)
{
	char word[WEIR_NEAREST_LETTERS + 1];
	int before = (int)(rest - name);
	const char *key;
	json_t *value;
	size_t i;

	snprintf(word, sizeof word, "%.*s", (int)strcspn(rest, "."), rest);
	struct weir_nearest near = weir_nearest_to(word);
	if (json_is_array(in)) {
		json_array_foreach(in, i, value)
		{
			if (weir_query_element_name(value))
				weir_nearest_try(&near, weir_query_element_name(value));
		}
	} else {
		json_object_foreach((json_t *)(uintptr_t)in, key, value) weir_nearest_try(&near, key);
	}
	snprintf(error, WEIR_QUERY_ERROR_BYTES, "no `%s` in `%.*s`%s%.96s%s", word, before ? before - 1 : 11,
		 before ? name : "the summary", near.name ? "; did you mean `" : "",
		 near.name ? near.name : "", near.name ? "`?" : "");
}

enum weir_query_result weir_query_number(const json_t *document, const char *name, double *value,
					 char error[WEIR_QUERY_ERROR_BYTES])
{
	const json_t *at = document;
	const char *rest = name;

	for (;;) {
		size_t used;
		const json_t *next = step(at, rest, &used);
		if (!next) {
			unknown(at, name, rest, error);
			return WEIR_QUERY_WRONG;
		}
		if (json_is_null(next))
			return WEIR_QUERY_NULL;
		at = next;
		rest += used;
		if (*rest == 0)
			break;
		rest++;
	}
	if (!json_is_number(at) || !isfinite(json_number_value(at))) {
		snprintf(error, WEIR_QUERY_ERROR_BYTES, "`%.200s` is not a number", name);
		return WEIR_QUERY_WRONG;
	}
	*value = json_number_value(at);
	return WEIR_QUERY_FOUND;
}

/* Where the pattern's star stands, NULL in a name without one. */
static const char *star_of(const char *name)
{
	return strncmp(name, "flows.", 6) && strncmp(name, "links.", 6) ? NULL : strstr(name, "*.");
}

bool weir_query_is_pattern(const char *name)
{
	return star_of(name) != NULL;
}

enum weir_query_result weir_query_each(const json_t *document, const char *name,
				       void (*take)(void *ctx, double value), void *ctx,
				       char error[WEIR_QUERY_ERROR_BYTES])
{
	const char *star = star_of(name), *part = name + 6;
	const json_t *list = json_object_get(document, *name == 'f' ? "flows" : "links"), *element;
	bool any = false;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)list, i, element)
	{
		const char *its = weir_query_element_name(element);
		double value;
		if (!its || strncmp(its, part, (size_t)(star - part)))
			continue;
		enum weir_query_result found = weir_query_number(element, star + 2, &value, error);
		if (found == WEIR_QUERY_WRONG)
			return found;
		any = true;
		if (found == WEIR_QUERY_FOUND)
			take(ctx, value);
	}
	if (any)
		return WEIR_QUERY_FOUND;
	snprintf(error, WEIR_QUERY_ERROR_BYTES, "nothing in `%.5s` has a name that begins with `%.*s`", name,
		 (int)(star - part), part);
	return WEIR_QUERY_WRONG;
}
