/* SPDX-License-Identifier: MIT */
#include "slots.h"

#include <stdlib.h>

#define SLOTS_START 16
#define QUEUE_START 8
#define SLOTS_MAX (1u << 30)

bool weir_slots_init(struct weir_slots *s, bool with_rate)
{
	*s = (struct weir_slots){.capacity = SLOTS_START};
	s->at = malloc(SLOTS_START * sizeof *s->at);
	if (with_rate)
		s->rate = malloc(SLOTS_START * sizeof *s->rate);
	return s->at && (!with_rate || s->rate);
}

bool weir_slots_grow(struct weir_slots *s)
{
	struct weir_slots larger = *s;
	if (s->capacity >= SLOTS_MAX)
		return false;
	larger.capacity = 2 * s->capacity;
	larger.at = malloc(larger.capacity * sizeof *larger.at);
	larger.rate = s->rate ? malloc(larger.capacity * sizeof *larger.rate) : NULL;
	if (!larger.at || (s->rate && !larger.rate)) {
		free(larger.at);
		free(larger.rate);
		return false;
	}
	for (u32 n = s->head; n != s->tail; n++) {
		*weir_slots_get(&larger, n) = *weir_slots_get(s, n);
		if (s->rate)
			*weir_slots_rate(&larger, n) = *weir_slots_rate(s, n);
	}
	weir_slots_free(s);
	*s = larger;
	return true;
}

void weir_slots_free(struct weir_slots *s)
{
	free(s->at);
	free(s->rate);
	s->at = NULL;
	s->rate = NULL;
}

static bool holds(const struct weir_slots *s, u32 number, u32 seq_low)
{
	const struct weir_slot *slot = weir_slots_get(s, number);
	return seq_low - slot->seq_low < slot->bytes;
}

u32 weir_slots_find(const struct weir_slots *s, u32 seq_low, u32 mss_bytes)
{
	u32 first_low = weir_slots_get(s, s->head)->seq_low;
	u32 guess = s->head + (seq_low - first_low) / mss_bytes;
	if (weir_slot_before(guess, s->tail) && holds(s, guess, seq_low))
		return guess;

	u32 low = 0, high = weir_slots_count(s);
	while (high - low > 1) {
		u32 middle = low + (high - low) / 2;
		u32 start = weir_slots_get(s, s->head + middle)->seq_low;
		if (start - first_low <= seq_low - first_low)
			low = middle;
		else
			high = middle;
	}
	return s->head + low;
}

bool weir_slot_queue_push(struct weir_slot_queue *q, u32 number)
{
	if (q->tail - q->head == q->capacity) {
		u32 capacity = q->capacity ? 2 * q->capacity : QUEUE_START;
		u32 *at = capacity > SLOTS_MAX ? NULL : malloc(capacity * sizeof *at);
		if (!at)
			return false;
		for (u32 i = q->head; i != q->tail; i++)
			at[i & (capacity - 1)] = q->at[i & (q->capacity - 1)];
		free(q->at);
		q->at = at;
		q->capacity = capacity;
	}
	q->at[q->tail++ & (q->capacity - 1)] = number;
	return true;
}
