/* SPDX-License-Identifier: MIT */
/* Loss: independent (Bernoulli), each n-th packet, or in bursts (Gilbert 1960, Elliott 1963: two states,
 * a packet is lost with the probability of the state it meets, then the state may change; starts good).
 * One decision a packet, in the order in which packets pass. */
#ifndef WEIR_LINK_LOSS_H
#define WEIR_LINK_LOSS_H

#include "core/rng.h"
#include "hop.h"

struct weir_loss_process {
	struct weir_loss_config config;
	struct weir_rng rng;
	u64 count;
	bool bad;
};

static inline bool weir_loss_takes(struct weir_loss_process *l)
{
	const struct weir_loss_config *c = &l->config;
	switch (c->model) {
	case WEIR_LOSS_BERNOULLI:
		return weir_rng_chance(&l->rng, c->p);
	case WEIR_LOSS_PERIODIC:
		l->count++;
		return c->period_packets && l->count % c->period_packets == 0;
	case WEIR_LOSS_GILBERT_ELLIOTT: {
		bool lost = weir_rng_chance(&l->rng, l->bad ? c->p_loss_bad : c->p_loss_good);
		l->bad ^= weir_rng_chance(&l->rng, l->bad ? c->p_bad_to_good : c->p_good_to_bad);
		return lost;
	}
	case WEIR_LOSS_NONE:
		break;
	}
	return false;
}

#endif
