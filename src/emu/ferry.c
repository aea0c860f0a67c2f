/* SPDX-License-Identifier: MIT */
#include "ferry_state.h"
#include "stamp.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define POOL_DEFAULT_BYTES (1ULL << 30)
#define WINDOW_LEAST_NS (100 * WEIR_NS_PER_MS)

/* One more at the end of an array that grows by doubling; NULL when out of memory. Only before the start. */
static void *append(void **array, u32 n, size_t bytes)
{
	if ((n & (n - 1)) == 0) {
		void *larger = realloc(*array, (n ? 2 * (size_t)n : 1) * bytes);
		if (!larger)
			return NULL;
		*array = larger;
	}
	void *added = (u8 *)*array + n * bytes;
	memset(added, 0, bytes);
	return added;
}

struct weir_ferry *weir_ferry_new(const struct weir_ferry_config *c)
{
	struct weir_ferry *f = calloc(1, sizeof *f);
	if (!f)
		return NULL;
	f->config = *c;
	f->hash_key = c->seed * 0x9e3779b97f4a7c15ULL + 0x632be59bd9b4e019ULL;
	f->round = 1;
	f->fidelity.base_rtt_ns = c->base_rtt_ns;
	f->window_ns = weir_max(c->base_rtt_ns, WINDOW_LEAST_NS);
	f->epoll = epoll_create1(EPOLL_CLOEXEC);
	f->flow = calloc(c->n_flows ? c->n_flows : 1, sizeof *f->flow);
	if (f->epoll >= 0 && f->flow &&
	    weir_packet_pool_init(&f->pool, c->pool_bytes ? c->pool_bytes : POOL_DEFAULT_BYTES) == 0)
		return f;
	weir_ferry_free(f);
	return NULL;
}

void weir_ferry_free(struct weir_ferry *f)
{
	if (!f)
		return;
	for (u32 i = 0; i < f->n_hops; i++) {
		weir_hop_free(f->hop[i]->link);
		free(f->hop[i]);
	}
	for (u32 i = 0; i < f->n_paths; i++)
		free(f->path[i].hop);
	ferry_watch_end(f);
	weir_packet_pool_fini(&f->pool);
	if (f->epoll >= 0)
		close(f->epoll);
	free(f->hop);
	free(f->next_ns);
	free(f->ahead_ns);
	free(f->path);
	free(f->port);
	free(f->route);
	free(f->flow);
	free(f->staging);
	free(f->event);
	free(f);
}

u32 weir_ferry_add_hop(struct weir_ferry *f, const struct weir_hop_config *c)
{
	u64 *ahead_ns = append((void **)&f->ahead_ns, f->n_hops, sizeof *ahead_ns);
	u64 *next_ns = append((void **)&f->next_ns, f->n_hops, sizeof *next_ns);
	struct ferry_hop **place = append((void **)&f->hop, f->n_hops, sizeof(struct ferry_hop *));
	struct ferry_hop *hop = calloc(1, sizeof *hop);
	if (!ahead_ns || !next_ns || !place || !hop) {
		free(hop);
		return WEIR_FERRY_NONE;
	}
	*hop = (struct ferry_hop){.ferry = f, .index = f->n_hops, .last = true};
	hop->link = weir_hop_new(c, f->config.seed, ferry_hop_owner(hop));
	if (!hop->link) {
		free(hop);
		return WEIR_FERRY_NONE;
	}
	*place = hop;
	*next_ns = WEIR_NEVER;
	*ahead_ns = c->delay_ns;
	return f->n_hops++;
}

u32 weir_ferry_add_path(struct weir_ferry *f, const u32 *hops, u32 n_hops, u32 way)
{
	struct ferry_path *path = append((void **)&f->path, f->n_paths, sizeof *path);
	u32 *copy = malloc(n_hops * sizeof *copy);
	if (!path || !copy || n_hops == 0 || n_hops > 255 || way >= WEIR_WAYS) {
		free(copy);
		return WEIR_FERRY_NONE;
	}
	memcpy(copy, hops, n_hops * sizeof *copy);
	for (u32 i = 0; i + 1 < n_hops; i++)
		f->hop[hops[i]]->last = false;
	*path = (struct ferry_path){.n = n_hops, .way = way, .hop = copy};
	return f->n_paths++;
}

