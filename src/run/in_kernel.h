/* SPDX-License-Identifier: MIT */
/* Weir's controllers in the kernel for the life of an emulated run: one registration for each controller and
 * each set of its parameters that the build has. */
#ifndef WEIR_RUN_IN_KERNEL_H
#define WEIR_RUN_IN_KERNEL_H

#include "build.h"
#include "kern/pilots.h"

struct weir_in_kernel_one {
	struct weir_kern kern;
	const u64 *params;		    /* the build's */
	const struct weir_pilot_ops *pilot; /* whose governor it is; NULL: a controller of windows */
	struct weir_kern_governor governor;
	struct weir_pilots *pilots; /* its connections' pilots, in a thread of their own */
};

struct weir_in_kernel {
	u32 n;
	struct weir_in_kernel_one *one;
	u32 *of_entry; /* which one an entry of the build uses; WEIR_SCENARIO_NONE: the kernel's own */
};

/* 0 and all are registered; or a weir_exit with a sentence: WEIR_EXIT_USAGE where a kernel cannot be host to
 * the controller, WEIR_EXIT_MACHINE where this one may not. End it in every case, after the last socket.
 * `seed` keys the pilots' random draws. */
int weir_in_kernel_begin(struct weir_in_kernel *k, const struct weir_build *b, u64 seed, char why[512]);
/* What the sockets of an entry ask for: weir_vegas; NULL: the kernel's own, entry->controller tells. */
const char *weir_in_kernel_name(const struct weir_in_kernel *k, u32 entry);
/* What the pilot of the entry's flow with this local port shows; false: it has none, or none yet. */
bool weir_in_kernel_pilot(const struct weir_in_kernel *k, u32 entry, u16 port,
			  double value[WEIR_PILOT_SIGNALS_MAX]);
/* All pilots together. */
void weir_in_kernel_counts(const struct weir_in_kernel *k, struct weir_hosted_counts *out);
void weir_in_kernel_end(struct weir_in_kernel *k);

#endif
