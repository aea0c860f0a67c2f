/* SPDX-License-Identifier: MIT */
#include "link.h"

#include "emu/lease.h"
#include "link/trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WALK_PUBLISH_NS (10 * WEIR_NS_PER_MS)

/* ---- logs ---- */

const char *weir_link_queue_name(enum weir_aqm_kind aqm)
{
	static const char *const name[] = {"droptail", "drophead", "red", "codel", "pie", "fq_codel"};
	return name[aqm];
}

static bool has_walk(const struct weir_link_path *p)
{
	for (u32 i = 0; i < p->n_hops; i++)
		if (p->hop[i].rate.kind == WEIR_RATE_WALK)
			return true;
	return false;
}

static u64 capacity_bytes(void *ctx, u32 hop, u64 now_ns)
{
	struct weir_link_network *n = ctx;
	const struct weir_rate_config *r = &n->path->hop[hop].rate;
	if (r->kind == WEIR_RATE_FIXED)
		return weir_muldiv(r->bps, now_ns, 8 * WEIR_NS_PER_S);
	if (r->kind == WEIR_RATE_TRACE)
		return weir_trace_count(r->trace, now_ns) * WEIR_TRACE_BYTES;
	weir_ferry_snapshot(n->ferry, now_ns / WALK_PUBLISH_NS, &n->offered);
	return n->offered.hop[hop].stats.capacity_bytes;
}

int weir_link_network_open_logs(struct weir_link_network *n, char why[WEIR_WHY_BYTES])
{
	const struct weir_link_options *o = n->options;
	if (!o->log && !o->capture)
		return 0;
	struct weir_live_hop *hop = calloc(n->path->n_hops, sizeof *hop);
	n->offered.hop = calloc(n->path->n_hops, sizeof *n->offered.hop);
	if (!hop || !n->offered.hop) {
		snprintf(why, WEIR_WHY_BYTES, "out of memory");
		free(hop);
		return -1;
	}
	for (u32 i = 0; i < n->path->n_hops; i++) {
		const struct weir_hop_config *c = &n->path->hop[i];
		hop[i] = (struct weir_live_hop){.name = c->name, .queue = weir_link_queue_name(c->queue.aqm)};
		snprintf(
		    hop[i].about, sizeof hop[i].about,
		    "times: ms since the link began; delays: the wait in the queue of this hop, without its "
		    "transmission, its own delay of %.6g ms and other hops",
		    (double)c->delay_ns / 1e6);
	}
	n->live = weir_live_open(&(struct weir_live_config){.log = o->log,
							    .capture = o->capture,
							    .snap_bytes = (u32)o->snap_bytes,
							    .hop = hop,
							    .n_hops = o->log ? n->path->n_hops : 0,
							    .capacity_bytes = capacity_bytes,
							    .ctx = n},
				 why);
	free(hop);
	return n->live ? 0 : -1;
}

static void on_packet(void *ctx, u64 now_ns, u32 port, bool exited, const u8 *ip, u32 captured_bytes,
		      u32 wire_bytes)
{
	struct weir_link_network *n = ctx;
	(void)exited;
	weir_live_packet(n->live, now_ns, port < n->site.n[WEIR_LEFT] ? 0 : 1, ip, captured_bytes,
			 wire_bytes);
}

static void on_hop_arrival(void *ctx, u64 now_ns, u32 hop, u32 wire_bytes)
{
	const struct weir_link_network *n = ctx;
	weir_live_event(n->live, WEIR_LIVE_ARRIVAL, now_ns, hop, wire_bytes, 0);
}

static void on_hop_departure(void *ctx, u64 now_ns, u32 hop, u32 wire_bytes, u64 wait_ns)
{
	const struct weir_link_network *n = ctx;
	weir_live_event(n->live, WEIR_LIVE_DEPARTURE, now_ns, hop, wire_bytes, wait_ns);
}

static void on_hop_drop(void *ctx, u64 now_ns, u32 hop, u32 wire_bytes)
{
	const struct weir_link_network *n = ctx;
	weir_live_event(n->live, WEIR_LIVE_DROP, now_ns, hop, wire_bytes, 0);
}

static void set_taps(struct weir_link_network *n)
{
	struct weir_ferry_taps taps = {.ctx = n};
	if (n->options->capture) {
		taps.on_packet = on_packet;
		taps.snap_bytes = (u32)n->options->snap_bytes;
	}
	if (n->options->log) {
		taps.on_hop_arrival = on_hop_arrival;
		taps.on_hop_departure = on_hop_departure;
		taps.on_hop_drop = on_hop_drop;
	}
	if (n->live)
		weir_ferry_set_taps(n->ferry, &taps);
}

int weir_link_network_close_logs(struct weir_link_network *n, char why[WEIR_WHY_BYTES])
{
	if (!n->live)
		return 0;
	struct weir_live *live = n->live;
	n->live = NULL;
	return weir_live_close(live, n->fidelity.elapsed_ns, &n->lost, why);
}

/* ---- the ferry ---- */

