/* SPDX-License-Identifier: MIT */
/* The compiled BPF programs of the controllers that Weir ships: part of this program. */
#ifndef WEIR_KERN_OBJECTS_H
#define WEIR_KERN_OBJECTS_H

#include "weir/cc.h"

struct weir_kern_object {
	const struct weir_cc_ops *ops; /* the same controller in user space: its tables, its name */
	const void *data;	       /* an ELF file */
	size_t bytes;
};

/* By name or alias. False if Weir ships none of this name. */
bool weir_kern_object_find(const char *name, struct weir_kern_object *object);

#endif
