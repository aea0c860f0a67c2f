/* SPDX-License-Identifier: MIT */
/* An acp flow over real sockets: a pair of processes in the namespaces of its hosts, which run what `weir
 * source` and `weir monitor` run (net/source_host.h, net/monitor_host.h), without keys. Both have one clock,
 * so that the age at the monitor is exact: generation time of a value to the kernel's time of its arrival.
 *
 * As with kernel TCP the processes are made before the ferry runs, from a caller without other threads: in
 * them memory is taken. Times are of weir_clock_ns (net/loop.h). */
#ifndef WEIR_RUN_EMULATED_ACP_H
#define WEIR_RUN_EMULATED_ACP_H

#include "age/flow_age.h"
#include "app/app.h"
#include "core/hist.h"
#include "ktcp/pair.h"
#include "net/address.h"

struct weir_emulated_acp_config {
	int ns[WEIR_KTCP_SIDES];	  /* descriptors of the namespaces of source and monitor */
	struct weir_address to;		  /* where the monitor listens */
	struct weir_source_config source; /* flow_id and incarnation are chosen from seed and flow */
	struct weir_app_config app;	  /* UPDATES: when a value is there */
	u64 seed, flow;
	u32 value_bytes;
	bool ecn;
	/* the first probe leaves; what was counted is forgotten; nothing is sent or counted any more */
	u64 start_ns, warm_ns, stop_ns;
};

struct weir_emulated_acp;

/* As of its last event, the age counted on up to the time of looking. */
struct weir_emulated_acp_seen {
	struct weir_flow_age age;
	u64 delivered_bytes; /* values that were fresh, since the start */
	u64 srtt_ns, min_rtt_ns, rtt_n;
	double rtt_sum_ns;
	u64 in_flight; /* updates: S - N^ */
	bool failed;
};

/* Both wait for start_ns when it returns. NULL with a sentence. */
struct weir_emulated_acp *weir_emulated_acp_start(const struct weir_emulated_acp_config *c,
						  char why[WEIR_KTCP_WHY_BYTES]);
void weir_emulated_acp_look(struct weir_emulated_acp *a, u64 now_ns, struct weir_emulated_acp_seen *out);
void weir_emulated_acp_tell(struct weir_emulated_acp *a);
/* Waits for both. 0, or -1 with a sentence. After it, what was told of each value and round trip. */
int weir_emulated_acp_finish(struct weir_emulated_acp *a, char why[WEIR_KTCP_WHY_BYTES]);
void weir_emulated_acp_spreads(const struct weir_emulated_acp *a, struct weir_hist *rtt_ns,
			       struct weir_age_spread *age);
/* Ends what has not ended, and frees. NULL: nothing. */
void weir_emulated_acp_free(struct weir_emulated_acp *a);

#endif
