/* SPDX-License-Identifier: MIT */
/* For the tests of Copa and BBR: 48 Mbit/s (4,000 packets a second), looked at every so often. */
#ifndef TESTS_SIM_RIVALS_H
#define TESTS_SIM_RIVALS_H

#include "dumbbell.h"

#define RIVALS_BPS 48000000ULL
#define RIVALS_RTT_NS (40 * WEIR_NS_PER_MS)
#define RIVALS_BDP_BYTES (RIVALS_BPS / 8 / 25)
#define RIVALS_PACKETS_PER_S 4000.

static inline struct weir_hop_config rivals_hop(double bdp)
{
	struct weir_hop_config hop = dumbbell_hop(RIVALS_BPS, RIVALS_RTT_NS);
	hop.queue.limit_bytes = (u64)(bdp * (double)RIVALS_BDP_BYTES);
	return hop;
}

static inline struct dumbbell rivals_path(double bdp)
{
	struct weir_hop_config hop = rivals_hop(bdp);
	return dumbbell_new(&hop, 1);
}

/* With one of its parameters set. */
static inline u32 rivals_add(struct dumbbell *d, const char *controller, const char *name, u64 value)
{
	struct weir_flow_config f = dumbbell_flow(d, controller);
	u64 *params = calloc(f.cc->n_params, sizeof *params);
	assert_non_null(params);
	weir_cc_defaults(f.cc, params);
	d->params[d->n_flows++] = params;
	f.params = params;
	for (u32 i = 0; i < f.cc->n_params; i++)
		if (strcmp(f.cc->params[i].name, name) == 0)
			params[i] = value;
	return dumbbell_add(d, f);
}

static inline u64 rivals_signal(const struct dumbbell *d, u32 flow, const char *controller, const char *name)
{
	const struct weir_cc_ops *ops = weir_cc_find(controller);
	struct weir_flow_now now = dumbbell_now(d, flow);
	for (u32 i = 0; i < ops->n_signals; i++)
		if (strcmp(ops->signals[i].name, name) == 0)
			return now.signal[i];
	fail_msg("%s has no signal %s", controller, name);
	return 0;
}

static inline double rivals_queue_packets(const struct dumbbell *d)
{
	u64 waiting_bytes;
	weir_world_hop_stats(d->world, DUMBBELL_BOTTLENECK, &waiting_bytes);
	return (double)waiting_bytes / DUMBBELL_WIRE;
}

/* Of the bottleneck, from now to then. */
static inline double rivals_utilisation(struct dumbbell *d, u64 from_ns, u64 to_ns)
{
	dumbbell_run(d, from_ns);
	u64 before = dumbbell_sent_bytes(d);
	dumbbell_run(d, to_ns);
	return (double)(dumbbell_sent_bytes(d) - before) * 8e9 / (double)(to_ns - from_ns) / RIVALS_BPS;
}

/* The first's part of what both deliver. */
static inline double rivals_share(struct dumbbell *d, u32 first, u32 second, u64 from_ns, u64 to_ns)
{
	dumbbell_run(d, from_ns);
	u64 a = dumbbell_totals(d, first).delivered_bytes, b = dumbbell_totals(d, second).delivered_bytes;
	dumbbell_run(d, to_ns);
	double x = (double)(dumbbell_totals(d, first).delivered_bytes - a),
	       y = (double)(dumbbell_totals(d, second).delivered_bytes - b);
	return x / (x + y);
}

/* Of two flows, the second two seconds late; from the 20th to the 60th second. */
static inline double rivals_share_of(const char *first, const char *second, double bdp)
{
	struct dumbbell d = rivals_path(bdp);
	u32 a = dumbbell_bulk(&d, first, 0), b = dumbbell_bulk(&d, second, 2 * WEIR_NS_PER_S);
	double share = rivals_share(&d, a, b, 20 * WEIR_NS_PER_S, 60 * WEIR_NS_PER_S);
	print_message("%s beside %s, %.1f BDP: %.3f\n", first, second, bdp, share);
	dumbbell_free(&d);
	return share;
}

static inline void rivals_between(const char *what, double x, double low, double high)
{
	print_message("%s: %.4g\n", what, x);
	if (!(x >= low && x <= high))
		fail_msg("%s: %.4g, not in %.4g to %.4g", what, x, low, high);
}

#endif
