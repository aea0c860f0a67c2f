/* SPDX-License-Identifier: MIT */
/* `weir model tune`: Algorithm 1 of the Agile-SD paper over any grid and path. */
#include "core/fmath.h"
#include "model.h"
#include "model_tuning.h"
#include "progress.h"
#include "values.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEEDS_MAX 1000

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
	(void)number;
	interrupted = 1;
}

/* ---- the grid ---- */

/* "FROM:TO:STEP" into values; how many, or 0 when it is not that or there are too many. */
static u32 read_range(const char *text, double values[WEIR_MODEL_AXIS_MAX])
{
	char part[3][48], error[WEIR_QUANTITY_ERROR];
	double x[3];
	int end = 0;

	if (sscanf(text, "%47[^:]:%47[^:]:%47[^:]%n", part[0], part[1], part[2], &end) != 3 || text[end])
		return 0;
	for (u32 i = 0; i < 3; i++)
		if (!weir_quantity_fraction(part[i], &x[i], error))
			return 0;
	if (!(x[2] > 0) || !(x[1] >= x[0]) || (x[1] - x[0]) / x[2] > WEIR_MODEL_AXIS_MAX - 1)
		return 0;
	u32 n = (u32)((x[1] - x[0]) / x[2] + 1e-9) + 1;
	for (u32 i = 0; i < n; i++) {
		/* as the decimal that it stands for: .55 is not .5 + .05 in doubles */
		char decimal[48];
		snprintf(decimal, sizeof decimal, "%.12g", x[0] + i * x[2]);
		if (!weir_quantity_fraction(decimal, &values[i], error))
			return 0;
	}
	return n;
}

static u32 read_list(const char *text, double values[WEIR_MODEL_AXIS_MAX])
{
	u32 n = 0;

	while (n < WEIR_MODEL_AXIS_MAX) {
		char part[48], error[WEIR_QUANTITY_ERROR];
		size_t bytes = strcspn(text, ",");
		if (bytes >= sizeof part)
			return 0;
		snprintf(part, sizeof part, "%.*s", (int)bytes, text);
		if (!weir_quantity_fraction(part, &values[n], error) || (n && values[n] <= values[n - 1]))
			return 0;
		n++;
		if (!text[bytes])
			return n;
		text += bytes + 1;
	}
	return 0;
}

static u32 read_axis(const struct weir_invocation *call, const char *name, const char *otherwise,
		     double values[WEIR_MODEL_AXIS_MAX], int *code)
{
	const char *text = weir_option(call, name);
	const char *given = text ? text : otherwise;
	u32 n = strchr(given, ':') ? read_range(given, values) : read_list(given, values);

	if (n == 0)
		*code =
		    weir_usage_error(call,
				     "--%s %.60s: numbers that rise, as FROM:TO:STEP or with commas between, "
				     "at most %d",
				     name, given, WEIR_MODEL_AXIS_MAX);
	return n;
}

/* Every pair must be one that the model is defined for. */
static int check_grid(const struct weir_invocation *call, const struct weir_model_tuning *t)
{
	char why[WEIR_MODEL_WHY];

	if ((u64)t->grid.n_betas * t->grid.n_lambdas > WEIR_MODEL_CELLS_MAX)
		return weir_usage_error(call, "a grid of %u by %u: at most %d pairs", t->grid.n_betas,
					t->grid.n_lambdas, WEIR_MODEL_CELLS_MAX);
	for (u32 b = 0; b < t->grid.n_betas; b++)
		for (u32 k = 0; k < t->grid.n_lambdas; k++) {
			struct weir_model_config c = t->path;
			c.beta = t->grid.beta[b];
			c.lambda_max = t->grid.lambda_max[k];
			if (!weir_model_check(&c, why))
				return weir_usage_error(call, "%s", why);
		}
	return 0;
}

