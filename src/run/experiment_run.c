/* SPDX-License-Identifier: MIT */
/* Runs an experiment: every point with every seed, the numbers of the claims from each run, the verdicts. */
#include "record/json.h"
#include "record/query.h"
#include "run/check.h"
#include "run/experiment_series.h"
#include "run/simulate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct engine {
	const struct weir_experiment_run *run;
	const struct weir_experiment *e;
	struct weir_experiment_plan plan;
	struct weir_traces traces;
	u32 n_runs, done;
	double *numbers; /* [claim][operand][run]; NaN: this run gave none */
	u32 n_watched;
	struct weir_watched *watched; /* of the operands that are series, in their order */
	u32 mistakes;
	double simulated_s;
};

static double *number(const struct engine *g, u32 claim, u32 operand, u32 run)
{
	return &g->numbers[((size_t)claim * 2 + operand) * g->n_runs + run];
}

static void complain(struct engine *g, const struct weir_claim *c, const char *text)
{
	struct weir_diag *diag = calloc(1, sizeof *diag);

	g->mistakes++;
	if (!diag)
		return;
	snprintf(diag->file, sizeof diag->file, "%s", g->e->path);
	weir_diag_add(diag, c->metric_at.line, c->metric_at.column, "claim %s: %s", c->id, text);
	weir_diag_print(diag, g->e->text, g->run->complaints);
	free(diag);
}

/* ---- the numbers of one run ---- */

static json_t *document_of(const struct weir_summary *summary)
{
	struct weir_json j;
	char error[WEIR_QUERY_ERROR_BYTES];
	size_t bytes;

	weir_json_to_buffer(&j);
	weir_json_object(&j);
	weir_summary_fields(&j, summary);
	weir_json_object_end(&j);
	if (weir_json_finish(&j) < 0)
		return NULL;
	char *text = weir_json_take(&j, &bytes);
	json_t *document = weir_query_parse(text, bytes, "weir.summary/1", error);
	free(text);
	if (!document)
		errno = ENOMEM; /* our own document can only fail for that */
	return document;
}

struct over_flows {
	u64 n;
	double sum, min, max;
};

static void add_flow(void *ctx, double value)
{
	struct over_flows *o = ctx;

	o->min = o->n == 0 || value < o->min ? value : o->min;
	o->max = o->n == 0 || value > o->max ? value : o->max;
	o->sum += value;
	o->n++;
}

static enum weir_query_result over_flows(const json_t *document, const char *name, enum weir_reduce how,
					 double *to, char error[WEIR_QUERY_ERROR_BYTES])
{
	struct over_flows o = {0};
	enum weir_query_result result = weir_query_each(document, name, add_flow, &o, error);

	if (result != WEIR_QUERY_FOUND || o.n == 0)
		return result;
	*to = how == WEIR_REDUCE_MIN   ? o.min
	      : how == WEIR_REDUCE_MAX ? o.max
	      : how == WEIR_REDUCE_SUM ? o.sum
				       : o.sum / (double)o.n;
	return result;
}

static void take_operand(struct engine *g, u32 claim, u32 operand, u32 run, const json_t *document,
			 const struct weir_watched *watched)
{
	const struct weir_claim *c = &g->e->claims[claim];
	const struct weir_operand *o = &c->operand[operand];
	double *to = number(g, claim, operand, run);
	char error[WEIR_QUERY_ERROR_BYTES];

	switch (o->kind) {
	case WEIR_OPERAND_CONSTANT:
		*to = o->constant;
		return;
	case WEIR_OPERAND_SERIES:
		*to = weir_watched_value(watched);
		snprintf(error, sizeof error, "no series `%.200s` in the run", o->name);
		if (watched->rows == 0)
			complain(g, c, error);
		return;
	default:
		if ((o->pattern ? over_flows(document, o->name, c->over_flows, to, error)
				: weir_query_number(document, o->name, to, error)) == WEIR_QUERY_WRONG)
			complain(g, c, error);
	}
}

static void take_numbers(struct engine *g, u32 run, const json_t *document)
{
	u32 watched = 0;

	for (u32 claim = 0; claim < g->e->n_claims; claim++) {
		const struct weir_claim *c = &g->e->claims[claim];
		for (u32 o = 0; o < (c->op ? 2 : 1); o++) {
			take_operand(g, claim, o, run, document, &g->watched[watched]);
			watched += c->operand[o].kind == WEIR_OPERAND_SERIES;
		}
	}
}

