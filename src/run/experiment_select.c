/* SPDX-License-Identifier: MIT */
/* A part of an experiment: only some values of an axis. */
#include "run/experiment.h"

#include <stdio.h>
#include <string.h>

/* VALUE,VALUE; a single value may have commas in its name. */
static bool list_has(const char *list, const char *name)
{
	size_t n = strlen(name);

	if (!strcmp(list, name))
		return true;
	for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
		if (!strncmp(at, name, n) && (at[n] == ',' || at[n] == 0))
			return true;
	return false;
}

/* How many of the names in the list the axis has. */
static u32 leave_out_others(struct weir_experiment_axis *axis, const char *list, bool *single)
{
	u32 found = 0;

	*single = false;
	for (u32 v = 0; v < axis->n; v++) {
		axis->values[v].left_out = !list_has(list, axis->values[v].name);
		found += !axis->values[v].left_out;
		*single = *single || !strcmp(list, axis->values[v].name);
	}
	return found;
}

static u32 names_in(const char *list)
{
	u32 n = 1;

	for (; (list = strchr(list, ',')) != NULL; list++)
		n++;
	return n;
}

static int complain(const struct weir_experiment *e, const struct weir_experiment_axis *axis,
		    const char *choice, char why[512])
{
	int used = snprintf(why, 512, "%.100s: %.100s: the values of this axis are", e->name, choice);

	for (u32 v = 0; v < axis->n && used < 400; v++)
		used +=
		    snprintf(why + used, 512 - (size_t)used, "%s %.60s", v ? "," : "", axis->values[v].name);
	return -1;
}

int weir_experiment_select(struct weir_experiment *e, const char *choice, char why[512])
{
	const char *equals = strchr(choice, '=');
	size_t n = equals ? (size_t)(equals - choice) : strlen(choice);
	bool single;
	int used = snprintf(why, 512, "%.100s: %.*s%s; the axes are", e->name, (int)weir_min(n, 60), choice,
			    equals ? " is no axis" : ": AXIS=VALUE is expected");

	for (u32 a = 0; a < e->n_axes; a++) {
		struct weir_experiment_axis *axis = &e->axes[a];
		if (used < 400)
			used +=
			    snprintf(why + used, 512 - (size_t)used, "%s %.60s", a ? "," : "", axis->name);
		if (!equals || strlen(axis->name) != n || strncmp(axis->name, choice, n))
			continue;
		u32 found = leave_out_others(axis, equals + 1, &single);
		return single || found == names_in(equals + 1) ? 0 : complain(e, axis, choice, why);
	}
	return -1;
}
