/* SPDX-License-Identifier: MIT */
/* weir compare: does a second result agree with a first one? */
#include "command.h"
#include "record/json.h"
#include "run/compare.h"
#include "scenario/quantity.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char *const verdicts[] = {"within", "OUTSIDE", "noise", "MISSING"};
static const char *const verdict_words[] = {"within", "outside", "noise", "missing"};

/* DIR, or the summary.json itself. */
static json_t *load(const struct weir_invocation *call, const char *operand)
{
	char path[4096], error[WEIR_QUERY_ERROR_BYTES];
	struct stat st;
	bool folder = stat(operand, &st) == 0 && S_ISDIR(st.st_mode);

	int n = snprintf(path, sizeof path, "%s%s", operand, folder ? "/summary.json" : "");
	if (n < 0 || (size_t)n >= sizeof path) {
		weir_error(call, WEIR_EXIT_USAGE, "%.64s...: the name is too long", operand);
		return NULL;
	}
	json_t *document = weir_query_load(path, "weir.summary/1", error);
	if (!document)
		weir_error(call, WEIR_EXIT_USAGE, "%s: %s", path, error);
	return document;
}

static bool part(const char *text, double *fraction, double *ms, char error[WEIR_QUANTITY_ERROR])
{
	u64 ns;
	size_t n = strlen(text);

	if (ms && n > 1 && text[n - 1] == 's') {
		if (!weir_quantity(text, WEIR_QUANTITY_TIME, &ns, error))
			return false;
		*ms = (double)ns / 1e6;
		return true;
	}
	if (!weir_quantity_fraction(text, fraction, error))
		return false;
	if (*fraction > 1 && text[n - 1] != '%') {
		snprintf(error, WEIR_QUANTITY_ERROR, "%s has no unit: write %s%%%s%s", text, text,
			 ms ? " or " : "", ms ? "2ms" : "");
		return false;
	}
	return true;
}

/* `5%`, and for --delay also `2ms` or both, by a comma. What is not named keeps its default. */
static int read_limit(const struct weir_invocation *call, const char *name, double *fraction, double *ms)
{
	const char *text = weir_option(call, name);
	char copy[64], error[WEIR_QUANTITY_ERROR], *rest = copy, *word;

	if (!text)
		return 0;
	snprintf(copy, sizeof copy, "%s", text);
	if (strlen(text) >= sizeof copy)
		return weir_usage_error(call, "--%s: the value is too long", name);
	while ((word = strsep(&rest, ","))) {
		if (!part(word, fraction, ms, error))
			return weir_usage_error(call, "--%s %s: %s", name, text, error);
	}
	return 0;
}

/* Names come from a file: no control character reaches the terminal. */
static void print_name(const char *name, int width)
{
	int n = 0;
	for (; *name && n < 48; name++, n++)
		putchar((unsigned char)*name < 0x20 || *name == 0x7f ? '?' : *name);
	printf("%*s", n < width ? width - n : 0, "");
}

static void print_side(const struct weir_compare_side *s, bool ms)
{
	if (!s->known)
		printf(" %14s", "-");
	else
		printf(" %14.*f", ms ? 3 : 0, s->value);
}

static void print_table(const struct weir_comparison *c)
{
	printf("%-6s %-20s %-19s %14s %14s %9s  %s\n", "", "name", "", "first", "second", "change", "");
	for (u32 i = 0; i < c->n; i++) {
		const struct weir_compare_row *r = &c->row[i];
		bool ms = strstr(r->metric, "_ms") != NULL;
		printf("%-6s ", r->kind);
		print_name(r->name, 20);
		printf(" %-19s", r->metric);
		print_side(&r->a, ms);
		print_side(&r->b, ms);
		if (r->a.known && r->b.known && r->a.value != 0)
			printf(" %+8.1f%%", 100 * (r->b.value - r->a.value) / r->a.value);
		else
			printf(" %9s", "");
		printf("  %s\n", verdicts[r->verdict]);
	}
	printf("%u compared, %u outside", c->n, c->outside);
	if (c->noise)
		printf(", %u beyond the limit but within the noise of the repeats", c->noise);
	putchar('\n');
}

static void put_side(struct weir_json *j, const char *key, const struct weir_compare_side *s)
{
	weir_json_key(j, key);
	if (!s->known) {
		weir_json_null(j);
		return;
	}
	weir_json_double(j, s->value);
}

