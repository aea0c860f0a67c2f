/* SPDX-License-Identifier: MIT */
/* Loss: independent (Bernoulli), each n-th packet, or in bursts (Gilbert 1960, Elliott 1963: two states,
 * a packet is lost with the probability of the state it meets, then the state may change; starts good). */
#include "element.h"

#include <stdlib.h>

struct loss {
	struct weir_element element;
	struct weir_loss_config config;
	struct weir_rng rng;
	u64 count;
	bool bad;
};

static bool is_lost(struct loss *l)
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

static void arrive(struct weir_element *e, u64 now_ns, const struct weir_packet *p)
{
	if (is_lost((struct loss *)e))
		weir_link_drop(e->link, now_ns, p, WEIR_DROP_LOSS);
	else
		weir_element_emit(e, now_ns, p);
}

static const struct weir_element_ops ops = {.name = "loss", .arrive = arrive};

struct weir_element *weir_loss_new(const struct weir_loss_config *c, const struct weir_rng *rng)
{
	struct loss *l = calloc(1, sizeof *l);
	if (!l)
		return NULL;
	l->element.ops = &ops;
	l->config = *c;
	l->rng = *rng;
	return &l->element;
}
