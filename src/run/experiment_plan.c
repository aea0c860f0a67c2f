/* SPDX-License-Identifier: MIT */
/* Points of an experiment: combinations of axis values, and the scenario at each. */
#include "run/check.h"
#include "run/experiment.h"

#include <stdlib.h>

static bool is_used(const struct weir_experiment_plan *p, u32 axis, u32 value)
{
	return !p->quick || p->experiment->axes[axis].values[value].quick;
}

void weir_experiment_plan(const struct weir_experiment *e, bool quick, struct weir_experiment_plan *p)
{
	*p = (struct weir_experiment_plan){.experiment = e, .quick = quick, .n_points = 1};
	p->n_seeds = quick ? e->quick_seeds : e->n_seeds;
	for (u32 a = 0; a < e->n_axes; a++) {
		for (u32 v = 0; v < e->axes[a].n; v++)
			p->used[a] += is_used(p, a, v);
		p->n_points *= p->used[a];
	}
}

void weir_experiment_choices(const struct weir_experiment_plan *p, u32 point,
			     u32 choice[WEIR_EXPERIMENT_MAX_AXES])
{
	for (u32 a = p->experiment->n_axes; a-- > 0;) {
		u32 skip = point % p->used[a], v = 0;
		point /= p->used[a];
		while (!is_used(p, a, v) || skip-- > 0)
			v++;
		choice[a] = v;
	}
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
	u32 choice[WEIR_EXPERIMENT_MAX_AXES], n_sets = e->n_sets, n = 0;

	weir_experiment_choices(p, point, choice);
	for (u32 a = 0; a < e->n_axes; a++)
		n_sets += e->axes[a].values[choice[a]].n_sets;
	const char **sets = calloc(n_sets + 1, sizeof *sets);
	if (!sets) {
		weir_diag_add(diag, 0, 0, "out of memory");
		return -1;
	}
	for (u32 i = 0; i < e->n_sets; i++)
		sets[n++] = e->sets[i];
	for (u32 a = 0; a < e->n_axes; a++)
		for (u32 i = 0; i < e->axes[a].values[choice[a]].n_sets; i++)
			sets[n++] = e->axes[a].values[choice[a]].sets[i];
	int rc = load(e, sets, n_sets, registry, set, diag);
	free(sets);
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
