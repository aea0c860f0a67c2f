/* SPDX-License-Identifier: MIT */
/* One flow over the kernel's own TCP (or UDP, for datagram applications): a process pair, each process in its
 * own namespace, driven by the same app/ state machines as the simulator's flows, with the named congestion
 * control set on the socket and read back. What they do is in memory shared with the parent, one writer a
 * field, read at any time without disturbing them.
 *
 * When to start them. Both processes are forked from the caller, use system calls and shared memory only and
 * need no lock of the C library, so that a process with several threads may start flows. But each fork makes
 * the pages of the caller copy-on-write once more: start flows before the ferry runs, and before it has its
 * memory; let them wait with start_ns WEIR_NEVER until the rest is ready. The processes die with the thread
 * that started them: it must live until weir_ktcp_end.
 *
 * What differs from the simulator's flow:
 * - There is a handshake. It is made WEIR_KTCP_EARLY_NS before start_ns where there is time, so that data
 *   leaves at start_ns; on a path that is too slow for that the application starts once connected
 *   (started_ns). The handshake gives the sender its first RTT sample, of 60 bytes and an early queue;
 * packets of the handshake pass the path before start_ns.
 * - The stream ends with a FIN, and a request is a segment with one byte of payload, of a video eight.
 * - What was handed to the kernel cannot be taken back: after stop_ns (and at the end of an endless on
 * period) up to 20 ms of data at the connection's rate still leave, at least six segments; in its first 256
 * KiB up to two windows. The simulator's sender ends at once.
 * - The receiver's window: the kernel offers at most 64 KiB at first and opens it as data comes. Then
 *   what is offered is rwnd_bytes, less than one segment below it or less than one unit of the window scale
 *   above; up to 64 KiB may stand on offer for the first round trip.
 * - pace: SO_MAX_PACING_RATE without a limit, which switches on the pacing of the kernel's TCP: twice
 *   cwnd / srtt in slow start, 1.2 times after it (net.ipv4.tcp_pacing_*_ratio). Without it only a controller
 *   that paces by itself (bbr) does. */
#ifndef WEIR_KTCP_FLOW_H
#define WEIR_KTCP_FLOW_H

#include "app/app.h"
#include "info.h"
#include "pair.h"

#include <netinet/in.h>
#include <sys/types.h>

/* At the begin of a datagram's payload: its number, from 0, and the time of CLOCK_MONOTONIC when it left, two
 * u64 in network order; a shorter one has as much of it as it can. */
#define WEIR_KTCP_STAMP_BYTES 16
#define WEIR_KTCP_EARLY_NS WEIR_NS_PER_S
#define WEIR_KTCP_SAMPLES_KEPT 16383U	   /* the newest; read them in time */
#define WEIR_KTCP_COMPLETIONS_KEPT 131072U /* the first */

/* Many connections of one process pair, each with so many bytes to send, one after the other or at once. Each
 * shakes hands WEIR_KTCP_EARLY_NS before its start, as a single one does, and is gone when its data has been
 * read. No more than WEIR_KTCP_CROWD_AT_ONCE are open (fewer where the system allows fewer files): those that
 * would be more are refused, and counted. There is no TCP_INFO of them. */
#define WEIR_KTCP_CROWD_AT_ONCE 4000U
struct weir_ktcp_crowd {
	u32 n;			     /* 0: no crowd */
	const u64 *start_ns, *bytes; /* of each, by start; the caller's until weir_ktcp_end. Since zero_ns */
	u64 zero_ns;		     /* CLOCK_MONOTONIC */
};

struct weir_ktcp_config {
	int sender_ns, receiver_ns; /* descriptors of network namespaces; may be the same */
	/* IPv6, or sockaddr_in in the same storage. The receiver listens at its address and port; the sender
	 * is bound to its own, where port 0 is any. */
	struct sockaddr_in6 sender, receiver;
	const char *controller; /* the kernel's name; NULL for datagrams */
	struct weir_app_config app;
	struct weir_ktcp_crowd crowd; /* then `app` and `start_ns` count for nothing */
	u64 seed, flow;		      /* of the app's random stream, as in the simulator */
	/* CLOCK_MONOTONIC. Start WEIR_NEVER: as weir_ktcp_schedule will say; stop WEIR_NEVER: until told to
	 * end. */
	u64 start_ns, stop_ns;
	u64 connect_ns; /* how long connecting may take; 0: 10 s */
	u32 mss_bytes;	/* payload of a full segment where the path's MTU has room for it; 0: as the
			   path says */
	u64 rwnd_bytes; /* most the receiver offers; 0: no limit, but without CAP_NET_ADMIN
			   on the machine the kernel's own choice */
	bool ecn, pace; /* ecn: asked for by the namespace (tcp_ecn); here it is verified */
	u64 sample_ns;	/* TCP_INFO is read that often; 0: 10 ms */
};

