/* SPDX-License-Identifier: MIT */
/* What the programs in the kernel and the loader say to each other. */
#ifndef WEIR_KERN_RECORD_H
#define WEIR_KERN_RECORD_H

#include "weir/cc.h"

enum weir_kern_event {
	WEIR_KERN_INIT,
	WEIR_KERN_ACK,
	WEIR_KERN_LOSS,
	WEIR_KERN_TIMEOUT,
	WEIR_KERN_IDLE,
	WEIR_KERN_TICK,
	WEIR_KERN_EVENTS,
};

/* One call of a controller: what it saw and what it said. */
struct weir_kern_call {
	u32 event;    /* enum weir_kern_event */
	u32 reserved; /* 0 */
	struct weir_view view;
	union {
		struct weir_ack ack;
		struct weir_loss loss;
		u64 idle_ns;
	};
	struct weir_out out;
};

/* What `weir kernel watch` reads from the ring, one a call. */
struct weir_kern_record {
	u64 socket; /* tells sockets apart, as long as they live */
	u16 local_port, remote_port;
	u32 cwnd_packets; /* of the kernel, after this call */
	struct weir_kern_call call;
};

/* The most that is kept of a connection: a governor's state. */
#define WEIR_KERN_STATE_BYTES 1152

/* The replay program runs one call on a state that it is handed. */
struct weir_kern_replay {
	struct weir_kern_call call;
	u64 state[WEIR_KERN_STATE_BYTES / sizeof(u64)];
};

/* Shared with the programs, which look at it at every call. By the name a watcher finds it among all maps. */
struct weir_kern_control {
	char name[16]; /* of the congestion control */
	u64 dropped;   /* records that found no room in the ring */
	u64 stateless; /* calls that found no memory for a socket's state: the window stands still */
	u32 watcher;   /* process id of who reads the ring; 0: nobody, nothing is recorded */
	u32 reserved;
};

#define WEIR_KERN_RING_BYTES (1U << 20) /* a power of two, of whole pages */

#endif
