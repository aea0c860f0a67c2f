/* SPDX-License-Identifier: MIT */
/* The controllers a run can name: those that Weir ships, their aliases, and headers given on the command
 * line. The scenario room sees it as a catalog, the simulator as operations; both by the same index. */
#ifndef WEIR_RUN_REGISTRY_H
#define WEIR_RUN_REGISTRY_H

#include "scenario/scenario.h"
#include "weir/cc.h"

struct weir_registry {
	struct weir_scenario_catalog catalog; /* catalog.n entries, in step with ops */
	struct weir_scenario_catalog_entry *entries;
	const struct weir_cc_ops **ops;
	u32 room;
};

/* Filled with what Weir ships. 0, or -1 when out of memory (free is still allowed). */
int weir_registry_init(struct weir_registry *r);
/* Adds a controller, in place of one of the same name. The operations must outlive the registry. */
int weir_registry_add(struct weir_registry *r, const char *name, const struct weir_cc_ops *ops);
void weir_registry_free(struct weir_registry *r);
/* NULL if there is none of this name. */
const struct weir_cc_ops *weir_registry_find(const struct weir_registry *r, const char *name);
/* The known name nearest to a mistyped one, NULL if none is near. */
const char *weir_registry_nearest(const struct weir_registry *r, const char *name);

#endif
