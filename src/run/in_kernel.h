/* SPDX-License-Identifier: MIT */
/* Weir's controllers in the kernel for the life of an emulated run: one registration for each controller and
 * each set of its parameters that the build has. */
#ifndef WEIR_RUN_IN_KERNEL_H
#define WEIR_RUN_IN_KERNEL_H

#include "build.h"
#include "kern/load.h"

struct weir_in_kernel {
	u32 n;
	struct weir_kern *kern;
	const u64 **params; /* of each; the build's */
	u32 *of_entry;	    /* which one an entry of the build uses; WEIR_SCENARIO_NONE: the kernel's own */
};

/* 0 and all are registered; or a weir_exit with a sentence: WEIR_EXIT_USAGE where a kernel cannot be host to
 * the controller, WEIR_EXIT_MACHINE where this one may not. End it in every case, after the last socket. */
int weir_in_kernel_begin(struct weir_in_kernel *k, const struct weir_build *b, char why[512]);
/* What the sockets of an entry ask for: weir_vegas; NULL: the kernel's own, entry->controller tells. */
const char *weir_in_kernel_name(const struct weir_in_kernel *k, u32 entry);
void weir_in_kernel_end(struct weir_in_kernel *k);

#endif
