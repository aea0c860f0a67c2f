/* SPDX-License-Identifier: MIT */
/* What a link carries. Links look at `bytes`, `flow` and `ecn`, set only CE and the order of packets,
 * and carry the rest unread: in the simulator `ref` is a sequence number, in the emulator a buffer. */
#ifndef WEIR_LINK_PACKET_H
#define WEIR_LINK_PACKET_H

#include "weir/num.h"

enum weir_ecn { WEIR_ECN_NOT_ECT = 0, WEIR_ECN_ECT1 = 1, WEIR_ECN_ECT0 = 2, WEIR_ECN_CE = 3 }; /* RFC 3168 */

struct weir_packet {
	u64 ref;	 /* the owner's: opaque to links */
	u32 flow;	 /* the owner's flow number; FQ-CoDel hashes it */
	u32 ext;	 /* the owner's: opaque to links */
	u32 queued_16ns; /* time spent waiting in queues so far, in units of 16 ns, up to 68 s */
	u16 bytes;	 /* on the wire, IP header included */
	u8 ecn;		 /* enum weir_ecn */
	u8 flags;	 /* the owner's: opaque to links */
};
_Static_assert(sizeof(struct weir_packet) == 24, "three words: rings of packets are the simulator's memory");

static inline void weir_packet_add_wait(struct weir_packet *p, u64 wait_ns)
{
	u64 sum = p->queued_16ns + (wait_ns >> 4);
	p->queued_16ns = sum > 0xffffffffULL ? 0xffffffffU : (u32)sum;
}

static inline u64 weir_packet_wait_ns(const struct weir_packet *p)
{
	return (u64)p->queued_16ns << 4;
}

#endif
