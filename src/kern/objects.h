/* SPDX-License-Identifier: MIT */
/* The compiled BPF programs of the controllers that Weir ships: part of this program. */
#ifndef WEIR_KERN_OBJECTS_H
#define WEIR_KERN_OBJECTS_H

#include "pilot_format.h"
#include "weir/cc.h"

struct weir_kern_object {
	const struct weir_cc_ops *ops; /* the same controller in user space: its tables, its name */
	const void *data;	       /* an ELF file */
	size_t bytes;
	const struct weir_kern_inners *inners; /* of the governor: what a pilot chooses from; else NULL */
};

/* By name or alias. False if Weir ships none of this name. */
bool weir_kern_object_find(const char *name, struct weir_kern_object *object);

/* The governor, for one pilot with one set of parameters: it is registered under the pilot's name. What it
 * points to is `g`, which outlives its registration. 0, or -1 with a sentence as weir_hosted_inners has it.
 */
struct weir_kern_governor {
	struct weir_cc_ops ops;
	struct weir_kern_inners inners;
};
int weir_kern_object_governor(const struct weir_pilot_ops *pilot, const u64 *params,
			      struct weir_kern_governor *g, struct weir_kern_object *object, char why[200]);

#endif
