/* SPDX-License-Identifier: MIT */
#include "run/experiment_read.h"

#include "core/nearest.h"
#include "scenario/quantity.h"

#include <math.h>
#include <stdlib.h>

void weir_experiment_say(struct weir_experiment_reader *r, struct weir_scenario_place at, const char *format,
			 ...)
{
	char text[sizeof r->diag.entry[0].text];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	weir_diag_add(&r->diag, at.line, at.column, "%s", text);
}

void weir_experiment_keys(struct weir_experiment_reader *r, const struct weir_yaml *map,
			  const char *const *known)
{
	for (const struct weir_yaml *child = map->first; child; child = child->next) {
		struct weir_nearest near = weir_nearest_to(child->key);
		bool found = false;
		for (u32 i = 0; known[i]; i++) {
			found |= !strcmp(known[i], child->key);
			weir_nearest_try(&near, known[i]);
		}
		if (!found && near.name)
			weir_experiment_say(r, child->key_at, "unknown key `%.60s`; did you mean `%s`?",
					    child->key, near.name);
		else if (!found)
			weir_experiment_say(r, child->key_at, "unknown key `%.60s`", child->key);
	}
}

bool weir_experiment_is_map(struct weir_experiment_reader *r, const struct weir_yaml *node)
{
	if (node->kind == WEIR_YAML_MAP)
		return true;
	weir_experiment_say(r, node->at, "a map of keys is expected");
	return false;
}

static bool is_null(const char *text)
{
	return !*text || !strcmp(text, "null") || !strcmp(text, "~");
}

const char *weir_experiment_text(struct weir_experiment_reader *r, const struct weir_yaml *map,
				 const char *key, bool required)
{
	const struct weir_yaml *node = weir_yaml_find(map, key);

	if (node && node->kind != WEIR_YAML_TEXT) {
		weir_experiment_say(r, node->at, "`%s` is a text", key);
		return NULL;
	}
	if (node && !is_null(node->text))
		return node->text;
	if (required)
		weir_experiment_say(r, node ? node->at : map->at, "`%s` is missing", key);
	return NULL;
}

void weir_experiment_count(struct weir_experiment_reader *r, const struct weir_yaml *node, u64 min, u64 max,
			   u64 *value)
{
	char error[WEIR_QUANTITY_ERROR];
	u64 x;

	if (node->kind != WEIR_YAML_TEXT)
		weir_experiment_say(r, node->at, "a whole number is expected");
	else if (!weir_quantity(node->text, WEIR_QUANTITY_COUNT, &x, error))
		weir_experiment_say(r, node->at, "%s", error);
	else if (x < min || x > max)
		weir_experiment_say(r, node->at, "%llu is not from %llu to %llu", x, min, max);
	else
		*value = x;
}

bool weir_experiment_parse_number(const char *text, double *value)
{
	char *end;

	if (!*text || text[strspn(text, "0123456789+-.eE")])
		return false;
	double x = strtod(text, &end);
	if (*end || !isfinite(x))
		return false;
	*value = x;
	return true;
}

bool weir_experiment_number(struct weir_experiment_reader *r, const struct weir_yaml *node, double *value)
{
	if (node->kind == WEIR_YAML_TEXT && weir_experiment_parse_number(node->text, value))
		return true;
	weir_experiment_say(r, node->at, "a number is expected");
	return false;
}

bool weir_experiment_band(struct weir_experiment_reader *r, const struct weir_yaml *node, double band[2])
{
	if (node->kind != WEIR_YAML_LIST || node->n != 2) {
		weir_experiment_say(r, node->at, "a band is [lowest, highest]");
		return false;
	}
	if (!weir_experiment_number(r, node->first, &band[0]) ||
	    !weir_experiment_number(r, node->last, &band[1]))
		return false;
	if (band[0] > band[1])
		weir_experiment_say(r, node->at, "the lowest value of the band is above its highest");
	return band[0] <= band[1];
}

static const char *key_value(struct weir_arena *arena, const char *key, const char *value)
{
	size_t n = strlen(key), m = strlen(value);
	char *text = weir_arena_get(arena, n + m + 2);

	if (text) {
		memcpy(text, key, n);
		text[n] = '=';
		memcpy(text + n + 1, value, m);
	}
	return text;
}

const char **weir_experiment_sets(struct weir_experiment_reader *r, const struct weir_yaml *map, u32 *n)
{
	struct weir_arena *arena = r->experiment->arena;

	*n = 0;
	if (!weir_experiment_is_map(r, map))
		return NULL;
	const char **sets = weir_arena_get(arena, (map->n + 1) * sizeof *sets);
	for (const struct weir_yaml *child = map->first; sets && child; child = child->next) {
		if (child->kind != WEIR_YAML_TEXT) {
			weir_experiment_say(
			    r, child->at, "`%.60s` takes one plain value here; keys are dotted", child->key);
			continue;
		}
		sets[*n] = key_value(arena, child->key, child->text);
		*n += sets[*n] != NULL;
	}
	return sets;
}

