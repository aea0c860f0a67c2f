/* SPDX-License-Identifier: MIT */
#include "run/experiment_sweep.h"

#include "core/stats.h"
#include "run/experiment_read.h"
#include "scenario/quantity.h"

#include <math.h>

static const struct {
	enum weir_quantity kind;
	const char *unit;
	double divisor;
} scales[] = {
    {WEIR_QUANTITY_COUNT, "", 1},     {WEIR_QUANTITY_RATE, "Mbit/s", 1e6},   {WEIR_QUANTITY_TIME, "ms", 1e6},
    {WEIR_QUANTITY_BYTES, "kB", 1e3}, {WEIR_QUANTITY_PACKETS, "packets", 1}, {WEIR_QUANTITY_RATIO, "", 1e6},
    {WEIR_QUANTITY_BDP, "BDP", 1e6},
};

/* The number in a value's name: a quantity with its unit, else a plain number. */
static bool number_of(const char *text, const char **unit, double *x)
{
	char error[WEIR_QUANTITY_ERROR];
	enum weir_quantity kind;
	u64 value;

	*unit = "";
	if (weir_experiment_parse_number(text, x))
		return true;
	if (!weir_quantity_any(text, ~0U, &kind, &value, error))
		return false;
	for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
		if (scales[i].kind != kind)
			continue;
		*unit = scales[i].unit;
		*x = (double)value / scales[i].divisor;
		return true;
	}
	return false;
}

bool weir_experiment_scale(const struct weir_experiment_plan *p, u32 axis, const char **unit,
			   struct weir_experiment_sweep *out)
{
	const struct weir_experiment_axis *a = &p->experiment->axes[axis];
	const char *its;
	u32 n = 0;

	for (u32 v = 0; v < a->n; v++) {
		if (!weir_experiment_is_used(p, axis, v))
			continue;
		if (!number_of(a->values[v].name, &its, &out[n].x) || (n && strcmp(its, *unit)))
			return false;
		*unit = its;
		n++;
	}
	return n >= 2;
}

static bool on_line(const struct weir_experiment_result *r, const struct weir_claim *c, u32 axis,
		    const u32 *choice)
{
	for (u32 a = 0; a < r->plan.experiment->n_axes; a++)
		if (a != axis && c->operand[0].choice[a] != WEIR_EXPERIMENT_ANY &&
		    c->operand[0].choice[a] != choice[a])
			return false;
	return true;
}

bool weir_experiment_sweep(const struct weir_experiment_result *r, u32 claim, u32 axis,
			   struct weir_experiment_sweep *out)
{
	const struct weir_experiment_plan *p = &r->plan;
	const struct weir_claim *c = &p->experiment->claims[claim];
	const double *values = &r->values[(size_t)claim * p->n_points * p->n_seeds];
	u32 choice[WEIR_EXPERIMENT_MAX_AXES], n = 0, known = 0;

	for (u32 v = 0; v < p->experiment->axes[axis].n; v++) {
		struct weir_stats s = {0};
		if (!weir_experiment_is_used(p, axis, v))
			continue;
		for (u32 run = 0; run < p->n_points * p->n_seeds; run++) {
			weir_experiment_choices(p, run / p->n_seeds, choice);
			if (choice[axis] == v && isfinite(values[run]) && on_line(r, c, axis, choice))
				weir_stats_add(&s, values[run]);
		}
		out[n].y = s.n ? s.mean : (double)NAN;
		known += s.n > 0;
		if (!weir_stats_ci95(&s, &out[n].ci_low, &out[n].ci_high))
			out[n].ci_low = out[n].ci_high = (double)NAN;
		n++;
	}
	return known >= 2;
}
