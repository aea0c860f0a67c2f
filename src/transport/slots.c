/* SPDX-License-Identifier: MIT */
#include "slots.h"

#define SLOTS_START 32
#define QUEUE_START 8
#define SLOTS_MAX (1u << 24)

bool weir_slots_init(struct weir_slots *s, bool with_rate, struct weir_pool *pool)
{
	*s = (struct weir_slots){.capacity = SLOTS_START};
	s->at = weir_pool_get(pool, SLOTS_START * sizeof *s->at);
	if (with_rate)
		s->rate = weir_pool_get(pool, SLOTS_START * sizeof *s->rate);
	return s->at && (!with_rate || s->rate);
}

bool weir_slots_grow(struct weir_slots *s, struct weir_pool *pool)
{
	struct weir_slots larger = *s;
	if (s->capacity >= SLOTS_MAX)
		return false;
	larger.capacity = 2 * s->capacity;
	larger.at = weir_pool_get(pool, larger.capacity * sizeof *larger.at);
	larger.seq_low = s->seq_low ? weir_pool_get(pool, larger.capacity * sizeof *larger.seq_low) : NULL;
	larger.rate = s->rate ? weir_pool_get(pool, larger.capacity * sizeof *larger.rate) : NULL;
	if (!larger.at || (s->seq_low && !larger.seq_low) || (s->rate && !larger.rate)) {
		weir_slots_free(&larger, pool);
		return false;
	}
	for (u32 n = s->head; n != s->tail; n++) {
		u32 to = n & (larger.capacity - 1), from = n & (s->capacity - 1);
		larger.at[to] = s->at[from];
		if (s->seq_low)
			larger.seq_low[to] = s->seq_low[from];
		if (s->rate)
			larger.rate[to] = s->rate[from];
	}
	weir_slots_free(s, pool);
	*s = larger;
	return true;
}

void weir_slots_free(struct weir_slots *s, struct weir_pool *pool)
{
	weir_pool_put(pool, s->at, s->capacity * sizeof *s->at);
	weir_pool_put(pool, s->seq_low, s->capacity * sizeof *s->seq_low);
	weir_pool_put(pool, s->rate, s->capacity * sizeof *s->rate);
	s->at = NULL;
	s->seq_low = NULL;
	s->rate = NULL;
}

bool weir_slots_keep_seq(struct weir_slots *s, u64 una, u32 mss_bytes, struct weir_pool *pool)
{
	u32 *seq_low = weir_pool_get(pool, s->capacity * sizeof *seq_low);
	if (!seq_low)
		return false;
	for (u32 n = s->head; n != s->tail; n++)
		seq_low[n & (s->capacity - 1)] = (u32)weir_slots_seq(s, n, una, mss_bytes);
	s->seq_low = seq_low;
	return true;
}

/* By division where all segments are full-sized, else by bisection. */
u32 weir_slots_find(const struct weir_slots *s, u64 seq, u64 una, u32 mss_bytes)
{
	if (!s->seq_low)
		return s->head + (u32)((seq - una) / mss_bytes);
	u32 low = 0, high = weir_slots_count(s);
	while (high - low > 1) {
		u32 middle = low + (high - low) / 2;
		if (weir_slots_seq(s, s->head + middle, una, mss_bytes) <= seq)
			low = middle;
		else
			high = middle;
	}
	return s->head + low;
}

bool weir_slot_queue_push(struct weir_slot_queue *q, u32 number, struct weir_pool *pool)
{
	if (q->tail - q->head == q->capacity) {
		u32 capacity = q->capacity ? 2 * q->capacity : QUEUE_START;
		u32 *at = capacity > SLOTS_MAX ? NULL : weir_pool_get(pool, capacity * sizeof *at);
		if (!at)
			return false;
		for (u32 i = q->head; i != q->tail; i++)
			at[i & (capacity - 1)] = q->at[i & (q->capacity - 1)];
		weir_pool_put(pool, q->at, q->capacity * sizeof *q->at);
		q->at = at;
		q->capacity = capacity;
	}
	q->at[q->tail++ & (q->capacity - 1)] = number;
	return true;
}

void weir_slot_queue_free(struct weir_slot_queue *q, struct weir_pool *pool)
{
	weir_pool_put(pool, q->at, q->capacity * sizeof *q->at);
	*q = (struct weir_slot_queue){0};
}
