/* SPDX-License-Identifier: MIT */
#include "run/compare.h"

#include "core/stats.h"
#include "run/compare_notes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const weir_compare_words[WEIR_COMPARE_VERDICTS] = {"within", "outside", "noise", "missing"};

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
	const char *name; /* "flows" */
	const json_t *list;
	json_t *elements, *repeats;
	const struct weir_compare_series *series;
};

static struct table table_of(const struct weir_compare_result *r, const char *list)
{
	return (struct table){.name = list,
			      .list = json_object_get(r->summary, list),
			      .elements = index_of(r->summary, list),
			      .repeats = index_of(json_object_get(r->summary, "repeats"), list),
			      .series = r->series};
}

static void table_free(struct table *t)
{
	json_decref(t->elements);
	json_decref(t->repeats);
}

static void set_interval(struct weir_compare_interval *ci, double middle, double standard_error, u32 freedom)
{
	double half = weir_student_quantile(.95, freedom) * standard_error;
	if (freedom && isfinite(half))
		*ci = (struct weir_compare_interval){freedom, standard_error, middle - half, middle + half};
}

/* The interval as the file has it; from its width and n the standard error. */
static void take_interval(struct weir_compare_interval *ci, const json_t *repeated)
{
	const json_t *ends = json_object_get(repeated, "ci95"), *n = json_object_get(repeated, "n");
	const json_t *low = json_array_get(ends, 0), *high = json_array_get(ends, 1);
	double count = json_number_value(n), width = json_number_value(high) - json_number_value(low);

	if (!json_is_number(low) || !json_is_number(high) || !(count >= 2 && count <= 1e9) || !(width >= 0))
		return;
	ci->freedom = (u32)count - 1;
	ci->standard_error = width / 2 / weir_student_quantile(.95, ci->freedom);
	ci->low = json_number_value(low);
	ci->high = json_number_value(high);
}

/* The mean over the repeats where there are some, else the value of the run with what its series says. */
static struct weir_compare_side side(const struct table *t, const char *name, const char *number, bool delay)
{
	struct weir_compare_side s = {0};
	char error[WEIR_QUERY_ERROR_BYTES], mean[64];
	const json_t *element = json_object_get(t->elements, name);
	const json_t *repeated = json_object_get(t->repeats, name), *at = repeated;
	double standard_error;
	u32 freedom;

	snprintf(mean, sizeof mean, "%s.mean", number);
	if (repeated && weir_query_number(repeated, mean, &s.value, error) == WEIR_QUERY_FOUND) {
		s.known = true;
		char *part, parts[64], *rest = parts;
		snprintf(parts, sizeof parts, "%s", number);
		while ((part = strsep(&rest, ".")))
			at = json_object_get(at, part);
		take_interval(&s.ci, at);
		return s;
	}
	s.known = element && weir_query_number(element, number, &s.value, error) == WEIR_QUERY_FOUND;
	if (s.known && t->series &&
	    weir_compare_series_error(t->series, t->name, element, delay, &standard_error, &freedom))
		set_interval(&s.ci, s.value, standard_error, freedom);
	return s;
}

/* Of two means with errors of their own (Welch 1947, degrees of freedom by Satterthwaite). */
static void take_difference(struct weir_compare_row *r)
{
	const struct weir_compare_interval *a = &r->a.ci, *b = &r->b.ci;
	double of_a = a->standard_error * a->standard_error, of_b = b->standard_error * b->standard_error;
	double sum = of_a + of_b, freedom = fmin(a->freedom, b->freedom);

	r->difference = r->b.value - r->a.value;
	if (!a->freedom || !b->freedom)
		return;
	if (sum > 0)
		freedom = fmax(freedom, sum * sum / (of_a * of_a / a->freedom + of_b * of_b / b->freedom));
	set_interval(&r->ci, r->difference, sqrt(sum), (u32)fmin(freedom, 1e9));
}

