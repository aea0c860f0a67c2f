/* SPDX-License-Identifier: MIT */
/* A compiled controller under another name. libbpf sets the contents of a struct_ops map from the ELF file
 * only, so that the name is written there, before it is opened. */
#ifndef WEIR_KERN_RENAME_H
#define WEIR_KERN_RENAME_H

#include "load.h"

/* Writes `to` (at most 15 characters) wherever the object's own name stands: in its tables of hooks, and
 * where a watcher looks for it. 0, or -1: this is no such object, and it is as it was. */
int weir_kern_rename(void *elf, size_t bytes, const char *to);

#endif