static void reset_watched(struct engine *g)
{
	g->n_watched = 0;
	for (u32 claim = 0; claim < g->e->n_claims; claim++) {
		const struct weir_claim *c = &g->e->claims[claim];
		for (u32 o = 0; o < (c->op ? 2 : 1); o++) {
			if (c->operand[o].kind != WEIR_OPERAND_SERIES)
				continue;
			g->watched[g->n_watched++] = (struct weir_watched){.name = c->operand[o].name,
									   .from_ns = c->from_ns,
									   .to_ns = c->to_ns,
									   .over_time = c->over_time};
		}
	}
}

/* ---- runs ---- */

static void on_progress(void *ctx, double done, double total)
{
	const struct engine *g = ctx;

	if (g->run->progress)
		g->run->progress(g->run->progress_ctx, g->done + (total > 0 ? done / total : 0), g->n_runs);
}

static int run_seed(struct engine *g, const struct weir_scenario *scenario, u64 seed)
{
	struct weir_watch watch;
	struct weir_summary summary = {0};

	reset_watched(g);
	if (weir_watch_begin(&watch, g->watched, g->n_watched) < 0)
		return -1;
	const struct weir_simulate_config config = {.scenario = scenario,
						    .with = {.registry = g->run->registry},
						    .traces = &g->traces,
						    .seed = seed,
						    .series = watch.series,
						    .stop = g->run->stop,
						    .progress = on_progress,
						    .progress_ctx = g};
	int rc = weir_simulate(&config, &summary);
	if (rc == 0 && summary.interrupted) {
		errno = EINTR;
		rc = -1;
	}
	int why = errno;
	if (weir_watch_end(&watch) < 0 && rc == 0) {
		why = errno;
		rc = -1;
	}
	json_t *document = rc == 0 ? document_of(&summary) : NULL;
	if (document) {
		take_numbers(g, g->done, document);
		g->simulated_s += summary.simulated_s;
		g->done++;
	}
	json_decref(document);
	weir_summary_free(&summary);
	errno = rc == 0 && !document ? ENOMEM : why;
	return document ? 0 : -1;
}

static int load_point(struct engine *g, u32 point, struct weir_scenario_set *set,
		      struct weir_scenario *scenario)
{
	struct weir_diag *diag = calloc(1, sizeof *diag);
	const struct weir_build_with with = {.registry = g->run->registry};

	if (!diag) {
		errno = ENOMEM;
		return -1;
	}
	snprintf(diag->file, sizeof diag->file, "%s", g->e->scenario_path);
	int rc = weir_experiment_scenario(&g->plan, point, g->run->registry, set, scenario, diag);
	if (rc == 0 && weir_check_point(set, scenario, &with, &g->traces, diag) > 0)
		rc = -1;
	if (rc < 0) {
		weir_diag_print(diag, g->e->scenario_text ? g->e->text : set->text, g->run->complaints);
		rc = -2;
	}
	free(diag);
	return rc;
}

static int run_point(struct engine *g, u32 point)
{
	struct weir_scenario_set set = {0};
	struct weir_scenario scenario = {0};

	int rc = load_point(g, point, &set, &scenario);
	for (u32 i = 0; rc == 0 && i < g->plan.n_seeds; i++) {
		rc = run_seed(g, &scenario, g->e->seeds[i]);
		if (rc == 0 && g->mistakes)
			rc = -2;
	}
	int why = errno;
	weir_scenario_free(&scenario);
	weir_scenario_set_free(&set);
	errno = why;
	return rc;
}

/* ---- claims over all runs ---- */

static bool selected(const struct engine *g, const u32 *choice, const struct weir_operand *o)
{
	for (u32 a = 0; a < g->e->n_axes; a++)
		if (o->choice[a] != WEIR_EXPERIMENT_ANY && o->choice[a] != choice[a])
			return false;
	return true;
}

static u32 used_before(const struct weir_experiment_plan *p, u32 axis, u32 value)
{
	u32 n = 0;

	for (u32 v = 0; v < value; v++)
		n += !p->quick || p->experiment->axes[axis].values[v].quick;
	return n;
}

