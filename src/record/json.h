/* SPDX-License-Identifier: MIT */
/* The one JSON emitter (RFC 8259). Everything of ours that is JSON goes through it, so that no file can
 * hold a NaN, a comma of some locale, a broken string or half a document unnoticed.
 *
 *	struct weir_json j;
 *	weir_json_to_file(&j, stdout);
 *	weir_json_object(&j);
 *	weir_json_put_string(&j, "schema", "weir.list/1");
 *	weir_json_key(&j, "band");
 *	weir_json_line(&j);
 *	weir_json_array(&j);
 *	weir_json_double(&j, 0.5);
 *	weir_json_array_end(&j);
 *	weir_json_object_end(&j);
 *	if (weir_json_finish(&j) < 0) ...
 *
 * Write errors are kept until finish: there is no need to look after each call. A value without its key,
 * a second document or an end that does not match is a bug of the caller and caught by assert. */
#ifndef WEIR_RECORD_JSON_H
#define WEIR_RECORD_JSON_H

#include "weir/types.h"

#include <stdio.h>

#define WEIR_JSON_DEPTH 32

struct weir_json {
	FILE *file; /* NULL: into the buffer */
	char *buffer;
	size_t used, room;
	int error;	/* errno of the first failure; 0 = none */
	u32 depth;	/* open objects and arrays */
	bool line_next; /* the next object or array stands on one line */
	bool has_key;	/* a key waits for its value */
	bool done;	/* the document is complete */
	struct {
		bool object, line, filled;
	} level[WEIR_JSON_DEPTH];
};

void weir_json_to_file(struct weir_json *j, FILE *file);
void weir_json_to_buffer(struct weir_json *j);
/* Ends the document with a newline and flushes a file. 0, or -1 with errno set when anything could not
 * be written or memory ran out (the buffer is then freed). */
int weir_json_finish(struct weir_json *j);
/* After finish: the document, zero-terminated; the caller frees it. */
char *weir_json_take(struct weir_json *j, size_t *length);
/* For many small documents: after finish, the buffer's text, zero-terminated, until the next rewind; rewind
 * begins the next document in the same buffer. */
const char *weir_json_text(const struct weir_json *j, size_t *length);
void weir_json_rewind(struct weir_json *j);
/* Frees the buffer of a document that is given up. */
void weir_json_abandon(struct weir_json *j);

/* The next object or array, with all inside it, is written on one line. */
void weir_json_line(struct weir_json *j);
void weir_json_object(struct weir_json *j);
void weir_json_object_end(struct weir_json *j);
void weir_json_array(struct weir_json *j);
void weir_json_array_end(struct weir_json *j);

void weir_json_key(struct weir_json *j, const char *name);
void weir_json_string(struct weir_json *j, const char *text); /* NULL: null. Bad UTF-8 becomes U+FFFD */
void weir_json_string_n(struct weir_json *j, const char *text, size_t bytes);
void weir_json_u64(struct weir_json *j, u64 x);
void weir_json_i64(struct weir_json *j, i64 x);
void weir_json_double(struct weir_json *j, double x); /* shortest form; NaN and infinities are null */
void weir_json_bool(struct weir_json *j, bool x);
void weir_json_null(struct weir_json *j);

/* A key and its value. */
void weir_json_put_object(struct weir_json *j, const char *name);
void weir_json_put_array(struct weir_json *j, const char *name);
void weir_json_put_string(struct weir_json *j, const char *name, const char *text);
void weir_json_put_u64(struct weir_json *j, const char *name, u64 x);
void weir_json_put_i64(struct weir_json *j, const char *name, i64 x);
void weir_json_put_double(struct weir_json *j, const char *name, double x);
void weir_json_put_bool(struct weir_json *j, const char *name, bool x);
void weir_json_put_null(struct weir_json *j, const char *name);

#endif
