/* SPDX-License-Identifier: MIT */
/* Round-trip times of a TCP sender that does not tell each of them, seen beside it: from the departure of a
 * segment to the return of the acknowledgement that it caused. One sample for each acknowledgement that says
 * that something new has arrived, of the newest such segment (RFC 7323's timing, as our own sender does it);
 * none of what was sent twice (Karn and Partridge 1987). Delayed acknowledgements count as what they are.
 *
 * Pure: sequence numbers and times come in, a time goes out. One witness a flow. */
#ifndef WEIR_RUN_WITNESS_H
#define WEIR_RUN_WITNESS_H

#include "weir/num.h"

#define WEIR_WITNESS_SEGMENTS (1u << 15) /* in flight at once; older ones are forgotten */
#define WEIR_WITNESS_BLOCKS 4

struct weir_witness_segment {
	u64 at_ns;
	u32 end; /* sequence number after its last byte */
	bool again, sacked, arrived;
};

struct weir_witness {
	struct weir_witness_segment *ring; /* NULL before the first segment */
	u32 first, n;
	u32 told; /* of the n, how many are known to have arrived, with all before them */
	u32 highest,
	    highest_sacked; /* sequence numbers; of what was sent, of what was reported beyond a hole */
	bool begun, hole;
};

struct weir_witness_block {
	u32 left, right;
};

/* A segment with payload leaves. 0, or -1 when out of memory. */
int weir_witness_sent(struct weir_witness *w, u64 now_ns, u32 sequence, u32 bytes);
/* An acknowledgement came back, with the SACK blocks of RFC 2018 in their order. The round-trip time, or
 * WEIR_NEVER when it gives none. */
u64 weir_witness_acked(struct weir_witness *w, u64 now_ns, u32 ack, const struct weir_witness_block *block,
		       u32 n_blocks);
/* A segment came to its receiver. When the newest one was first sent that is there with all before it;
 * WEIR_NEVER: nothing new is. What is acknowledged before it is seen to arrive is told here never. */
u64 weir_witness_arrived(struct weir_witness *w, u32 sequence, u32 bytes);
void weir_witness_free(struct weir_witness *w);

/* SACK blocks in a TCP header's options, up to WEIR_WITNESS_BLOCKS; hostile bytes are fine. */
u32 weir_witness_blocks(const u8 *options, u32 bytes, struct weir_witness_block out[WEIR_WITNESS_BLOCKS]);

#endif
