/* SPDX-License-Identifier: MIT */
/* The receiving end: in-order delivery, SACK blocks newest first (RFC 2018), duplicate reports (RFC 2883),
 * delayed ACKs (RFC 5681 section 4.2: at once when out of order or when a hole is filled), each CE echoed
 * precisely (an ACK never mixes marked and unmarked data). It serves the historic endpoint too: its habits
 * (endpoint.h, enum weir_ack_policy) are those of 4.3BSD then. */
#ifndef WEIR_TRANSPORT_RECEIVER_H
#define WEIR_TRANSPORT_RECEIVER_H

#include "endpoint.h"
#include "wire.h"

struct weir_range {
	u64 start, end;
};

struct weir_receiver {
	u64 next;	   /* next offset expected: all before it has been delivered */
	u64 delayed_ns;	   /* an ACK is due then at the latest; WEIR_NEVER: none waits */
	u32 pending_bytes; /* received in order and not acknowledged yet */
	u32 ack_bytes;	   /* acknowledge at once from so much pending data on */
	u32 window;	   /* what it advertises */
	u32 n_ranges;	   /* out-of-order data, sorted, disjoint, not touching */
	u8 echo_attempt;   /* as TS.Recent of RFC 7323: data out of order leaves it alone */
	bool ce_state;	   /* whether the data waiting for its ACK was marked */
	bool failed;	   /* out of memory: data was not kept */
	bool has_duplicate;
	u8 n_recent;
	u8 habits;   /* enum weir_receiver_habit */
	u8 short_ce; /* data with this CE state may take the short way; where there is none: neither 0 nor 1
		      */
	u64 delayed_ack_ns;
	struct weir_range *ranges; /* the first one held, inside `room` */
	struct weir_range *room;
	struct weir_pool *pool;
	u32 capacity;
	u32 tick_phase_ns;		  /* with TICKS: the timer fires then and each delayed_ack_ns later */
	u64 recent[WEIR_SACK_BLOCKS];	  /* an offset inside each range touched lately, newest first */
	struct weir_sack_block duplicate; /* to be reported in the next ACK, when has_duplicate */
};

/* Where it does not behave as RFCs of today say. */
enum weir_receiver_habit {
	WEIR_RECEIVER_TICKS = 1 << 0,	   /* delayed_ack_ns is the period of a timer that runs anyway */
	WEIR_RECEIVER_LATE_HOLES = 1 << 1, /* data out of order, or the end of a hole: no ACK at once */
	WEIR_RECEIVER_PLAIN_ACKS = 1 << 2, /* no SACK blocks */
};

enum weir_receive_verdict {
	WEIR_RECEIVE_WAIT, /* no ACK now; look at delayed_ns */
	WEIR_RECEIVE_ACK,  /* call weir_receiver_ack now */
};

void weir_receiver_init(struct weir_receiver *r, const struct weir_endpoint_config *c);
void weir_receiver_free(struct weir_receiver *r);
/* A segment of `bytes` at the wire's sequence number `low` arrives. Where the data waiting for its ACK has
 * another CE state than this segment, *flush is set and `flushed` is an ACK that leaves first. */
enum weir_receive_verdict weir_receiver_on_data(struct weir_receiver *r, u64 now_ns, u32 low, u32 bytes,
						u8 attempt, bool ce, bool *flush,
						struct weir_ack_segment *flushed);
/* The part of an ACK that reports data out of order and duplicates. */
void weir_receiver_report(struct weir_receiver *r, struct weir_ack_segment *out);

/* Makes the ACK that describes all that has been received. */
static inline void weir_receiver_ack(struct weir_receiver *r, struct weir_ack_segment *out)
{
	out->ack = (u32)r->next;
	out->window = r->window;
	out->n_sack = 0;
	out->attempt = r->echo_attempt;
	out->ce = r->ce_state;
	r->pending_bytes = 0;
	r->delayed_ns = WEIR_NEVER;
	if (r->n_ranges || r->n_recent || r->has_duplicate)
		weir_receiver_report(r, out);
}

/* The plain case of weir_receiver_on_data, inline: the next segment, no holes, no change of CE, no timer
 * that ticks. False: call that. */
static inline bool weir_receiver_in_order(struct weir_receiver *r, u64 now_ns, u32 low, u32 bytes, u8 attempt,
					  bool ce, enum weir_receive_verdict *verdict)
{
	if (low != (u32)r->next || r->n_ranges || ce != r->short_ce || bytes == 0)
		return false;
	if (r->pending_bytes == 0)
		r->echo_attempt = attempt; /* as TS.Recent: the earliest segment that the ACK answers */
	r->next += bytes;
	r->pending_bytes += bytes;
	*verdict = r->pending_bytes >= r->ack_bytes ? WEIR_RECEIVE_ACK : WEIR_RECEIVE_WAIT;
	if (r->delayed_ns == WEIR_NEVER)
		r->delayed_ns = now_ns + r->delayed_ack_ns;
	return true;
}

#endif
