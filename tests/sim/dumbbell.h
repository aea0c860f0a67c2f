/* SPDX-License-Identifier: MIT */
/* What most tests of whole simulations want: one bottleneck, an uncongested way back, flows by the name of
 * their controller. */
#ifndef TESTS_SIM_DUMBBELL_H
#define TESTS_SIM_DUMBBELL_H

#include "cc/table.h"
#include "sim/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DUMBBELL_FLOWS 256
#define DUMBBELL_MSS 1448u
#define DUMBBELL_WIRE 1500u
enum { DUMBBELL_BOTTLENECK, DUMBBELL_BACK };

struct dumbbell {
	struct weir_world *world;
	u32 path, n_flows;
	u64 *params[DUMBBELL_FLOWS];
};

/* rate_bps 0: infinitely fast. The way back takes as long as the hop. */
static inline struct weir_hop_config dumbbell_hop(u64 rate_bps, u64 rtt_ns)
{
	return (struct weir_hop_config){
	    .name = "bottleneck", .rate = {.bps = rate_bps}, .delay_ns = rtt_ns / 2};
}

static inline struct dumbbell dumbbell_new(const struct weir_hop_config *hop, u64 seed)
{
	struct dumbbell d = {.world = weir_world_new(&(struct weir_world_config){.seed = seed})};
	assert_non_null(d.world);
	const struct weir_hop_config back = {.name = "back", .delay_ns = hop->delay_ns};
	const u32 there[] = {weir_world_add_hop(d.world, hop)};
	const u32 again[] = {weir_world_add_hop(d.world, &back)};
	assert_int_equal(there[0], DUMBBELL_BOTTLENECK);
	assert_int_equal(again[0], DUMBBELL_BACK);
	d.path = weir_world_add_path(d.world, there, 1, again, 1);
	assert_int_not_equal(d.path, WEIR_NONE);
	return d;
}

static inline struct weir_flow_config dumbbell_flow(const struct dumbbell *d, const char *controller)
{
	struct weir_flow_config f = {.path = d->path,
				     .endpoint = weir_endpoint_defaults(),
				     .app = {.kind = WEIR_APP_BULK},
				     .stop_ns = WEIR_NEVER};
	if (controller) {
		f.cc = weir_cc_find(controller);
		assert_non_null(f.cc);
	}
	return f;
}

static inline u32 dumbbell_add(struct dumbbell *d, struct weir_flow_config f)
{
	if (f.cc && !f.params) {
		assert_true(d->n_flows < DUMBBELL_FLOWS);
		u64 *params = calloc(f.cc->n_params + 1u, sizeof *params);
		assert_non_null(params);
		weir_cc_defaults(f.cc, params);
		d->params[d->n_flows++] = params;
		f.params = params;
	}
	u32 flow = weir_world_add_flow(d->world, &f);
	assert_int_not_equal(flow, WEIR_NONE);
	return flow;
}

static inline u32 dumbbell_bulk(struct dumbbell *d, const char *controller, u64 start_ns)
{
	struct weir_flow_config f = dumbbell_flow(d, controller);
	f.start_ns = start_ns;
	return dumbbell_add(d, f);
}

static inline void dumbbell_run(struct dumbbell *d, u64 until_ns)
{
	assert_int_equal(weir_world_run(d->world, until_ns), 0);
}

static inline struct weir_flow_totals dumbbell_totals(const struct dumbbell *d, u32 flow)
{
	struct weir_flow_totals t;
	weir_world_flow_totals(d->world, flow, &t);
	return t;
}

static inline struct weir_flow_now dumbbell_now(const struct dumbbell *d, u32 flow)
{
	struct weir_flow_now n;
	weir_world_flow_now(d->world, flow, &n);
	return n;
}

static inline double dumbbell_cwnd_packets(const struct dumbbell *d, u32 flow)
{
	return (double)dumbbell_now(d, flow).cwnd_bytes / DUMBBELL_MSS;
}

static inline u64 dumbbell_sent_bytes(const struct dumbbell *d)
{
	u64 waiting_bytes;
	return weir_world_hop_stats(d->world, DUMBBELL_BOTTLENECK, &waiting_bytes)->sent_bytes;
}

static inline void dumbbell_free(struct dumbbell *d)
{
	weir_world_free(d->world);
	for (u32 i = 0; i < d->n_flows; i++)
		free(d->params[i]);
}

static inline void assert_close(double x, double right, double relative)
{
	double d = x / right - 1;
	if (!(d <= relative && d >= -relative))
		fail_msg("%.6g is %+.2f %% off %.6g; %.2f %% allowed", x, 100 * d, right, 100 * relative);
}

#endif
