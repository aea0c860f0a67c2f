/* SPDX-License-Identifier: MIT */
#include "emulated.h"

#include "judge.h"
#include "link/trace.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The ferry runs so long before the first handshake. */
#define AHEAD_NS (50 * WEIR_NS_PER_MS)

static void sleep_until(u64 at_ns)
{
	struct timespec t = {.tv_sec = (time_t)(at_ns / WEIR_NS_PER_S),
			     .tv_nsec = (long)(at_ns % WEIR_NS_PER_S)};
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
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
	while (weir_ktcp_now_ns() < e->zero_clock_ns - e->lead_ns) /* a signal ends a sleep early */
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
	int code = weir_in_kernel_begin(&e->in_kernel, e->b, e->config.seed, why);
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
		code = weir_emulated_start_flows(e, why);
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
	for (;; at_ns = weir_ktcp_now_ns() + 5 * PATIENCE_NS) {
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
