/* SPDX-License-Identifier: MIT */
#include "state.h"

static struct weir_sim_sack *sack(const struct weir_world *w, u32 ext)
{
	return (struct weir_sim_sack *)weir_slip(&w->sacks, ext);
}

/* A slot's number plus one, 0 when memory ran out. */
u32 weir_sim_sack_put(struct weir_world *w, const struct weir_ack_segment *ack)
{
	u32 ext = weir_slips_take(&w->sacks);
	if (!ext) {
		w->failed = true;
		return 0;
	}
	struct weir_sim_sack *s = sack(w, ext);
	s->n = ack->n_sack;
	for (u32 k = 0; k < ack->n_sack; k++)
		s->block[k] = ack->sack[k];
	return ext;
}

void weir_sim_sack_get(const struct weir_world *w, u32 ext, struct weir_ack_segment *ack)
{
	const struct weir_sim_sack *s = sack(w, ext);
	ack->n_sack = (u8)s->n;
	for (u32 k = 0; k < s->n; k++)
		ack->sack[k] = s->block[k];
}