u32 weir_ferry_add_port(struct weir_ferry *f, const struct weir_tun *tun, u32 path, u32 exit)
{
	struct ferry_port *port = append((void **)&f->port, f->n_ports, sizeof *port);
	u32 *staging = realloc(f->staging, (f->n_ports + 1) * sizeof *staging);
	f->staging = staging ? staging : f->staging;
	struct epoll_event *event = realloc(f->event, (f->n_ports + 1) * sizeof *event);
	f->event = event ? event : f->event;
	struct epoll_event watch = {.events = EPOLLIN, .data.u32 = f->n_ports};
	if (!port || !staging || !event || epoll_ctl(f->epoll, EPOLL_CTL_ADD, tun->fd, &watch))
		return WEIR_FERRY_NONE;
	*port = (struct ferry_port){
	    .tun = tun, .path = path, .exit = exit, .way = f->path[path].way, .stamped = tun->stamped};
	return f->n_ports++;
}

void weir_ferry_set_exit(struct weir_ferry *f, u32 port, u32 exit)
{
	f->port[port].exit = exit;
}

/* Sorted by address. */
int weir_ferry_route(struct weir_ferry *f, u32 first, u32 end, u32 port)
{
	struct ferry_route *route = append((void **)&f->route, f->n_routes, sizeof *route);
	if (!route)
		return -1;
	u32 i = f->n_routes++;
	for (; i > 0 && f->route[i - 1].first > first; i--)
		f->route[i] = f->route[i - 1];
	f->route[i] = (struct ferry_route){.first = first, .last = end - 1, .port = port};
	return 0;
}

void weir_ferry_set_taps(struct weir_ferry *f, const struct weir_ferry_taps *taps)
{
	f->taps = *taps;
}

void weir_ferry_set_flow(struct weir_ferry *f, u32 flow, u32 way, struct weir_hist *delay_ns,
			 struct weir_hist *queue_ns)
{
	f->flow[flow].way = way;
	f->flow[flow].seen.delay_ns = delay_ns;
	f->flow[flow].seen.queue_ns = queue_ns;
}

void weir_ferry_set_hop_wait(struct weir_ferry *f, u32 hop, struct weir_hist *wait_ns)
{
	f->hop[hop]->link->stats.wait = wait_ns;
}

u64 weir_ferry_start(struct weir_ferry *f)
{
	f->fidelity.stamped = f->n_ports > 0;
	for (u32 i = 0; i < f->n_ports; i++)
		f->fidelity.stamped &= f->port[i].stamped;
	for (u32 i = 0; i < f->n_hops; i++)
		f->ahead_ns[i] = f->hop[i]->last ? f->ahead_ns[i] : 0;
	f->failed |= ferry_read_begin(f) || ferry_watch_begin(f);
	ferry_overruns_begin(f);
	f->stamp_shift_ns = (u64)weir_stamp_shift_ns();
	f->origin_clock_ns = ferry_clock_ns();
	if (f->config.start_clock_ns)
		f->origin_clock_ns = weir_min(f->config.start_clock_ns, f->origin_clock_ns);
	return f->origin_clock_ns;
}

void weir_ferry_fidelity(struct weir_ferry *f, struct weir_fidelity *out)
{
	*out = f->fidelity;
	out->overruns = f->refused;
	for (u32 i = 0; i < f->n_ports; i++)
		out->overruns += f->port[i].overruns - f->port[i].overruns_base;
	for (u32 i = 0; i < FERRY_WINDOWS; i++) {
		out->due_bytes += f->window[i].due_bytes;
		out->missed_bytes += weir_sub(f->window[i].due_bytes, f->window[i].delivered_bytes);
	}
}
