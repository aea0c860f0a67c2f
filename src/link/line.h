/* SPDX-License-Identifier: MIT */
/* The fast path of a hop: a drop-tail FIFO, a fixed rate (or none) and a fixed delay, in one ring.
 *
 * Each departure is computed when the packet arrives, so a record is written once and read once. Time on
 * the wire is an exact rational: whole ns plus a remainder in units of 1/rate ns, carried through the
 * busy period, so that no fraction of a ns is ever lost. A departure is observable from the whole ns in
 * which it falls; at equal times it comes before an arrival.
 *
 * The buffer holds what waits; the packet in transmission is not counted, and a packet that finds the
 * server idle is always taken. How much waits is known only roughly at most times: while the backlog in
 * time is shorter than what surely fits, no byte is counted. Only when the buffer may be full, a cursor
 * over the records catches up with what has begun transmission; it visits each record once at most.
 *
 * Loss before or after the queue belongs here too, being the commonest impairment: what is lost after the
 * queue is decided on arrival, in the same order, and stays in the ring until it would have left.
 *
 * `now_ns` must not go back from call to call. */
#ifndef WEIR_LINK_LINE_H
#define WEIR_LINK_LINE_H

#include "loss.h"

#define WEIR_LINE_SIZES 4
#define WEIR_LINE_AHEAD 24 /* records: farther than anyone looks ahead */

struct weir_line_config {
	u64 rate_bps;	   /* bit/s; 0: infinitely fast, no queue */
	u64 delay_ns;	   /* after the transmission */
	u64 limit_bytes;   /* 0: no limit in bytes */
	u64 limit_packets; /* 0: no limit in packets */
	/* NULL: nothing is lost there. Owned by the line from now on, freed with it. */
	struct weir_loss_process *before, *after;
};

/* Marks in the spare bits of a record's `ecn`, taken off before anyone sees the packet. */
enum { WEIR_LINE_LOST = 1 << 7, WEIR_LINE_TOLD = 1 << 6 };

struct weir_line_record {
	u64 due_ns; /* when the packet comes out at the far end */
	struct weir_packet packet;
};
_Static_assert(sizeof(struct weir_line_record) == 32, "two records a cache line");

/* What a packet size means here, remembered for the sizes met last. */
struct weir_line_size {
	u64 ns, rest; /* time on the wire: ns + rest / rate_bps */
	u64 safe_ns;  /* a backlog up to this long leaves room for one more of this size, whatever waits */
	u64 bytes;
};

struct weir_line {
	struct weir_link link;
	struct weir_line_record *ring;
	u64 mask, head, tail; /* taken and accepted so far: positions in the ring modulo its size */
	u64 accepted_bytes, out_bytes;
	u64 rate_bps, delay_ns;
	u64 free_ns, free_rest; /* when the last accepted packet has been sent */
	struct weir_line_size sizes[WEIR_LINE_SIZES];
	u64 limit_bytes, limit_packets;
	u64 cursor;	 /* packets known to have begun transmission */
	u64 begun_bytes; /* of them */
	u64 begin_ns;	 /* when the packet at the cursor begins */
	u64 least_bytes; /* the smallest packet met */
	struct weir_loss_process *before, *after;
	u64 lost_cursor; /* packets whose loss after the queue has been told, or that are not lost */
	u64 lost_packets, lost_bytes;	  /* after the queue, told so far */
	u64 passed_packets, passed_bytes; /* of them, out of the ring */
};

extern const struct weir_link_ops weir_line_ops;

/* Returns 0, or -1 when out of memory. */
int weir_line_init(struct weir_line *line, const struct weir_line_config *c, struct weir_link_owner owner);
void weir_line_fini(struct weir_line *line);

/* Brings link.stats and the cursor up to now_ns; the counters are derived, not kept, in between. */
void weir_line_settle(struct weir_line *line, u64 now_ns);

/* The line behind a hop, or NULL when it is another kind of element. */
static inline struct weir_line *weir_link_as_line(struct weir_link *link)
{
	return link->ops == &weir_line_ops ? (struct weir_line *)link : NULL;
}

/* Slow paths of push. */
bool weir_line_grow(struct weir_line *line);
void weir_line_set_size(struct weir_line *line, struct weir_line_size *size, u32 bytes);
bool weir_line_has_room(struct weir_line *line, u64 now_ns, u32 bytes);
void weir_line_check(const struct weir_line *line, u64 now_ns);
bool weir_line_loses(struct weir_line *line, u64 now_ns, const struct weir_packet *p);
void weir_line_skip_lost(struct weir_line *line, u64 now_ns);

