/* SPDX-License-Identifier: MIT */
#include "registry.h"

#include "age/table.h"
#include "cc/table.h"
#include "core/nearest.h"

#include <stdlib.h>
#include <string.h>

static u32 index_of(const struct weir_registry *r, const char *name)
{
	u32 i = 0;
	while (i < r->catalog.n && strcmp(r->entries[i].name, name) != 0)
		i++;
	return i;
}

static int make_room(struct weir_registry *r)
{
	u32 room = r->room ? 2 * r->room : 16;
	void *entries = realloc(r->entries, room * sizeof *r->entries);
	if (!entries)
		return -1;
	r->entries = entries;
	r->catalog.controllers = entries;
	void *ops = realloc(r->ops, room * sizeof *r->ops);
	if (!ops)
		return -1;
	r->ops = ops;
	void *age_ops = realloc(r->age_ops, room * sizeof *r->age_ops);
	if (!age_ops)
		return -1;
	r->age_ops = age_ops;
	r->room = room;
	return 0;
}

static int enter(struct weir_registry *r, const struct weir_scenario_catalog_entry *entry,
		 const struct weir_cc_ops *ops, const struct weir_age_ops *age_ops)
{
	u32 i = index_of(r, entry->name);
	if (i == r->room && make_room(r) < 0)
		return -1;
	r->entries[i] = *entry;
	r->ops[i] = ops;
	r->age_ops[i] = age_ops;
	if (i == r->catalog.n)
		r->catalog.n++;
	return 0;
}

int weir_registry_add(struct weir_registry *r, const char *name, const struct weir_cc_ops *ops)
{
	const struct weir_scenario_catalog_entry entry = {name, ops->params, ops->n_params, false};
	return enter(r, &entry, ops, NULL);
}

int weir_registry_add_age(struct weir_registry *r, const struct weir_age_ops *ops)
{
	const struct weir_scenario_catalog_entry entry = {ops->name, ops->params, ops->n_params, true};
	return enter(r, &entry, NULL, ops);
}

int weir_registry_init(struct weir_registry *r)
{
	memset(r, 0, sizeof *r);
	for (u32 i = 0; i < weir_cc_count(); i++) {
		const struct weir_cc_ops *ops = weir_cc_at(i);
		if (weir_registry_add(r, ops->name, ops) < 0)
			return -1;
	}
	const char *alias;
	const struct weir_cc_ops *ops;
	for (u32 i = 0; (ops = weir_cc_alias_at(i, &alias)) != NULL; i++)
		if (weir_registry_add(r, alias, ops) < 0)
			return -1;
	for (u32 i = 0; i < weir_age_count(); i++)
		if (weir_registry_add_age(r, weir_age_at(i)) < 0)
			return -1;
	return 0;
}

int weir_registry_add_kernel(struct weir_registry *r, const struct weir_kern_object *object)
{
	void *all = realloc(r->compiled, (r->n_compiled + 1u) * sizeof *r->compiled);
	if (!all)
		return -1;
	r->compiled = all;
	r->compiled[r->n_compiled++] = *object;
	return 0;
}

bool weir_registry_kernel(const struct weir_registry *r, const struct weir_cc_ops *ops,
			  struct weir_kern_object *object)
{
	for (u32 i = 0; i < r->n_compiled; i++)
		if (r->compiled[i].ops == ops) {
			*object = r->compiled[i];
			return true;
		}
	return weir_kern_object_find(ops->name, object) && object->ops == ops;
}

void weir_registry_free(struct weir_registry *r)
{
	free(r->compiled);
	free(r->entries);
	free(r->ops);
	free(r->age_ops);
	memset(r, 0, sizeof *r);
}

const struct weir_cc_ops *weir_registry_find(const struct weir_registry *r, const char *name)
{
	u32 i = index_of(r, name);
	return i < r->catalog.n ? r->ops[i] : NULL;
}

const struct weir_age_ops *weir_registry_find_age(const struct weir_registry *r, const char *name)
{
	u32 i = index_of(r, name);
	return i < r->catalog.n ? r->age_ops[i] : NULL;
}

const char *weir_registry_nearest(const struct weir_registry *r, const char *name)
{
	struct weir_nearest near = weir_nearest_to(name);
	for (u32 i = 0; i < r->catalog.n; i++)
		weir_nearest_try(&near, r->entries[i].name);
	return near.name;
}
