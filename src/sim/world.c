/* SPDX-License-Identifier: MIT */
/* Building a world: hops, paths, flows, and the routes between them. */
#include "core/pages.h"
#include "state.h"

#include <stdlib.h>
#include <string.h>

#define HOPS_MAX 100000u
#define FLOWS_MAX 10000000u

/* Room for one more element in a growing array; false when out of memory or over the limit. */
static bool reserve(void **array, u32 n, u32 *capacity, size_t size, u32 limit)
{
	if (n < *capacity)
		return true;
	u32 larger = *capacity ? 2 * *capacity : 8;
	void *moved = n < limit ? realloc(*array, larger * size) : NULL;
	if (!moved)
		return false;
	*array = moved;
	*capacity = larger;
	return true;
}

static bool reserve_flow(struct weir_world *w)
{
	if (w->n_flows < w->flows_capacity)
		return true;
	u32 larger = w->flows_capacity ? 2 * w->flows_capacity : 8;
	struct weir_sim_flow *flows =
	    w->n_flows < FLOWS_MAX ? weir_pages_alloc(larger * sizeof *flows) : NULL;
	if (!flows)
		return false;
	if (w->n_flows)
		memcpy(flows, w->flows, w->n_flows * sizeof *flows);
	free(w->flows);
	w->flows = flows;
	w->flows_capacity = larger;
	return true;
}

struct weir_world *weir_world_new(const struct weir_world_config *c)
{
	struct weir_world *w = calloc(1, sizeof *w);
	if (!w)
		return NULL;
	w->seed = c->seed;
	w->sacks.bytes = sizeof(struct weir_sim_sack);
	w->parcels.bytes = sizeof(struct weir_sim_parcel);
	if (c->flows_hint && c->flows_hint <= FLOWS_MAX) {
		w->flows = weir_pages_alloc(c->flows_hint * sizeof *w->flows);
		w->flows_capacity = w->flows ? c->flows_hint : 0;
	}
	return w;
}

void weir_world_free(struct weir_world *w)
{
	if (!w)
		return;
	for (u32 i = 0; i < w->n_flows; i++) {
		struct weir_sim_flow *f = &w->flows[i];
		if (f->started && f->sender.cc)
			weir_sender_free(&f->sender);
		if (f->started && weir_sim_is_stream(f))
			weir_receiver_free(&f->receiver);
		free(f->sender.historic);
		if (f->app)
			weir_sim_age_free(f->app->age);
		free(f->app);
	}
	for (u32 i = 0; i < w->n_hops; i++) {
		weir_hop_free(w->hops[i].link);
		free(w->hops[i].owner);
	}
	for (u32 i = 0; i < 2 * w->n_paths; i++)
		free(w->paths[i].hops);
	for (u32 i = 0; i < w->n_endpoints; i++)
		free(w->endpoints[i]);
	weir_heads_free(&w->heads);
	weir_timers_free(&w->timers);
	free(w->hops);
	free(w->flows);
	free(w->paths);
	free(w->next);
	free(w->endpoints);
	free(w->sacks.at);
	free(w->parcels.at);
	free(w->aged);
	free(w->completions);
	weir_sim_pilots_free(w);
	weir_waits_free(&w->waits);
	weir_pool_free(&w->pool);
	free(w);
}

static void on_drop(void *ctx, struct weir_link *link, u64 now_ns, const struct weir_packet *p,
		    enum weir_drop_reason why)
{
	struct weir_sim_hop_owner *owner = ctx;
	struct weir_world *w = owner->world;
	(void)link;
	(void)why;
	if (!(p->flags & WEIR_SIM_BACKWARD))
		w->flows[p->flow].lost_packets++;
	if (p->ext)
		weir_slips_drop(weir_sim_slips_of(w, &w->flows[p->flow]), p->ext);
	if (w->tapped && w->taps.on_hop_departure)
		weir_waits_leave(&w->waits, owner->hop, p);
	if (w->tapped && w->taps.on_hop_drop)
		w->taps.on_hop_drop(w->taps.ctx, now_ns, owner->hop, p->bytes);
}

