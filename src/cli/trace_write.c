/* SPDX-License-Identifier: MIT */
/* `weir trace convert` and `weir trace make`. */
#include "report/page.h"
#include "trace.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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
		weir_diag_add(&weir_trace_diag, 0, 0, "cannot write: %s", strerror(errno));
	return failed ? WEIR_EXIT_FAILED : WEIR_EXIT_OK;
}

static int write_file(const char *path, struct output *o)
{
	struct stat s;
	bool direct = stat(path, &s) == 0 && !S_ISREG(s.st_mode);
	int code = direct ? write_directly(path, o) : weir_page_write(path, fill, o, &weir_trace_diag);
	if (code)
		weir_diag_print(&weir_trace_diag, NULL, stderr);
	return code;
}

static void parse_output(struct weir_invocation *call, struct output *o, int *wrong)
{
	static const char *const names[] = {"weir", "mahimahi", "csv", NULL};
	const char *to = weir_option(call, "to");
	u32 i = to ? weir_one_of(call, "--to ", to, names) : 0;
	if (i == WEIR_NO_WORD)
		*wrong = WEIR_EXIT_USAGE;
	o->format = (enum weir_trace_format)i;
	o->bin_ns = 100 * WEIR_NS_PER_MS;
	weir_option_positive(call, "bin", WEIR_QUANTITY_TIME, &o->bin_ns, wrong);
}

static int write_trace(struct weir_invocation *call, struct output *o)
{
	const char *path = weir_option(call, "output");
	path = path && strcmp(path, "-") != 0 ? path : NULL;
	const struct weir_trace *t = o->trace;
	u64 last_ms = (t->at_ns[t->n - 1] + WEIR_NS_PER_MS / 2) / WEIR_NS_PER_MS;
	weir_trace_diag_start(path ? path : "standard output");
	if (weir_trace_can_write(t, o->format, o->bin_ns, &weir_trace_diag) < 0)
		return weir_trace_complain(NULL);
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
	weir_option_positive(call, "period", WEIR_QUANTITY_TIME, &period_ns, &code);
	unsigned options = weir_option(call, "sort") ? WEIR_TRACE_SORT : 0;
	code = code ? code : weir_trace_input(call->operands[0], options, period_ns, &t);
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
const struct weir_command weir_trace_convert = {
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
	weir_trace_diag_start("trace");
	if (weir_option(call, "outages") || weir_option(call, "seed"))
		return weir_usage_error(call, "--outages and --seed belong to lte");
	return weir_trace_from_steps(&step, 1, duration_ns, t, &weir_trace_diag) < 0
		   ? weir_trace_complain(NULL)
		   : WEIR_EXIT_OK;
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
	weir_trace_diag_start("trace");
	if (wrong)
		return wrong;
	return weir_trace_make_lte(&lte, t, &weir_trace_diag) < 0 ? weir_trace_complain(NULL) : WEIR_EXIT_OK;
}

static int make(struct weir_invocation *call)
{
	const char *kind = call->operands[0];
	static const char *const kinds[] = {"lte", "cbr", NULL};
	u32 which = weir_one_of(call, "", kind, kinds);
	bool lte = which == 0;
	u64 duration_ns = (lte ? 60 : 1) * WEIR_NS_PER_S, bps = 12000000;
	int code = WEIR_EXIT_OK;
	struct output o;
	struct weir_trace t = {0};

	if (which == WEIR_NO_WORD)
		code = WEIR_EXIT_USAGE;
	parse_output(call, &o, &code);
	weir_option_positive(call, "duration", WEIR_QUANTITY_TIME, &duration_ns, &code);
	weir_option_positive(call, "rate", WEIR_QUANTITY_RATE, &bps, &code);
	weir_option_positive(call, "mean", WEIR_QUANTITY_RATE, &bps, &code);
	if (weir_option(call, "rate") && weir_option(call, "mean"))
		code = weir_usage_error(call, "--rate and --mean are the same: give one");
	if (bps > WEIR_TRACE_MOST_BPS || duration_ns > WEIR_TRACE_MOST_MS * WEIR_NS_PER_MS)
		code = weir_usage_error(call, "at most 1 Tbit/s and 115 days");
	code = code  ? code
	       : lte ? make_lte(call, duration_ns, bps, &t)
		     : make_cbr(call, duration_ns, bps, &t);
	if (code || !t.at_ns)
		return code;
	weir_trace_warn(call->path, &t);
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
const struct weir_command weir_trace_make = {
    .name = "make",
    .synopsis = "lte|cbr [--mean RATE] [--duration TIME] [--outages SHARE] [--seed N] [-o FILE]",
    .help = "a synthetic radio link, or a constant rate",
    .options = make_options,
    .operands_min = 1,
    .operands_max = 1,
    .run = make,
};
