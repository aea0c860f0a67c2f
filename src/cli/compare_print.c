/* SPDX-License-Identifier: MIT */
/* What `weir compare` says: a table for people, or one JSON document. */
#include "compare.h"
#include "record/json.h"
#include "report/theme.h"

#include <math.h>
#include <string.h>

static const char *const verdicts[WEIR_COMPARE_VERDICTS] = {"within", "OUTSIDE", "noise", "MISSING"};

/* Texts come from a file: no control character reaches the terminal. */
static int print_safe(const char *text, int most)
{
	int n = 0;
	for (; *text && n < most; text++, n++)
		putchar((unsigned char)*text < 0x20 || *text == 0x7f ? '?' : *text);
	return n;
}

static void print_name(const char *name, int width)
{
	int n = print_safe(name, 48);
	printf("%*s", n < width ? width - n : 0, "");
}

static void print_side(const struct weir_compare_side *s, double divisor)
{
	char text[64] = "-";
	if (s->known && s->ci.freedom)
		snprintf(text, sizeof text, "%.2f +- %.2f", s->value / divisor,
			 (s->ci.high - s->ci.low) / 2 / divisor);
	else if (s->known)
		snprintf(text, sizeof text, "%.2f", s->value / divisor);
	printf(" %18s", text);
}

/* "-3.3 % [-5.9, -0.7]" */
static void print_change(const struct weir_compare_row *r)
{
	char text[64] = "";
	if (!r->a.known || !r->b.known || r->a.value == 0)
		snprintf(text, sizeof text, "%s", "");
	else if (r->ci.freedom)
		snprintf(text, sizeof text, "%+.1f %% [%+.1f, %+.1f]", 100 * r->difference / r->a.value,
			 100 * r->ci.low / r->a.value, 100 * r->ci.high / r->a.value);
	else
		snprintf(text, sizeof text, "%+.1f %%", 100 * r->difference / r->a.value);
	printf(" %24s", text);
}

static void print_row(const struct weir_compare_row *r)
{
	bool ms = strstr(r->metric, "_ms") != NULL;
	struct weir_scale scale = {1, "ms"};
	char what[32];
	weir_signal_words(r->metric, what, sizeof what);
	if (!ms)
		scale = weir_scale_for(WEIR_RATE, fmax(r->a.value, r->b.value));
	printf("%-6s ", r->kind);
	print_name(r->name, 16);
	printf(" %-16s %-7s", what, *r->metric ? scale.symbol : "");
	print_side(&r->a, scale.divisor);
	print_side(&r->b, scale.divisor);
	print_change(r);
	printf("  %s%s\n", verdicts[r->verdict], r->unsure ? ", unsure" : "");
}

void weir_compare_text(const struct weir_compare_job *job)
{
	const struct weir_comparison *c = &job->result;
	const char *run = NULL;
	for (u32 i = 0; i < c->n_notes; i++) {
		print_safe(c->note[i], (int)sizeof c->note[i]);
		putchar('\n');
	}
	if (c->more_notes)
		printf("and %u notes more\n", c->more_notes);
	if (c->n_notes)
		putchar('\n');
	printf("%-6s %-16s %-16s %-7s %18s %18s %24s\n", "", "name", "", "", "first", "second", "change");
	for (u32 i = 0; i < c->n; i++) {
		const struct weir_compare_row *r = &c->row[i];
		if (r->run && (!run || strcmp(run, r->run) != 0)) {
			run = r->run;
			fputs("-- ", stdout);
			print_name(run, 0);
			putchar('\n');
		}
		print_row(r);
	}
	printf("%u compared, %u outside", c->n, c->outside);
	if (c->noise)
		printf(", %u beyond the limit, but by no more than chance explains", c->noise);
	if (c->unsure)
		printf(", %u within by chance perhaps", c->unsure);
	puts(c->invalid ? "\nINVALID: an emulator could not keep up" : "");
}

/* ---- JSON ---- */

static void put_number(struct weir_json *j, const char *key, bool known, double x)
{
	weir_json_key(j, key);
	if (known)
		weir_json_double(j, x);
	else
		weir_json_null(j);
}

static void put_interval(struct weir_json *j, const char *key, const struct weir_compare_interval *ci)
{
	weir_json_key(j, key);
	if (!ci->freedom) {
		weir_json_null(j);
		return;
	}
	weir_json_line(j);
	weir_json_array(j);
	weir_json_double(j, ci->low);
	weir_json_double(j, ci->high);
	weir_json_array_end(j);
}

static void put_row(struct weir_json *j, const struct weir_compare_row *r)
{
	bool both = r->a.known && r->b.known;
	weir_json_object(j);
	weir_json_put_string(j, "run", r->run);
	weir_json_put_string(j, "kind", r->kind);
	weir_json_put_string(j, "name", r->name);
	weir_json_put_string(j, "metric", *r->metric ? r->metric : NULL);
	put_number(j, "first", r->a.known, r->a.value);
	put_number(j, "second", r->b.known, r->b.value);
	put_interval(j, "first_ci95", &r->a.ci);
	put_interval(j, "second_ci95", &r->b.ci);
	put_number(j, "difference", both, r->difference);
	put_interval(j, "difference_ci95", &r->ci);
	put_number(j, "limit", *r->metric, r->largest_difference);
	weir_json_put_string(j, "verdict", weir_compare_words[r->verdict]);
	weir_json_key(j, "sure");
	if (r->ci.freedom)
		weir_json_bool(j, !r->unsure && r->verdict != WEIR_COMPARE_NOISE);
	else
		weir_json_null(j);
	weir_json_object_end(j);
}

int weir_compare_json(FILE *to, const struct weir_compare_job *job)
{
	const struct weir_comparison *c = &job->result;
	struct weir_json j;

	weir_json_to_file(&j, to);
	weir_json_object(&j);
	weir_json_put_string(&j, "schema", "weir.compare/1");
	weir_json_put_string(&j, "first", job->operand[0]);
	weir_json_put_string(&j, "second", job->operand[1]);
	weir_json_put_object(&j, "limits");
	weir_json_put_double(&j, "goodput", job->limits.goodput_fraction);
	weir_json_put_double(&j, "delay", job->limits.delay_fraction);
	weir_json_put_double(&j, "delay_ms", job->limits.delay_ms);
	weir_json_object_end(&j);
	weir_json_put_string(&j, "verdict", weir_comparison_verdict(c));
	weir_json_put_u64(&j, "compared", c->n);
	weir_json_put_u64(&j, "outside", c->outside);
	weir_json_put_u64(&j, "noise", c->noise);
	weir_json_put_u64(&j, "unsure", c->unsure);
	weir_json_put_array(&j, "notes");
	for (u32 i = 0; i < c->n_notes; i++)
		weir_json_string(&j, c->note[i]);
	weir_json_array_end(&j);
	weir_json_put_array(&j, "rows");
	for (u32 i = 0; i < c->n; i++)
		put_row(&j, &c->row[i]);
	weir_json_array_end(&j);
	weir_json_object_end(&j);
	return weir_json_finish(&j);
}
