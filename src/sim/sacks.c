/* SPDX-License-Identifier: MIT */
#include "state.h"

#include <stdlib.h>

/* A slot's number plus one, 0 when there is nothing to carry. */
u32 weir_sim_sack_put(struct weir_world *w, const struct weir_ack_segment *ack)
{
	u32 i = w->sacks_free;
	if (i != WEIR_NONE) {
		w->sacks_free = w->sacks[i].next_free;
	} else {
		if (w->sacks_used == w->sacks_capacity) {
			u32 capacity = w->sacks_capacity ? 2 * w->sacks_capacity : 64;
			struct weir_sim_sack *sacks = realloc(w->sacks, capacity * sizeof *sacks);
			if (!sacks) {
				w->failed = true;
				return 0;
			}
			w->sacks = sacks;
			w->sacks_capacity = capacity;
		}
		i = w->sacks_used++;
	}
	w->sacks[i].n = ack->n_sack;
	w->sacks[i].refs = 1;
	for (u32 k = 0; k < ack->n_sack; k++)
		w->sacks[i].block[k] = ack->sack[k];
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
	struct weir_sim_sack *s = &w->sacks[ext - 1];
	if (--s->refs)
		return;
	s->next_free = w->sacks_free;
	w->sacks_free = ext - 1;
}
