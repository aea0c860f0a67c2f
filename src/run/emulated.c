/* SPDX-License-Identifier: MIT */
#include "emulated.h"

#include "emulable.h"
#include "judge.h"
#include "link/trace.h"
#include "net/loop.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* How long two processes take until their sockets are there, on a slow machine. */
#define FORK_NS (20 * WEIR_NS_PER_MS)
#define SETTLE_NS (200 * WEIR_NS_PER_MS)
/* A flow that never gets through is a flow that delivers nothing, not a failure: the run ends first. */
#define CONNECT_LONGEST_NS (60 * WEIR_NS_PER_S)
/* The ferry runs so long before the first handshake. */
#define AHEAD_NS (50 * WEIR_NS_PER_MS)

static u64 clock_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * WEIR_NS_PER_S + (u64)t.tv_nsec;
}

static void sleep_until(u64 at_ns)
{
	struct timespec t = {.tv_sec = (time_t)(at_ns / WEIR_NS_PER_S),
			     .tv_nsec = (long)(at_ns % WEIR_NS_PER_S)};
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

/* ---- flows ---- */

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
	u64 header6_bytes = entry->age_ops ? WEIR_EMULATED_UDP_HEADER6 : WEIR_EMULATED_HEADER6;
	bool ipv6 = (entry->controlled || entry->age_ops) && f->endpoint.header_bytes == header6_bytes;
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
	if (entry->age_ops && start_acp(e, entry, flow, &c, sentence) == 0)
		return 0;
	if (!entry->age_ops && (out->tcp = weir_ktcp_start(&c, sentence)))
		return 0;
	snprintf(why, 512, "%s: %s", f->name, sentence);
	return WEIR_EXIT_MACHINE;
}