static void on_duplicate(void *ctx, const struct weir_packet *p)
{
	struct weir_sim_hop_owner *owner = ctx;
	struct weir_world *w = owner->world;
	if (p->ext)
		weir_slip(weir_sim_slips_of(w, &w->flows[p->flow]), p->ext)->refs++;
	if (w->tapped)
		weir_waits_copy(&w->waits, owner->hop, p);
}

u32 weir_world_add_hop(struct weir_world *w, const struct weir_hop_config *c)
{
	void *hops = w->hops;
	if (w->ready || !reserve(&hops, w->n_hops, &w->hops_capacity, sizeof *w->hops, HOPS_MAX))
		return WEIR_NONE;
	w->hops = hops;
	struct weir_sim_hop_owner *owner = malloc(sizeof *owner);
	if (!owner)
		return WEIR_NONE;
	*owner = (struct weir_sim_hop_owner){w, w->n_hops};
	struct weir_link *link = weir_hop_new(
	    c, w->seed,
	    (struct weir_link_owner){.ctx = owner, .on_drop = on_drop, .on_duplicate = on_duplicate});
	if (!link) {
		free(owner);
		return WEIR_NONE;
	}
	w->hops[w->n_hops] = (struct weir_sim_hop){.link = link,
						   .line = weir_link_as_line(link),
						   .next = WEIR_NONE,
						   .delay_ns = c->delay_ns,
						   .owner = owner};
	return w->n_hops++;
}

static bool set_route(struct weir_sim_route *r, const u32 *hops, u32 n)
{
	*r = (struct weir_sim_route){.n = n, .hops = malloc(n * sizeof *hops)};
	if (r->hops)
		memcpy(r->hops, hops, n * sizeof *hops);
	return r->hops;
}

u32 weir_world_add_path(struct weir_world *w, const u32 *hops, u32 n_hops, const u32 *back, u32 n_back)
{
	void *paths = w->paths;
	if (w->ready || n_hops == 0 || n_back == 0)
		return WEIR_NONE;
	if (!reserve(&paths, w->n_paths, &w->paths_capacity, 2 * sizeof *w->paths, HOPS_MAX))
		return WEIR_NONE;
	w->paths = paths;
	struct weir_sim_route *rows = &w->paths[2 * w->n_paths];
	if (!set_route(&rows[0], hops, n_hops))
		return WEIR_NONE;
	if (!set_route(&rows[1], back, n_back)) {
		free(rows[0].hops);
		return WEIR_NONE;
	}
	return w->n_paths++;
}

/* Flows with the same endpoint share one row, newest first: most worlds have one. */
static u32 intern_endpoint(struct weir_world *w, const struct weir_endpoint_config *c)
{
	struct weir_endpoint_config pooled;
	memcpy(&pooled, c, sizeof pooled);
	pooled.pool = &w->pool;
	for (u32 i = w->n_endpoints; i-- > 0 && i + 4 > w->n_endpoints;)
		if (memcmp(w->endpoints[i], &pooled, sizeof pooled) == 0)
			return i;
	struct weir_endpoint_config **rows = realloc(w->endpoints, (w->n_endpoints + 1) * sizeof(*rows));
	struct weir_endpoint_config *row = malloc(sizeof *row);
	if (rows)
		w->endpoints = rows;
	if (!rows || !row) {
		free(row);
		return WEIR_NONE;
	}
	memcpy(row, &pooled, sizeof *row);
	rows[w->n_endpoints] = row;
	return w->n_endpoints++;
}

static bool add_app(struct weir_world *w, struct weir_sim_flow *f, const struct weir_flow_config *c)
{
	bool aged = c->age || c->acp;
	if (c->app.kind == WEIR_APP_BULK && !aged)
		return true;
	f->app = calloc(1, sizeof *f->app);
	if (!f->app)
		return false;
	f->app->app.config = c->app;
	f->app->app.wake_ns = WEIR_NEVER;
	f->app->armed_ns = f->app->request_ns = f->app->request_armed_ns = WEIR_NEVER;
	return !aged || weir_sim_age_add(w, f, c);
}