static void judge(struct weir_compare_row *r)
{
	double limit = r->largest_difference;

	if (r->a.known != r->b.known) {
		r->verdict = WEIR_COMPARE_MISSING;
		return;
	}
	take_difference(r);
	bool within = fabs(r->difference) <= limit;
	bool reaches = r->ci.freedom && r->ci.low <= limit && r->ci.high >= -limit;
	r->verdict = within ? WEIR_COMPARE_WITHIN : reaches ? WEIR_COMPARE_NOISE : WEIR_COMPARE_OUTSIDE;
	r->unsure = within && r->ci.freedom && (r->ci.low < -limit || r->ci.high > limit);
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

static void count(struct weir_comparison *c, const struct weir_compare_row *r)
{
	c->outside += r->verdict == WEIR_COMPARE_OUTSIDE || r->verdict == WEIR_COMPARE_MISSING;
	c->noise += r->verdict == WEIR_COMPARE_NOISE;
	c->unsure += r->unsure;
}

struct task {
	struct weir_comparison *c;
	const struct weir_compare_limits *limits;
	const char *run;
	size_t kind; /* first row of `judged` */
	struct table a, b;
};

static void compare_element(const struct task *t, const char *name)
{
	const json_t *in_a = json_object_get(t->a.elements, name);
	const json_t *in_b = json_object_get(t->b.elements, name);

	if ((!in_a || is_mere_delay(in_a)) && (!in_b || is_mere_delay(in_b)))
		return;
	for (size_t i = t->kind; i < t->kind + 2; i++) {
		struct weir_compare_side of_a = side(&t->a, name, judged[i].number, judged[i].delay);
		struct weir_compare_side of_b = side(&t->b, name, judged[i].number, judged[i].delay);
		if (in_a && in_b && !of_a.known && !of_b.known)
			continue;
		struct weir_compare_row *r = add_row(t->c);
		if (!r)
			return;
		r->run = t->run;
		r->kind = judged[i].kind;
		r->name = name;
		r->metric = judged[i].metric;
		r->a = of_a;
		r->b = of_b;
		r->largest_difference = limit_of(t->limits, judged[i].delay, of_a.value);
		judge(r);
		if (!in_a || !in_b)
			r->verdict = WEIR_COMPARE_MISSING;
		count(t->c, r);
	}
}

static void compare_lists(struct task *t)
{
	json_t *element;
	size_t i;

	json_array_foreach(t->a.list, i, element)
	{
		const char *name = weir_query_element_name(element);
		if (name)
			compare_element(t, name);
	}
	json_array_foreach(t->b.list, i, element)
	{
		const char *name = weir_query_element_name(element);
		if (name && !json_object_get(t->a.elements, name))
			compare_element(t, name);
	}
}

int weir_compare(const struct weir_compare_result *a, const struct weir_compare_result *b,
		 const struct weir_compare_limits *limits, struct weir_comparison *out)
{
	struct task t = {.c = out, .limits = limits, .run = a->run};
	for (; t.kind < sizeof judged / sizeof judged[0]; t.kind += 2) {
		t.a = table_of(a, judged[t.kind].list);
		t.b = table_of(b, judged[t.kind].list);
		compare_lists(&t);
		table_free(&t.a);
		table_free(&t.b);
	}
	weir_compare_notes(out, a, b);
	return out->no_memory ? -1 : 0;
}

int weir_compare_missing_run(const char *label, struct weir_comparison *out)
{
	struct weir_compare_row *r = add_row(out);
	if (!r)
		return -1;
	*r = (struct weir_compare_row){.run = label, .kind = "run", .name = label, .metric = ""};
	r->verdict = WEIR_COMPARE_MISSING;
	count(out, r);
	return 0;
}

const char *weir_comparison_verdict(const struct weir_comparison *c)
{
	return c->invalid ? "invalid" : c->outside ? "outside" : "within";
}

bool weir_compare_same(const char *a, const char *b)
{
	static const char prefix[] = "kernel:";
	const size_t n = sizeof prefix - 1;

	for (;; a++, b++) {
		a += strncmp(a, prefix, n) == 0 ? n : 0;
		b += strncmp(b, prefix, n) == 0 ? n : 0;
		if (*a != *b)
			return false;
		if (!*a)
			return true;
	}
}

void weir_comparison_free(struct weir_comparison *c)
{
	free(c->row);
	*c = (struct weir_comparison){0};
}
