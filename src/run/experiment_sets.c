/* SPDX-License-Identifier: MIT */
/* What is set in the scenario at one point. A value may hold the name of an axis in braces,
 * `kernel:{controller}`: the name of the value that this axis has at the point takes its place. */
#include "run/experiment_sets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The axis whose name stands in braces at `text`, with the length of it all; NULL: it is plain text. */
static const struct weir_experiment_axis *axis_at(const struct weir_experiment *e, const char *text,
						  const u32 *choice, const char **value, size_t *length)
{
	for (u32 a = 0; *text == '{' && a < e->n_axes; a++) {
		size_t n = strlen(e->axes[a].name);
		if (strncmp(text + 1, e->axes[a].name, n) || text[n + 1] != '}')
			continue;
		*value = e->axes[a].values[choice[a]].name;
		*length = n + 2;
		return &e->axes[a];
	}
	return NULL;
}

static char *fill_in(const struct weir_experiment *e, const u32 *choice, const char *set)
{
	char *text = NULL;
	size_t bytes = 0, length;
	const char *value;
	FILE *to = open_memstream(&text, &bytes);

	if (!to)
		return NULL;
	for (; *set; set += length) {
		if (axis_at(e, set, choice, &value, &length)) {
			fputs(value, to);
			continue;
		}
		fputc(*set, to);
		length = 1;
	}
	return fclose(to) == 0 ? text : NULL;
}

static bool add_all(const struct weir_experiment *e, const u32 *choice, const char **from, u32 n, char **sets,
		    u32 *used)
{
	for (u32 i = 0; i < n; i++) {
		sets[*used] = fill_in(e, choice, from[i]);
		if (!sets[(*used)++])
			return false;
	}
	return true;
}

char **weir_experiment_point_sets(const struct weir_experiment *e, const u32 *choice, u32 *n)
{
	u32 room = e->n_sets, used = 0;

	for (u32 a = 0; a < e->n_axes; a++)
		room += e->axes[a].values[choice[a]].n_sets;
	char **sets = calloc(room + 1, sizeof *sets);
	bool good = sets && add_all(e, choice, e->sets, e->n_sets, sets, &used);
	for (u32 a = 0; good && a < e->n_axes; a++) {
		const struct weir_axis_value *v = &e->axes[a].values[choice[a]];
		good = add_all(e, choice, v->sets, v->n_sets, sets, &used);
	}
	*n = used;
	if (good)
		return sets;
	weir_experiment_free_sets(sets, used);
	return NULL;
}

void weir_experiment_free_sets(char **sets, u32 n)
{
	for (u32 i = 0; sets && i < n; i++)
		free(sets[i]);
	free(sets);
}
