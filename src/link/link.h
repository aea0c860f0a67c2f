/* SPDX-License-Identifier: MIT */
/* The link element: three verbs, driven by whatever clock the owner has (virtual in sim/, monotonic in
 * emu/). An element is given time, never asks for it, and may be called late: it does everything in due
 * order with due times, so that lateness of the caller is never propagated.
 *
 * Tie rule: at equal times a departure comes before an arrival. push(now) first completes every
 * transmission that ends at or before `now`.
 */
#ifndef WEIR_LINK_LINK_H
#define WEIR_LINK_LINK_H

#include "core/hist.h"
#include "packet.h"

enum weir_drop_reason {
	WEIR_DROP_OVERFLOW, /* the buffer was full */
	WEIR_DROP_AQM,	    /* RED, CoDel, PIE, FQ-CoDel chose it */
	WEIR_DROP_POLICER,
	WEIR_DROP_LOSS, /* the loss model took it: not a queue drop */
	WEIR_DROP_REASONS
};

/* Counters in packets and bytes. At every instant
 * in + duplicated = out + sum of dropped + held. */
struct weir_link_stats {
	u64 in_packets, in_bytes;
	u64 out_packets, out_bytes;
	u64 dropped_packets[WEIR_DROP_REASONS], dropped_bytes[WEIR_DROP_REASONS];
	u64 duplicated_packets, duplicated_bytes;
	u64 marked_packets;	/* CE set here */
	u64 oversize_packets;	/* larger than one opportunity of the trace: they take several */
	u64 sent_bytes;		/* completely transmitted by the rate server */
	u64 capacity_bytes;	/* what a time-varying server could have sent so far; 0 for a fixed rate */
	struct weir_hist *wait; /* ns in the queue of each packet sent; owner's, may be NULL */
};

struct weir_link;

/* Told of every packet that the element discards, so that the owner can free what `ref` stands for.
 * Of a duplicated packet the owner is told by on_duplicate: the copy has the same ref. */
struct weir_link_owner {
	void *ctx;
	void (*on_drop)(void *ctx, struct weir_link *link, u64 now_ns, const struct weir_packet *p,
			enum weir_drop_reason why);
	void (*on_duplicate)(void *ctx, const struct weir_packet *p);
};

struct weir_link_ops {
	const char *name;
	/* Hands over a packet that arrives at now_ns. `port` says which user of the element it is from. */
	void (*push)(struct weir_link *link, u64 now_ns, u32 port, const struct weir_packet *p);
	/* Takes the next packet that left by now_ns, in due order; false when there is none. *due_ns is when
	 * it left: at most now_ns. */
	bool (*pop)(struct weir_link *link, u64 now_ns, u32 *port, struct weir_packet *p, u64 *due_ns);
	/* When to call pop next: never later than the next departure; WEIR_NEVER when nothing is held. */
	u64 (*next_ns)(const struct weir_link *link);
	/* Completes whatever happens inside by now_ns and brings link->stats up to it, but takes nothing
	 * out. Between calls of settle the counters may lag; drops are counted at once. */
	void (*settle)(struct weir_link *link, u64 now_ns);
	/* Held now: everything inside, and the part of it that waits in the queue (the packet in
	 * transmission is not waiting). Completes nothing: call settle first. */
	void (*held)(const struct weir_link *link, u64 now_ns, u64 *packets, u64 *bytes, u64 *waiting_bytes);
	void (*free)(struct weir_link *link);
};

struct weir_link {
	const struct weir_link_ops *ops;
	struct weir_link_owner owner;
	struct weir_link_stats stats;
	bool failed; /* memory ran out: a packet was dropped for it, and the results are void */
};

static inline void weir_link_drop(struct weir_link *link, u64 now_ns, const struct weir_packet *p,
				  enum weir_drop_reason why)
{
	link->stats.dropped_packets[why]++;
	link->stats.dropped_bytes[why] += p->bytes;
	if (link->owner.on_drop)
		link->owner.on_drop(link->owner.ctx, link, now_ns, p, why);
}

static inline u64 weir_link_dropped(const struct weir_link_stats *s)
{
	u64 n = 0;
	for (int i = 0; i < WEIR_DROP_REASONS; i++)
		n += s->dropped_packets[i];
	return n;
}

#endif
