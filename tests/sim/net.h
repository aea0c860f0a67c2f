/* SPDX-License-Identifier: MIT */
/* Worlds for tests of the engine: hops, paths and flows by short words, everything that can be read of a
 * world in one plain block, to be compared bit for bit. */
#ifndef TESTS_SIM_NET_H
#define TESTS_SIM_NET_H

#include "cc/table.h"
#include "sim/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#define NET_FLOWS 32
#define NET_HOPS 32
#define MS WEIR_NS_PER_MS

struct net {
	struct weir_world *world;
	bool general; /* no lines */
	u32 n_params;
	u64 params[NET_FLOWS][64];
};

static inline void net_new(struct net *n, u64 seed, bool general)
{
	memset(n, 0, sizeof *n);
	n->general = general;
	n->world = weir_world_new(&(struct weir_world_config){.seed = seed});
	assert_non_null(n->world);
}

static inline u32 net_hop(struct net *n, struct weir_hop_config c)
{
	c.name = c.name ? c.name : "hop";
	c.general = n->general;
	u32 hop = weir_world_add_hop(n->world, &c);
	assert_int_not_equal(hop, WEIR_NONE);
	return hop;
}

/* Drop-tail, a fixed rate, a buffer in packets (0: any). */
static inline u32 net_line(struct net *n, u64 bps, u64 delay_ns, u64 packets)
{
	return net_hop(n, (struct weir_hop_config){.rate = {.bps = bps},
						   .delay_ns = delay_ns,
						   .queue = {.limit_packets = packets}});
}

static inline u32 net_path(struct net *n, u32 forth, u32 back)
{
	u32 path = weir_world_add_path(n->world, &forth, 1, &back, 1);
	assert_int_not_equal(path, WEIR_NONE);
	return path;
}

/* A path of two such hops; the one forth is added first. */
static inline u32 net_between(struct net *n, u64 bps, u64 delay_ns, u64 packets, u64 back_bps,
			      u64 back_delay_ns, u64 back_packets)
{
	u32 forth = net_line(n, bps, delay_ns, packets);
	return net_path(n, forth, net_line(n, back_bps, back_delay_ns, back_packets));
}

static inline struct weir_flow_config net_flow(struct net *n, u32 path, const char *controller)
{
	struct weir_flow_config f = {.path = path,
				     .endpoint = weir_endpoint_defaults(),
				     .app = {.kind = WEIR_APP_BULK},
				     .stop_ns = WEIR_NEVER};
	if (!controller)
		return f;
	assert_true(n->n_params < NET_FLOWS);
	f.cc = weir_cc_find(controller);
	assert_non_null(f.cc);
	f.params = n->params[n->n_params];
	weir_cc_defaults(f.cc, n->params[n->n_params++]);
	return f;
}

static inline u32 net_add(struct net *n, struct weir_flow_config f)
{
	u32 flow = weir_world_add_flow(n->world, &f);
	assert_int_not_equal(flow, WEIR_NONE);
	return flow;
}

static inline u32 net_bulk(struct net *n, u32 path, const char *controller, u64 start_ns)
{
	struct weir_flow_config f = net_flow(n, path, controller);
	f.start_ns = start_ns;
	return net_add(n, f);
}

static inline void net_run(struct net *n, u64 until_ns)
{
	assert_int_equal(weir_world_run(n->world, until_ns), 0);
	assert_int_equal(weir_world_now_ns(n->world), until_ns);
}

struct net_hop_reading {
	struct weir_link_stats stats; /* without the histogram */
	u64 waiting_bytes;
};

struct net_reading {
	u64 now_ns, n_completions, completions_hash;
	struct weir_flow_totals totals[NET_FLOWS];
	struct weir_flow_now now[NET_FLOWS];
	struct net_hop_reading hop[NET_HOPS];
};

static inline void net_read(struct net *n, struct net_reading *r)
{
	struct weir_world *w = n->world;
	memset(r, 0, sizeof *r);
	r->now_ns = weir_world_now_ns(w);
	assert_true(weir_world_n_flows(w) <= NET_FLOWS && weir_world_n_hops(w) <= NET_HOPS);
	for (u32 i = 0; i < weir_world_n_flows(w); i++) {
		weir_world_flow_totals(w, i, &r->totals[i]);
		weir_world_flow_now(w, i, &r->now[i]);
	}
	for (u32 i = 0; i < weir_world_n_hops(w); i++) {
		r->hop[i].stats = *weir_world_hop_stats(w, i, &r->hop[i].waiting_bytes);
		r->hop[i].stats.wait = NULL;
		r->hop[i].stats.capacity_bytes = 0; /* a line does not count it */
	}
	const struct weir_completion *c = weir_world_completions(w, &r->n_completions);
	for (u64 i = 0; i < r->n_completions; i++) {
		const u64 parts[] = {c[i].flow, c[i].start_ns, c[i].end_ns, c[i].bytes};
		for (u32 k = 0; k < 4; k++)
			r->completions_hash = (r->completions_hash ^ parts[k]) * 0x100000001b3ULL;
	}
}

/* Readings are plain numbers; padding is what memset left. */
static inline void assert_same_reading(const struct net_reading *a, const struct net_reading *b)
{
	assert_int_equal(a->now_ns, b->now_ns);
	for (u32 i = 0; i < NET_FLOWS; i++) {
		assert_int_equal(a->totals[i].sent_packets, b->totals[i].sent_packets);
		assert_int_equal(a->totals[i].lost_packets, b->totals[i].lost_packets);
		assert_memory_equal(&a->totals[i], &b->totals[i], sizeof a->totals[i]);
		assert_int_equal(a->now[i].cwnd_bytes, b->now[i].cwnd_bytes);
		assert_int_equal(a->now[i].srtt_ns, b->now[i].srtt_ns);
		assert_int_equal(a->now[i].inflight_bytes, b->now[i].inflight_bytes);
	}
	for (u32 i = 0; i < NET_HOPS; i++)
		assert_memory_equal(&a->hop[i], &b->hop[i], sizeof a->hop[i]);
	assert_int_equal(a->n_completions, b->n_completions);
	assert_int_equal(a->completions_hash, b->completions_hash);
}

#endif
