/* SPDX-License-Identifier: MIT */
/* Many sources' states behind one port: a hash table in memory that the host hands in, of fixed capacity. By
 * flow id, not by address: a source that moves goes on. A place keeps its number as long as its source is
 * there, so that the host may keep what else it knows in an array beside. At most 300 bytes a source in all.
 */
#ifndef WEIR_AGE_MONITORS_H
#define WEIR_AGE_MONITORS_H

#include "monitor.h"

#define WEIR_MONITORS_NONE 0xffffffffU
/* A source from which no update was accepted yet may be forged: it is kept no longer than this. */
#define WEIR_MONITORS_PENDING_NS (10 * WEIR_NS_PER_S)

struct weir_monitors {
	struct weir_monitor *places;
	u64 *keys;
	u32 *index;
	u32 *free_places; /* a stack of those given back */
	u32 capacity, count, n_free, mask, hand;
	u32 made; /* places ever used */
	u64 seed, created, expiry_ns, bound_ns;
	u64 verdicts[WEIR_MONITOR_VERDICTS]; /* of all packets */
	u64 expired;
};

/* Bytes of memory for so many sources; 0 where that is too many (2^28) or none. */
size_t weir_monitors_bytes(u32 capacity);

/* memory: of that size, aligned for u64, all zeros (fresh from the system: it is touched only as it is used);
 * it stays the host's. seed: random. expiry_ns: a source not heard of for so long makes room; 0: never. */
void weir_monitors_init(struct weir_monitors *t, void *memory, u32 capacity, u64 seed, u64 expiry_ns,
			u64 bound_ns);

/* As weir_monitor_receive, for the source of this key, which is taken into the table where it is
 * new. Returns the number of its place, or WEIR_MONITORS_NONE (ignored, refused). */
u32 weir_monitors_receive(struct weir_monitors *t, u64 key, u64 now_ns, const struct weir_age_packet *in,
			  struct weir_age_packet *answer, enum weir_monitor_verdict *verdict);

/* The number of a source's place, or WEIR_MONITORS_NONE. */
u32 weir_monitors_find(const struct weir_monitors *t, u64 key);

/* What is at a place; NULL: nobody. */
struct weir_monitor *weir_monitors_at(const struct weir_monitors *t, u32 place);

/* Looks at the next look_at places in turn and frees the first whose source has expired: returns its number
 * (what was there can be read until the next receive), or WEIR_MONITORS_NONE. Call it now and then; a full
 * table calls it by itself for a few places at each new source. */
u32 weir_monitors_expire(struct weir_monitors *t, u64 now_ns, u32 look_at);

/* Frees a place. */
void weir_monitors_drop(struct weir_monitors *t, u32 place);

#endif
