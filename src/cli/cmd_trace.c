/* SPDX-License-Identifier: MIT */
/* `weir trace`: look at traces that links can follow; convert and make them: trace_write.c. */
#include "record/json.h"
#include "trace.h"

#include <stdio.h>

#define PEAK_WINDOW_NS (100 * WEIR_NS_PER_MS)

/* ---- check ---- */

static void put_mistakes(struct weir_json *j)
{
	weir_json_put_array(j, "mistakes");
	for (u32 i = 0; i < weir_trace_diag.n; i++) {
		weir_json_line(j);
		weir_json_object(j);
		weir_json_put_u64(j, "line", weir_trace_diag.entry[i].line);
		weir_json_put_u64(j, "column", weir_trace_diag.entry[i].column);
		weir_json_put_string(j, "text", weir_trace_diag.entry[i].text);
		weir_json_object_end(j);
	}
	weir_json_array_end(j);
	weir_json_put_u64(j, "more", weir_trace_diag.more);
}

static int check(struct weir_invocation *call)
{
	u64 period_ns = 0;
	int code = WEIR_EXIT_OK;
	weir_option_positive(call, "period", WEIR_QUANTITY_TIME, &period_ns, &code);
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
		int wrong = weir_trace_input(call->operands[i], 0, period_ns, &t);
		code = wrong ? wrong : code;
		if (!wrong)
			weir_trace_warn(call->operands[i], &t);
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
const struct weir_command weir_trace_check = {
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
	weir_option_positive(call, "period", WEIR_QUANTITY_TIME, &period_ns, &code);
	code = code ? code : weir_trace_input(call->operands[0], 0, period_ns, &t);
	if (code)
		return code;
	weir_trace_warn(call->operands[0], &t);
	if (weir_option(call, "json"))
		describe_json(call->operands[0], &t);
	else
		describe_text(call->operands[0], &t);
	weir_trace_fini(&t);
	return WEIR_EXIT_OK;
}

const struct weir_command weir_trace_describe = {
    .name = "describe",
    .synopsis = "FILE [--period TIME] [--json]",
    .help = "period, mean and highest rate, longest outage of a trace",
    .details = "The highest rate is that over any 100 ms.\n",
    .options = check_options,
    .operands_min = 1,
    .operands_max = 1,
    .run = describe,
};

static const struct weir_command *const children[] = {&weir_trace_check, &weir_trace_describe,
						      &weir_trace_convert, &weir_trace_make, NULL};
const struct weir_command weir_cmd_trace = {
    .name = "trace",
    .synopsis = "check|describe|convert|make ...",
    .help = "look at, convert and make the traces that links can follow",
    .children = children,
};
