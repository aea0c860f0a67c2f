/* SPDX-License-Identifier: MIT */
/* summary.json and manifest.json of what was watched in the kernel. */
#ifndef WEIR_RUN_KERNEL_RESULT_H
#define WEIR_RUN_KERNEL_RESULT_H

#include "kernel_flow.h"
#include "kernel_trace.h"

struct weir_kernel_result {
	const struct weir_kernel_trace_wanted *wanted;
	const struct weir_outdir *directory;
	struct weir_kernel_trace_counts counts;
	struct weir_kernel_flow *const *flow; /* WEIR_KERNEL_TRACE_FLOWS_MAX, by socket; NULL: not seen */
	u64 origin_ns, end_ns;		      /* times of the first and the newest call */
	u64 differing;			      /* calls that this program's controller answers otherwise */
	u64 rows_omitted;		      /* looks at flows that found no room in series.csv */
	u64 unseen;			      /* calls of sockets for which there is no room */
};

/* Whether a socket has delivered enough to be one: those that only talk are none. */
bool weir_kernel_result_is_flow(const struct weir_kernel_flow *f);
/* Writes both into the directory. 0, or -1 with a sentence. */
int weir_kernel_result_write(const struct weir_kernel_result *r, char why[WEIR_KERNEL_TRACE_WHY_BYTES]);

#endif
