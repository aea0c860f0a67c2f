/* SPDX-License-Identifier: MIT */
/* The emulated network of a build: hosts in namespaces, kernel TCP in them, the ferry between, and the
 * build's backend.
 *
 * Times. The scenario's time 0 is lead_ns after the ferry's: the flows shake hands before it, so that their
 * data leaves at their start. All counters are shown as if they had begun at the scenario's time 0.
 *
 * Ferry ports are numbered 2 * pair for the left host of a pair, 2 * pair + 1 for its right one; ferry paths
 * 2 * path for the way there and 2 * path + 1 for the way back; hops as in the scenario, then the
 * uncongested ways back. */
#ifndef WEIR_RUN_EMULATED_H
#define WEIR_RUN_EMULATED_H

#include "build.h"
#include "core/exit_code.h"
#include "emu/ferry.h"
#include "emu/site.h"
#include "emulated_acp.h"
#include "emulated_age.h"
#include "emulated_calls.h"
#include "in_kernel.h"
#include "ktcp/flow.h"
#include "record/emulation.h"
#include "record/live.h"
#include "witness.h"

#include <pthread.h>

struct weir_trace;

/* A pair of processes with its ports: a flow, or all flows of an entry that arrive at random. Its number is
 * that of its histograms. */
struct weir_emulated_flow {
	u32 entry, pair;
	bool reverse;
	struct weir_ktcp_flow *tcp; /* or datagrams; NULL: acp */
	struct weir_ktcp_seen seen;
	struct weir_emulated_acp *acp;
	struct weir_emulated_acp_seen acp_seen;
	/* On the ferry's thread, but for the atomic tally. */
	struct weir_witness witness;
	struct weir_hist *rtt_ns;
	u64 rtt_n, rtt_sum_ns;
	struct weir_emulated_age *age; /* NULL: nobody asks, or acp tells it */
	u64 stop_ns;		       /* in the ferry's time; no age is counted after it */
};

/* Ports of the flows, at both ends: below those that the kernel gives away by itself (32768 on). */
#define WEIR_EMULATED_FIRST_PORT 20000

struct weir_emulated_config {
	u64 seed, publish_ns;	/* looks are possible at multiples of publish_ns */
	struct weir_live *live; /* NULL: no logs are wanted */
	bool live_packets, live_hops;
	FILE *qlog; /* of the calls of controllers in the kernel; NULL: none is wanted. Taken over */
};

struct weir_emulated {
	const struct weir_build *b;
	struct weir_backend_ops ops; /* with what this kernel counts */
	struct weir_emulated_config config;
	struct weir_in_kernel in_kernel; /* the controllers */
	struct weir_emulated_calls calls;
	struct weir_site site;
	bool site_open, running;
	u32 n_pairs, n_hops; /* ferry's hops */
	u32 *pair_path;
	u32 n_slots;
	struct weir_emulated_flow *flow; /* by slot */
	/* of each entry, at most as many as there is room for */
	struct weir_signal (*signals)[WEIR_CC_SIGNALS_MAX];
	struct weir_trace *trace; /* of each hop of the scenario: its own, lead_ns later */
	struct weir_ferry *ferry;
	pthread_t thread;
	volatile sig_atomic_t halt;
	int ended;	      /* atomic: the ferry is done */
	int error;	      /* why, errno; 0: it was asked to */
	u64 lead_ns, warm_ns; /* in the ferry's time: the scenario's 0, the end of its warm-up */
	u64 zero_clock_ns;    /* CLOCK_MONOTONIC of the scenario's 0 */
	u64 zero_age_ns;      /* the same by weir_clock_ns, which is acp's */
	bool warm;	      /* on the ferry's thread: what was measured before is forgotten */
	/* the instant of the backend, in the scenario's time */
	u64 now_ns;
	u64 late_max_ns; /* since somebody set it to 0 */
	bool based;
	struct weir_ferry_snapshot at, base;
	struct weir_link_stats *stats;
	struct weir_completion *completions;
	u64 n_completions;
};

/* Makes everything; flows are waiting and the ferry is about to run when it returns. 0, or a weir_exit with
 * a sentence in *why. Free in both cases, before the build. */
int weir_emulated_begin(struct weir_emulated *e, struct weir_build *b, const struct weir_traces *traces,
			const struct weir_emulated_config *c, char why[512]);
/* Waits until the time index * publish_ns of the scenario and looks. 0; 1: too late, that look is lost; -1:
 * the ferry ended, or *stop became non-zero. */
int weir_emulated_look(struct weir_emulated *e, u64 index, const volatile sig_atomic_t *stop);
/* Whether a flow's connection failed. */
bool weir_emulated_failed(const struct weir_emulated *e);
/* Waits for the end of the scenario, or (early) stops the ferry where it is; looks for the last time, and
 * ends the flows. 0, or -1 with a sentence. */
int weir_emulated_end(struct weir_emulated *e, bool early, char why[512]);
/* After the end: how the ferry judges itself. */
void weir_emulated_judge(const struct weir_emulated *e, struct weir_emulation *out);
void weir_emulated_free(struct weir_emulated *e);

/* emulated_flows.c: starts all of them; they wait. 0, or a weir_exit with a sentence. */
int weir_emulated_start_flows(struct weir_emulated *e, char why[512]);

/* emulated_look.c: as the build's backend */
extern const struct weir_backend_ops weir_emulated_ops;
/* What the entries' flows show: a controller's own signals, then those of the kernel. */
void weir_emulated_name_signals(struct weir_emulated *e, struct weir_build *b);
int weir_emulated_begin_looks(struct weir_emulated *e); /* 0, or -1: no memory */
void weir_emulated_take_look(struct weir_emulated *e);	/* e->at is new */
void weir_emulated_look_at_acp(struct weir_emulated *e, u32 slot);
int weir_emulated_take_completions(struct weir_emulated *e);
void weir_emulated_end_looks(struct weir_emulated *e);
/* emulated_hosts.c: seat is 0, or -1 when out of memory; open_site is 0, or a weir_exit */
int weir_emulated_seat(struct weir_emulated *e);
int weir_emulated_open_site(struct weir_emulated *e, char why[512]);
/* emulated_ferry.c: after the site, and the warm-up's end, are there. 0, or -1: no memory */
int weir_emulated_make_ferry(struct weir_emulated *e, const struct weir_traces *traces);
/* emulated_watch.c: on the ferry's thread */
void weir_emulated_watch(struct weir_emulated *e);

#endif
