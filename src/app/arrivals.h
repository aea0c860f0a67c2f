/* SPDX-License-Identifier: MIT */
/* Flows that arrive as a Poisson process, with sizes from a table: when each starts and how large it is. The
 * same draws for every host. Gaps and sizes have streams of their own, so that at another load the same flows
 * come. */
#ifndef WEIR_APP_ARRIVALS_H
#define WEIR_APP_ARRIVALS_H

#include "core/draw.h"
#include "sizes.h"
#include "weir/num.h"

/* A flow of more packets than this lives long enough to react to what the others do: it is elastic (Nimbus,
 * SIGCOMM 2022, where the ground truth of the elasticity detector is defined so). */
#define WEIR_ELASTIC_ABOVE_PACKETS 10

struct weir_arrivals {
	struct weir_rng gaps, amounts;
	const struct weir_sizes *sizes;
	double mean_gap_ns, at_ns;
};

struct weir_arrival {
	u64 at_ns, bytes;
};

/* How many come in so long a time, on average: load_bps is what they offer, in payload. */
static inline double weir_arrivals_expected(const struct weir_sizes *sizes, u64 load_bps, u64 time_ns)
{
	return (double)load_bps * (double)time_ns / (8e9 * sizes->mean_bytes);
}

/* `sizes` outlives it; load_bps above 0. */
static inline void weir_arrivals_begin(struct weir_arrivals *a, const struct weir_sizes *sizes, u64 load_bps,
				       u64 seed, const char *name, u64 start_ns)
{
	u64 key = weir_rng_point(name);
	*a = (struct weir_arrivals){.sizes = sizes,
				    .mean_gap_ns = 8e9 * sizes->mean_bytes / (double)load_bps,
				    .at_ns = (double)start_ns};
	weir_rng_init(&a->gaps, seed, weir_rng_point("arrivals.gap"), key);
	weir_rng_init(&a->amounts, seed, weir_rng_point("arrivals.size"), key);
}

static inline struct weir_arrival weir_arrivals_next(struct weir_arrivals *a)
{
	a->at_ns += weir_draw_exponential(&a->gaps, a->mean_gap_ns);
	return (struct weir_arrival){
	    .at_ns = a->at_ns < 0x1p62 ? (u64)a->at_ns : WEIR_NEVER,
	    .bytes = weir_sizes_at(a->sizes, weir_rng_unit(&a->amounts)),
	};
}

#endif