/* Ports: the left hosts, then the right ones. Where there are several, destinations choose the exit. */
static int add_ports(struct weir_link_network *n)
{
	struct weir_site *s = &n->site;
	bool pair = s->n[WEIR_LEFT] == 1 && s->n[WEIR_RIGHT] == 1;
	u32 port = 0;
	for (u32 side = 0; side < WEIR_SIDES; side++)
		for (u32 i = 0; i < s->n[side]; i++, port++)
			if (weir_ferry_add_port(n->ferry, &s->host[side][i].tun,
						side == WEIR_LEFT ? WEIR_UP : WEIR_DOWN,
						pair ? 1 - port : WEIR_FERRY_NONE) == WEIR_FERRY_NONE)
				return -1;
	if (pair)
		return 0;
	port = 0;
	for (u32 side = 0; side < WEIR_SIDES; side++)
		for (u32 i = 0; i < s->n[side]; i++, port++)
			if (weir_ferry_route(n->ferry, s->host[side][i].address, s->host[side][i].range_end,
					     port) < 0)
				return -1;
	return 0;
}

static int make_ferry(struct weir_link_network *n)
{
	n->ferry = weir_ferry_new(&(struct weir_ferry_config){
	    .seed = n->options->seed,
	    .base_rtt_ns = n->path->delay_ns[WEIR_UP] + n->path->delay_ns[WEIR_DOWN],
	    .realtime = n->options->realtime,
	    .publish_ns = n->live && has_walk(n->path) ? WALK_PUBLISH_NS : 0});
	n->end.hop = calloc(n->path->n_hops, sizeof *n->end.hop);
	n->wait_ns = calloc(n->path->n_hops, sizeof *n->wait_ns);
	if (!n->ferry || !n->end.hop || !n->wait_ns || weir_link_path_add(n->path, n->ferry) < 0 ||
	    add_ports(n) < 0)
		return -1;
	for (u32 i = 0; i < n->path->n_hops; i++)
		weir_ferry_set_hop_wait(n->ferry, i, &n->wait_ns[i]);
	set_taps(n);
	return 0;
}

int weir_link_network_open(struct weir_link_network *n, bool here, char why[WEIR_WHY_BYTES])
{
	const struct weir_link_options *o = n->options;
	n->right_is_here = here;
	const struct weir_site_config c = {.hosts = (u32)o->hosts,
					   .right_is_here = here,
					   .mtu_bytes = WEIR_LINK_MTU_BYTES,
					   .no_offload = !o->offload,
					   .no_stamp = !o->stamp,
					   .no_gso = !o->gso,
					   .ecn = o->ecn};
	if (weir_site_open(&n->site, &c, why) < 0) {
		n->site.lease = -1;
		return -1;
	}
	if (make_ferry(n) == 0)
		return 0;
	snprintf(why, WEIR_WHY_BYTES, "out of memory");
	return -1;
}

/* A signal that only interrupts. */
static void on_interrupt(int number)
{
	(void)number;
}

static int interrupt_signal(void)
{
	return SIGRTMIN + 4;
}

static void *carry(void *ctx)
{
	struct weir_link_network *n = ctx;
	sigset_t interrupt;
	sigemptyset(&interrupt);
	sigaddset(&interrupt, interrupt_signal());
	pthread_sigmask(SIG_UNBLOCK, &interrupt, NULL);
	if (weir_ferry_run(n->ferry, &n->stop, WEIR_NEVER) == 0)
		return NULL;
	n->error = errno;
	pthread_kill(n->owner, n->failure);
	return NULL;
}

int weir_link_network_start(struct weir_link_network *n, char why[WEIR_WHY_BYTES])
{
	sigset_t all, before;
	struct sigaction a = {.sa_handler = on_interrupt};
	sigemptyset(&a.sa_mask);
	sigaction(interrupt_signal(), &a, NULL);
	n->owner = pthread_self();
	n->start_ns = weir_ferry_start(n->ferry);
	int error = n->live && weir_live_start(n->live, n->start_ns) < 0 ? errno : 0;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = error ? error : pthread_create(&n->thread, NULL, carry, n);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	n->running = error == 0;
	if (error)
		snprintf(why, WEIR_WHY_BYTES, "cannot start a thread: %s", strerror(error));
	return error ? -1 : 0;
}

void weir_link_network_stop(struct weir_link_network *n)
{
	if (!n->running)
		return;
	n->stop = 1;
	pthread_kill(n->thread, interrupt_signal());
	pthread_join(n->thread, NULL);
	n->running = false;
	weir_ferry_now(n->ferry, &n->end);
	weir_ferry_fidelity(n->ferry, &n->fidelity);
}

u32 weir_link_network_end_processes(struct weir_link_network *n)
{
	if (n->site.lease < 0)
		return 0;
	u32 ended = weir_lease_close(n->site.lease);
	n->site.lease = -1;
	return ended;
}

void weir_link_network_close(struct weir_link_network *n)
{
	char unused[WEIR_WHY_BYTES];
	weir_link_network_stop(n);
	weir_link_network_close_logs(n, unused);
	weir_link_network_end_processes(n);
	weir_ferry_free(n->ferry);
	weir_site_forget(&n->site);
	free(n->offered.hop);
	free(n->end.hop);
	free(n->wait_ns);
}
