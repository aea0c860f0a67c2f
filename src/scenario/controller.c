/* SPDX-License-Identifier: MIT */
/* `controller:` of a flow, against the parameter tables that the caller handed in. */
#include "check.h"

#include "core/nearest.h"
#include "param.h"

#include <stdio.h>

#define KERNEL "kernel:"

static u32 find_controller(const struct weir_scenario_catalog *catalog, const char *name)
{
	for (u32 i = 0; i < catalog->n; i++)
		if (!strcmp(catalog->controllers[i].name, name))
			return i;
	return WEIR_SCENARIO_NONE;
}

static void unknown_controller(struct weir_checker *c, const char *name, struct weir_scenario_place at)
{
	struct weir_nearest near = weir_nearest_to(name);
	for (u32 i = 0; i < c->tree->catalog->n; i++)
		weir_nearest_try(&near, c->tree->catalog->controllers[i].name);
	if (near.name)
		weir_check_mistake(c, at, "unknown controller \"%.60s\"; did you mean %s?", name, near.name);
	else
		weir_check_mistake(c, at, "unknown controller \"%.60s\"; weir list controllers names them",
				   name);
}

/* The kernel's own rule for names of congestion control (at most 15 characters). */
static bool is_kernel_name(const char *name)
{
	size_t n = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.");
	return n > 0 && n <= 15 && !name[n];
}

static void name_controller(struct weir_checker *c, const char *name, struct weir_scenario_place at,
			    struct weir_scenario_controller *into)
{
	into->index = WEIR_SCENARIO_NONE;
	into->at = at;
	into->name = name;
	if (!strcmp(name, "subject")) {
		into->subject = true;
		return;
	}
	if (!strncmp(name, KERNEL, strlen(KERNEL))) {
		into->kernel = true;
		into->name = name + strlen(KERNEL);
		if (!is_kernel_name(into->name))
			weir_check_mistake(c, at, "\"%.60s\" is not a name that a kernel can have", name);
	}
	into->index = find_controller(c->tree->catalog, into->name);
	if (into->index == WEIR_SCENARIO_NONE && !into->kernel)
		unknown_controller(c, name, at);
}

static void read_param(struct weir_checker *c, const struct weir_param *p, const struct weir_yaml *value,
		       u64 *into)
{
	char error[WEIR_QUANTITY_ERROR];
	if (!weir_scenario_param(p, value->text, into, error))
		weir_check_mistake(c, value->at, "%s: %s", p->name, error);
}

static void unknown_param(struct weir_checker *c, const struct weir_scenario_catalog_entry *entry,
			  const struct weir_yaml *child)
{
	struct weir_nearest near = weir_nearest_to(child->key);
	for (u32 i = 0; i < entry->n_params; i++)
		weir_nearest_try(&near, entry->params[i].name);
	if (near.name)
		weir_check_mistake(c, child->key_at, "%s has no parameter \"%.60s\"; did you mean %s?",
				   entry->name, child->key, near.name);
	else
		weir_check_mistake(c, child->key_at, "%s has no parameter \"%.60s\"", entry->name,
				   child->key);
}

static void set_param(struct weir_checker *c, const struct weir_scenario_catalog_entry *entry,
		      struct weir_yaml *child, u64 *params)
{
	u32 i = 0;
	while (i < entry->n_params && strcmp(entry->params[i].name, child->key))
		i++;
	if (i == entry->n_params) {
		unknown_param(c, entry, child);
		return;
	}
	bool was;
	const struct weir_yaml *value = weir_check_pick(c, false, child, &was);
	if (value && value->kind != WEIR_YAML_TEXT)
		weir_check_mistake(c, value->at, "%s: one value is expected here, not a map", child->key);
	else if (value)
		read_param(c, &entry->params[i], value, &params[i]);
	weir_check_unpick(c, was);
}

static void set_params(struct weir_checker *c, const struct weir_yaml *map,
		       struct weir_scenario_controller *into)
{
	u64 *params = NULL;
	const struct weir_scenario_catalog_entry *entry = NULL;
	if (into->index != WEIR_SCENARIO_NONE) {
		entry = &c->tree->catalog->controllers[into->index];
		into->n_params = entry->n_params;
		params = entry->n_params ? weir_check_get(c, entry->n_params, sizeof *params) : NULL;
		for (u32 i = 0; params && i < entry->n_params; i++)
			params[i] = entry->params[i].default_value;
		into->params = params;
		if (!params && entry->n_params)
			return; /* no memory, and that is reported */
	}
	for (struct weir_yaml *child = map->first; child; child = child->next) {
		if (child->bad || !strcmp(child->key, "name"))
			continue;
		if (entry)
			set_param(c, entry, child, params);
		else if (into->subject || into->kernel)
			weir_check_mistake(c, child->key_at, "%s takes no parameters here: \"%.60s\"",
					   into->subject ? "subject" : "a kernel's own controller",
					   child->key);
	}
}

void weir_check_controller(struct weir_checker *c, const struct weir_yaml *node,
			   struct weir_scenario_controller *into)
{
	if (node->kind == WEIR_YAML_TEXT) {
		name_controller(c, node->text, node->at, into);
		set_params(c, node, into);
		return;
	}
	struct weir_yaml *name = weir_yaml_find(node, "name");
	into->index = WEIR_SCENARIO_NONE;
	into->name = "";
	if (!name) {
		weir_check_mistake(c, node->at, "a controller needs \"name\"");
		return;
	}
	bool was;
	const struct weir_yaml *value = weir_check_pick(c, true, name, &was);
	if (value && value->kind != WEIR_YAML_TEXT)
		weir_check_mistake(c, value->at, "name: one value is expected here, not a map");
	else if (value)
		name_controller(c, value->text, value->at, into);
	weir_check_unpick(c, was);
	set_params(c, node, into);
}