/* ---- axes ---- */

static void read_value(struct weir_experiment_reader *r, const struct weir_yaml *node, const char *key,
		       struct weir_axis_value *v)
{
	static const char *const keys[] = {"name", "set", "on", NULL};
	struct weir_arena *arena = r->experiment->arena;

	v->name = "?";
	if (key && node->kind == WEIR_YAML_TEXT) {
		v->name = node->text;
		v->sets = weir_arena_get(arena, sizeof *v->sets);
		if (v->sets)
			v->sets[v->n_sets++] = key_value(arena, key, node->text);
		return;
	}
	if (key || node->kind != WEIR_YAML_MAP) {
		weir_experiment_say(
		    r, node->at, key ? "a plain value is expected" : "without `key`, a value is {name, set}");
		return;
	}
	weir_experiment_keys(r, node, keys);
	const char *name = weir_experiment_text(r, node, "name", true);
	v->name = name ? name : v->name;
	const struct weir_yaml *set = weir_yaml_find(node, "set");
	const char *on = weir_experiment_text(r, node, "on", false);
	v->emulated = on && !strcmp(on, "emu");
	if (on && !v->emulated && strcmp(on, "sim") != 0)
		weir_experiment_say(r, weir_yaml_find(node, "on")->at, "sim or emu is expected");
	if (set)
		v->sets = weir_experiment_sets(r, set, &v->n_sets);
	else if (!on)
		weir_experiment_say(r, node->at, "`set` is missing");
}

static struct weir_axis_value *find_value(const struct weir_experiment_axis *axis, const char *name)
{
	for (u32 i = 0; i < axis->n; i++)
		if (!strcmp(axis->values[i].name, name))
			return &axis->values[i];
	return NULL;
}

/* Without a list the ends of the axis are run. */
static void read_quick(struct weir_experiment_reader *r, const struct weir_yaml *list,
		       struct weir_experiment_axis *axis)
{
	if (!list) {
		axis->values[0].quick = axis->values[axis->n - 1].quick = true;
		return;
	}
	if (list->kind != WEIR_YAML_LIST || list->n == 0) {
		weir_experiment_say(r, list->at, "a list of some of the values is expected");
		return;
	}
	for (const struct weir_yaml *node = list->first; node; node = node->next) {
		struct weir_axis_value *v =
		    node->kind == WEIR_YAML_TEXT ? find_value(axis, node->text) : NULL;
		if (v)
			v->quick = true;
		else
			weir_experiment_say(r, node->at, "not one of the values of this axis");
	}
}

static void read_axis(struct weir_experiment_reader *r, const struct weir_yaml *map)
{
	static const char *const keys[] = {"name", "key", "values", "quick", NULL};
	struct weir_experiment *e = r->experiment;

	if (!weir_experiment_is_map(r, map))
		return;
	weir_experiment_keys(r, map, keys);
	const char *name = weir_experiment_text(r, map, "name", true);
	const char *key = weir_experiment_text(r, map, "key", false);
	const struct weir_yaml *values = weir_yaml_find(map, "values");
	if (!values || values->kind != WEIR_YAML_LIST || values->n == 0) {
		weir_experiment_say(r, values ? values->at : map->at, "`values` is a list of values");
		return;
	}
	struct weir_experiment_axis *axis = &e->axes[e->n_axes];
	axis->name = name ? name : "?";
	axis->values = weir_arena_get(e->arena, values->n * sizeof *axis->values);
	if (!axis->values)
		return;
	for (const struct weir_yaml *node = values->first; node; node = node->next) {
		struct weir_axis_value v = {0};
		read_value(r, node, key, &v);
		if (find_value(axis, v.name))
			weir_experiment_say(r, node->at, "`%.60s` is given twice", v.name);
		axis->values[axis->n++] = v;
	}
	read_quick(r, weir_yaml_find(map, "quick"), axis);
	e->n_axes++;
}

void weir_experiment_read_axes(struct weir_experiment_reader *r, const struct weir_yaml *list)
{
	if (!list)
		return;
	if (list->kind != WEIR_YAML_LIST || list->n > WEIR_EXPERIMENT_MAX_AXES) {
		weir_experiment_say(r, list->at, "a list of at most %u axes is expected",
				    WEIR_EXPERIMENT_MAX_AXES);
		return;
	}
	for (const struct weir_yaml *map = list->first; map; map = map->next)
		read_axis(r, map);
}