static int ask(const struct weir_invocation *call, struct weir_model_tuning *t)
{
	struct weir_model_asked asked;
	int code = weir_model_ask(call, &asked);
	double tolerance = 0;

	t->path = asked.config;
	t->grid.n_betas = read_axis(call, "betas", ".5:.95:.05", t->beta, &code);
	t->grid.n_lambdas = read_axis(call, "lambdas", "1:10:1", t->lambda_max, &code);
	weir_option_number(call, "tolerance", &tolerance, &code);
	if (tolerance > 1)
		code = weir_usage_error(call, "--tolerance %g: a difference of shares, 0 to 1", tolerance);
	t->tolerance = tolerance;
	t->carry = weir_option(call, "carry") != NULL;
	t->grid.beta = t->beta;
	t->grid.lambda_max = t->lambda_max;
	return code ? code : check_grid(call, t);
}

/* ---- the tuning ---- */

struct watch {
	struct weir_progress bar;
};

static bool on_cell(void *ctx, double done, double total)
{
	struct watch *w = ctx;

	weir_progress_update(&w->bar, done, total);
	return !interrupted;
}

static int tune(const struct weir_invocation *call, struct weir_model_tuning *t)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
	struct watch w;

	t->matrix = calloc((size_t)t->grid.n_betas * t->grid.n_lambdas, sizeof *t->matrix);
	if (!t->matrix)
		return weir_error(call, WEIR_EXIT_FAILED, "out of memory");
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	weir_progress_start(&w.bar, "tuning");
	int rc = weir_model_matrix(&t->path, &t->grid, t->matrix, on_cell, &w);
	weir_progress_end(&w.bar);
	if (rc < 0)
		return weir_error(call, WEIR_EXIT_FAILED, "%s",
				  interrupted ? "interrupted" : "out of memory");
	weir_model_optimum(&t->grid, t->matrix, t->tolerance, t->carry, t->best);
	for (u32 b = 0; b < t->grid.n_betas; b++)
		t->eq36[b] = weir_model_eq36(t->beta[b]);
	return 0;
}

/* ---- held against the simulator ---- */

/* The pair of all optima with the highest throughput; the first row has one in any case. */
static u32 best_row(const struct weir_model_tuning *t)
{
	double highest = -1;
	u32 row = 0;

	for (u32 b = 0; b < t->grid.n_betas; b++) {
		if (t->best[b] == t->grid.n_lambdas)
			continue;
		double x = t->matrix[(size_t)b * t->grid.n_lambdas + t->best[b]];
		if (x > highest) {
			highest = x;
			row = b;
		}
	}
	return row;
}

static void set_trial(struct weir_model_trial *trial, const char *name, const struct weir_model_tuning *t,
		      double beta, double lambda_max)
{
	bool newreno = strcmp(name, "newreno") == 0;

	*trial = (struct weir_model_trial){.name = name, .config = t->path};
	trial->config.beta = beta;
	trial->config.lambda_max = lambda_max;
	if (newreno)
		trial->config.lambda_max = trial->config.lambda_min = 1;
	snprintf(trial->setting, sizeof trial->setting, newreno ? "beta %g" : "beta %g, lambda_max %g", beta,
		 lambda_max);
}

static int verify(const struct weir_invocation *call, struct weir_model_tuning *t)
{
	u64 seeds = 3, duration_ns = 100 * WEIR_NS_PER_S, warmup_ns = 20 * WEIR_NS_PER_S;
	const struct weir_model_config usual = weir_model_defaults(t->path.reading);
	u32 row = best_row(t);
	char why[WEIR_MODEL_WHY];
	int code = weir_option_u64(call, "seeds", 1, SEEDS_MAX, &seeds);

	weir_option_positive(call, "duration", WEIR_QUANTITY_TIME, &duration_ns, &code);
	weir_option_quantity(call, "warmup", WEIR_QUANTITY_TIME, &warmup_ns, &code);
	set_trial(&t->trial[0], "newreno", t, usual.beta, 1);
	set_trial(&t->trial[1], "default", t, usual.beta, usual.lambda_max);
	set_trial(&t->trial[2], "tuned", t, t->beta[row], t->lambda_max[t->best[row]]);
	for (u32 i = 0; !code && i < 3; i++) {
		struct weir_model_result r = {0};
		if (!weir_model_check(&t->trial[i].config, why))
			code = weir_usage_error(call, "--verify: %s", why);
		else if (weir_model_throughput(&t->trial[i].config, false, &r) < 0)
			code = weir_error(call, WEIR_EXIT_FAILED, "out of memory");
		t->trial[i].model = r.normalized_throughput;
	}
	t->n_trials = 3;
	return code ? code : weir_model_verify(call, t->trial, 3, (u32)seeds, duration_ns, warmup_ns);
}