/* Who decides for a stream where it is no controller. */
static bool add_driver(struct weir_world *w, struct weir_sim_flow *f, const struct weir_flow_config *c)
{
	if (c->historic)
		return weir_sim_historic_add(f, c->historic);
	return !c->pilot || weir_sim_pilot_add(w, f, c);
}

u32 weir_world_add_flow(struct weir_world *w, const struct weir_flow_config *c)
{
	bool datagram = c->acp || weir_app_sends_datagrams(&c->app);
	if (w->ready || c->path >= w->n_paths || (!datagram && !c->cc + !c->pilot + !c->historic != 2))
		return WEIR_NONE;
	if (!reserve_flow(w))
		return WEIR_NONE;
	u32 endpoint = intern_endpoint(w, &c->endpoint), flow = w->n_flows;
	struct weir_sim_flow *f = &w->flows[flow];
	*f = (struct weir_sim_flow){
	    .sender = {.cc = datagram ? NULL : c->cc, .params = c->params},
	    .sender_armed_ns = WEIR_NEVER,
	    .receiver_armed_ns = WEIR_NEVER,
	    .number = flow,
	    .first_hop = {w->paths[2 * c->path + c->reverse].hops[0],
			  w->paths[2 * c->path + !c->reverse].hops[0]},
	    .path = c->path,
	    .endpoint = endpoint,
	    .header_bytes = (u16)c->endpoint.header_bytes,
	    .reverse = c->reverse,
	    .fct = c->fct,
	    .fin = c->fin,
	    .rtt_ns = c->rtt_ns,
	    .queue_ns = c->queue_ns,
	};
	if (endpoint == WEIR_NONE || !add_app(w, f, c))
		return WEIR_NONE;
	if (!datagram && !add_driver(w, f, c)) {
		free(f->app);
		return WEIR_NONE;
	}
	w->n_flows++;
	bool timed = weir_timers_push(&w->timers, c->start_ns, WEIR_TIMER_START, flow);
	if (timed && c->stop_ns != WEIR_NEVER)
		timed = weir_timers_push(&w->timers, c->stop_ns, WEIR_TIMER_STOP, flow);
	return timed ? flow : WEIR_NONE;
}

void weir_world_set_taps(struct weir_world *w, const struct weir_world_taps *taps)
{
	w->taps = *taps;
	w->tapped = true;
}

void weir_world_set_hop_wait(struct weir_world *w, u32 hop, struct weir_hist *wait_ns)
{
	w->hops[hop].link->stats.wait = wait_ns;
}

void weir_sim_tap_arrival(struct weir_world *w, u32 hop, const struct weir_packet *p)
{
	if (w->taps.on_hop_departure && !weir_waits_enter(&w->waits, hop, p))
		w->failed = true;
	if (w->taps.on_hop_arrival)
		w->taps.on_hop_arrival(w->taps.ctx, w->now_ns, hop, p->bytes);
}

/* Where all users of a hop go on alike, no packet has to be asked for its route. */
static void route_row(struct weir_world *w, u32 row, u8 *seen)
{
	const struct weir_sim_route *r = &w->paths[row];
	for (u32 i = 0; i < r->n; i++) {
		u32 hop = r->hops[i], next = i + 1 < r->n ? r->hops[i + 1] : WEIR_NONE;
		w->next[(u64)row * w->n_hops + hop] = next;
		w->hops[hop].mixed |= seen[hop] && w->hops[hop].next != next;
		w->hops[hop].next = next;
		seen[hop] = 1;
	}
}

bool weir_sim_prepare(struct weir_world *w)
{
	u32 rows = 2 * w->n_paths;
	w->next = calloc((u64)rows * w->n_hops + 1, sizeof *w->next);
	u8 *seen = calloc(w->n_hops + 1, 1);
	bool ok = w->next && seen && weir_heads_init(&w->heads, w->n_hops + 1);
	for (u32 row = 0; ok && row < rows; row++)
		route_row(w, row, seen);
	free(seen);
	if (ok)
		weir_heads_set(&w->heads, w->n_hops, weir_timers_head_ns(&w->timers));
	w->ready = ok;
	w->failed |= !ok;
	return ok;
}
