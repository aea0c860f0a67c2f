/* SPDX-License-Identifier: MIT */
/* The claims of an experiment over all its runs. */
#include "run/experiment_engine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static u32 used_before(const struct weir_experiment_plan *p, u32 axis, u32 value)
{
	u32 n = 0;

	for (u32 v = 0; v < value; v++)
		n += weir_experiment_is_used(p, axis, v);
	return n;
}

static u32 point_of(const struct weir_experiment_engine *g, const u32 *choice)
{
	u32 point = 0;

	for (u32 a = 0; a < g->e->n_axes; a++)
		point = point * g->plan.used[a] + used_before(&g->plan, a, choice[a]);
	return point;
}

/* Of the points that differ from `choice` in the operand's axis `among` only, the one with the least or the
 * largest number with this seed; where none gives one, any of them. */
static u32 best(const struct weir_experiment_engine *g, u32 claim, u32 *choice, u32 seed)
{
	const struct weir_claim *c = &g->e->claims[claim];
	const struct weir_operand *o = &c->operand[1];
	u32 found = point_of(g, choice), axis = o->among_axis;
	double least = (double)INFINITY;

	for (u32 v = 0; v < g->e->axes[axis].n; v++) {
		choice[axis] = v;
		if (!weir_experiment_is_used(&g->plan, axis, v) || !weir_experiment_takes(g->e, o, choice) ||
		    weir_experiment_skips(g->e, choice))
			continue;
		u32 point = point_of(g, choice);
		double x = *weir_experiment_number(g, claim, 1, point * g->plan.n_seeds + seed);
		x = c->over_among == WEIR_REDUCE_MAX ? -x : x;
		if (isfinite(x) && x < least) {
			least = x;
			found = point;
		} else if (least == (double)INFINITY) {
			found = point;
		}
	}
	return found;
}

/* The point that the second operand is taken at, when the first is taken at `choice`. */
static u32 partner(const struct weir_experiment_engine *g, u32 claim, const u32 *choice, u32 seed)
{
	const struct weir_operand *o = &g->e->claims[claim].operand[1];
	u32 there[WEIR_EXPERIMENT_MAX_AXES];

	for (u32 a = 0; a < g->e->n_axes; a++)
		there[a] = o->choice[a] == WEIR_EXPERIMENT_ANY ? choice[a] : o->choice[a];
	return o->among ? best(g, claim, there, seed) : point_of(g, there);
}

static double combine(char op, double a, double b)
{
	if (op == '-')
		return a - b;
	return b == 0 ? (double)NAN : a / b;
}

/* What the claim says of one run: `other` is the point of the second operand. */
static double value_of(const struct weir_experiment_engine *g, u32 claim, u32 point, u32 other, u32 seed)
{
	const struct weir_claim *c = &g->e->claims[claim];
	double x = *weir_experiment_number(g, claim, 0, point * g->plan.n_seeds + seed);

	if (!c->op)
		return x;
	return combine(c->op, x, *weir_experiment_number(g, claim, 1, other * g->plan.n_seeds + seed));
}

/* The runs of one claim, as they are gone through. */
struct tally {
	double *x;
	u64 n;
	double first, second; /* sums of the operands */
	u32 invalid;
	const char *reason;
};

static void count_run(const struct weir_experiment_engine *g, u32 claim, u32 run, u32 other_run, double x,
		      struct tally *t)
{
	const struct weir_claim *c = &g->e->claims[claim];
	const char *reason = g->invalid[run] ? g->invalid[run] : c->op ? g->invalid[other_run] : NULL;

	if (reason) {
		t->invalid++;
		t->reason = reason;
	}
	if (!isfinite(x))
		return;
	t->x[t->n++] = x;
	t->first += *weir_experiment_number(g, claim, 0, run);
	t->second += c->op ? *weir_experiment_number(g, claim, 1, other_run) : 0;
}

static void decide(const struct weir_claim *c, const struct tally *t, struct weir_claim_result *out)
{
	double n = (double)t->n;

	weir_claim_judge(c, t->x, t->n, t->n && c->op ? t->second / n : 0, out);
	out->first = t->n ? t->first / n : (double)NAN;
	out->second = t->n && c->op ? t->second / n : (double)NAN;
	if (!t->invalid)
		return;
	out->verdict = WEIR_VERDICT_INVALID;
	snprintf(out->reason, sizeof out->reason,
		 "no verdict: the emulator could not keep up with %u of its runs, at %d attempts (%s)",
		 t->invalid, WEIR_EXPERIMENT_ATTEMPTS, t->reason);
}

static void judge(struct weir_experiment_engine *g, u32 claim, double *scratch)
{
	const struct weir_claim *c = &g->e->claims[claim];
	bool same_point = !memcmp(c->operand[0].choice, c->operand[1].choice, sizeof c->operand[0].choice);
	double *values = &g->out->values[(size_t)claim * g->n_runs];
	u32 choice[WEIR_EXPERIMENT_MAX_AXES], n_seeds = g->plan.n_seeds;
	struct tally t = {.x = scratch};

	for (u32 point = 0; point < g->plan.n_points; point++) {
		weir_experiment_choices(&g->plan, point, choice);
		bool counts = weir_experiment_fits(g->e, c->operand[0].choice, choice) &&
			      !weir_experiment_skips(g->e, choice);
		for (u32 s = 0; s < n_seeds; s++) {
			u32 other = same_point ? point : partner(g, claim, choice, s);
			double x = value_of(g, claim, point, other, s);
			values[point * n_seeds + s] = same_point ? x : (double)NAN;
			if (counts)
				count_run(g, claim, point * n_seeds + s, other * n_seeds + s, x, &t);
		}
	}
	if (!c->curve)
		decide(c, &t, &g->out->claim[claim]);
}

int weir_experiment_judge(struct weir_experiment_engine *g)
{
	struct weir_experiment_result *out = g->out;
	double *scratch = calloc((size_t)g->n_runs + 1, sizeof *scratch);

	out->claim = calloc((size_t)g->e->n_claims + 1, sizeof *out->claim);
	out->values = calloc((size_t)g->e->n_claims * g->n_runs + 1, sizeof *out->values);
	if (!scratch || !out->claim || !out->values) {
		free(scratch);
		return -1;
	}
	for (size_t i = 0; i < (size_t)g->e->n_claims * g->n_runs; i++)
		out->values[i] = NAN;
	for (u32 i = 0; i < g->e->n_claims; i++) {
		if (g->e->claims[i].curve) {
			judge(g, i, scratch);
			continue;
		}
		if (!weir_experiment_can_judge(&g->plan, &g->e->claims[i])) {
			out->not_judged++;
			continue;
		}
		judge(g, i, scratch);
		out->count[out->claim[i].verdict]++;
	}
	free(scratch);
	return 0;
}
