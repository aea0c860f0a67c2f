/* SPDX-License-Identifier: MIT */
/* Slots are handed out in a circle: ACKs travel in order, so that memory is walked in order too. What is
 * still in use is passed over; the circle doubles when half of it is in use, and numbers stay. So an ACK that
 * waits for long holds up nothing, and passing over those that wait costs less than a round of the circle. */
#include "state.h"

#include <stdlib.h>

#define START 64
#define MOST (1u << 30)

static bool grow(struct weir_world *w)
{
	u32 capacity = w->sacks_capacity ? 2 * w->sacks_capacity : START;
	struct weir_sim_sack *sacks = capacity > MOST ? NULL : realloc(w->sacks, capacity * sizeof *sacks);
	if (!sacks)
		return false;
	for (u32 i = w->sacks_capacity; i < capacity; i++)
		sacks[i].refs = 0;
	w->sacks = sacks;
	w->sacks_next = w->sacks_capacity;
	w->sacks_capacity = capacity;
	return true;
}

/* A slot's number plus one, 0 when memory ran out. */
u32 weir_sim_sack_put(struct weir_world *w, const struct weir_ack_segment *ack)
{
	if (w->sacks_used >= w->sacks_capacity / 2 && !grow(w)) {
		w->failed = true;
		return 0;
	}
	u32 i = w->sacks_next;
	while (w->sacks[i].refs)
		i = (i + 1) & (w->sacks_capacity - 1);
	w->sacks_next = (i + 1) & (w->sacks_capacity - 1);
	w->sacks_used++;
	struct weir_sim_sack *s = &w->sacks[i];
	s->n = ack->n_sack;
	s->refs = 1;
	for (u32 k = 0; k < ack->n_sack; k++)
		s->block[k] = ack->sack[k];
	return i + 1;
}

void weir_sim_sack_get(const struct weir_world *w, u32 ext, struct weir_ack_segment *ack)
{
	const struct weir_sim_sack *s = &w->sacks[ext - 1];
	ack->n_sack = (u8)s->n;
	for (u32 k = 0; k < s->n; k++)
		ack->sack[k] = s->block[k];
}

/* One copy of the packet is gone. */
void weir_sim_sack_drop(struct weir_world *w, u32 ext)
{
	w->sacks_used -= --w->sacks[ext - 1].refs == 0;
}
