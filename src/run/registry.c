/* SPDX-License-Identifier: MIT */
#include "registry.h"

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
	r->room = room;
	return 0;
}

int weir_registry_add(struct weir_registry *r, const char *name, const struct weir_controller *ops)
{
	const struct weir_controller_about about = weir_controller_about(ops);
	u32 i = index_of(r, name);
	if (i == r->room && make_room(r) < 0)
		return -1;
	r->entries[i] =
	    (struct weir_scenario_catalog_entry){name, about.params, about.n_params, ops->age != NULL};
	r->ops[i] = *ops;
	if (i == r->catalog.n)
		r->catalog.n++;
	return 0;
}

int weir_registry_init(struct weir_registry *r)
{
	struct weir_controller ops;
	const char *alias;
	memset(r, 0, sizeof *r);
	for (u32 i = 0; weir_controller_at(i, &ops); i++)
		if (weir_registry_add(r, weir_controller_about(&ops).name, &ops) < 0)
			return -1;
	ops = (struct weir_controller){0};
	for (u32 i = 0; (ops.cc = weir_cc_alias_at(i, &alias)) != NULL; i++)
		if (weir_registry_add(r, alias, &ops) < 0)
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
	memset(r, 0, sizeof *r);
}

const struct weir_controller *weir_registry_find(const struct weir_registry *r, const char *name)
{
	u32 i = index_of(r, name);
	return i < r->catalog.n ? &r->ops[i] : NULL;
}

const char *weir_registry_nearest(const struct weir_registry *r, const char *name)
{
	struct weir_nearest near = weir_nearest_to(name);
	for (u32 i = 0; i < r->catalog.n; i++)
		weir_nearest_try(&near, r->entries[i].name);
	return near.name;
}
