/* SPDX-License-Identifier: MIT */
/* A server with a rate: constant, a random walk that takes a step each walk_step_ns, or constant in the mean
 * only, each packet's time being exponential.
 *
 * Work is counted in bits times 1e9, so that a rate of 1 bit/s does one unit a ns. A packet ends at a
 * whole ns plus work left over in it; the next one of the same busy period begins with that much more to
 * do, so that no fraction is ever lost: the same arithmetic as in line.h. */
#include "core/draw.h"
#include "server.h"

#include <stdlib.h>

#define LEAST_STEP_NS 1000ULL

struct rate_server {
	struct weir_server server;
	u64 bps;
	u64 at_ns;   /* work below is what is left at this time */
	u64 work;    /* of the packet in transmission */
	u64 free_ns; /* when it ends, or the last one ended; WEIR_NEVER while the rate is 0 */
	u64 rest;    /* work of the next packet's time that the last one still needs */
	/* the walk */
	struct weir_rate_config config;
	struct weir_rng rng;
	u64 step_end_ns; /* WEIR_NEVER for a constant rate */
	u64 counted_ns;	 /* capacity has been counted so far */
	u64 counted_rest;
};

static void plan(struct rate_server *r)
{
	r->free_ns = r->bps ? r->at_ns + r->work / r->bps : WEIR_NEVER;
	r->rest = r->bps ? r->work % r->bps : 0;
}

static void begin(struct rate_server *r, u64 now_ns)
{
	if (now_ns > r->free_ns)
		r->rest = 0;
	if (!weir_server_begin(&r->server, now_ns))
		return;
	r->at_ns = now_ns;
	r->work = r->server.packet.bytes * 8 * WEIR_NS_PER_S;
	if (r->config.exponential)
		r->work = (u64)weir_draw_exponential(&r->rng, (double)r->work);
	r->work += r->rest;
	plan(r);
}

static void count_capacity(struct rate_server *r, u64 until_ns)
{
	if (r->step_end_ns == WEIR_NEVER || until_ns <= r->counted_ns)
		return;
	__extension__ typedef unsigned __int128 u128;
	u128 work = (u128)r->bps * (until_ns - r->counted_ns) + r->counted_rest;
	r->server.element.link->stats.capacity_bytes += (u64)(work / (8 * WEIR_NS_PER_S));
	r->counted_rest = (u64)(work % (8 * WEIR_NS_PER_S));
	r->counted_ns = until_ns;
}

/* Reflected at the borders; a step wider than the room between them ends at one of them. */
static u64 walk(struct rate_server *r)
{
	const struct weir_rate_config *c = &r->config;
	double low = (double)c->walk_min_bps, high = (double)c->walk_max_bps;
	double x = (double)r->bps + c->walk_sigma * (double)c->bps * weir_draw_normal(&r->rng);
	x = x < low ? 2 * low - x : x;
	x = x > high ? 2 * high - x : x;
	return x < low ? c->walk_min_bps : x > high ? c->walk_max_bps : (u64)x;
}

static void step(struct rate_server *r)
{
	u64 now_ns = r->step_end_ns;
	count_capacity(r, now_ns);
	if (r->server.busy) {
		r->work -= r->bps * (now_ns - r->at_ns);
		r->at_ns = now_ns;
	}
	r->bps = walk(r);
	if (r->server.busy)
		plan(r);
	r->step_end_ns += r->config.walk_step_ns;
}

static void run(struct weir_element *e, u64 until_ns)
{
	struct rate_server *r = (struct rate_server *)e;
	for (;;) {
		bool ends = r->server.busy && r->free_ns <= until_ns && r->free_ns <= r->step_end_ns;
		if (ends) {
			weir_server_finish(&r->server, r->free_ns);
			begin(r, r->free_ns);
		} else if (r->step_end_ns <= until_ns) {
			step(r);
		} else {
			break;
		}
	}
	count_capacity(r, until_ns);
}

static void arrive(struct weir_element *e, u64 now_ns, const struct weir_packet *p)
{
	struct rate_server *r = (struct rate_server *)e;
	run(e, now_ns);
	weir_server_enqueue(&r->server, now_ns, p);
	if (!r->server.busy)
		begin(r, now_ns);
}

static u64 next_ns(const struct weir_element *e)
{
	const struct rate_server *r = (const struct rate_server *)e;
	return r->server.busy ? weir_min(r->free_ns, r->step_end_ns) : WEIR_NEVER;
}

static const struct weir_element_ops ops = {"rate", arrive, run, next_ns, weir_server_fini};

struct weir_server *weir_rate_server_new(const struct weir_rate_config *c, const struct weir_rng *rng)
{
	struct rate_server *r = calloc(1, sizeof *r);
	if (!r)
		return NULL;
	r->server.element.ops = &ops;
	r->bps = c->bps;
	r->config = *c;
	r->rng = *rng;
	r->step_end_ns = WEIR_NEVER;
	if (c->kind == WEIR_RATE_WALK) {
		r->config.walk_step_ns = weir_max(c->walk_step_ns, LEAST_STEP_NS);
		r->config.walk_max_bps = weir_max(c->walk_max_bps, c->walk_min_bps);
		r->bps = weir_clamp(c->bps, c->walk_min_bps, r->config.walk_max_bps);
		r->step_end_ns = r->config.walk_step_ns;
	}
	return &r->server;
}