/* Totals and state, each as of its last event. */
struct weir_ktcp_seen {
	u64 delivered_bytes;  /* payload that the receiving application read, in order */
	u64 received_packets; /* datagrams */
	u64 sent_bytes;	      /* payload that the sending application handed over */
	u64 sent_packets;     /* datagrams */
	u64 refused_packets;  /* datagrams that the sender's own kernel did not take */
	u64 overrun_packets;  /* datagrams that the receiver's socket had no room for: outside the model */
	u64 completions;      /* all that there were */
	u64 refused_connections;
	struct weir_ktcp_info info; /* of the sender's socket, the newest sample */
	u64 info_ns;		    /* when; 0: never, info is not filled in */
	u64 started_ns;		    /* of the application; 0: not yet */
	char controller[16];	    /* as read back from the sender's socket, "" for datagrams */
	struct weir_video video;    /* as of its last event; of other applications nothing */
	bool connected, done;	    /* done: closed, all delivered; of datagrams: no more are sent */
	bool failed;		    /* weir_ktcp_end tells why */
};
struct weir_ktcp_completion {
	u64 start_ns, end_ns, bytes; /* CLOCK_MONOTONIC */
	u64 number;		     /* of the connection in its crowd, else 0 */
};

struct weir_ktcp_flow;

/* Starts both processes; they wait for start_ns. Returns when both have made their sockets, at most after
 * some seconds. NULL with a sentence in why: no such controller, or not allowed (exit 3; the sentence lists
 * what there is), an address that is not there, no memory, fork refused. */
struct weir_ktcp_flow *weir_ktcp_start(const struct weir_ktcp_config *c, char why[WEIR_KTCP_WHY_BYTES]);
/* Sets start_ns and stop_ns of a flow that was started with start_ns WEIR_NEVER: once, when all that the run
 * needs is there. */
void weir_ktcp_schedule(struct weir_ktcp_flow *f, u64 start_ns, u64 stop_ns);
/* A consistent copy, from any thread. */
void weir_ktcp_look(const struct weir_ktcp_flow *f, struct weir_ktcp_seen *out);
/* Completions of SIZED (from the start of the application) and REQUEST (from the departure of the request) to
 * the last byte that the receiver read, in their order, up to `room`; how many were written to out. */
u32 weir_ktcp_completions(const struct weir_ktcp_flow *f, struct weir_ktcp_completion *out, u32 room);
/* Of a connection of a crowd: payload that the receiving application has read; *done: all of it. */
u64 weir_ktcp_crowd_delivered(const struct weir_ktcp_flow *f, u32 number, bool *done);
/* The history of TCP_INFO: the index-th sample, from 0. False where there is none yet, and where it has been
 * overwritten: the newest WEIR_KTCP_SAMPLES_KEPT are there, from weir_ktcp_first_sample on. */
bool weir_ktcp_sample(const struct weir_ktcp_flow *f, u64 index, u64 *at_ns, struct weir_ktcp_info *info);
u64 weir_ktcp_first_sample(const struct weir_ktcp_flow *f);

/* Ending goes in up to three steps, so that many flows end together and their last state can be read:
 * weir_ktcp_tell tells both processes to end, without waiting; weir_ktcp_finish tells them if nobody did,
 * waits (after 2 s with SIGKILL), and leaves all totals and a last sample to be read: 0, or -1 with a
 * sentence when the flow failed: connection refused, reset, a controller that was not what was asked, a
 * process that died. weir_ktcp_end does what of this is still to be done, and frees. */
void weir_ktcp_tell(struct weir_ktcp_flow *f);
int weir_ktcp_finish(struct weir_ktcp_flow *f, char why[WEIR_KTCP_WHY_BYTES]);
int weir_ktcp_end(struct weir_ktcp_flow *f, char why[WEIR_KTCP_WHY_BYTES]);

/* Whether a socket of this thread's namespace may have this congestion control; `list` (may be NULL) gets the
 * names of all that the kernel has, with blanks between. */
bool weir_ktcp_has_controller(const char *name, char list[WEIR_KTCP_WHY_BYTES]);

#endif