/* Reserves the server for a packet that arrives at now_ns: it is sent at free_ns then, and has waited
 * *wait_ns. False when it finds no room. */
static inline bool weir_line_serve(struct weir_line *l, u64 now_ns, u32 bytes, u64 *wait_ns)
{
	struct weir_line_size *size = &l->sizes[(bytes ^ bytes >> 4) % WEIR_LINE_SIZES];
	if (__builtin_expect(size->bytes != bytes, 0))
		weir_line_set_size(l, size, bytes);
	bool idle = l->free_ns <= now_ns;
	if (idle) {
		l->free_rest = l->free_ns == now_ns ? l->free_rest : 0;
		l->free_ns = now_ns;
	} else {
		*wait_ns = l->free_ns - now_ns;
		if (*wait_ns > size->safe_ns && !weir_line_has_room(l, now_ns, bytes))
			return false;
	}
	l->free_rest += size->rest;
	bool carry = l->free_rest >= l->rate_bps;
	l->free_rest -= carry ? l->rate_bps : 0;
	l->free_ns += size->ns + carry;
	if (idle) { /* all before it has been sent, and it begins at once */
		l->cursor = l->tail + 1;
		l->begun_bytes = l->accepted_bytes + bytes;
		l->begin_ns = l->free_ns;
	}
	return true;
}

/* Hands over a packet that arrives at now_ns; false when it was dropped (the owner has been told). Each of
 * the few callers on the packet path wants its own copy. */
static inline __attribute__((always_inline)) bool weir_line_push(struct weir_line *l, u64 now_ns,
								 const struct weir_packet *p)
{
	u64 wait_ns = 0, sent_ns = now_ns;
	if (__builtin_expect(l->tail - l->head > l->mask, 0) && !weir_line_grow(l)) {
		weir_link_drop(&l->link, now_ns, p, WEIR_DROP_OVERFLOW);
		return false;
	}
	if (__builtin_expect(l->before != NULL, 0) && weir_line_loses(l, now_ns, p))
		return false;
	if (l->rate_bps) {
		if (__builtin_expect(!weir_line_serve(l, now_ns, p->bytes, &wait_ns), 0)) {
			weir_link_drop(&l->link, now_ns, p, WEIR_DROP_OVERFLOW);
			return false;
		}
		sent_ns = l->free_ns;
		if (l->link.stats.wait)
			weir_hist_add(l->link.stats.wait, wait_ns);
	}
	/* A long ring is cold where it grows: the hardware does not guess a store to come. */
	__builtin_prefetch(&l->ring[(l->tail + WEIR_LINE_AHEAD) & l->mask], 1);
	struct weir_line_record *record = &l->ring[l->tail++ & l->mask];
	record->due_ns = sent_ns + l->delay_ns;
	record->packet = *p;
	weir_packet_add_wait(&record->packet, wait_ns);
	if (__builtin_expect(l->after != NULL, 0) && weir_loss_takes(l->after))
		record->packet.ecn |= WEIR_LINE_LOST;
	l->accepted_bytes += p->bytes;
#ifdef WEIR_DEBUG_CHECKS
	weir_line_check(l, now_ns);
#endif
	return true;
}

/* When the next packet comes out; WEIR_NEVER when there is none. */
static inline u64 weir_line_head_ns(const struct weir_line *l)
{
	return l->head == l->tail ? WEIR_NEVER : l->ring[l->head & l->mask].due_ns;
}

/* The packet n places behind the head, or NULL: for a look ahead, to prefetch what it refers to. */
static inline const struct weir_packet *weir_line_peek(const struct weir_line *l, u64 n)
{
	return l->tail - l->head > n ? &l->ring[(l->head + n) & l->mask].packet : NULL;
}

/* Takes the next packet if it is out by now_ns. */
static inline bool weir_line_pop(struct weir_line *l, u64 now_ns, struct weir_packet *p, u64 *due_ns)
{
	if (__builtin_expect(l->after != NULL, 0))
		weir_line_skip_lost(l, now_ns);
	if (l->head == l->tail)
		return false;
	const struct weir_line_record *record = &l->ring[l->head & l->mask];
	if (record->due_ns > now_ns)
		return false;
	__builtin_prefetch(&l->ring[(l->head + WEIR_LINE_AHEAD) & l->mask]);
	*due_ns = record->due_ns;
	*p = record->packet;
	l->head++;
	l->out_bytes += p->bytes;
	return true;
}

#endif
