/* SPDX-License-Identifier: MIT */
#include "run/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is judged of each kind. A link of infinite rate is a mere delay: what it carries is judged at the
 * flows. */
static const struct {
	const char *kind, *list, *metric, *number;
	bool delay;
} judged[] = {
    {"flow", "flows", "goodput_bps", "goodput_bps", false},
    {"flow", "flows", "queue_delay_p50_ms", "queue_delay_ms.p50", true},
    {"group", "groups", "goodput_bps", "goodput_bps", false},
    {"group", "groups", "queue_delay_p50_ms", "queue_delay_ms.p50", true},
    {"link", "links", "throughput_bps", "throughput_bps", false},
    {"link", "links", "queue_delay_p50_ms", "queue_delay_ms.p50", true},
};

/* name -> element of a list, so that two long lists do not cost the product of their lengths. */
static json_t *index_of(const json_t *document, const char *list)
{
	json_t *index = json_object(), *element;
	size_t i;

	json_array_foreach(json_object_get(document, list), i, element)
	{
		const char *name = weir_query_element_name(element);
		if (name && json_object_set(index, name, element) < 0)
			break;
	}
	return index;
}

/* One list of a document: its elements by name, and likewise their means over repeats. */
struct table {
	const json_t *list;
	json_t *elements, *repeats;
};

static struct table table_of(const json_t *document, const char *list)
{
	return (struct table){.list = json_object_get(document, list),
			      .elements = index_of(document, list),
			      .repeats = index_of(json_object_get(document, "repeats"), list)};
}

static void table_free(struct table *t)
{
	json_decref(t->elements);
	json_decref(t->repeats);
}

/* The mean over the repeats where there are some, else the value of the run. */
static struct weir_compare_side side(const struct table *t, const char *name, const char *number)
{
	struct weir_compare_side s = {0};
	char error[WEIR_QUERY_ERROR_BYTES], mean[64];
	const json_t *element = json_object_get(t->elements, name);
	const json_t *repeated = json_object_get(t->repeats, name), *ci = repeated;

	snprintf(mean, sizeof mean, "%s.mean", number);
	if (repeated && weir_query_number(repeated, mean, &s.value, error) == WEIR_QUERY_FOUND) {
		s.known = true;
		char *part, parts[64], *rest = parts;
		snprintf(parts, sizeof parts, "%s.ci95", number);
		while ((part = strsep(&rest, ".")))
			ci = json_object_get(ci, part);
		const json_t *low = json_array_get(ci, 0), *high = json_array_get(ci, 1);
		s.has_ci = json_is_number(low) && json_is_number(high);
		s.ci_low = json_number_value(low);
		s.ci_high = json_number_value(high);
		return s;
	}
	s.known = element && weir_query_number(element, number, &s.value, error) == WEIR_QUERY_FOUND;
	return s;
}

static void judge(struct weir_compare_row *r)
{
	if (r->a.known != r->b.known) {
		r->verdict = WEIR_COMPARE_MISSING;
		return;
	}
	bool within = fabs(r->b.value - r->a.value) <= r->largest_difference;
	bool meet = r->a.has_ci && r->b.has_ci && r->a.ci_low <= r->b.ci_high && r->b.ci_low <= r->a.ci_high;
	r->verdict = within ? WEIR_COMPARE_WITHIN : meet ? WEIR_COMPARE_NOISE : WEIR_COMPARE_OUTSIDE;
}

static struct weir_compare_row *add_row(struct weir_comparison *c)
{
	if (c->n == c->room) {
		u32 room = c->room ? 2 * c->room : 64;
		struct weir_compare_row *larger = realloc(c->row, room * sizeof *larger);
		if (!larger) {
			c->no_memory = true;
			return NULL;
		}
		c->row = larger;
		c->room = room;
	}
	c->row[c->n] = (struct weir_compare_row){0};
	return &c->row[c->n++];
}

static bool is_mere_delay(const json_t *element)
{
	return json_is_null(json_object_get(element, "capacity_bps"));
}

static double limit_of(const struct weir_compare_limits *limits, bool delay, double first)
{
	if (delay)
		return fmax(limits->delay_fraction * fabs(first), limits->delay_ms);
	return limits->goodput_fraction * fabs(first);
}

static void compare_element(struct weir_comparison *c, size_t first, const struct table *a,
			    const struct table *b, const char *name, const struct weir_compare_limits *limits)
{
	const json_t *in_a = json_object_get(a->elements, name), *in_b = json_object_get(b->elements, name);

	if ((!in_a || is_mere_delay(in_a)) && (!in_b || is_mere_delay(in_b)))
		return;
	for (size_t i = first; i < first + 2; i++) {
		struct weir_compare_side of_a = side(a, name, judged[i].number);
		struct weir_compare_side of_b = side(b, name, judged[i].number);
		if (in_a && in_b && !of_a.known && !of_b.known)
			continue;
		struct weir_compare_row *r = add_row(c);
		if (!r)
			return;
		r->kind = judged[i].kind;
		r->name = name;
		r->metric = judged[i].metric;
		r->a = of_a;
		r->b = of_b;
		r->largest_difference = limit_of(limits, judged[i].delay, of_a.value);
		judge(r);
		if (!in_a || !in_b)
			r->verdict = WEIR_COMPARE_MISSING;
		c->outside += r->verdict == WEIR_COMPARE_OUTSIDE || r->verdict == WEIR_COMPARE_MISSING;
		c->noise += r->verdict == WEIR_COMPARE_NOISE;
	}
}

static void compare_lists(struct weir_comparison *c, size_t kind, const json_t *a, const json_t *b,
			  const struct weir_compare_limits *limits)
{
	struct table of_a = table_of(a, judged[kind].list), of_b = table_of(b, judged[kind].list);
	json_t *element;
	size_t i;

	json_array_foreach(of_a.list, i, element)
	{
		const char *name = weir_query_element_name(element);
		if (name)
			compare_element(c, kind, &of_a, &of_b, name, limits);
	}
	json_array_foreach(of_b.list, i, element)
	{
		const char *name = weir_query_element_name(element);
		if (name && !json_object_get(of_a.elements, name))
			compare_element(c, kind, &of_a, &of_b, name, limits);
	}
	table_free(&of_a);
	table_free(&of_b);
}

int weir_compare(const json_t *a, const json_t *b, const struct weir_compare_limits *limits,
		 struct weir_comparison *out)
{
	*out = (struct weir_comparison){0};
	for (size_t kind = 0; kind < sizeof judged / sizeof judged[0]; kind += 2)
		compare_lists(out, kind, a, b, limits);
	return out->no_memory ? -1 : 0;
}

void weir_comparison_free(struct weir_comparison *c)
{
	free(c->row);
	*c = (struct weir_comparison){0};
}