static int check_options(const struct weir_invocation *call)
{
	static const char *const with_verify[] = {"seeds", "duration", "warmup"};

	for (u32 i = 0; i < 3; i++)
		if (weir_option(call, with_verify[i]) && !weir_option(call, "verify"))
			return weir_usage_error(call, "--%s belongs to --verify", with_verify[i]);
	return 0;
}

static int cmd_tune(struct weir_invocation *call)
{
	struct weir_model_tuning *t = calloc(1, sizeof *t);
	const char *directory = weir_option(call, "output");

	if (!t)
		return weir_error(call, WEIR_EXIT_FAILED, "out of memory");
	int code = check_options(call);
	if (!code)
		code = ask(call, t);
	if (!code && directory)
		code = weir_model_tuning_check_place(call, directory);
	if (!code)
		code = tune(call, t);
	if (!code && weir_option(call, "verify"))
		code = verify(call, t);
	if (!code && directory)
		code = weir_model_tuning_write(call, t, directory);
	if (!code && weir_option(call, "json")) {
		if (weir_model_tuning_json(t, stdout) < 0)
			code = weir_error(call, WEIR_EXIT_FAILED, "cannot write the result");
	} else if (!code) {
		weir_model_tuning_text(t);
	}
	free(t->matrix);
	free(t);
	return code;
}

static const struct weir_option options[] = {
    {.name = "betas", .value = "LIST", .help = "FROM:TO:STEP or commas; .5:.95:.05 if absent"},
    {.name = "lambdas", .value = "LIST", .help = "of lambda_max; 1:10:1 if absent"},
    {.name = "tolerance", .value = "X", .help = "so much less counts as equal: 0 as printed, .02 the knee"},
    {.name = "carry", .help = "keep the maximum from beta to beta, as Algorithm 1 is printed"},
    {.name = "lambda-min", .value = "X", .help = "packets a round at the last loss and above; 1 if absent"},
    {.name = "min-window", .value = "N", .help = "packets; 2 if absent"},
    WEIR_MODEL_OPTIONS_PATH,
    WEIR_MODEL_OPTIONS_READING,
    {.name = "verify",
     .help = "simulate NewReno, the defaults and the best pair; model, simulation, residual"},
    {.name = "seeds", .value = "N", .help = "runs of each; 3 if absent"},
    {.name = "duration", .value = "TIME", .help = "of a run; 100 s if absent"},
    {.name = "warmup", .value = "TIME", .help = "its beginning that does not count; 20 s if absent"},
    WEIR_OPTION_OUTPUT,
    WEIR_OPTION_JSON,
    {0}};

const struct weir_command weir_model_tune = {
    .name = "tune",
    .synopsis = "[--betas LIST] [--lambdas LIST] [--tolerance X] [--verify] [-o DIR] ... [--json]",
    .help = "the lambda_max that Algorithm 1 finds for each beta, beside eq. 36",
    .details =
	"-o writes a page with a heat map and lines. The paper's recommendation, eq. 36, does not follow\n"
	"from its printed algorithm in any reading; docs/model.md tells what does.",
    .options = options,
    .run = cmd_tune,
};
