/* SPDX-License-Identifier: MIT */
/* Which source of events is next: one time a source, the smallest first, equal times by position. A
 * dumbbell has three sources: four times are compared without a loop. Above that a tournament tree whose
 * left side wins ties. */
#ifndef WEIR_SIM_HEADS_H
#define WEIR_SIM_HEADS_H

#include "weir/num.h"

#define WEIR_HEADS_FEW 4

struct weir_heads {
	u64 *at_ns;  /* leaves; the tree's inner nodes hold positions */
	u32 *winner; /* NULL for few sources */
	u32 n, leaves;
};

/* False when out of memory. All times start at WEIR_NEVER. */
bool weir_heads_init(struct weir_heads *h, u32 n);
void weir_heads_free(struct weir_heads *h);

static inline void weir_heads_set(struct weir_heads *h, u32 i, u64 at_ns)
{
	h->at_ns[i] = at_ns;
	if (!h->winner)
		return;
	for (u32 node = (h->leaves + i) / 2; node; node /= 2) {
		u32 left = 2 * node < h->leaves ? h->winner[2 * node] : 2 * node - h->leaves;
		u32 right = 2 * node + 1 < h->leaves ? h->winner[2 * node + 1] : 2 * node + 1 - h->leaves;
		h->winner[node] = h->at_ns[right] < h->at_ns[left] ? right : left;
	}
}

static inline u32 weir_heads_first(const struct weir_heads *h)
{
	if (h->winner)
		return h->winner[1];
	const u64 *t = h->at_ns;
	u64 least_ns = t[0];
	u32 first = 0;
	for (u32 i = 1; i < WEIR_HEADS_FEW; i++) {
		first = t[i] < least_ns ? i : first;
		least_ns = weir_min(t[i], least_ns);
	}
	return first;
}

#endif
