/* SPDX-License-Identifier: MIT */
/* A packet carries its waiting time of all hops together. Who wants that of a single hop remembers here what
 * a packet had waited when it came: only for worlds that somebody watches hop by hop. */
#ifndef WEIR_SIM_WAITS_H
#define WEIR_SIM_WAITS_H

#include "link/packet.h"

struct weir_waits_entry {
	struct weir_packet packet; /* as it came */
	u32 hop, copies;
	u32 next; /* 1 + index of the next in its bucket, or of the next free one */
};

/* All zero is empty. */
struct weir_waits {
	struct weir_waits_entry *entry;
	u32 *bucket; /* 1 + index of the first; 0: none */
	u32 n, room; /* entries in use or free; a bucket each */
	u32 free;
};

/* A packet comes to a hop. False when out of memory. */
bool weir_waits_enter(struct weir_waits *w, u32 hop, const struct weir_packet *p);
/* There is one more of it inside the hop. */
void weir_waits_copy(struct weir_waits *w, u32 hop, const struct weir_packet *p);
/* It left the hop, or was dropped there: what it waited in this hop alone. Of copies that came with different
 * waits it takes the one with the longest that fits. */
u64 weir_waits_leave(struct weir_waits *w, u32 hop, const struct weir_packet *p);
void weir_waits_free(struct weir_waits *w);

#endif
