/* SPDX-License-Identifier: MIT */
#include "arrivals.h"

#include "app/arrivals.h"
#include "traces.h"

#include <stdlib.h>

/* Far beyond what a check lets pass on average: an end for what draws without one. */
#define FLOWS_MOST (2u * WEIR_SCENARIO_MAX_FLOWS)

static bool grow(u64 **array, u64 n)
{
	u64 *more = realloc(*array, n * sizeof **array);
	if (more)
		*array = more;
	return more;
}

int weir_build_arrivals(struct weir_build *b, struct weir_build_entry *e, const struct weir_traces *traces,
			u64 seed)
{
	const struct weir_scenario_flow *f = e->flow;
	u64 end_ns = weir_min(f->stop_ns, b->scenario->duration_ns), room = e->first;
	struct weir_arrivals a;
	struct weir_sizes sizes;
	weir_traces_sizes(traces, &f->app, &sizes);
	weir_arrivals_begin(&a, &sizes, f->app.load_bps, seed, f->name, f->start_ns);
	for (e->count = 0;; e->count++) {
		u64 n = (u64)e->first + e->count;
		const struct weir_arrival next = weir_arrivals_next(&a);
		if (n >= room) {
			room = 2 * room + 1024;
			if (!grow(&b->start_ns, room) || !grow(&b->size_bytes, room))
				return -1;
		}
		if (next.at_ns >= end_ns || e->count == FLOWS_MOST)
			return 0;
		b->start_ns[n] = next.at_ns;
		b->size_bytes[n] = next.bytes;
	}
}
