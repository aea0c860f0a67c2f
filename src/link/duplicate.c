/* SPDX-License-Identifier: MIT */
/* A packet is followed, at once, by a copy of itself. */
#include "element.h"

#include <stdlib.h>

struct duplicate {
	struct weir_element element;
	double p;
	struct weir_rng rng;
};

static void arrive(struct weir_element *e, u64 now_ns, const struct weir_packet *p)
{
	struct duplicate *d = (struct duplicate *)e;
	struct weir_link *link = e->link;
	bool twice = weir_rng_chance(&d->rng, d->p);

	if (twice) {
		link->stats.duplicated_packets++;
		link->stats.duplicated_bytes += p->bytes;
		if (link->owner.on_duplicate)
			link->owner.on_duplicate(link->owner.ctx, p);
	}
	weir_element_emit(e, now_ns, p);
	if (twice)
		weir_element_emit(e, now_ns, p);
}

static const struct weir_element_ops ops = {.name = "duplicate", .arrive = arrive};

struct weir_element *weir_duplicate_new(double p, const struct weir_rng *rng)
{
	struct duplicate *d = calloc(1, sizeof *d);
	if (!d)
		return NULL;
	d->element.ops = &ops;
	d->p = p;
	d->rng = *rng;
	return &d->element;
}
