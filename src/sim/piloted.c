/* SPDX-License-Identifier: MIT */
/* Flows that a pilot drives: to the sender its governor is one more controller. */
#include "cc/governed.h"
#include "core/rng.h"
#include "state.h"

#include <stdlib.h>

/* Draws of a pilot depend on nothing but the world's seed and the number of its flow. */
static u64 seed_of(const struct weir_world *w, u32 flow)
{
	struct weir_rng rng;
	weir_rng_init(&rng, w->seed, weir_rng_point("pilot"), flow);
	return weir_rng_u64(&rng);
}

bool weir_sim_pilot_add(struct weir_world *w, struct weir_sim_flow *f, const struct weir_flow_config *c)
{
	struct weir_governed **all = realloc(w->governed, (w->n_governed + 1u) * sizeof(*all));
	if (!all)
		return false;
	w->governed = all;
	struct weir_governed *g = weir_governed_new(c->pilot, c->params, seed_of(w, f->number));
	if (!g)
		return false;
	w->governed[w->n_governed++] = g;
	f->sender.cc = &weir_governed_ops;
	f->sender.params = (const u64 *)g;
	return true;
}

void weir_sim_pilots_free(struct weir_world *w)
{
	for (u32 i = 0; i < w->n_governed; i++)
		weir_governed_free(w->governed[i]);
	free(w->governed);
}

bool weir_world_flow_pilot(const struct weir_world *w, u32 flow, double value[WEIR_PILOT_SIGNALS_MAX])
{
	const struct weir_sim_flow *f = &w->flows[flow];
	if (!f->started || f->sender.cc != &weir_governed_ops)
		return false;
	weir_governed_probe((const struct weir_governed *)f->sender.params, value);
	return true;
}
