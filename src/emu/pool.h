/* SPDX-License-Identifier: MIT */
/* Where the bytes of packets wait while links delay them: slots of three sizes in one range of addresses,
 * mapped once, touched as needed, never more. A slot is counted: the segments of a super-packet share one, as
 * do the copies of a duplicated packet. One thread. */
#ifndef WEIR_EMU_POOL_H
#define WEIR_EMU_POOL_H

#include "cut.h"

/* The smallest holds an Ethernet-sized packet, the middle one a jumbo frame or a few segments, the largest
 * any IP packet. */
enum { WEIR_SLOT_SMALL, WEIR_SLOT_MIDDLE, WEIR_SLOT_LARGE, WEIR_SLOT_KINDS };

#define WEIR_SLOT_NONE 0u

/* In front of the packet's bytes. */
struct weir_slot {
	u32 self;  /* its number */
	u32 next;  /* in a list: of free slots, or of the owner's */
	u32 users; /* it is free when the last goes */
	u8 kind;
	/* The rest is the owner's. */
	bool stamped;
	u16 data_at; /* where the IP packet starts, counted from the slot; a virtio header before it */
	u64 arrived_ns, pushed_ns;
	u32 bytes, flow;
	u32 port, exit;
	struct weir_cut cut;
	struct weir_vnet vnet;
	struct weir_frame frame;
};

/* A read fills this part of a slot: room for a virtio header and a stamp before the packet. */
#define WEIR_SLOT_DATA ((u32)((sizeof(struct weir_slot) + 15) & ~15ULL))

struct weir_packet_pool {
	u8 *base;
	u64 bytes, taken; /* of the mapping; of it, in steps for slots of one size each */
	u32 free[WEIR_SLOT_KINDS];
	u64 fresh[WEIR_SLOT_KINDS], fresh_end[WEIR_SLOT_KINDS]; /* never used yet: not touched */
	u64 used[WEIR_SLOT_KINDS];
};

extern const u32 weir_slot_bytes[WEIR_SLOT_KINDS]; /* of a slot as a whole */

/* 0, or -1 when there are no addresses for it. */
int weir_packet_pool_init(struct weir_packet_pool *p, u64 bytes);
void weir_packet_pool_fini(struct weir_packet_pool *p);

/* With one user; NULL when all slots are in use. */
struct weir_slot *weir_slot_get(struct weir_packet_pool *p, u32 kind);
void weir_slot_free(struct weir_packet_pool *p, struct weir_slot *s);

/* Numbers count in lines of the cache, so that they fit 32 bits. */
static inline struct weir_slot *weir_slot_at(const struct weir_packet_pool *p, u32 number)
{
	return (struct weir_slot *)(void *)(p->base + ((u64)number << 6));
}

static inline void weir_slot_drop(struct weir_packet_pool *p, struct weir_slot *s)
{
	if (--s->users == 0)
		weir_slot_free(p, s);
}

static inline u8 *weir_slot_packet(struct weir_slot *s)
{
	return (u8 *)s + s->data_at;
}

#endif
