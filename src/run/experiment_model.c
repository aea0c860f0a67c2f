/* SPDX-License-Identifier: MIT */
/* Numbers of the model in the metrics of an experiment: of each point's own scenario, without a run. */
#include "run/experiment_engine.h"

#include <math.h>

/* Some claim before may have asked the same of this point: the model takes milliseconds, sometimes a second.
 */
static const double *asked_before(struct weir_experiment_engine *g, u32 claim, u32 operand, u32 run)
{
	const char *name = g->e->claims[claim].operand[operand].name;

	for (u32 c = 0; c <= claim; c++)
		for (u32 o = 0; o < 2; o++) {
			const struct weir_operand *other = &g->e->claims[c].operand[o];
			if (c == claim && o == operand)
				return NULL;
			if (other->kind == WEIR_OPERAND_MODEL && !strcmp(other->name, name))
				return weir_experiment_number(g, c, o, run);
		}
	return NULL;
}

/* Points that the claim does not name may be of another controller or path: there is no number then. */
static void ask(struct weir_experiment_engine *g, u32 claim, u32 operand, u32 point, const u32 *choice)
{
	const struct weir_claim *c = &g->e->claims[claim];
	const struct weir_operand *o = &c->operand[operand];
	u32 run = point * g->plan.n_seeds;
	const double *known = asked_before(g, claim, operand, run);
	double value = known ? *known : (double)NAN;
	char why[WEIR_MODELLED_WHY];

	if (!known &&
	    weir_modelled_number(g->scenario, &g->run->registry->catalog, &o->model, &value, why) < 0 &&
	    weir_experiment_fits(g->e, o->choice, choice))
		weir_experiment_complain(g, c, why);
	for (u32 seed = 0; seed < g->plan.n_seeds; seed++)
		*weir_experiment_number(g, claim, operand, run + seed) = value;
}

int weir_experiment_ask_model(struct weir_experiment_engine *g, u32 point)
{
	u32 choice[WEIR_EXPERIMENT_MAX_AXES];

	weir_experiment_choices(&g->plan, point, choice);
	for (u32 claim = 0; claim < g->e->n_claims; claim++)
		for (u32 o = 0; o < (g->e->claims[claim].op ? 2 : 1); o++)
			if (g->e->claims[claim].operand[o].kind == WEIR_OPERAND_MODEL)
				ask(g, claim, o, point, choice);
	return g->mistakes ? -2 : 0;
}
