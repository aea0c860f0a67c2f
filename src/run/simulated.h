/* SPDX-License-Identifier: MIT */
/* The simulated world of a build, and the build's backend. */
#ifndef WEIR_RUN_SIMULATED_H
#define WEIR_RUN_SIMULATED_H

#include "build.h"

struct weir_simulated {
	struct weir_world *world;
	const struct weir_build *b;
};

/* Hops, paths and flows of the build in a new world; b->backend looks at it from then on. 0, or -1 when out
 * of memory; free in both cases, before the build. */
int weir_simulated_begin(struct weir_simulated *s, struct weir_build *b, const struct weir_traces *traces,
			 u64 seed);
void weir_simulated_free(struct weir_simulated *s);

#endif