/* The point that the second operand is taken at, when the first is taken at `choice`. */
static u32 partner(const struct engine *g, const u32 *choice, const struct weir_operand *o)
{
	u32 point = 0;

	for (u32 a = 0; a < g->e->n_axes; a++) {
		u32 value = o->choice[a] == WEIR_EXPERIMENT_ANY ? choice[a] : o->choice[a];
		point = point * g->plan.used[a] + used_before(&g->plan, a, value);
	}
	return point;
}

static double combine(char op, double a, double b)
{
	if (op == '-')
		return a - b;
	return b == 0 ? (double)NAN : a / b;
}

/* What the claim says of one run: `other` is the point of the second operand. */
static double value_of(const struct engine *g, u32 claim, u32 point, u32 other, u32 seed)
{
	const struct weir_claim *c = &g->e->claims[claim];
	double x = *number(g, claim, 0, point * g->plan.n_seeds + seed);

	if (!c->op)
		return x;
	return combine(c->op, x, *number(g, claim, 1, other * g->plan.n_seeds + seed));
}

static void judge(struct engine *g, u32 claim, double *scratch, struct weir_experiment_result *out)
{
	const struct weir_claim *c = &g->e->claims[claim];
	bool same_point = !memcmp(c->operand[0].choice, c->operand[1].choice, sizeof c->operand[0].choice);
	double *values = &out->values[(size_t)claim * g->n_runs];
	u32 choice[WEIR_EXPERIMENT_MAX_AXES];
	u64 n = 0;

	for (u32 point = 0; point < g->plan.n_points; point++) {
		weir_experiment_choices(&g->plan, point, choice);
		u32 other = same_point ? point : partner(g, choice, &c->operand[1]);
		bool counts = selected(g, choice, &c->operand[0]);
		for (u32 s = 0; s < g->plan.n_seeds; s++) {
			double x = value_of(g, claim, point, other, s);
			values[point * g->plan.n_seeds + s] = same_point ? x : (double)NAN;
			if (counts && isfinite(x))
				scratch[n++] = x;
		}
	}
	weir_claim_judge(c, scratch, n, &out->claim[claim]);
}

static int judge_all(struct engine *g, struct weir_experiment_result *out)
{
	double *scratch = calloc(g->n_runs, sizeof *scratch);

	out->claim = calloc(g->e->n_claims, sizeof *out->claim);
	out->values = calloc((size_t)g->e->n_claims * g->n_runs, sizeof *out->values);
	if (!scratch || !out->claim || !out->values) {
		free(scratch);
		errno = ENOMEM;
		return -1;
	}
	for (u32 i = 0; i < g->e->n_claims; i++) {
		judge(g, i, scratch, out);
		out->count[out->claim[i].verdict]++;
	}
	out->plan = g->plan;
	out->runs = g->n_runs;
	out->simulated_s = g->simulated_s;
	free(scratch);
	return 0;
}

int weir_experiment_run(const struct weir_experiment_run *run, struct weir_experiment_result *out)
{
	struct engine g = {.run = run, .e = run->experiment};
	int rc = 0;

	*out = (struct weir_experiment_result){0};
	weir_experiment_plan(g.e, run->quick, &g.plan);
	g.n_runs = g.plan.n_points * g.plan.n_seeds;
	size_t n = (size_t)g.n_runs * g.e->n_claims * 2;
	g.numbers = malloc(n * sizeof *g.numbers);
	g.watched = calloc((size_t)g.e->n_claims * 2 + 1, sizeof *g.watched);
	if (!g.numbers || !g.watched) {
		errno = ENOMEM;
		rc = -1;
	}
	for (size_t i = 0; rc == 0 && i < n; i++)
		g.numbers[i] = NAN;
	for (u32 point = 0; rc == 0 && point < g.plan.n_points; point++)
		rc = run_point(&g, point);
	if (rc == 0)
		rc = judge_all(&g, out);
	int why = errno;
	weir_traces_free(&g.traces);
	free(g.numbers);
	free(g.watched);
	errno = why;
	return rc;
}

void weir_experiment_result_free(struct weir_experiment_result *r)
{
	free(r->claim);
	free(r->values);
	*r = (struct weir_experiment_result){0};
}
