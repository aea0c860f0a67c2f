/* SPDX-License-Identifier: MIT */
/* Runs an experiment: every point with every seed, the numbers of the claims from each run, the verdicts. */
#include "record/query.h"
#include "run/check.h"
#include "run/emulable.h"
#include "run/experiment_engine.h"
#include "run/experiment_sets.h"

#include <math.h>
#include <stdlib.h>

void weir_experiment_complain(struct weir_experiment_engine *g, const struct weir_claim *c, const char *text)
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

/* Other points may be of other flows and controllers: there is no such number, and nobody asks for it. */
static bool is_named(const struct weir_experiment_engine *g, const struct weir_operand *o, u32 run)
{
	u32 choice[WEIR_EXPERIMENT_MAX_AXES];

	weir_experiment_choices(&g->plan, run / g->plan.n_seeds, choice);
	return weir_experiment_takes(g->e, o, choice);
}

static void complain_of_none(struct weir_experiment_engine *g, const struct weir_claim *c,
			     const struct weir_watched *watched)
{
	char error[WEIR_QUERY_ERROR_BYTES];

	for (u32 k = 0; k < WEIR_TIME_ROLES; k++) {
		const char *name = weir_watched_name(watched, k);
		if (!name || watched->rows[k])
			continue;
		snprintf(error, sizeof error, "no series `%.200s` in the run", name);
		weir_experiment_complain(g, c, error);
	}
}

static void take_operand(struct weir_experiment_engine *g, u32 claim, u32 operand, u32 run,
			 const json_t *document, struct weir_watched *watched)
{
	const struct weir_claim *c = &g->e->claims[claim];
	const struct weir_operand *o = &c->operand[operand];
	bool named = is_named(g, o, run);
	double *to = weir_experiment_number(g, claim, operand, run);
	char error[WEIR_QUERY_ERROR_BYTES];

	switch (o->kind) {
	case WEIR_OPERAND_CONSTANT:
		*to = o->constant;
		return;
	case WEIR_OPERAND_MODEL: /* weir_experiment_ask_model */
		return;
	case WEIR_OPERAND_SERIES:
		*to = weir_time_value(&watched->sum);
		if (named)
			complain_of_none(g, c, watched);
		return;
	default:
		if ((o->pattern ? over_flows(document, o->name, c->over_flows, to, error)
				: weir_query_number(document, o->name, to, error)) == WEIR_QUERY_WRONG &&
		    named)
			weir_experiment_complain(g, c, error);
	}
}

static void take_numbers(struct weir_experiment_engine *g, u32 run, const json_t *document)
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

void weir_experiment_reset_watched(struct weir_experiment_engine *g)
{
	g->n_watched = 0;
	for (u32 claim = 0; claim < g->e->n_claims; claim++) {
		const struct weir_claim *c = &g->e->claims[claim];
		for (u32 o = 0; o < (c->op ? 2 : 1); o++) {
			if (c->operand[o].kind != WEIR_OPERAND_SERIES)
				continue;
			struct weir_watched *x = &g->watched[g->n_watched++];
			weir_watched_reset(x);
			x->name = c->operand[o].name;
			x->sum.rule = &c->time;
		}
	}
}

/* ---- runs ---- */

static void on_progress(void *ctx, double done, double total)
{
	const struct weir_experiment_engine *g = ctx;
	double share = total > 0 ? done / total : 0;

	if (g->run->progress)
		g->run->progress(g->run->progress_ctx, g->done + share * g->cost_now, g->all);
}

static int fail(struct weir_experiment_engine *g, int code, const char *why)
{
	g->out->code = (enum weir_exit)code;
	if (why)
		snprintf(g->out->why, sizeof g->out->why, "%s", why);
	return -1;
}

/* What was kept took no time: it counts neither as done nor as to be done. */
static void account(struct weir_experiment_engine *g, const struct weir_carried *carried, u32 run,
		    bool emulated)
{
	struct weir_experiment_result *out = g->out;

	out->runs++;
	out->kept += carried->was_kept && !weir_workers_made(&g->workers, run);
	out->emulated_runs += emulated;
	out->repeated += carried->attempts > 1;
	*(emulated ? &out->emulated_s : &out->simulated_s) += carried->simulated_s;
	if (carried->was_kept && !weir_workers_made(&g->workers, run))
		g->all -= g->cost_now;
	else
		g->done += g->cost_now;
}

