/* SPDX-License-Identifier: MIT */
/* What the ferry needs to know of an IP packet, read from bytes that nobody has checked: versions, lengths
 * and chains of headers are bounded, and nothing past `bytes` is looked at. IPv4 as in RFC 791, IPv6 as in
 * RFC 8200, ECN as in RFC 3168. */
#ifndef WEIR_EMU_FRAME_H
#define WEIR_EMU_FRAME_H

#include "link/packet.h"

#define WEIR_FRAME_TCP 6
#define WEIR_FRAME_UDP 17

/* How far a chain of IPv6 extension headers is followed. */
#define WEIR_FRAME_EXTENSIONS_MAX 8

struct weir_frame {
	u8 version;    /* 4 or 6 */
	u8 protocol;   /* of the innermost header reached */
	u8 ecn;	       /* enum weir_ecn */
	bool fragment; /* a part of a packet: no ports, even in the first part, so that all parts are alike */
	bool routed;   /* IPv6 with a routing header: the pseudo-header has another destination */
	bool routable; /* false: link-local, multicast, broadcast, loopback, unspecified: not for a link */
	bool ports;    /* source_port and destination_port are there */
	u16 source_port, destination_port; /* host order */
	u16 transport_at;		   /* where the header behind IP and its extensions starts */
	u16 payload_at;			   /* behind a whole TCP or UDP header; 0 where there is none */
	u32 destination;		   /* its low 32 bits, host order */
	u32 bytes;			   /* as the IP header says, but at most what is there, and 65535 */
};

/* 0, or -1 when it is not an IP packet or its header is cut off. */
int weir_frame_read(const u8 *ip, u32 bytes, struct weir_frame *f);

/* Alike for all packets of one TCP or UDP conversation, one way; for others by addresses and protocol.
 * Whoever does not know the key cannot find two that collide. */
u32 weir_frame_hash(const u8 *ip, const struct weir_frame *f, u64 key);

/* Sets CE; in IPv4 the header's checksum follows (RFC 1624, equation 3). */
void weir_frame_mark_ce(u8 *ip);

static inline u32 weir_frame_u16(const u8 *p)
{
	return (u32)p[0] << 8 | p[1];
}

static inline u32 weir_frame_u32(const u8 *p)
{
	return weir_frame_u16(p) << 16 | weir_frame_u16(p + 2);
}

static inline void weir_frame_put_u16(u8 *p, u32 x)
{
	p[0] = (u8)(x >> 8);
	p[1] = (u8)x;
}

static inline void weir_frame_put_u32(u8 *p, u32 x)
{
	weir_frame_put_u16(p, x >> 16);
	weir_frame_put_u16(p + 2, x & 0xffff);
}

/* Sum of 16-bit words in network order, an odd byte at the end as the high half (RFC 1071), on top of `sum`;
 * not folded. At most 64 KiB at a time. */
u64 weir_frame_sum(const u8 *p, u32 bytes, u64 sum);
/* 16 bits of it, not complemented. */
u32 weir_frame_fold(u64 sum);
/* The pseudo-header's part of a TCP or UDP checksum, folded, not complemented: what stands in the checksum
 * field of a packet whose checksum is unfinished. transport_bytes: header and payload. */
u32 weir_frame_pseudo_sum(const u8 *ip, const struct weir_frame *f, u32 transport_bytes);

#endif
