/* SPDX-License-Identifier: MIT */
/* The sender's scoreboard: eight bytes for each segment in flight, in sequence order, in a ring that
 * doubles when full. A slot has a number that counts up for ever (modulo 2^32); its place in the ring is
 * the number modulo the capacity. As long as all segments are full-sized a slot's number tells its
 * sequence number; the first other one makes room to remember them. */
#ifndef WEIR_TRANSPORT_SLOTS_H
#define WEIR_TRANSPORT_SLOTS_H

#include "core/pool.h"
#include "wire.h"

#define WEIR_SLOT_TIME_BITS 42 /* ages up to 73 minutes; the longest timeout is 2 */
#define WEIR_SLOT_TIME_MASK ((1ULL << WEIR_SLOT_TIME_BITS) - 1)

struct weir_slot {
	u64 sent_low : WEIR_SLOT_TIME_BITS; /* low bits of the ns of the newest transmission */
	u64 bytes : 16;			    /* payload */
	u64 attempts : 4;		    /* retransmissions so far, saturating */
	u64 sacked : 1;			    /* delivered out of order */
	u64 lost : 1; /* judged lost and not sent again yet. Neither: it counts as in flight */
};
_Static_assert(sizeof(struct weir_slot) == 8, "the scoreboard is most of a flow's memory");

static inline u64 weir_slot_sent_ns(const struct weir_slot *slot, u64 now_ns)
{
	return now_ns - ((now_ns - slot->sent_low) & WEIR_SLOT_TIME_MASK);
}

/* Send-time snapshot for one delivery-rate sample, kept beside the slots for controllers that ask. */
struct weir_slot_rate {
	u64 delivered_bytes, delivered_ns, first_sent_ns;
};

struct weir_slots {
	struct weir_slot *at;
	u32 *seq_low; /* low halves of the first bytes' offsets; NULL while all segments are full-sized */
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

/* Whether the scoreboard holds a slot of this number: of one that was acknowledged long ago it does not, even
 * after numbers have wrapped. */
static inline bool weir_slots_hold(const struct weir_slots *s, u32 number)
{
	return number - s->head < s->tail - s->head;
}

/* In flight is less than half the sequence space, so that 32 bits on the wire name each byte; TCP's largest
 * window stays below it for the same reason (RFC 7323 section 2.3). */
static inline bool weir_slots_may_grow(const struct weir_slots *s, u32 mss_bytes)
{
	return 2ULL * s->capacity * mss_bytes < 1ULL << 31;
}

/* False when out of memory. */
bool weir_slots_init(struct weir_slots *s, bool with_rate, struct weir_pool *pool);
bool weir_slots_grow(struct weir_slots *s, struct weir_pool *pool);
void weir_slots_free(struct weir_slots *s, struct weir_pool *pool);
/* Sequence number of a slot; `una` is that of the head. */
static inline u64 weir_slots_seq(const struct weir_slots *s, u32 number, u64 una, u32 mss_bytes)
{
	if (s->seq_low)
		return weir_seq_expand(s->seq_low[number & (s->capacity - 1)], una);
	return una + (u64)(number - s->head) * mss_bytes;
}

/* A segment that is not full-sized comes: from now on offsets are kept. False when out of memory. */
bool weir_slots_keep_seq(struct weir_slots *s, u64 una, u32 mss_bytes, struct weir_pool *pool);
/* Number of the slot that holds the byte at `seq`, which must lie in the scoreboard. */
u32 weir_slots_find(const struct weir_slots *s, u64 seq, u64 una, u32 mss_bytes);

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

bool weir_slot_queue_push(struct weir_slot_queue *q, u32 number, struct weir_pool *pool);
void weir_slot_queue_free(struct weir_slot_queue *q, struct weir_pool *pool);

#endif
