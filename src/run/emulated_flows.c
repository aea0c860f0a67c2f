/* SPDX-License-Identifier: MIT */
/* A pair of processes for each flow: what each is asked to do, where, and when. */
#include "emulable.h"
#include "emulated.h"
#include "net/loop.h"

#include <stdio.h>
#include <string.h>

/* How long two processes take until their sockets are there, on a slow machine. */
#define FORK_NS (20 * WEIR_NS_PER_MS)
#define SETTLE_NS (200 * WEIR_NS_PER_MS)
/* A flow that never gets through is a flow that delivers nothing, not a failure: the run ends first. */
#define CONNECT_LONGEST_NS (60 * WEIR_NS_PER_S)
static struct sockaddr_in6 address_of(const struct weir_emulated *e, u32 side, u32 slot, bool ipv6)
{
	struct sockaddr_in6 out = {0};
	u32 address = e->site.host[side][e->flow[slot].pair].address;
	in_port_t port = htons((u16)(WEIR_EMULATED_FIRST_PORT + slot));
	if (ipv6) {
		out = (struct sockaddr_in6){.sin6_family = AF_INET6,
					    .sin6_port = port,
					    .sin6_addr = weir_site_address6(&e->site, address)};
	} else {
		struct sockaddr_in in = {
		    .sin_family = AF_INET, .sin_port = port, .sin_addr.s_addr = htonl(address)};
		memcpy(&out, &in, sizeof in);
	}
	return out;
}

/* A receive window beyond what the kernel could offer is no wish. */
static u64 rwnd_of(const struct weir_scenario_endpoint *p)
{
	return p->rwnd_bytes >= 1ULL << 30 ? 0 : p->rwnd_bytes;
}

/* Each sample wakes a process: many flows are looked at less often each. */
static u64 tcp_sample_ns(const struct weir_emulated *e)
{
	return weir_max(e->config.publish_ns, e->n_slots * (WEIR_NS_PER_MS / 2));
}

/* What its socket asks for. */
static const char *controller_of(const struct weir_emulated *e, const struct weir_build_entry *entry)
{
	const char *ours = weir_in_kernel_name(&e->in_kernel, (u32)(entry - e->b->entry));
	if (!entry->controlled)
		return NULL;
	return ours ? ours : weir_emulable_controller(entry->controller);
}

/* Each connection has a port of its own to send from. */
static void make_crowd(const struct weir_emulated *e, const struct weir_build_entry *entry,
		       struct weir_ktcp_config *c)
{
	c->sender.sin6_port = 0;
	c->crowd = (struct weir_ktcp_crowd){.n = entry->count,
					    .start_ns = e->b->start_ns + entry->first,
					    .bytes = e->b->size_bytes + entry->first,
					    .zero_ns = e->zero_clock_ns};
}

static int start_acp(struct weir_emulated *e, const struct weir_build_entry *entry, u32 flow,
		     const struct weir_ktcp_config *k, char why[WEIR_KTCP_WHY_BYTES])
{
	const struct weir_scenario_flow *f = entry->flow;
	struct weir_emulated_flow *out = &e->flow[weir_build_hist(entry, flow)];
	struct weir_emulated_acp_config c = {
	    .ns = {k->sender_ns, k->receiver_ns},
	    .source = weir_build_source(entry),
	    .app = k->app,
	    .seed = k->seed,
	    .flow = flow,
	    .value_bytes = (u32)f->app.update_bytes,
	    .ecn = f->endpoint.ecn,
	    .start_ns = weir_add(e->zero_age_ns, e->b->start_ns[flow]),
	    .warm_ns = weir_add(e->zero_age_ns, e->b->scenario->warmup_ns),
	    .stop_ns = weir_add(e->zero_age_ns, weir_min(f->stop_ns, e->b->scenario->duration_ns)),
	};
	bool ipv4 = k->receiver.sin6_family == AF_INET;
	weir_address_take(&c.to, (const struct sockaddr *)&k->receiver,
			  ipv4 ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6));
	out->acp = weir_emulated_acp_start(&c, why);
	return out->acp ? 0 : -1;
}

static int start_flow(struct weir_emulated *e, const struct weir_build_entry *entry, u32 flow, char why[512])
{
	const struct weir_scenario_flow *f = entry->flow;
	u32 slot = weir_build_hist(entry, flow);
	struct weir_emulated_flow *out = &e->flow[slot];
	u32 from = f->reverse ? WEIR_RIGHT : WEIR_LEFT;
	u64 header6_bytes = entry->ops.age ? WEIR_EMULATED_UDP_HEADER6 : WEIR_EMULATED_HEADER6;
	bool ipv6 = (entry->controlled || entry->ops.age) && f->endpoint.header_bytes == header6_bytes;
	char sentence[WEIR_KTCP_WHY_BYTES];
	struct weir_ktcp_config c = {
	    .sender_ns = e->site.host[from][out->pair].ns.fd,
	    .receiver_ns = e->site.host[WEIR_RIGHT - from][out->pair].ns.fd,
	    .sender = address_of(e, from, slot, ipv6),
	    .receiver = address_of(e, WEIR_RIGHT - from, slot, ipv6),
	    .controller = controller_of(e, entry),
	    .app = weir_build_app(e->b, entry, flow),
	    .seed = e->config.seed,
	    .flow = flow,
	    .start_ns = weir_add(e->zero_clock_ns, e->b->start_ns[flow]),
	    .stop_ns = weir_add(e->zero_clock_ns, f->stop_ns),
	    .connect_ns = weir_add(e->b->scenario->duration_ns, CONNECT_LONGEST_NS),
	    .mss_bytes = entry->controlled ? (u32)f->endpoint.mss_bytes : 0,
	    .rwnd_bytes = entry->controlled ? rwnd_of(&f->endpoint) : 0,
	    .ecn = entry->controlled && f->endpoint.ecn,
	    .pace = entry->controlled && f->endpoint.pace,
	    .sample_ns = tcp_sample_ns(e),
	};
	if (ipv6 && !e->site.ipv6) {
		snprintf(why, 512,
			 "%s: header: %llu bytes are those of IPv6, which this kernel does not have", f->name,
			 header6_bytes);
		return WEIR_EXIT_MACHINE;
	}
	if (entry->arrivals)
		make_crowd(e, entry, &c);
	if (entry->ops.age && start_acp(e, entry, flow, &c, sentence) == 0)
		return 0;
	if (!entry->ops.age && (out->tcp = weir_ktcp_start(&c, sentence)))
		return 0;
	snprintf(why, 512, "%s: %s", f->name, sentence);
	return WEIR_EXIT_MACHINE;
}

/* The scenario's time 0 is fixed before the first process is made: far enough for all of them. */
int weir_emulated_start_flows(struct weir_emulated *e, char why[512])
{
	const struct weir_build *b = e->b;
	e->zero_clock_ns = weir_ktcp_now_ns() + e->lead_ns + SETTLE_NS + e->n_slots * FORK_NS;
	e->calls.zero_clock_ns = e->zero_clock_ns;
	e->zero_age_ns = e->zero_clock_ns + (weir_clock_ns() - weir_ktcp_now_ns());
	for (u32 i = 0; i < b->n_entries; i++) {
		const struct weir_build_entry *entry = &b->entry[i];
		u32 n = entry->arrivals ? entry->count > 0 : entry->count;
		for (u32 flow = entry->first; flow < entry->first + n; flow++) {
			int code = start_flow(e, entry, flow, why);
			if (code)
				return code;
		}
	}
	return 0;
}
