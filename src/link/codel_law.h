/* SPDX-License-Identifier: MIT */
/* CoDel's state and control law (RFC 8289, section 5), for one queue: used by codel.c and, a queue a
 * flow, by fq_codel.c. */
#ifndef WEIR_LINK_CODEL_LAW_H
#define WEIR_LINK_CODEL_LAW_H

#include "queue.h"

struct weir_codel {
	u64 first_above_ns; /* when the delay will have been above target for an interval; 0: it is below */
	u64 drop_next_ns;
	u64 count, last_count; /* drops since the dropping state began, and in the one before */
	bool dropping;
};

/* The queue that the law rules: how to take its head, and what is left in it. */
struct weir_codel_source {
	struct weir_queue *queue; /* configuration, counters */
	void *ctx;
	bool (*take)(void *ctx, struct weir_queued *out);
	u64 (*bytes)(const void *ctx);
	u64 largest_packet; /* largest packet seen: less than that is not a standing queue */
};

/* t + interval / sqrt(count) */
u64 weir_codel_next(u64 t_ns, u64 interval_ns, u64 count);

/* The next packet to send, after dropping or marking what the law says. */
bool weir_codel_dequeue(struct weir_codel *c, const struct weir_codel_source *from, u64 now_ns,
			struct weir_queued *out);

#endif
