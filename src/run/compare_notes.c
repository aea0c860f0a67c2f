/* SPDX-License-Identifier: MIT */
#include "run/compare_notes.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const sides[] = {"first", "second"};

__attribute__((format(printf, 3, 4))) static void note(struct weir_comparison *c, const char *run,
						       const char *format, ...)
{
	if (c->n_notes == WEIR_COMPARE_NOTES) {
		c->more_notes++;
		return;
	}
	char *text = c->note[c->n_notes++];
	int n = run ? snprintf(text, sizeof c->note[0], "%.60s: ", run) : 0;
	va_list ap;
	va_start(ap, format);
	vsnprintf(text + n, sizeof c->note[0] - (size_t)n, format, ap);
	va_end(ap);
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));
	return text ? text : "";
}

static double number_of(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

/* How many seeds of a repeated run have this verdict. */
static u32 seeds_with(const json_t *summary, const char *verdict)
{
	const json_t *each, *all = json_object_get(json_object_get(summary, "repeats"), "verdicts");
	size_t i;
	u32 n = 0;
	json_array_foreach(all, i, each) n +=
	    json_is_string(each) && !strcmp(json_string_value(each), verdict);
	return n;
}

/* faithful needs no words; of degraded and invalid the reason is told too. Means over seeds are worth no more
 * than the worst of them. */
static void on_emulation(struct weir_comparison *c, const struct weir_compare_result *side, u32 which)
{
	const json_t *emulation = json_object_get(side->summary, "emulation");
	const char *verdict = text_of(emulation, "verdict"), *reason = text_of(emulation, "reason");
	u32 seeds = seeds_with(side->summary, "invalid");

	if (seeds) {
		note(c, side->run,
		     "the %s was emulated, and the emulator calls %u of its seeds invalid: nothing can be "
		     "told from "
		     "it",
		     sides[which], seeds);
		c->invalid = true;
		return;
	}
	if (!*verdict || !strcmp(verdict, "faithful"))
		return;
	c->invalid |= !strcmp(verdict, "invalid");
	note(c, side->run, "the %s was emulated, and the emulator calls it %.20s%s%.120s%s%s", sides[which],
	     verdict, *reason ? " (" : "", reason, *reason ? ")" : "",
	     strcmp(verdict, "invalid") ? "" : ": nothing can be told from it");
}

static void on_interrupt(struct weir_comparison *c, const struct weir_compare_result *side, u32 which)
{
	if (json_is_true(json_object_get(side->summary, "interrupted")))
		note(c, side->run, "the %s was interrupted at %.4g s", sides[which],
		     number_of(side->summary, "simulated_s"));
}

static void on_series(struct weir_comparison *c, const struct weir_compare_result *side, u32 which)
{
	if (!side->series && !json_is_object(json_object_get(side->summary, "repeats")))
		note(c, side->run, "the %s has no series.csv beside it: its numbers have no intervals",
		     sides[which]);
}

static void on_number(struct weir_comparison *c, const struct weir_compare_result *a,
		      const struct weir_compare_result *b, const char *key, const char *words)
{
	double x = number_of(a->summary, key), y = number_of(b->summary, key);
	if (fabs(x - y) > .01 * fmax(fabs(x), fabs(y)))
		note(c, a->run, "%s differ: %.4g s and %.4g s", words, x, y);
}

static void on_scenario(struct weir_comparison *c, const struct weir_compare_result *a,
			const struct weir_compare_result *b)
{
	const char *x = text_of(a->summary, "scenario"), *y = text_of(b->summary, "scenario");
	if (strcmp(x, y) != 0)
		note(c, a->run, "different scenarios: %.80s and %.80s", x, y);
}

static void on_controllers(struct weir_comparison *c, const struct weir_compare_result *a,
			   const struct weir_compare_result *b)
{
	const json_t *x = json_object_get(a->summary, "flows"), *y = json_object_get(b->summary, "flows");
	/* Flows of one scenario stand in one order. */
	for (size_t i = 0; i < json_array_size(x) && i < json_array_size(y); i++) {
		const json_t *p = json_array_get(x, i), *q = json_array_get(y, i);
		const char *name = text_of(p, "name");
		const char *one = text_of(p, "controller"), *other = text_of(q, "controller");
		if (!strcmp(name, text_of(q, "name")) && !weir_compare_same(one, other))
			note(c, a->run, "%.60s: controller %.40s in the first, %.40s in the second", name,
			     *one ? one : "none", *other ? other : "none");
	}
}

void weir_compare_notes(struct weir_comparison *c, const struct weir_compare_result *a,
			const struct weir_compare_result *b)
{
	on_emulation(c, a, 0);
	on_emulation(c, b, 1);
	on_interrupt(c, a, 0);
	on_interrupt(c, b, 1);
	on_scenario(c, a, b);
	on_number(c, a, b, "simulated_s", "lengths of the runs");
	on_number(c, a, b, "warmup_s", "warm-ups");
	on_controllers(c, a, b);
	on_series(c, a, 0);
	on_series(c, b, 1);
}
