/* SPDX-License-Identifier: MIT */
/* Super-packets: what a TUN device with offload hands over as one packet of up to 64 KiB, to be cut into
 * segments as a network card would, and written back as one where several consecutive segments are due
 * together. Nothing is copied: a segment is a number, and its header is built when it is written.
 *
 * Each segment gets its own IP length, IPv4 identification (counting up) and checksum; TCP sequence number,
 * with FIN and PSH on the last segment only and CWR on the first only (RFC 3168); UDP length. Its TCP or UDP
 * checksum holds the sum of the pseudo-header for the new length, to be finished by whoever reads it, as the
 * virtio header in front says. ECN bits stay as they are, unless the link marked the segment. */
#ifndef WEIR_EMU_CUT_H
#define WEIR_EMU_CUT_H

#include "frame.h"

/* struct virtio_net_hdr of the virtio specification (5.1.6), as a TUN device gives and takes it: in the
 * machine's own byte order. */
struct weir_vnet {
	u8 flags, gso_type;
	u16 header_bytes;
	u16 segment_bytes;		/* payload of a full segment */
	u16 checksum_from, checksum_at; /* where the sum starts, and where it goes, counted from there */
};
_Static_assert(sizeof(struct weir_vnet) == 10, "as the kernel has it");

enum { WEIR_VNET_NEEDS_CHECKSUM = 1, WEIR_VNET_CHECKED = 2 }; /* flags */
enum {							      /* gso_type */
       WEIR_VNET_SINGLE = 0,
       WEIR_VNET_TCP4 = 1,
       WEIR_VNET_TCP6 = 4,
       WEIR_VNET_UDP = 5,
       WEIR_VNET_ECN = 0x80 /* beside one of the TCPs: CWR is set */
};

#define WEIR_CUT_HEADER_MAX 256 /* IP, extensions and TCP; a super-packet with more is not cut */

struct weir_cut {
	u16 segments;	   /* 1: a single packet */
	u16 segment_bytes; /* payload of each but the last */
	u8 gso_type;	   /* of a piece with several segments, without WEIR_VNET_ECN */
};

/* How to cut a packet of `bytes` that came with v. A super-packet that does not fit its own description stays
 * whole: one segment. */
void weir_cut_plan(const struct weir_vnet *v, const struct weir_frame *f, u32 bytes, struct weir_cut *out);

/* IP bytes of one segment, by itself. */
static inline u32 weir_cut_segment_bytes(const struct weir_cut *c, const struct weir_frame *f, u32 bytes,
					 u32 segment)
{
	if (c->segments == 1)
		return bytes;
	u32 rest = bytes - f->payload_at - segment * c->segment_bytes;
	return f->payload_at + (rest < c->segment_bytes ? rest : c->segment_bytes);
}

/* Consecutive segments as one packet to write: vnet and header[header_bytes], then payload_bytes of the
 * super-packet from payload_at. */
struct weir_cut_piece {
	struct weir_vnet vnet;
	u8 header[WEIR_CUT_HEADER_MAX]; /* stands right behind vnet */
	u32 header_bytes, payload_at, payload_bytes;
};
_Static_assert(offsetof(struct weir_cut_piece, header) == sizeof(struct weir_vnet), "one piece of memory");

/* Segments [first, first + n) of the super-packet `ip`, n >= 1, inside its number of segments, which is more
 * than one; with CE where `ce`. */
void weir_cut_piece(const u8 *ip, u32 bytes, const struct weir_frame *f, const struct weir_cut *c, u32 first,
		    u32 n, bool ce, struct weir_cut_piece *out);

#endif
