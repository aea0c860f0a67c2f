/* SPDX-License-Identifier: MIT */
/* What travels between the two ends. Stream offsets are 64 bits inside and 32 on the wire, as in TCP. */
#ifndef WEIR_TRANSPORT_WIRE_H
#define WEIR_TRANSPORT_WIRE_H

#include "weir/types.h"

#define WEIR_SACK_BLOCKS 3  /* what fits beside a time stamp (RFC 2018 section 3) */
#define WEIR_ATTEMPT_MAX 15 /* the wire has four bits for it */
#define WEIR_WINDOW_SHIFT 8 /* the advertised window is in units of 256 bytes */

/* The 64-bit offset nearest to `near` whose low half is `low` (serial arithmetic, RFC 1982). */
static inline u64 weir_seq_expand(u32 low, u64 near)
{
	return near + (u64)(i64)(i32)(low - (u32)near);
}

struct weir_segment {
	u64 seq;
	u32 bytes;
	u8 attempt; /* 0: first transmission; the receiver echoes it, as a time stamp would let it (RFC 3522)
		     */
	bool ect;
};

struct weir_sack_block {
	u32 start, end; /* [start, end), low halves */
};

struct weir_ack_segment {
	u32 ack;    /* low half of the next offset expected */
	u32 window; /* in units of 1 << WEIR_WINDOW_SHIFT bytes */
	struct weir_sack_block sack[WEIR_SACK_BLOCKS];
	u8 n_sack;  /* the first block may report a duplicate (RFC 2883) */
	u8 attempt; /* of the earliest segment in order that this ACK answers (RFC 7323 section 4.3) */
	bool ce;    /* the data that this ACK reports was marked CE */
};

#endif
