/* SPDX-License-Identifier: MIT */
/* The controllers a run can name: those that Weir ships, of all kinds, their aliases, and headers given on
 * the command line. The scenario room sees it as a catalog, its hosts as operations; both by the same index.
 */
#ifndef WEIR_RUN_REGISTRY_H
#define WEIR_RUN_REGISTRY_H

#include "controller.h"
#include "kern/objects.h"
#include "scenario/scenario.h"

struct weir_registry {
	struct weir_scenario_catalog catalog; /* catalog.n entries, in step with ops */
	struct weir_scenario_catalog_entry *entries;
	struct weir_controller *ops;
	u32 room;
	/* The kernel's form of what was compiled on the fly. */
	struct weir_kern_object *compiled;
	u32 n_compiled;
};

/* Filled with what Weir ships. 0, or -1 when out of memory (free is still allowed). */
int weir_registry_init(struct weir_registry *r);
/* Adds a controller, in place of one of the same name. The operations must outlive the registry. */
int weir_registry_add(struct weir_registry *r, const char *name, const struct weir_controller *ops);
/* Its form for the kernel. What it points to must outlive the registry. 0, or -1: out of memory. */
int weir_registry_add_kernel(struct weir_registry *r, const struct weir_kern_object *object);
void weir_registry_free(struct weir_registry *r);
/* NULL if there is none of this name. */
const struct weir_controller *weir_registry_find(const struct weir_registry *r, const char *name);
/* The kernel's form of a controller; false if it has none. */
bool weir_registry_kernel(const struct weir_registry *r, const struct weir_cc_ops *ops,
			  struct weir_kern_object *object);
/* The known name nearest to a mistyped one, NULL if none is near. */
const char *weir_registry_nearest(const struct weir_registry *r, const char *name);

#endif