static int run_seed(struct weir_experiment_engine *g, struct weir_carry *c, u32 run)
{
	struct weir_carried carried;

	weir_experiment_reset_watched(g);
	int code = weir_experiment_carry(c, &carried, g->out->why);
	if (code)
		return fail(g, code, NULL);
	account(g, &carried, run, c->emulated);
	if (carried.invalid) {
		g->invalid[run] = strdup(carried.reason);
		return g->invalid[run] ? 0 : fail(g, WEIR_EXIT_FAILED, "out of memory");
	}
	take_numbers(g, run, carried.document);
	json_decref(carried.document);
	return g->mistakes ? -2 : 0;
}

static bool point_is_emulated(const struct weir_experiment_engine *g, u32 point)
{
	u32 choice[WEIR_EXPERIMENT_MAX_AXES];

	weir_experiment_choices(&g->plan, point, choice);
	return weir_experiment_is_emulated(g->e, choice);
}

int weir_experiment_load_point(struct weir_experiment_engine *g, u32 point, struct weir_scenario_set *set,
			       struct weir_scenario *scenario)
{
	struct weir_diag *diag = calloc(1, sizeof *diag);
	const struct weir_build_with with = {.registry = g->run->registry,
					     .emulated = point_is_emulated(g, point)};

	if (!diag)
		return fail(g, WEIR_EXIT_FAILED, "out of memory");
	snprintf(diag->file, sizeof diag->file, "%s", g->e->scenario_path);
	int rc = weir_experiment_scenario(&g->plan, point, g->run->registry, set, scenario, diag);
	if (rc == 0 && weir_check_point(set, scenario, &with, &g->traces, diag) > 0)
		rc = -1;
	if (rc == 0 && with.emulated && weir_emulable_check(set, scenario, diag) > 0)
		rc = -1;
	if (rc < 0) {
		weir_diag_print(diag, g->e->scenario_text ? g->e->text : set->text, g->run->complaints);
		rc = -2;
	}
	free(diag);
	return rc;
}

bool weir_experiment_carry_begin(struct weir_experiment_carrying *c, struct weir_experiment_engine *g,
				 u32 point, const struct weir_scenario_set *set,
				 const struct weir_scenario *scenario)
{
	u32 choice[WEIR_EXPERIMENT_MAX_AXES];

	weir_experiment_choices(&g->plan, point, choice);
	*c = (struct weir_experiment_carrying){0};
	c->sets = weir_experiment_point_sets(g->e, choice, &c->n_sets);
	c->carry = (struct weir_carry){
	    .run = g->run,
	    .traces = &g->traces,
	    .keep = g->keeps ? &g->keep : NULL,
	    .scenario = scenario,
	    .point = {.scenario_text = set->text,
		      .scenario_bytes = set->text_bytes,
		      .sets = (const char *const *)c->sets,
		      .n_sets = c->n_sets,
		      .traces = &g->traces,
		      .emulated = weir_experiment_is_emulated(g->e, choice)},
	    .emulated = weir_experiment_is_emulated(g->e, choice),
	    .n_watched = g->n_watched,
	    .watched = g->watched,
	    .progress = on_progress,
	    .progress_ctx = g,
	};
	return c->sets != NULL;
}

void weir_experiment_carry_end(struct weir_experiment_carrying *c)
{
	weir_experiment_free_sets(c->sets, c->n_sets);
}

static int run_seeds(struct weir_experiment_engine *g, u32 point, const struct weir_scenario_set *set,
		     const struct weir_scenario *scenario)
{
	struct weir_experiment_carrying c;
	int rc = weir_experiment_carry_begin(&c, g, point, set, scenario)
		     ? 0
		     : fail(g, WEIR_EXIT_FAILED, "out of memory");

	g->cost_now = g->cost[point];
	for (u32 i = 0; rc == 0 && i < g->plan.n_seeds; i++) {
		c.carry.point.seed = g->e->seeds[i];
		rc = run_seed(g, &c.carry, point * g->plan.n_seeds + i);
	}
	weir_experiment_carry_end(&c);
	return rc;
}

/* Where nothing is run, the constants in metrics still count. */
static void take_constants(struct weir_experiment_engine *g, u32 point)
{
	for (u32 claim = 0; claim < g->e->n_claims; claim++)
		for (u32 o = 0; o < 2; o++)
			if (g->e->claims[claim].operand[o].kind == WEIR_OPERAND_CONSTANT)
				*weir_experiment_number(g, claim, o, point * g->plan.n_seeds) =
				    g->e->claims[claim].operand[o].constant;
}

static int run_point(struct weir_experiment_engine *g, u32 point)
{
	struct weir_scenario_set set = {0};
	struct weir_scenario scenario = {0};
	int rc = weir_experiment_load_point(g, point, &set, &scenario);

	g->scenario = &scenario;
	if (rc == 0)
		rc = weir_experiment_ask_model(g, point);
	if (rc == 0 && g->plan.runs)
		rc = run_seeds(g, point, &set, &scenario);
	if (rc == 0 && !g->plan.runs)
		take_constants(g, point);
	g->scenario = NULL;
	weir_scenario_free(&scenario);
	weir_scenario_set_free(&set);
	return rc;
}

