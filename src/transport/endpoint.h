/* SPDX-License-Identifier: MIT */
/* What both ends of a connection agree on before it starts. */
#ifndef WEIR_TRANSPORT_ENDPOINT_H
#define WEIR_TRANSPORT_ENDPOINT_H

#include "core/pool.h"
#include "weir/cc.h"
#include "wire.h"

enum weir_recovery {
	WEIR_RECOVERY_SACK,    /* RFC 6675 scoreboard, PRR (RFC 9937), RACK-TLP (RFC 8985) */
	WEIR_RECOVERY_NEWRENO, /* RFC 6582 */
	WEIR_RECOVERY_RENO,    /* RFC 5681: fast recovery ends with the first new ACK */
};

/* When an acknowledgement leaves. */
enum weir_ack_policy {
	WEIR_ACK_STANDARD, /* RFC 5681: each `ack_every`-th full segment, or after delayed_ack_ns */
	/* Those of 4.3BSD wait for the next firing of a timer of 200 ms that runs all the time, or until the
	 * application has freed so much of the window that it is news to the sender: */
	WEIR_ACK_BSD_OLD, /* 35 % of it (1986) */
	WEIR_ACK_BSD_NEW, /* 35 %, or two segments (1988) */
};
#define WEIR_ACK_BSD_TICK_NS (200 * WEIR_NS_PER_MS) /* the fast timer */

struct weir_endpoint_config {
	u32 mss_bytes;	  /* payload of a full segment */
	u32 header_bytes; /* IP and transport header of each packet, either way */
	u64 rwnd_bytes;	  /* receive buffer; the application reads at once */
	u32 initial_window_packets;
	u32 ack_every;	    /* an ACK for each n-th full segment; 1 or 2 */
	u64 delayed_ack_ns; /* the latest that an ACK waits for a second segment */
	enum weir_ack_policy ack_policy;
	bool ack_out_of_order_late; /* BSD before May 1988: a hole, or its end, does not hurry an ACK */
	bool plain_acks;	    /* no SACK blocks */
	u32 ack_phase_ns; /* BSD: the fast timer fires at this time and each 200 ms later; < 200 ms */
	enum weir_recovery recovery;
	bool tail_loss_probe; /* RFC 8985 section 7; only with SACK */
	bool undo;	      /* undo of cuts that proved spurious: DSACK (RFC 3708) or Eifel (RFC 3522) */
	bool ecn;	      /* ECN-capable data; the receiver echoes each CE */
	u64 rto_min_ns, rto_max_ns; /* RFC 6298; the minimum is 200 ms unless told otherwise */
	bool pace;		    /* pace by cwnd / srtt when the controller has no opinion on the rate */
	u64 first_sequence;	    /* stream offset of the first byte on the wire, for wrap tests */
	bool full_form;		    /* never the short way of steady.h: for tests that compare the two */
	struct weir_pool *pool;	    /* where scoreboards live; NULL: the heap. Outlives both ends */
};

/* The receive buffer as it is advertised, in the wire's units: never nothing, since nobody probes a closed
 * window. */
static inline u32 weir_endpoint_window(const struct weir_endpoint_config *c)
{
	return (u32)weir_clamp(c->rwnd_bytes >> WEIR_WINDOW_SHIFT, 1, 0xffffffffU);
}

static inline struct weir_endpoint_config weir_endpoint_defaults(void)
{
	return (struct weir_endpoint_config){
	    .mss_bytes = 1448,
	    .header_bytes = 52,
	    .rwnd_bytes = 1ULL << 40,
	    .initial_window_packets = 10,
	    .ack_every = 2,
	    .delayed_ack_ns = 200 * WEIR_NS_PER_MS,
	    .recovery = WEIR_RECOVERY_SACK,
	    .tail_loss_probe = true,
	    .undo = true,
	    .rto_min_ns = 200 * WEIR_NS_PER_MS,
	    .rto_max_ns = 120 * WEIR_NS_PER_S,
	};
}

#endif
