/* SPDX-License-Identifier: MIT */
/* The memory that a flow's two processes share with their parent. One writer a field. Inside ktcp/ only. */
#ifndef WEIR_KTCP_SHARED_H
#define WEIR_KTCP_SHARED_H

#include "controller.h"
#include "flow.h"

#include <stdatomic.h>

/* What went wrong in a process; the parent makes the sentence (failure.c), since a forked child of a process
 * with threads must not format one. */
enum weir_ktcp_failure {
	WEIR_KTCP_FINE,
	WEIR_KTCP_NAMESPACE,
	WEIR_KTCP_EVENTS, /* epoll, timerfd, signalfd */
	WEIR_KTCP_SOCKET,
	WEIR_KTCP_CONTROLLER,	      /* could not be set */
	WEIR_KTCP_CONTROLLER_CHANGED, /* `found` is another */
	WEIR_KTCP_SEGMENT_SIZE,
	WEIR_KTCP_BIND,
	WEIR_KTCP_CONNECT,
	WEIR_KTCP_CONNECT_LATE,
	WEIR_KTCP_NO_ECN,
	WEIR_KTCP_SEND,
	WEIR_KTCP_RECEIVE,
	WEIR_KTCP_CUT_SHORT, /* the stream ended before all that was handed over was read */
	WEIR_KTCP_PEER_GONE, /* the other process ended, and did not say why */
};
struct weir_ktcp_fault {
	_Atomic u32 what; /* enum weir_ktcp_failure; written last */
	int error;	  /* errno, 0: none */
};

struct weir_ktcp_sender_side {
	_Alignas(64) struct weir_ktcp_fault fault;
	char found[WEIR_KTCP_NAME_BYTES]; /* the controller that the socket has */
	u32 mss_bytes;			  /* that the socket uses */
	_Atomic u64 connected_ns, started_ns;
	_Atomic u64 sent_bytes, sent_packets, refused_packets;
	_Atomic u64 closed_bytes; /* length of the stream; WEIR_NEVER while it is open */
	_Atomic bool done;	  /* datagrams */
	_Atomic u64 samples;	  /* written after sample[] */
};
struct weir_ktcp_receiver_side {
	_Alignas(64) struct weir_ktcp_fault fault;
	_Atomic u64 delivered_bytes, received_packets, overrun_packets;
	_Atomic bool done;	 /* stream: its end was read */
	_Atomic u64 completions; /* written after completion[] */
	_Atomic u64 video_version;
	struct weir_video video;
};

/* One connection of a crowd. */
struct weir_ktcp_crowd_one {
	/* the sender's */
	int sending; /* its socket + 1; 0: none */
	bool connected, shut, refused;
	u64 handed_bytes;
	_Atomic u64 started_ns; /* 0: not yet */
	/* the receiver's */
	int receiving;	   /* likewise */
	_Atomic bool done; /* its end was read, or it broke off */
	_Atomic u64 delivered_bytes;
};
#define WEIR_KTCP_PORTS 65536
struct weir_ktcp_crowd_shared {
	/* Who has a port of the sender's: its number + 1. Written before it connects. */
	_Atomic u32 of_port[WEIR_KTCP_PORTS];
	_Atomic u64 refused;
	struct weir_ktcp_crowd_one one[];
};

struct weir_ktcp_one_sample {
	u64 at_ns;
	struct weir_ktcp_info info;
};
/* One slot more than can be read: the one that is being written. */
#define WEIR_KTCP_RING (WEIR_KTCP_SAMPLES_KEPT + 1)
_Static_assert((WEIR_KTCP_RING & (WEIR_KTCP_RING - 1)) == 0, "a mask finds the slot");

struct weir_ktcp_shared {
	/* The parent's. */
	_Atomic bool ending;	       /* what happens from now on is no failure */
	_Atomic u64 start_ns, stop_ns; /* of weir_ktcp_schedule */
	struct weir_ktcp_sender_side sender;
	struct weir_ktcp_receiver_side receiver;
	struct weir_ktcp_one_sample sample[WEIR_KTCP_RING];
	struct weir_ktcp_completion completion[WEIR_KTCP_COMPLETIONS_KEPT];
};
_Static_assert(sizeof(struct weir_ktcp_shared) < 8 << 20, "only touched pages cost memory, but 160 of these");
_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "shared between processes: no lock of one of them");

/* The sentence for a flow that failed. */
void weir_ktcp_explain(const struct weir_ktcp_shared *shared, const struct weir_ktcp_config *c,
		       char why[WEIR_KTCP_WHY_BYTES]);

#endif
