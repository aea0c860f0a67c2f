/* SPDX-License-Identifier: MIT */
/* What carries the flows of a build, for those who look at it, sum it up and write it down: the simulated
 * world or the emulated one. It stands at one instant, now_ns; what its numbers mean is in sim/world.h. */
#ifndef WEIR_RUN_BACKEND_H
#define WEIR_RUN_BACKEND_H

#include "sim/world.h"
#include "weir/pilot.h"

/* Running number and sum of samples, in ns. They may begin anew at the end of the warm-up. */
struct weir_tally {
	u64 n;
	double sum;
};

/* Of one flow, or of an entry where the build is grouped: the sender's RTT samples, waits in queues, and
 * true one-way delays (none in a simulation). */
struct weir_flow_tallies {
	struct weir_tally rtt, queue, delay;
};

struct weir_backend_ops {
	const char *name; /* "sim", "emu" */
	/* Whether these totals exist; what does not is 0 and becomes null. */
	bool counts_timeouts, counts_recoveries;
	u64 (*now_ns)(const void *ctx);
	u64 (*events)(const void *ctx); /* WEIR_NEVER: no such number */
	void (*flow_totals)(const void *ctx, u32 flow, struct weir_flow_totals *t);
	void (*flow_now)(const void *ctx, u32 flow, struct weir_flow_now *n);
	void (*flow_tallies)(const void *ctx, u32 hist, struct weir_flow_tallies *t);
	/* Counters of a hop of the scenario, good until the backend moves on; the queue at this instant. */
	const struct weir_link_stats *(*hop_stats)(const void *ctx, u32 hop, u64 *waiting_bytes);
	struct weir_tally (*hop_wait)(const void *ctx, u32 hop);
	const struct weir_completion *(*completions)(const void *ctx, u64 *n);
	/* The age of what a flow tells; false: it is not measured. NULL: none is. */
	bool (*flow_age)(const void *ctx, u32 flow, struct weir_flow_age *a);
	/* All flows of an entry together, where single ones are not counted (0 but for what they deliver, and
	 * an estimate of what arrives); false: they are. NULL: likewise. */
	bool (*entry_totals)(const void *ctx, u32 entry, struct weir_flow_totals *t);
	/* The player of a video, as of now; false: it is none, or has not begun. NULL: there are none. */
	bool (*flow_video)(const void *ctx, u32 flow, struct weir_video *v);
	/* What the pilot of a flow shows, in its order and its units (NaN: none now); false: it has none, or
	 * has not begun. NULL: there are none. */
	bool (*flow_pilot)(const void *ctx, u32 flow, double value[WEIR_PILOT_SIGNALS_MAX]);
	/* How late packets were delivered so far, and at most since the look before; NULL: nothing is ever
	 * late. */
	struct weir_tally (*lateness)(const void *ctx, u64 *max_ns);
};

struct weir_backend {
	const struct weir_backend_ops *ops;
	const void *ctx;
};

static inline u64 weir_backend_now_ns(const struct weir_backend *b)
{
	return b->ops->now_ns(b->ctx);
}

static inline void weir_backend_flow_totals(const struct weir_backend *b, u32 flow,
					    struct weir_flow_totals *t)
{
	b->ops->flow_totals(b->ctx, flow, t);
}

static inline void weir_backend_flow_now(const struct weir_backend *b, u32 flow, struct weir_flow_now *n)
{
	b->ops->flow_now(b->ctx, flow, n);
}

static inline bool weir_backend_flow_age(const struct weir_backend *b, u32 flow, struct weir_flow_age *a)
{
	return b->ops->flow_age && b->ops->flow_age(b->ctx, flow, a);
}

static inline bool weir_backend_entry_totals(const struct weir_backend *b, u32 entry,
					     struct weir_flow_totals *t)
{
	return b->ops->entry_totals && b->ops->entry_totals(b->ctx, entry, t);
}

static inline bool weir_backend_flow_video(const struct weir_backend *b, u32 flow, struct weir_video *v)
{
	return b->ops->flow_video && b->ops->flow_video(b->ctx, flow, v);
}

static inline bool weir_backend_flow_pilot(const struct weir_backend *b, u32 flow,
					   double value[WEIR_PILOT_SIGNALS_MAX])
{
	return b->ops->flow_pilot && b->ops->flow_pilot(b->ctx, flow, value);
}

static inline void weir_backend_flow_tallies(const struct weir_backend *b, u32 hist,
					     struct weir_flow_tallies *t)
{
	b->ops->flow_tallies(b->ctx, hist, t);
}

static inline const struct weir_link_stats *weir_backend_hop_stats(const struct weir_backend *b, u32 hop,
								   u64 *waiting_bytes)
{
	return b->ops->hop_stats(b->ctx, hop, waiting_bytes);
}

static inline struct weir_tally weir_backend_hop_wait(const struct weir_backend *b, u32 hop)
{
	return b->ops->hop_wait(b->ctx, hop);
}

static inline const struct weir_completion *weir_backend_completions(const struct weir_backend *b, u64 *n)
{
	return b->ops->completions(b->ctx, n);
}

#endif