static void put_ci(struct weir_json *j, const char *key, const struct weir_compare_side *s)
{
	weir_json_key(j, key);
	if (!s->has_ci) {
		weir_json_null(j);
		return;
	}
	weir_json_line(j);
	weir_json_array(j);
	weir_json_double(j, s->ci_low);
	weir_json_double(j, s->ci_high);
	weir_json_array_end(j);
}

static void put_row(struct weir_json *j, const struct weir_compare_row *r)
{
	weir_json_object(j);
	weir_json_put_string(j, "kind", r->kind);
	weir_json_put_string(j, "name", r->name);
	weir_json_put_string(j, "metric", r->metric);
	put_side(j, "first", &r->a);
	put_side(j, "second", &r->b);
	put_ci(j, "first_ci95", &r->a);
	put_ci(j, "second_ci95", &r->b);
	weir_json_put_double(j, "limit", r->largest_difference);
	weir_json_put_string(j, "verdict", verdict_words[r->verdict]);
	weir_json_object_end(j);
}

static int print_json(const struct weir_invocation *call, const struct weir_compare_limits *limits,
		      const struct weir_comparison *c)
{
	struct weir_json j;

	weir_json_to_file(&j, stdout);
	weir_json_object(&j);
	weir_json_put_string(&j, "schema", "weir.compare/1");
	weir_json_put_string(&j, "first", call->operands[0]);
	weir_json_put_string(&j, "second", call->operands[1]);
	weir_json_put_object(&j, "limits");
	weir_json_put_double(&j, "goodput", limits->goodput_fraction);
	weir_json_put_double(&j, "delay", limits->delay_fraction);
	weir_json_put_double(&j, "delay_ms", limits->delay_ms);
	weir_json_object_end(&j);
	weir_json_put_string(&j, "verdict", c->outside ? "outside" : "within");
	weir_json_put_u64(&j, "compared", c->n);
	weir_json_put_u64(&j, "outside", c->outside);
	weir_json_put_array(&j, "rows");
	for (u32 i = 0; i < c->n; i++)
		put_row(&j, &c->row[i]);
	weir_json_array_end(&j);
	weir_json_object_end(&j);
	if (weir_json_finish(&j) < 0)
		return weir_error(call, WEIR_EXIT_FAILED, "cannot write: %m");
	return 0;
}

static int judge(const struct weir_invocation *call, const struct weir_compare_limits *limits,
		 const json_t *a, const json_t *b)
{
	struct weir_comparison c;
	int code = 0;

	if (weir_compare(a, b, limits, &c) < 0)
		code = weir_error(call, WEIR_EXIT_FAILED, "out of memory");
	else if (c.n == 0)
		code = weir_error(call, WEIR_EXIT_USAGE, "neither result has anything that can be compared");
	else if (weir_option(call, "json"))
		code = print_json(call, limits, &c);
	else
		print_table(&c);
	if (code == 0 && c.outside)
		code = WEIR_EXIT_CLAIM;
	weir_comparison_free(&c);
	return code;
}

static int cmd_compare(struct weir_invocation *call)
{
	struct weir_compare_limits limits = WEIR_COMPARE_DEFAULTS;

	if (read_limit(call, "goodput", &limits.goodput_fraction, NULL) ||
	    read_limit(call, "delay", &limits.delay_fraction, &limits.delay_ms))
		return WEIR_EXIT_USAGE;
	json_t *a = load(call, call->operands[0]), *b = load(call, call->operands[1]);
	int code = a && b ? judge(call, &limits, a, b) : WEIR_EXIT_USAGE;
	json_decref(a);
	json_decref(b);
	return code;
}

static const struct weir_option options[] = {
    {.name = "goodput", .value = "5%", .help = "largest difference of a goodput"},
    {.name = "delay",
     .value = "10%,2ms",
     .help = "largest difference of a median queue delay, whichever is more"},
    WEIR_OPTION_JSON,
    {0},
};

const struct weir_command weir_cmd_compare = {
    .name = "compare",
    .synopsis = "DIR DIR [--goodput 5%] [--delay 10%,2ms] [--json]",
    .help = "tell whether a second result agrees with a first one",
    .details = "Flows, groups and links of two runs are matched by name. Goodput and median queue delay are\n"
	       "judged against the first; what only one of the two has is outside. Where both were run with\n"
	       "--repeat, a difference counts only if the 95 % confidence intervals do not meet.\n"
	       "Exit status: 0 all within, 5 something outside, 2 a result cannot be read.",
    .options = options,
    .operands_min = 2,
    .operands_max = 2,
    .run = cmd_compare,
};
