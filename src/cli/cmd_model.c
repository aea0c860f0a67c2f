/* SPDX-License-Identifier: MIT */
/* `weir model`: what a model says of a controller, without a run. */
#include "model.h"
#include "record/json.h"

#include <stdio.h>

/* ---- throughput ---- */

static void put_optional(struct weir_json *j, const char *key, bool known, double x)
{
	if (known)
		weir_json_put_double(j, key, x);
	else
		weir_json_put_null(j, key);
}

static void put_distribution(struct weir_json *j, const struct weir_model_result *r)
{
	weir_json_put_object(j, "distribution");
	weir_json_key(j, "window_packets");
	weir_json_line(j);
	weir_json_array(j);
	for (u64 i = 0; i < r->n; i++)
		weir_json_u64(j, r->first_packets + i * r->step_packets);
	weir_json_array_end(j);
	for (u32 k = 0; k < 2; k++) {
		const double *law = k ? r->time_share : r->probability;
		weir_json_key(j, k ? "time_share" : "probability");
		weir_json_line(j);
		weir_json_array(j);
		for (u64 i = 0; i < r->n; i++)
			weir_json_double(j, law[i]);
		weir_json_array_end(j);
	}
	weir_json_object_end(j);
}

static int print_json(const struct weir_model_asked *asked, const struct weir_model_result *r)
{
	const struct weir_model_config *c = &asked->config;
	struct weir_json j;

	weir_json_to_file(&j, stdout);
	weir_json_object(&j);
	weir_json_put_string(&j, "schema", "weir.model/1");
	weir_json_put_string(&j, "controller", asked->controller);
	weir_json_put_string(&j, "reading", weir_model_reading_names[c->reading]);
	weir_json_put_double(&j, "lambda_max", c->lambda_max);
	weir_json_put_double(&j, "lambda_min", c->lambda_min);
	weir_json_put_double(&j, "beta", c->beta);
	weir_json_put_u64(&j, "min_window_packets", c->min_window_packets);
	weir_json_put_double(&j, "per", c->per);
	weir_json_put_u64(&j, "buffer_packets", c->buffer_packets);
	weir_json_put_double(&j, "rtt_ms", (double)c->rtt_ns / 1e6);
	weir_json_put_u64(&j, "rate_bps", c->rate_bps);
	weir_json_put_u64(&j, "packet_bytes", c->packet_bytes);
	weir_json_put_u64(&j, "window_packets", r->window_packets);
	weir_json_put_double(&j, "normalized_throughput", r->normalized_throughput);
	weir_json_put_double(&j, "throughput_bps", r->normalized_throughput * (double)c->rate_bps);
	weir_json_put_double(&j, "mean_window_packets", r->mean_window_packets);
	put_optional(&j, "epoch_rtts", r->epoch_rtts > 0, r->epoch_rtts);
	weir_json_put_double(&j, "loss_free_epoch_rtts", r->loss_free_epoch_rtts);
	weir_json_put_u64(&j, "iterations", r->iterations);
	put_optional(&j, "steady_iterations", r->is_steady, (double)r->steady_iterations);
	if (r->probability)
		put_distribution(&j, r);
	weir_json_object_end(&j);
	return weir_json_finish(&j);
}

static void print_text(const struct weir_model_asked *asked, const struct weir_model_result *r)
{
	const struct weir_model_config *c = &asked->config;
	char path[256];

	weir_model_path_words(c, path);
	printf("%s, beta %g, lambda %g to %g, over %s\n", asked->controller, c->beta, c->lambda_min,
	       c->lambda_max, path);
	printf("  reading               %s\n", weir_model_reading_names[c->reading]);
	printf("  throughput            %.6f of the rate\n", r->normalized_throughput);
	printf("  mean window           %.1f of %llu packets\n", r->mean_window_packets, r->window_packets);
	if (r->epoch_rtts > 0)
		printf("  epoch                 %.1f RTT, %.1f without errors\n", r->epoch_rtts,
		       r->loss_free_epoch_rtts);
	else
		printf("  epoch                 longer than all iterations, %.1f RTT without errors\n",
		       r->loss_free_epoch_rtts);
	if (c->reading == WEIR_MODEL_LITERAL && r->is_steady)
		printf("  steady                after %llu of %llu iterations, within 1 %%\n",
		       r->steady_iterations, r->iterations);
	else if (c->reading == WEIR_MODEL_LITERAL)
		printf("  steady                not within %llu iterations, to 1 %%\n", r->iterations);
	if (c->reading == WEIR_MODEL_EPOCH)
		printf("  eqs. 6-8 know no errors: the PER plays no part\n");
	if (r->step_packets > 1)
		printf("  windows are taken together in steps of %llu packets\n", r->step_packets);
	for (u64 i = 0; i < r->n && r->probability; i++)
		printf("%10llu %.9g %.9g\n", r->first_packets + i * r->step_packets, r->probability[i],
		       r->time_share[i]);
}

static int throughput(struct weir_invocation *call)
{
	struct weir_model_asked asked;
	struct weir_model_result result;
	char why[WEIR_MODEL_WHY];
	int code = weir_model_ask(call, &asked);

	if (code)
		return code;
	if (!weir_model_check(&asked.config, why))
		return weir_usage_error(call, "%s", why);
	if (weir_model_throughput(&asked.config, weir_option(call, "distribution"), &result) < 0)
		code = weir_error(call, WEIR_EXIT_FAILED, "out of memory");
	else if (!weir_option(call, "json"))
		print_text(&asked, &result);
	else if (print_json(&asked, &result) < 0)
		code = weir_error(call, WEIR_EXIT_FAILED, "cannot write the result");
	weir_model_result_free(&result);
	return code;
}

static const struct weir_option throughput_options[] = {
    {.name = "controller", .value = "NAME", .help = "agile-sd, reno or newreno"},
    {.name = "lambda-max", .value = "X", .help = "packets a round right after a loss; 5 if absent"},
    {.name = "lambda-min", .value = "X", .help = "packets a round at the last loss and above; 1 if absent"},
    {.name = "beta", .value = "X", .help = "what a loss leaves of the window; .5 if absent"},
    {.name = "min-window", .value = "N", .help = "packets; 2 if absent"},
    WEIR_MODEL_OPTIONS_PATH,
    WEIR_MODEL_OPTIONS_READING,
    {.name = "distribution", .help = "the stationary law of the window too: per state, and per time"},
    WEIR_OPTION_JSON,
    {0}};

static const struct weir_command model_throughput = {
    .name = "throughput",
    .synopsis = "[--controller NAME] [--per P] [--buffer B] [--rtt TIME] [--reading NAME] ... [--json]",
    .help = "what Agile-SD or NewReno gets of a link, by the Markov chain of its paper",
    .details = "The paper can be read in several ways; docs/model.md tells which figure comes out of which.\n"
	       "literal: eqs. 12-34 as printed. renewal: each state with its own lambda, stationary law.\n"
	       "two-state: the window at the last loss is part of the state; the one to compare with runs.\n"
	       "epoch: eqs. 6-8, from overflow to overflow.",
    .options = throughput_options,
    .run = throughput,
};

static const struct weir_command *const children[] = {&model_throughput, &weir_model_tune, NULL};
const struct weir_command weir_cmd_model = {
    .name = "model",
    .synopsis = "throughput|tune ...",
    .help = "ask a model instead of a run: throughput of Agile-SD and NewReno, tuning of Agile-SD",
    .children = children,
};