/* The scenario's time 0 is fixed before the first process is made: far enough for all of them. */
static int start_flows(struct weir_emulated *e, char why[512])
{
	const struct weir_build *b = e->b;
	e->zero_clock_ns = clock_ns() + e->lead_ns + SETTLE_NS + e->n_slots * FORK_NS;
	e->calls.zero_clock_ns = e->zero_clock_ns;
	e->zero_age_ns = e->zero_clock_ns + (weir_clock_ns() - clock_ns());
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

/* ---- the ferry ---- */

static void *carry(void *ctx)
{
	struct weir_emulated *e = ctx;
	if (weir_ferry_run(e->ferry, &e->halt, weir_add(e->lead_ns, e->b->scenario->duration_ns)) < 0)
		e->error = errno;
	__atomic_store_n(&e->ended, 1, __ATOMIC_RELEASE);
	return NULL;
}

static int start_ferry(struct weir_emulated *e, char why[512])
{
	sigset_t all, before;
	while (clock_ns() < e->zero_clock_ns - e->lead_ns) /* a signal ends a sleep early */
		sleep_until(e->zero_clock_ns - e->lead_ns);
	weir_ferry_start(e->ferry);
	if (e->config.live && weir_live_start(e->config.live, e->zero_clock_ns) < 0) {
		snprintf(why, 512, "cannot start a thread: %s", strerror(errno));
		return WEIR_EXIT_FAILED;
	}
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int error = pthread_create(&e->thread, NULL, carry, e);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	e->running = error == 0;
	if (error)
		snprintf(why, 512, "cannot start a thread: %s", strerror(error));
	return error ? WEIR_EXIT_FAILED : 0;
}

static int no_memory(char why[512])
{
	snprintf(why, 512, "out of memory");
	return WEIR_EXIT_FAILED;
}

/* Before any network is made: what a kernel does not take is told at once. */
static int begin_controllers(struct weir_emulated *e, char why[512])
{
	int code = weir_in_kernel_begin(&e->in_kernel, e->b, why);
	if (code) {
		if (e->config.qlog)
			fclose(e->config.qlog);
		return code;
	}
	if (weir_emulated_calls_begin(&e->calls, &e->in_kernel, e->b, WEIR_EMULATED_FIRST_PORT,
				      e->config.qlog) < 0)
		return no_memory(why);
	return 0;
}

int weir_emulated_begin(struct weir_emulated *e, struct weir_build *b, const struct weir_traces *traces,
			const struct weir_emulated_config *c, char why[512])
{
	memset(e, 0, sizeof *e);
	e->b = b;
	e->config = *c;
	e->lead_ns = (WEIR_KTCP_EARLY_NS + AHEAD_NS) / c->publish_ns * c->publish_ns + c->publish_ns;
	e->warm_ns = weir_add(e->lead_ns, b->scenario->warmup_ns);
	int code = begin_controllers(e, why);
	if (code == 0 && weir_emulated_seat(e) < 0)
		code = no_memory(why);
	if (code == 0)
		code = weir_emulated_open_site(e, why);
	if (code == 0)
		code = start_flows(e, why);
	if (code)
		return code;
	if (weir_emulated_make_ferry(e, traces) < 0)
		return no_memory(why);
	e->ops = weir_emulated_ops;
	b->backend = (struct weir_backend){&e->ops, e};
	weir_emulated_name_signals(e, b);
	return start_ferry(e, why);
}

/* ---- while it runs ---- */

#define PATIENCE_NS (100 * 1000ULL)

int weir_emulated_look(struct weir_emulated *e, u64 index, const volatile sig_atomic_t *stop)
{
	u64 at_ns = e->zero_clock_ns + index * e->config.publish_ns;
	u64 number = e->lead_ns / e->config.publish_ns + index;
	for (;; at_ns = clock_ns() + 5 * PATIENCE_NS) {
		sleep_until(at_ns + PATIENCE_NS);
		if (stop && *stop)
			return -1;
		bool ended = __atomic_load_n(&e->ended, __ATOMIC_ACQUIRE);
		int missing = weir_ferry_snapshot(e->ferry, number, &e->at);
		if (missing < 0)
			return 1;
		if (missing == 0)
			break;
		if (ended)
			return -1;
	}
	weir_emulated_take_look(e);
	return 0;
}

bool weir_emulated_failed(const struct weir_emulated *e)
{
	for (u32 i = 0; i < e->n_slots; i++)
		if (e->flow[i].seen.failed || e->flow[i].acp_seen.failed)
			return true;
	return false;
}

static const char *name_of(const struct weir_emulated *e, u32 slot, char name[WEIR_BUILD_NAME_BYTES])
{
	const struct weir_build_entry *entry = &e->b->entry[e->flow[slot].entry];
	if (entry->grouped)
		weir_build_group_name(entry, name);
	else
		weir_build_flow_name(entry, entry->first + slot - entry->first_hist, name);
	return name;
}

static void tell(const struct weir_emulated_flow *f)
{
	if (f->tcp)
		weir_ktcp_tell(f->tcp);
	if (f->acp)
		weir_emulated_acp_tell(f->acp);
}

/* Its last state, too. */
static int finish_acp(struct weir_emulated *e, u32 slot, char why[WEIR_KTCP_WHY_BYTES])
{
	struct weir_emulated_acp *acp = e->flow[slot].acp;
	if (weir_emulated_acp_finish(acp, why) < 0)
		return -1;
	weir_emulated_look_at_acp(e, slot);
	weir_emulated_acp_spreads(acp, &e->b->rtt_ns[slot], &e->b->age[slot]);
	return 0;
}

/* The sentence is of the first that failed. */
static int finish_flows(struct weir_emulated *e, char why[512])
{
	int failed = 0;
	for (u32 i = 0; i < e->n_slots; i++)
		tell(&e->flow[i]);
	for (u32 i = 0; i < e->n_slots; i++) {
		char sentence[WEIR_KTCP_WHY_BYTES], name[WEIR_BUILD_NAME_BYTES];
		struct weir_emulated_flow *f = &e->flow[i];
		int code = f->acp   ? finish_acp(e, i, sentence)
			   : f->tcp ? weir_ktcp_finish(f->tcp, sentence)
				    : 0;
		if (code == 0 || failed)
			continue;
		failed = -1;
		snprintf(why, 512, "%s: %s", name_of(e, i, name), sentence);
	}
	return failed;
}

static void join(struct weir_emulated *e)
{
	if (!e->running)
		return;
	pthread_join(e->thread, NULL);
	e->running = false;
}

int weir_emulated_end(struct weir_emulated *e, bool early, char why[512])
{
	e->halt = early;
	join(e);
	weir_ferry_now(e->ferry, &e->at);
	weir_emulated_take_look(e);
	for (u32 i = 0; i < e->n_slots; i++)
		if (e->flow[i].seen.info_ns && e->flow[i].seen.info.rto_total == WEIR_KTCP_UNKNOWN)
			e->ops.counts_timeouts = false;
	if (finish_flows(e, why) < 0)
		return -1;
	if (e->error) {
		snprintf(why, 512, "the emulator stopped: %s", strerror(e->error));
		return -1;
	}
	if (weir_emulated_take_completions(e) < 0) {
		no_memory(why);
		return -1;
	}
	return 0;
}

void weir_emulated_judge(const struct weir_emulated *e, struct weir_emulation *out)
{
	struct weir_fidelity *f = malloc(sizeof *f);
	if (!f)
		return;
	weir_ferry_fidelity(e->ferry, f);
	weir_judge(f, out);
	free(f);
}

void weir_emulated_free(struct weir_emulated *e)
{
	char sentence[WEIR_KTCP_WHY_BYTES];
	e->halt = 1;
	join(e);
	for (u32 i = 0; e->flow && i < e->n_slots; i++)
		tell(&e->flow[i]);
	for (u32 i = 0; e->flow && i < e->n_slots; i++) {
		if (e->flow[i].tcp)
			weir_ktcp_end(e->flow[i].tcp, sentence);
		weir_emulated_acp_free(e->flow[i].acp);
		weir_witness_free(&e->flow[i].witness);
		free(e->flow[i].age);
	}
	weir_ferry_free(e->ferry);
	if (e->site_open)
		weir_site_close(&e->site);
	weir_emulated_calls_end(&e->calls);
	weir_in_kernel_end(&e->in_kernel);
	weir_emulated_end_looks(e);
	free(e->flow);
	for (u32 i = 0; e->trace && i < e->b->scenario->n_hops; i++)
		weir_trace_fini(&e->trace[i]);
	free(e->trace);
	free(e->pair_path);
	free(e->signals);
	memset(e, 0, sizeof *e);
}
