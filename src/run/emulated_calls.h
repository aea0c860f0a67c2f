/* SPDX-License-Identifier: MIT */
/* What Weir's controllers in the kernel are asked and say during an emulated run: made again here, so that
 * their own signals are known, and written down where that is wanted. */
#ifndef WEIR_RUN_EMULATED_CALLS_H
#define WEIR_RUN_EMULATED_CALLS_H

#include "in_kernel.h"
#include "kern/follow.h"
#include "kern/watch.h"
#include "kernel_qlog.h"

struct weir_emulated_calls {
	u32 n; /* controllers, as in weir_in_kernel */
	struct weir_emulated_controller *one;
	u64 zero_clock_ns; /* CLOCK_MONOTONIC of the scenario's 0 */
	u32 first_port, n_flows;
	const struct weir_build *b;
	struct weir_kernel_qlog *qlog;
	u64 lost;		       /* calls that could not be recorded */
	u64 different;		       /* calls to which the kernel had another answer than there is here */
	char why[WEIR_KERN_WHY_BYTES]; /* why a controller is not watched; "": all are */
};

/* Before the sockets are there. `qlog`: an open file, which is taken over; NULL: none is wanted. A controller
 * that cannot be watched runs without: `why` says so. 0, or -1: no memory. */
int weir_emulated_calls_begin(struct weir_emulated_calls *c, const struct weir_in_kernel *k,
			      const struct weir_build *b, u32 first_port, FILE *qlog);
/* Takes what was said since the last time. */
void weir_emulated_calls_take(struct weir_emulated_calls *c);
/* The values of the signals of a flow's controller as of its newest call. False: it is not known. */
bool weir_emulated_calls_probe(const struct weir_emulated_calls *c, const struct weir_in_kernel *k, u32 entry,
			       u32 flow, u64 value[WEIR_CC_SIGNALS_MAX]);
/* What was counted stays. 0, or -1 with errno: the qlog could not be written. */
int weir_emulated_calls_end(struct weir_emulated_calls *c);

#endif
