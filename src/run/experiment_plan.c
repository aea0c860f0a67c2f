/* SPDX-License-Identifier: MIT */
/* Points of an experiment: combinations of axis values, and the scenario at each. */
#include "run/check.h"
#include "run/experiment.h"
#include "run/experiment_sets.h"

#include <stdlib.h>
#include <string.h>

bool weir_experiment_is_used(const struct weir_experiment_plan *p, u32 axis, u32 value)
{
	const struct weir_axis_value *v = &p->experiment->axes[axis].values[value];

	return !v->left_out && (p->emulated || !v->emulated) && (!p->quick || v->quick);
}

/* Numbers of the model need no run, and none of them depends on the seed. */
static bool needs_runs(const struct weir_experiment *e)
{
	for (u32 i = 0; i < e->n_claims; i++)
		for (u32 o = 0; o < (e->claims[i].op ? 2 : 1); o++) {
			enum weir_operand_kind kind = e->claims[i].operand[o].kind;
			if (kind == WEIR_OPERAND_SUMMARY || kind == WEIR_OPERAND_SERIES)
				return true;
		}
	return false;
}

void weir_experiment_plan(const struct weir_experiment *e, bool quick, bool emulated,
			  struct weir_experiment_plan *p)
{
	*p = (struct weir_experiment_plan){
	    .experiment = e, .quick = quick, .emulated = emulated, .n_points = 1};
	p->runs = needs_runs(e);
	p->n_seeds = !p->runs ? 1 : quick ? e->quick_seeds : e->n_seeds;
	for (u32 a = 0; a < e->n_axes; a++) {
		for (u32 v = 0; v < e->axes[a].n; v++)
			p->used[a] += weir_experiment_is_used(p, a, v);
		p->n_points *= p->used[a];
	}
}

void weir_experiment_choices(const struct weir_experiment_plan *p, u32 point,
			     u32 choice[WEIR_EXPERIMENT_MAX_AXES])
{
	for (u32 a = p->experiment->n_axes; a-- > 0;) {
		u32 skip = point % p->used[a], v = 0;
		point /= p->used[a];
		while (!weir_experiment_is_used(p, a, v) || skip-- > 0)
			v++;
		choice[a] = v;
	}
}

bool weir_experiment_fits(const struct weir_experiment *e, const u32 pattern[WEIR_EXPERIMENT_MAX_AXES],
			  const u32 choice[WEIR_EXPERIMENT_MAX_AXES])
{
	for (u32 a = 0; a < e->n_axes; a++)
		if (pattern[a] != WEIR_EXPERIMENT_ANY && pattern[a] != choice[a])
			return false;
	return true;
}

bool weir_experiment_takes(const struct weir_experiment *e, const struct weir_operand *o,
			   const u32 choice[WEIR_EXPERIMENT_MAX_AXES])
{
	u32 pattern[WEIR_EXPERIMENT_MAX_AXES];

	memcpy(pattern, o->choice, sizeof pattern);
	if (o->among) {
		u32 a = o->among_axis;
		if (strncmp(e->axes[a].values[choice[a]].name, o->among, strlen(o->among)) != 0)
			return false;
		pattern[a] = WEIR_EXPERIMENT_ANY;
	}
	return weir_experiment_fits(e, pattern, choice);
}

bool weir_experiment_skips(const struct weir_experiment *e, const u32 choice[WEIR_EXPERIMENT_MAX_AXES])
{
	for (u32 i = 0; i < e->n_skips; i++)
		if (weir_experiment_fits(e, e->skips[i].choice, choice))
			return true;
	return false;
}

bool weir_experiment_is_emulated(const struct weir_experiment *e, const u32 choice[WEIR_EXPERIMENT_MAX_AXES])
{
	for (u32 a = 0; a < e->n_axes; a++)
		if (e->axes[a].values[choice[a]].emulated)
			return true;
	return false;
}

static bool has_points(const struct weir_experiment_plan *p, const struct weir_operand *o)
{
	u32 choice[WEIR_EXPERIMENT_MAX_AXES];

	for (u32 point = 0; point < p->n_points; point++) {
		weir_experiment_choices(p, point, choice);
		if (weir_experiment_takes(p->experiment, o, choice) &&
		    !weir_experiment_skips(p->experiment, choice))
			return true;
	}
	return false;
}

bool weir_experiment_can_judge(const struct weir_experiment_plan *p, const struct weir_claim *c)
{
	return has_points(p, &c->operand[0]) && (!c->op || has_points(p, &c->operand[1]));
}

/* Mistakes in an axis value or in `set` are told as such. */
static void name_the_sets(struct weir_diag *diag)
{
	for (u32 i = 0; i < diag->n; i++)
		if (diag->entry[i].option[0])
			snprintf(diag->entry[i].option, sizeof diag->entry[i].option, "set or axis");
}

static int load(const struct weir_experiment *e, const char **sets, u32 n_sets,
		const struct weir_registry *registry, struct weir_scenario_set *set, struct weir_diag *diag)
{
	if (!e->scenario_text)
		return weir_scenario_load(e->scenario_path, sets, n_sets, &registry->catalog, set, diag);
	return weir_scenario_parse(e->scenario_path, e->scenario_text, e->bytes, sets, n_sets,
				   &registry->catalog, set, diag);
}

int weir_experiment_scenario(const struct weir_experiment_plan *p, u32 point,
			     const struct weir_registry *registry, struct weir_scenario_set *set,
			     struct weir_scenario *scenario, struct weir_diag *diag)
{
	const struct weir_experiment *e = p->experiment;
	u32 choice[WEIR_EXPERIMENT_MAX_AXES], n_sets;
	weir_experiment_choices(p, point, choice);
	char **sets = weir_experiment_point_sets(e, choice, &n_sets);
	if (!sets) {
		weir_diag_add(diag, 0, 0, "out of memory");
		return -1;
	}
	int rc = load(e, (const char **)sets, n_sets, registry, set, diag);
	weir_experiment_free_sets(sets, n_sets);
	name_the_sets(diag);
	if (rc < 0)
		return -1;
	if (set->n_points != 1) {
		weir_diag_add(diag, 0, 0,
			      "the scenario of an experiment holds no list of values: use `axes`");
		return -1;
	}
	return weir_scenario_point(set, 0, scenario, diag);
}
