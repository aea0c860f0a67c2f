/* SPDX-License-Identifier: MIT */
/* The sender's scoreboard: one 16-byte slot for each segment in flight, in sequence order, in a ring that
 * doubles when full. A slot has a number that counts up for ever (modulo 2^32); its place in the ring is
 * the number modulo the capacity. */
#ifndef WEIR_TRANSPORT_SLOTS_H
#define WEIR_TRANSPORT_SLOTS_H

#include "weir/types.h"

enum weir_slot_flag {
	WEIR_SLOT_SACKED = 1 << 0, /* delivered out of order */
	WEIR_SLOT_LOST = 1 << 1,   /* judged lost and not sent again yet */
};

struct weir_slot {
	u64 sent_ns; /* of the newest transmission */
	u32 seq_low; /* low half of the first byte's stream offset */
	u16 bytes;   /* payload */
	u8 flags;    /* enum weir_slot_flag; neither: the segment counts as in flight */
	u8 attempts; /* retransmissions so far, saturating */
};
_Static_assert(sizeof(struct weir_slot) == 16, "the scoreboard is most of a flow's memory");

/* Send-time snapshot for one delivery-rate sample, kept beside the slots for controllers that ask. */
struct weir_slot_rate {
	u64 delivered_bytes, delivered_ns, first_sent_ns;
};

struct weir_slots {
	struct weir_slot *at;
	struct weir_slot_rate *rate; /* NULL unless the controller has WEIR_NEED_RATE */
	u32 head, tail;		     /* slot numbers: the oldest, and one past the newest */
	u32 capacity;		     /* a power of two */
};

static inline u32 weir_slots_count(const struct weir_slots *s)
{
	return s->tail - s->head;
}

static inline struct weir_slot *weir_slots_get(const struct weir_slots *s, u32 number)
{
	return &s->at[number & (s->capacity - 1)];
}

static inline struct weir_slot_rate *weir_slots_rate(const struct weir_slots *s, u32 number)
{
	return &s->rate[number & (s->capacity - 1)];
}

/* Slot numbers wrap: a is before b when the distance is short. */
static inline bool weir_slot_before(u32 a, u32 b)
{
	return (i32)(a - b) < 0;
}

/* False when out of memory. */
bool weir_slots_init(struct weir_slots *s, bool with_rate);
bool weir_slots_grow(struct weir_slots *s);
void weir_slots_free(struct weir_slots *s);
/* Number of the slot that holds the byte at `seq_low`, which must lie in the scoreboard. Full-sized
 * segments are found by division, others by bisection. */
u32 weir_slots_find(const struct weir_slots *s, u32 seq_low, u32 mss_bytes);

/* A queue of slot numbers in a ring, for retransmissions in the order in which they were sent. */
struct weir_slot_queue {
	u32 *at;
	u32 head, tail, capacity;
};

static inline bool weir_slot_queue_empty(const struct weir_slot_queue *q)
{
	return q->head == q->tail;
}

static inline u32 weir_slot_queue_first(const struct weir_slot_queue *q)
{
	return q->at[q->head & (q->capacity - 1)];
}

bool weir_slot_queue_push(struct weir_slot_queue *q, u32 number);

#endif
