/* SPDX-License-Identifier: MIT */
/* One flow over the kernel's own TCP (or UDP, for datagram applications): a process pair, each process in its
 * own namespace, driven by the same app/ state machines as the simulator's flows, with the named congestion
 * control set on the socket and read back. What they do is in memory shared with the parent, one writer a
 * field, read at any time without disturbing them. */
#ifndef WEIR_KTCP_FLOW_H
#define WEIR_KTCP_FLOW_H

#include "app/app.h"
#include "info.h"

#include <netinet/in.h>
#include <sys/types.h>

struct weir_ktcp_config {
	int sender_ns, receiver_ns;			 /* descriptors of network namespaces */
	struct sockaddr_in6 sender, receiver;		 /* or sockaddr_in in the same storage; port of the flow */
	const char *controller;				 /* the kernel's name; NULL for datagrams */
	struct weir_app_config app;
	u64 seed, flow;					 /* of the app's random stream, as in the simulator */
	u64 start_ns, stop_ns;				 /* CLOCK_MONOTONIC; WEIR_NEVER: until told to end */
	u32 mss_bytes;					 /* payload of a full segment; 0: as the path says */
	u64 rwnd_bytes;					 /* most the receiver offers; 0: the kernel's own choice */
	bool ecn, pace;					 /* pace: SO_MAX_PACING_RATE by the kernel's own timers */
	u64 sample_ns;					 /* TCP_INFO is read that often; 0: 10 ms */
};

/* Totals and state, as of the last sample or the last event. */
struct weir_ktcp_seen {
	u64 delivered_bytes;  /* payload that the receiving application read, in order */
	u64 received_packets; /* datagrams */
	u64 sent_bytes;	      /* payload that the sending application handed over */
	u64 sent_packets;     /* datagrams */
	struct weir_ktcp_info info; /* of the sender's socket */
	u64 info_ns;	      /* when; 0: never */
	bool connected, done; /* done: closed, all delivered */
};
struct weir_ktcp_completion {
	u64 start_ns, end_ns, bytes; /* CLOCK_MONOTONIC */
};

struct weir_ktcp_flow;

/* Starts both processes; they wait for start_ns. NULL with a sentence in why (256 bytes): no such controller
 * (exit 3), no memory, fork refused. */
struct weir_ktcp_flow *weir_ktcp_start(const struct weir_ktcp_config *c, char why[256]);
/* A consistent copy, from any thread. */
void weir_ktcp_look(const struct weir_ktcp_flow *f, struct weir_ktcp_seen *out);
/* Completions of SIZED and REQUEST so far, up to `room`; how many there are. */
u32 weir_ktcp_completions(const struct weir_ktcp_flow *f, struct weir_ktcp_completion *out, u32 room);
/* Every RTT that TCP_INFO showed as new (srtt of the kernel, ns). Caller's; filled by weir_ktcp_look's thread
 * is not possible across processes, so the history is a ring: the i-th sample, false past the last. */
bool weir_ktcp_sample(const struct weir_ktcp_flow *f, u64 index, u64 *at_ns, struct weir_ktcp_info *info);
/* Tells both to end (SIGTERM, after 500 ms SIGKILL), waits, frees. 0, or -1 with a sentence when one of them
 * failed: connection refused, reset, a controller that was not what was asked. */
int weir_ktcp_end(struct weir_ktcp_flow *f, char why[256]);

/* Whether the kernel has this congestion control, here and now; `list` (may be NULL) gets all names. */
bool weir_ktcp_has_controller(const char *name, char list[256]);

#endif
