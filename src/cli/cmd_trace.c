/* SPDX-License-Identifier: MIT */
/* `weir trace`: look at, convert and make the traces that links can follow. */
#include "command.h"
#include "link/trace_rates.h"
#include "record/json.h"
#include "report/page.h"
#include "scenario/quantity.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#define PEAK_WINDOW_NS (100 * WEIR_NS_PER_MS)
#define SLOW_BPS 200000. /* below: handshakes and timeouts, not congestion control, fill the time */
#define LONG_OUTAGE_NS (10 * WEIR_NS_PER_S)

static struct weir_diag diag;

/* An option with a unit; *value is left alone when it is absent. Counts a mistake in *wrong. */
static void quantity(struct weir_invocation *call, const char *name, enum weir_quantity kind, u64 *value,
		     int *wrong)
{
	const char *text = weir_option(call, name);
	char error[WEIR_QUANTITY_ERROR];
	if (text && !weir_quantity(text, kind, value, error))
		*wrong = weir_usage_error(call, "--%s: %s", name, error);
}

/* The same for what must be above 0. */
static void positive(struct weir_invocation *call, const char *name, enum weir_quantity kind, u64 *value,
		     int *wrong)
{
	int before = *wrong;
	quantity(call, name, kind, value, wrong);
	if (*wrong == before && weir_option(call, name) && *value == 0)
		*wrong = weir_usage_error(call, "--%s must be above 0", name);
}

static void start_diag(const char *file)
{
	diag.n = diag.more = 0;
	snprintf(diag.file, sizeof diag.file, "%s", file);
}

/* Prints the mistakes of an input, with its lines. Returns WEIR_EXIT_USAGE. */
static int complain(const char *source)
{
	weir_diag_print(&diag, source, stderr);
	return WEIR_EXIT_USAGE;
}