/* ---- before the runs ---- */

/* An emulated run lasts as long as its scenario, and about as much longer as it takes to build the network; a
 * simulated one a small part of it. */
#define EMULATED_EXTRA_S 1.5
#define SIMULATED_SHARE .01

/* All mistakes of all points are told, and what the machine lacks, before an hour has passed. */
static int look_at_point(struct weir_experiment_engine *g, u32 point)
{
	struct weir_scenario_set set = {0};
	struct weir_scenario scenario = {0};
	const struct weir_build_with with = {.registry = g->run->registry, .emulated = true};
	bool emulated = point_is_emulated(g, point);
	int rc = weir_experiment_load_point(g, point, &set, &scenario);

	if (rc == 0 && emulated && !g->run->emulate) {
		int code = weir_emulable_controllers(&scenario, &with, g->out->why);
		rc = code ? fail(g, code < 0 ? WEIR_EXIT_MACHINE : code, NULL) : 0;
	}
	if (rc == 0 && g->plan.runs) {
		double s = (double)scenario.duration_ns / 1e9;
		g->cost[point] = emulated ? s + EMULATED_EXTRA_S : s * SIMULATED_SHARE;
		g->all += g->cost[point] * g->plan.n_seeds;
	}
	weir_scenario_free(&scenario);
	weir_scenario_set_free(&set);
	return rc;
}

static bool is_skipped(const struct weir_experiment_engine *g, u32 point)
{
	u32 choice[WEIR_EXPERIMENT_MAX_AXES];

	weir_experiment_choices(&g->plan, point, choice);
	return weir_experiment_skips(g->e, choice);
}

static int prepare(struct weir_experiment_engine *g)
{
	size_t n = (size_t)g->n_runs * g->e->n_claims * 2;

	g->numbers = malloc((n + 1) * sizeof *g->numbers);
	g->watched = calloc((size_t)g->e->n_claims * 2 + 1, sizeof *g->watched);
	g->invalid = calloc((size_t)g->n_runs + 1, sizeof *g->invalid);
	g->cost = calloc((size_t)g->plan.n_points + 1, sizeof *g->cost);
	if (!g->numbers || !g->watched || !g->invalid || !g->cost)
		return fail(g, WEIR_EXIT_FAILED, "out of memory");
	for (size_t i = 0; i < n; i++)
		g->numbers[i] = NAN;
	weir_experiment_reset_watched(g);
	if (g->run->keep &&
	    weir_keep_open(&g->keep, g->run->keep, g->run->keep_of_any_build, g->out->why) < 0)
		return fail(g, WEIR_EXIT_FAILED, NULL);
	g->keeps = g->run->keep != NULL;
	int rc = 0;
	for (u32 point = 0; rc == 0 && point < g->plan.n_points; point++)
		if (!is_skipped(g, point))
			rc = look_at_point(g, point);
	return rc;
}

static void free_all(struct weir_experiment_engine *g)
{
	for (u32 i = 0; g->invalid && i < g->n_runs; i++)
		free(g->invalid[i]);
	free(g->invalid);
	weir_traces_free(&g->traces);
	weir_workers_free(&g->workers);
	free(g->numbers);
	for (u32 i = 0; g->watched && i < g->n_watched; i++)
		weir_watched_reset(&g->watched[i]);
	free(g->watched);
	free(g->cost);
}

int weir_experiment_run(const struct weir_experiment_run *run, struct weir_experiment_result *out)
{
	struct weir_experiment_engine g = {.run = run, .e = run->experiment, .out = out};

	*out = (struct weir_experiment_result){0};
	weir_experiment_plan(g.e, run->quick, run->emulated, &g.plan);
	out->plan = g.plan;
	g.n_runs = g.plan.n_points * g.plan.n_seeds;
	int rc = prepare(&g);
	if (rc == 0)
		weir_workers_run(&g);
	for (u32 point = 0; rc == 0 && point < g.plan.n_points; point++)
		if (!is_skipped(&g, point))
			rc = run_point(&g, point);
	if (rc == 0 && weir_experiment_judge(&g) < 0)
		rc = fail(&g, WEIR_EXIT_FAILED, "out of memory");
	free_all(&g);
	return rc;
}

void weir_experiment_result_free(struct weir_experiment_result *r)
{
	free(r->claim);
	free(r->values);
	*r = (struct weir_experiment_result){0};
}
