/* SPDX-License-Identifier: MIT */
#include "ndjson.h"

#include "newest.h"
#include "record/json.h"
#include "text.h"
#include "writer.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct weir_ndjson {
	struct weir_writer *writer;
	struct weir_newest *waiting;
	struct weir_json json;
	struct weir_ndjson_stats stats;
};

struct weir_ndjson *weir_ndjson_new(int fd)
{
	struct weir_ndjson *n = calloc(1, sizeof *n);
	if (!n)
		return NULL;
	n->waiting = weir_newest_new();
	n->writer = n->waiting ? weir_writer_new(fd, WEIR_NDJSON_RING_BYTES) : NULL;
	weir_json_to_buffer(&n->json);
	if (n->writer)
		return n;
	int error = errno;
	weir_newest_free(n->waiting);
	free(n);
	errno = error;
	return NULL;
}

static double rounded_ms(double s)
{
	return round(s * 1e6) / 1e3;
}

/* One line, in the buffer. */
static const char *line(struct weir_ndjson *n, const struct weir_told *v, size_t *bytes)
{
	struct weir_json *j = &n->json;
	weir_json_rewind(j);
	weir_json_line(j);
	weir_json_object(j);
	weir_json_put_string(j, "id", v->id);
	if (v->key[0])
		weir_json_put_string(j, "key", v->key);
	weir_json_put_u64(j, "seq", v->sequence);
	if (v->age.known) {
		weir_json_put_double(j, "age_ms", rounded_ms(v->age.age_s));
		if (v->age.high_s > 0)
			weir_json_put_double(
			    j, "age_error_ms",
			    rounded_ms(fmax(v->age.high_s - v->age.age_s, v->age.age_s - v->age.low_s)));
		else
			weir_json_put_null(j, "age_error_ms");
	} else {
		weir_json_put_null(j, "age_ms");
		weir_json_put_null(j, "age_error_ms");
	}
	weir_json_put_double(j, "unix_s", round(v->unix_s * 1e6) / 1e6);
	if (weir_is_utf8(v->data, v->bytes)) {
		weir_json_key(j, "value");
		weir_json_string_n(j, (const char *)v->data, v->bytes);
	} else {
		char text[WEIR_BASE64_BYTES(WEIR_TOLD_VALUE_BYTES)];
		weir_base64(v->data, v->bytes, text);
		weir_json_put_string(j, "value_base64", text);
	}
	weir_json_object_end(j);
	return weir_json_finish(j) < 0 ? NULL : weir_json_text(j, bytes);
}

static bool tell(struct weir_ndjson *n, const struct weir_told *v)
{
	size_t bytes = 0;
	const char *text = line(n, v, &bytes);
	if (!text || !weir_writer_put(n->writer, text, bytes))
		return false;
	n->stats.written++;
	return true;
}

void weir_ndjson_value(struct weir_ndjson *n, const struct weir_told *v)
{
	/* Nobody overtakes those who wait. */
	if (weir_newest_count(n->waiting) == 0 && tell(n, v))
		return;
	switch (weir_newest_put(n->waiting, v)) {
	case WEIR_NEWEST_REPLACED:
		n->stats.superseded++;
		break;
	case WEIR_NEWEST_FULL:
		n->stats.dropped++;
		break;
	case WEIR_NEWEST_WAITS:
		break;
	}
}

bool weir_ndjson_step(struct weir_ndjson *n)
{
	const struct weir_told *v;
	while ((v = weir_newest_first(n->waiting, NULL, NULL)) != NULL && tell(n, v))
		weir_newest_take(n->waiting, v);
	return v != NULL;
}

struct weir_ndjson_stats weir_ndjson_stats(const struct weir_ndjson *n)
{
	return n->stats;
}

int weir_ndjson_error(const struct weir_ndjson *n)
{
	return weir_writer_error(n->writer);
}

void weir_ndjson_end(struct weir_ndjson *n, u64 wait_ns)
{
	weir_ndjson_step(n);
	weir_writer_end(n->writer, wait_ns);
	weir_json_abandon(&n->json);
	weir_newest_free(n->waiting);
	free(n);
}