/* A table of rates has a comma in its first line that is no comment. */
static bool is_table(const char *text)
{
	while (*text == '#' || *text == '\n') {
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return text[strcspn(text, ",\n")] == ',';
}

/* Reads a trace, also from a table of rates; prints what is wrong. Returns an enum weir_exit. */
static int load(const char *path, unsigned options, u64 period_ns, struct weir_trace *t)
{
	size_t length;
	start_diag(path);
	char *text = weir_trace_read(path, WEIR_TRACE_MOST_BYTES, &length, &diag);
	if (!text)
		return complain(NULL);
	int result = is_table(text) ? weir_trace_parse_csv(text, length, period_ns, t, &diag)
				    : weir_trace_parse(text, length, options, period_ns, t, &diag);
	if (result < 0)
		result = complain(text);
	free(text);
	return result;
}

static void warn(const char *path, const struct weir_trace *t)
{
	char number[48];
	double mean_bps = weir_trace_mean_bps(t);
	u64 outage_ns = weir_trace_longest_outage_ns(t);
	if (mean_bps < SLOW_BPS) {
		weir_quantity_print(WEIR_QUANTITY_RATE, (u64)mean_bps, number);
		fprintf(stderr, "%s: warning: mean rate %s, below %.0f kbit/s: expect timeouts\n", path,
			number, SLOW_BPS / 1e3);
	}
	if (outage_ns > LONG_OUTAGE_NS)
		fprintf(stderr, "%s: warning: an outage of %.3f s\n", path, (double)outage_ns / 1e9);
}

/* ---- check ---- */

static void put_mistakes(struct weir_json *j)
{
	weir_json_put_array(j, "mistakes");
	for (u32 i = 0; i < diag.n; i++) {
		weir_json_line(j);
		weir_json_object(j);
		weir_json_put_u64(j, "line", diag.entry[i].line);
		weir_json_put_u64(j, "column", diag.entry[i].column);
		weir_json_put_string(j, "text", diag.entry[i].text);
		weir_json_object_end(j);
	}
	weir_json_array_end(j);
	weir_json_put_u64(j, "more", diag.more);
}

static int check(struct weir_invocation *call)
{
	u64 period_ns = 0;
	int code = WEIR_EXIT_OK;
	positive(call, "period", WEIR_QUANTITY_TIME, &period_ns, &code);
	if (code)
		return code;
	struct weir_json j;
	bool json = weir_option(call, "json");
	if (json) {
		weir_json_to_file(&j, stdout);
		weir_json_object(&j);
		weir_json_put_string(&j, "schema", "weir.trace-check/1");
		weir_json_put_array(&j, "files");
	}
	for (u32 i = 0; i < call->n_operands; i++) {
		struct weir_trace t = {0};
		int wrong = load(call->operands[i], 0, period_ns, &t);
		code = wrong ? wrong : code;
		if (!wrong)
			warn(call->operands[i], &t);
		if (json) {
			weir_json_object(&j);
			weir_json_put_string(&j, "file", call->operands[i]);
			weir_json_put_bool(&j, "ok", !wrong);
			put_mistakes(&j);
			weir_json_object_end(&j);
		} else if (!wrong) {
			printf("%s: ok, %llu opportunities in %.15g s\n", call->operands[i], t.n,
			       (double)t.period_ns / 1e9);
		}
		weir_trace_fini(&t);
	}
	if (json) {
		weir_json_array_end(&j);
		weir_json_object_end(&j);
		weir_json_finish(&j);
	}
	return code;
}

static const struct weir_option check_options[] = {
    {.name = "period", .value = "TIME", .help = "the period, whatever the file says"}, WEIR_OPTION_JSON, {0}};
static const struct weir_command trace_check = {
    .name = "check",
    .synopsis = "FILE... [--period TIME] [--json]",
    .help = "find every mistake in traces; exit 2 if there is one",
    .options = check_options,
    .operands_min = 1,
    .operands_max = WEIR_ANY,
    .run = check,
};

/* ---- describe ---- */

static void describe_text(const char *path, const struct weir_trace *t)
{
	char mean[48], peak[48];
	bool twice = t->at_ns[0] == 0 && t->at_ns[t->n - 1] == t->period_ns;
	weir_quantity_print(WEIR_QUANTITY_RATE, (u64)(weir_trace_mean_bps(t) + .5), mean);
	weir_quantity_print(WEIR_QUANTITY_RATE, (u64)(weir_trace_max_bps(t, PEAK_WINDOW_NS) + .5), peak);
	printf("%s\n", path);
	printf("  period          %.15g s%s\n", (double)t->period_ns / 1e9,
	       t->own_period ? "" : " (the last timestamp, as in mahimahi)");
	printf("  opportunities   %llu of %d bytes\n", t->n, WEIR_TRACE_BYTES);
	printf("  mean rate       %s\n", mean);
	printf("  highest rate    %s over 100 ms\n", peak);
	printf("  longest outage  %.15g ms\n", (double)weir_trace_longest_outage_ns(t) / 1e6);
	if (twice)
		printf("  at each wrap the first opportunity falls on the last one: twice the rate there,\n"
		       "  as in mahimahi; a header or --period with a longer period avoids it\n");
}

static void describe_json(const char *path, const struct weir_trace *t)
{
	struct weir_json j;
	weir_json_to_file(&j, stdout);
	weir_json_object(&j);
	weir_json_put_string(&j, "schema", "weir.trace/1");
	weir_json_put_string(&j, "file", path);
	weir_json_put_double(&j, "period_ms", (double)t->period_ns / 1e6);
	weir_json_put_u64(&j, "opportunities", t->n);
	weir_json_put_double(&j, "mean_bps", weir_trace_mean_bps(t));
	weir_json_put_double(&j, "max_bps", weir_trace_max_bps(t, PEAK_WINDOW_NS));
	weir_json_put_double(&j, "longest_outage_ms", (double)weir_trace_longest_outage_ns(t) / 1e6);
	weir_json_object_end(&j);
	weir_json_finish(&j);
}

static int describe(struct weir_invocation *call)
{
	u64 period_ns = 0;
	int code = WEIR_EXIT_OK;
	struct weir_trace t = {0};
	positive(call, "period", WEIR_QUANTITY_TIME, &period_ns, &code);
	code = code ? code : load(call->operands[0], 0, period_ns, &t);
	if (code)
		return code;
	warn(call->operands[0], &t);
	if (weir_option(call, "json"))
		describe_json(call->operands[0], &t);
	else
		describe_text(call->operands[0], &t);
	weir_trace_fini(&t);
	return WEIR_EXIT_OK;
}

static const struct weir_command trace_describe = {
    .name = "describe",
    .synopsis = "FILE [--period TIME] [--json]",
    .help = "period, mean and highest rate, longest outage of a trace",
    .details = "The highest rate is that over any 100 ms.\n",
    .options = check_options,
    .operands_min = 1,
    .operands_max = 1,
    .run = describe,
};

/* ---- writing ---- */

struct output {
	const struct weir_trace *trace;
	enum weir_trace_format format;
	u64 bin_ns;
};

static int fill(FILE *to, void *ctx)
{
	const struct output *o = ctx;
	weir_trace_write(o->trace, o->format, o->bin_ns, to);
	return ferror(to) ? -1 : 0;
}

/* What is no file (a pipe, a device) is written to, not replaced. */
static int write_directly(const char *path, struct output *o)
{
	FILE *to = fopen(path, "w");
	bool failed = !to || fill(to, o) < 0;
	failed |= to && fclose(to) != 0;
	if (failed)
		weir_diag_add(&diag, 0, 0, "cannot write: %s", strerror(errno));
	return failed ? WEIR_EXIT_FAILED : WEIR_EXIT_OK;
}

static int write_file(const char *path, struct output *o)
{
	struct stat s;
	bool direct = stat(path, &s) == 0 && !S_ISREG(s.st_mode);
	int code = direct ? write_directly(path, o) : weir_page_write(path, fill, o, &diag);
	if (code)
		weir_diag_print(&diag, NULL, stderr);
	return code;
}

static void parse_output(struct weir_invocation *call, struct output *o, int *wrong)
{
	static const char *const names[] = {"weir", "mahimahi", "csv"};
	const char *to = weir_option(call, "to");
	u32 i = 0;
	while (to && i < 3 && strcmp(to, names[i]) != 0)
		i++;
	if (i == 3)
		*wrong = weir_usage_error(call, "--to %s: not weir, mahimahi or csv", to);
	o->format = (enum weir_trace_format)i;
	o->bin_ns = 100 * WEIR_NS_PER_MS;
	positive(call, "bin", WEIR_QUANTITY_TIME, &o->bin_ns, wrong);
}

static int write_trace(struct weir_invocation *call, struct output *o)
{
	const char *path = weir_option(call, "output");
	path = path && strcmp(path, "-") != 0 ? path : NULL;
	const struct weir_trace *t = o->trace;
	u64 last_ms = (t->at_ns[t->n - 1] + WEIR_NS_PER_MS / 2) / WEIR_NS_PER_MS;
	start_diag(path ? path : "standard output");
	if (weir_trace_can_write(t, o->format, o->bin_ns, &diag) < 0)
		return complain(NULL);
	if (o->format == WEIR_TRACE_MAHIMAHI && last_ms * WEIR_NS_PER_MS != t->period_ns)
		fprintf(stderr, "%s: the period becomes the last timestamp, %llu ms, instead of %.15g ms\n",
			call->path, last_ms, (double)t->period_ns / 1e6);
	if (!path) {
		weir_trace_write(t, o->format, o->bin_ns, stdout);
		return WEIR_EXIT_OK;
	}
	return write_file(path, o);
}

#define OUTPUT_OPTIONS                                                                                       \
	{.name = "output", .letter = 'o', .value = "FILE", .help = "write to FILE instead of stdout"},       \
	    {.name = "to",                                                                                   \
	     .value = "FORMAT",                                                                              \
	     .help = "weir (the default: with its period, fractions of a ms), mahimahi or csv"},             \
	{                                                                                                    \
		.name = "bin", .value = "TIME", .help = "step of a csv (100 ms)"                             \
	}

static int convert(struct weir_invocation *call)
{
	u64 period_ns = 0;
	int code = WEIR_EXIT_OK;
	struct output o;
	struct weir_trace t = {0};
	parse_output(call, &o, &code);
	positive(call, "period", WEIR_QUANTITY_TIME, &period_ns, &code);
	unsigned options = weir_option(call, "sort") ? WEIR_TRACE_SORT : 0;
	code = code ? code : load(call->operands[0], options, period_ns, &t);
	if (code)
		return code;
	o.trace = &t;
	code = write_trace(call, &o);
	weir_trace_fini(&t);
	return code;
}

static const struct weir_option convert_options[] = {
    OUTPUT_OPTIONS,
    {.name = "period", .value = "TIME", .help = "the period, whatever the file says"},
    {.name = "sort", .help = "put timestamps that go back in order"},
    {0}};
static const struct weir_command trace_convert = {
    .name = "convert",
    .synopsis = "FILE [--to FORMAT] [-o FILE] [--sort]",
    .help = "between traces and tables of rates; or repair a trace",
    .details = "FILE is a trace, or a table `time_s,rate_bps` (known by its commas); - is stdin.\n",
    .options = convert_options,
    .operands_min = 1,
    .operands_max = 1,
    .run = convert,
};

/* ---- make ---- */

static int make_cbr(struct weir_invocation *call, u64 duration_ns, u64 bps, struct weir_trace *t)
{
	struct weir_rate_step step = {0, bps};
	start_diag("trace");
	if (weir_option(call, "outages") || weir_option(call, "seed"))
		return weir_usage_error(call, "--outages and --seed belong to lte");
	return weir_trace_from_steps(&step, 1, duration_ns, t, &diag) < 0 ? complain(NULL) : WEIR_EXIT_OK;
}

static int make_lte(struct weir_invocation *call, u64 duration_ns, u64 bps, struct weir_trace *t)
{
	struct weir_lte lte = {.mean_bps = bps, .duration_ns = duration_ns, .seed = 1, .outages = .01};
	const char *outages = weir_option(call, "outages");
	char error[WEIR_QUANTITY_ERROR];
	int wrong = weir_option_u64(call, "seed", 0, WEIR_NEVER, &lte.seed);
	if (outages && !weir_quantity_fraction(outages, &lte.outages, error))
		wrong = weir_usage_error(call, "--outages: %s", error);
	else if (!(lte.outages >= 0 && lte.outages <= .9))
		wrong = weir_usage_error(call, "--outages must be between 0 and 90%%");
	start_diag("trace");
	if (wrong)
		return wrong;
	return weir_trace_make_lte(&lte, t, &diag) < 0 ? complain(NULL) : WEIR_EXIT_OK;
}

static int make(struct weir_invocation *call)
{
	const char *kind = call->operands[0];
	bool lte = strcmp(kind, "lte") == 0;
	u64 duration_ns = (lte ? 60 : 1) * WEIR_NS_PER_S, bps = 12000000;
	int code = WEIR_EXIT_OK;
	struct output o;
	struct weir_trace t = {0};

	if (!lte && strcmp(kind, "cbr") != 0)
		code = weir_usage_error(call, "%s: not lte or cbr", kind);
	parse_output(call, &o, &code);
	positive(call, "duration", WEIR_QUANTITY_TIME, &duration_ns, &code);
	positive(call, "rate", WEIR_QUANTITY_RATE, &bps, &code);
	positive(call, "mean", WEIR_QUANTITY_RATE, &bps, &code);
	if (weir_option(call, "rate") && weir_option(call, "mean"))
		code = weir_usage_error(call, "--rate and --mean are the same: give one");
	if (bps > WEIR_TRACE_MOST_BPS || duration_ns > WEIR_TRACE_MOST_MS * WEIR_NS_PER_MS)
		code = weir_usage_error(call, "at most 1 Tbit/s and 115 days");
	code = code  ? code
	       : lte ? make_lte(call, duration_ns, bps, &t)
		     : make_cbr(call, duration_ns, bps, &t);
	if (code || !t.at_ns)
		return code;
	warn(call->path, &t);
	o.trace = &t;
	code = write_trace(call, &o);
	weir_trace_fini(&t);
	return code;
}

static const struct weir_option make_options[] = {
    OUTPUT_OPTIONS,
    {.name = "mean", .value = "RATE", .help = "mean rate (12 Mbit/s)"},
    {.name = "rate", .value = "RATE", .help = "the same, for cbr"},
    {.name = "duration", .value = "TIME", .help = "the period (lte 60 s, cbr 1 s)"},
    {.name = "outages", .value = "SHARE", .help = "lte: share of the time without service (1%)"},
    WEIR_OPTION_SEED,
    {0}};
static const struct weir_command trace_make = {
    .name = "make",
    .synopsis = "lte|cbr [--mean RATE] [--duration TIME] [--outages SHARE] [--seed N] [-o FILE]",
    .help = "a synthetic radio link, or a constant rate",
    .options = make_options,
    .operands_min = 1,
    .operands_max = 1,
    .run = make,
};

static const struct weir_command *const children[] = {&trace_check, &trace_describe, &trace_convert,
						      &trace_make, NULL};
const struct weir_command weir_cmd_trace = {
    .name = "trace",
    .synopsis = "check|describe|convert|make ...",
    .help = "look at, convert and make the traces that links can follow",
    .children = children,
};
