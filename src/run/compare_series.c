/* SPDX-License-Identifier: MIT */
#include "run/compare_series.h"

#include "record/query.h"
#include "record/series_read.h"
#include "run/batches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX (1U << 23) /* of all kept together: 128 MiB */
#define NAME_BYTES 256

/* One column of the file: the rate (0) or the delay (1) of something that has a name. */
struct column {
	struct weir_batch_row *row;
	u64 n, room;
};
struct subject {
	struct column column[2];
};

struct weir_compare_series {
	const json_t *summary;
	json_t *index; /* name in the file -> number of the subject */
	struct subject *subject;
	size_t n;
	u64 rows;
	double longest_rtt_s;
};

/* As the file names it: links have a prefix. */
static const char *name_in_file(const char *list, const char *name, char text[NAME_BYTES])
{
	int n = snprintf(text, NAME_BYTES, "%s%s", strcmp(list, "links") ? "" : "link:", name);
	return n < NAME_BYTES ? text : NULL;
}

static bool add_subjects(struct weir_compare_series *s, const char *list)
{
	const json_t *element, *elements = json_object_get(s->summary, list);
	size_t i;
	struct subject *larger = realloc(s->subject, (s->n + json_array_size(elements) + 1) * sizeof *larger);
	if (!larger)
		return false;
	s->subject = larger;
	json_array_foreach(elements, i, element)
	{
		char text[NAME_BYTES];
		const char *name = weir_query_element_name(element);
		name = name ? name_in_file(list, name, text) : NULL;
		if (!name || json_object_get(s->index, name))
			continue;
		if (json_object_set_new(s->index, name, json_integer((json_int_t)s->n)) < 0)
			return false;
		s->subject[s->n++] = (struct subject){0};
	}
	return true;
}

static const struct subject *find(const struct weir_compare_series *s, const char *name)
{
	const json_t *at = name ? json_object_get(s->index, name) : NULL;
	return at ? &s->subject[json_integer_value(at)] : NULL;
}

static bool make_room(struct column *c)
{
	if (c->n < c->room)
		return true;
	u64 room = c->room ? 2 * c->room : 256;
	struct weir_batch_row *larger = realloc(c->row, room * sizeof *larger);
	if (!larger)
		return false;
	c->row = larger;
	c->room = room;
	return true;
}

static const char *take_row(void *ctx, const struct weir_series_row *row)
{
	struct weir_compare_series *s = ctx;
	bool link = !strncmp(row->flow, "link:", 5), delay = !strcmp(row->signal, "queue_delay_ms");
	if (isnan(row->value) ||
	    (!delay && strcmp(row->signal, link ? "throughput_bps" : "goodput_bps") != 0))
		return NULL;
	const struct subject *found = find(s, row->flow);
	if (!found)
		return NULL;
	struct column *c = &s->subject[found - s->subject].column[delay];
	if (s->rows == ROWS_MAX)
		return "more than 8388608 rows of goodput, throughput and queue delay";
	if (!make_room(c))
		return "out of memory";
	c->row[c->n++] = (struct weir_batch_row){row->time_s, row->value};
	s->rows++;
	return NULL;
}

static double number_of(const json_t *object, const char *key)
{
	const json_t *x = json_object_get(object, key);
	return json_is_number(x) ? json_number_value(x) : 0;
}

static double rtt_s(const json_t *element)
{
	return number_of(json_object_get(element, "rtt_ms"), "mean") / 1e3;
}

/* A link's batches must be long against the slowest round trip of whom it serves. */
static double longest_rtt_s(const json_t *summary)
{
	static const char *const lists[] = {"flows", "groups"};
	const json_t *element;
	double longest = 0;
	size_t i;
	for (u32 l = 0; l < 2; l++)
		json_array_foreach(json_object_get(summary, lists[l]), i, element) longest =
		    fmax(longest, rtt_s(element));
	return longest;
}

struct weir_compare_series *weir_compare_series_read(FILE *f, const json_t *summary, struct weir_diag *d)
{
	struct weir_compare_series *s = calloc(1, sizeof *s);
	bool made = s && (s->index = json_object());
	if (made) {
		s->summary = summary;
		s->longest_rtt_s = longest_rtt_s(summary);
		made = add_subjects(s, "flows") && add_subjects(s, "groups") && add_subjects(s, "links");
	}
	if (!made)
		weir_diag_add(d, 0, 0, "out of memory");
	if (made && weir_series_read(f, take_row, s, d) == 0)
		return s;
	weir_compare_series_free(s);
	return NULL;
}

void weir_compare_series_free(struct weir_compare_series *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++) {
		free(s->subject[i].column[0].row);
		free(s->subject[i].column[1].row);
	}
	free(s->subject);
	json_decref(s->index);
	free(s);
}

bool weir_compare_series_error(const struct weir_compare_series *s, const char *list, const json_t *element,
			       bool delay, double *standard_error, u32 *freedom)
{
	char text[NAME_BYTES];
	const char *name = weir_query_element_name(element);
	const struct subject *found = name ? find(s, name_in_file(list, name, text)) : NULL;
	if (!found)
		return false;
	double warmup_s = number_of(s->summary, "warmup_s");
	struct weir_batch_request q = {.row = found->column[delay].row,
				       .n = found->column[delay].n,
				       .from_s = warmup_s,
				       .end_s = number_of(s->summary, "simulated_s"),
				       .rtt_s = rtt_s(element),
				       .median = delay};
	if (!strcmp(list, "flows")) {
		q.from_s = fmax(warmup_s, number_of(element, "start_s"));
		q.end_s = q.from_s + number_of(element, "active_s");
	}
	if (!strcmp(list, "links"))
		q.rtt_s = s->longest_rtt_s;
	return weir_batches(&q, standard_error, freedom);
}
