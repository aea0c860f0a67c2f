/* SPDX-License-Identifier: MIT */
/* Flows that arrive at random become numbered flows of a run: drawn once, for every backend alike. */
#ifndef WEIR_RUN_ARRIVALS_H
#define WEIR_RUN_ARRIVALS_H

#include "build.h"

/* Sets e->count, and start_ns and size_bytes of its flows, which begin at number e->first: that is how many
 * flows there are so far. 0, or -1 when out of memory. */
int weir_build_arrivals(struct weir_build *b, struct weir_build_entry *e, const struct weir_traces *traces,
			u64 seed);

#endif
