/* SPDX-License-Identifier: MIT */
/* The queue in front of a server, and the discipline that rules it. It holds what waits: the packet in
 * transmission has left it. Limits may be set in bytes, in packets or in both; a packet that finds the
 * queue empty and the server idle is never refused for them. */
#ifndef WEIR_LINK_QUEUE_H
#define WEIR_LINK_QUEUE_H

#include "core/rng.h"
#include "fifo.h"
#include "hop.h"

struct weir_queue;

struct weir_queue_ops {
	const char *name;
	/* Takes the packet or drops it. `idle`: nothing waits and nothing is in transmission. */
	void (*enqueue)(struct weir_queue *q, u64 now_ns, const struct weir_packet *p, bool idle);
	/* The packet to be sent next, and when it arrived; false when nothing is left. */
	bool (*dequeue)(struct weir_queue *q, u64 now_ns, struct weir_queued *out);
	void (*fini)(struct weir_queue *q);
};

struct weir_queue {
	const struct weir_queue_ops *ops;
	struct weir_link *link; /* counters and owner */
	struct weir_queue_config config;
	u64 packets, bytes;
	u64 nominal_bps; /* of the server, for disciplines that need a typical time on the wire */
	struct weir_fifo fifo;
};

/* NULL when out of memory. `hop` names the random streams. */
struct weir_queue *weir_queue_new(const struct weir_queue_config *c, struct weir_link *link, const char *hop,
				  u64 seed, u64 nominal_bps);
void weir_queue_free(struct weir_queue *q);

/* One constructor a discipline: fills what weir_queue_new has zeroed. */
struct weir_queue *weir_droptail_new(void);
struct weir_queue *weir_drophead_new(void);
struct weir_queue *weir_red_new(const struct weir_rng *rng);
struct weir_queue *weir_codel_new(void);
struct weir_queue *weir_pie_new(const struct weir_rng *rng);
struct weir_queue *weir_fq_codel_new(u32 flows, const struct weir_rng *rng);

static inline bool weir_queue_fits(const struct weir_queue *q, u32 bytes)
{
	const struct weir_queue_config *c = &q->config;
	return (!c->limit_bytes || q->bytes + bytes <= c->limit_bytes) &&
	       (!c->limit_packets || q->packets < c->limit_packets);
}

/* To the tail of the one FIFO that most disciplines have. */
void weir_queue_append(struct weir_queue *q, u64 now_ns, const struct weir_packet *p);
bool weir_queue_take(struct weir_queue *q, u64 now_ns, struct weir_queued *out);

/* Marks a packet instead of dropping it, where the discipline may and the packet is ECN-capable. */
static inline bool weir_queue_mark(struct weir_queue *q, struct weir_packet *p)
{
	if (!q->config.ecn || p->ecn == WEIR_ECN_NOT_ECT)
		return false;
	q->link->stats.marked_packets += p->ecn != WEIR_ECN_CE;
	p->ecn = WEIR_ECN_CE;
	return true;
}

#endif
