/* SPDX-License-Identifier: MIT */
/* The fast path of a hop: a drop-tail FIFO, a fixed rate (or none) and a fixed delay, in one ring.
 *
 * Each departure is computed when the packet arrives, so a record is written once and read once. Time on
 * the wire is an exact rational: whole ns plus a remainder in units of 1/rate ns, carried through the
 * busy period, so that no fraction of a ns is ever lost. A departure is observable from the whole ns in
 * which it falls; at equal times it comes before an arrival.
 *
 * The buffer holds what waits; the packet in transmission is not counted, and a packet that finds the
 * server idle is always taken. How much waits is kept in a ledger of runs of equal packets: as all of
 * one busy period are sent back to back, a run of n equal packets needs no look at their records, and
 * traffic of one size has one run. The ledger is brought up to date only when the buffer may be full.
 *
 * `now_ns` must not go back from call to call. */
#ifndef WEIR_LINK_LINE_H
#define WEIR_LINK_LINE_H

#include "link.h"

#define WEIR_LINE_TIMES 4 /* packet sizes whose time on the wire is remembered */

struct weir_line_config {
	u64 rate_bps;	   /* bit/s; 0: infinitely fast, no queue */
	u64 delay_ns;	   /* after the transmission */
	u64 limit_bytes;   /* 0: no limit in bytes */
	u64 limit_packets; /* 0: no limit in packets */
};

struct weir_line_record {
	u64 due_ns; /* when the packet comes out at the far end */
	struct weir_packet packet;
};
_Static_assert(sizeof(struct weir_line_record) == 32, "two records a cache line");

/* ns + rest / rate_bps, the time on the wire of one packet. */
struct weir_line_time {
	u64 ns, rest;
	u32 bytes, packets; /* in the ledger: how many such packets follow each other */
};

struct weir_line {
	struct weir_link link;
	struct weir_line_record *ring;
	u64 mask, head, tail; /* taken and accepted so far: positions in the ring modulo its size */
	u64 accepted_bytes, out_bytes;
	u64 rate_bps, delay_ns;
	u64 free_ns, free_rest; /* when the last accepted packet has been sent */
	u64 limit_bytes, limit_packets;
	/* The ledger as of serving_ns: what waits then, and the packet in transmission until then. */
	u64 waiting_bytes, waiting_packets;
	u64 serving_ns, serving_rest;
	struct weir_line_time *runs;
	u32 runs_mask, runs_head, runs_tail;
	u32 serving_bytes;
	struct weir_line_time times[WEIR_LINE_TIMES];
};

extern const struct weir_link_ops weir_line_ops;

/* Returns 0, or -1 when out of memory. */
int weir_line_init(struct weir_line *line, const struct weir_line_config *c, struct weir_link_owner owner);
void weir_line_fini(struct weir_line *line);

/* Brings link.stats and the ledger up to now_ns; the counters are derived, not kept, in between. */
void weir_line_settle(struct weir_line *line, u64 now_ns);

/* The line behind a hop, or NULL when it is another kind of element. */
static inline struct weir_line *weir_link_as_line(struct weir_link *link)
{
	return link->ops == &weir_line_ops ? (struct weir_line *)link : NULL;
}

/* Slow paths of push. */
bool weir_line_grow(struct weir_line *line);
bool weir_line_grow_runs(struct weir_line *line, u64 now_ns);
void weir_line_set_time(const struct weir_line *line, struct weir_line_time *time, u32 bytes);
void weir_line_check(const struct weir_line *line, u64 now_ns);

/* Counts what has begun transmission by now_ns as no longer waiting. */
static inline void weir_line_advance(struct weir_line *l, u64 now_ns)
{
	while (l->waiting_packets && l->serving_ns <= now_ns) {
		struct weir_line_time *run = &l->runs[l->runs_head & l->runs_mask];
		l->serving_rest += run->rest;
		bool carry = l->serving_rest >= l->rate_bps;
		l->serving_rest -= carry ? l->rate_bps : 0;
		l->serving_ns += run->ns + carry;
		l->serving_bytes = run->bytes;
		l->waiting_bytes -= run->bytes;
		l->waiting_packets--;
		l->runs_head += --run->packets == 0;
	}
}

static inline bool weir_line_fits(const struct weir_line *l, u32 bytes)
{
	return l->waiting_bytes + bytes <= l->limit_bytes && l->waiting_packets < l->limit_packets;
}

static inline const struct weir_line_time *weir_line_time_of(struct weir_line *l, u32 bytes)
{
	struct weir_line_time *time = &l->times[(bytes ^ bytes >> 4) % WEIR_LINE_TIMES];
	if (__builtin_expect(time->bytes != bytes, 0))
		weir_line_set_time(l, time, bytes);
	return time;
}

/* Enters a packet that has to wait into the ledger; false when it finds no room. */
static inline bool weir_line_enqueue(struct weir_line *l, u64 now_ns, const struct weir_line_time *time)
{
	if (__builtin_expect(!weir_line_fits(l, time->bytes), 0)) {
		weir_line_advance(l, now_ns);
		if (!weir_line_fits(l, time->bytes))
			return false;
	}
	struct weir_line_time *run = &l->runs[(l->runs_tail - 1) & l->runs_mask];
	if (l->runs_tail != l->runs_head && run->bytes == time->bytes) {
		run->packets++;
	} else {
		if (l->runs_tail - l->runs_head > l->runs_mask && !weir_line_grow_runs(l, now_ns))
			return false;
		run = &l->runs[l->runs_tail++ & l->runs_mask];
		*run = *time;
		run->packets = 1;
	}
	l->waiting_bytes += time->bytes;
	l->waiting_packets++;
	return true;
}

/* Hands over a packet that arrives at now_ns; false when it was dropped (the owner has been told). */
static inline bool weir_line_push(struct weir_line *l, u64 now_ns, const struct weir_packet *p)
{
	u64 wait_ns = 0, sent_ns = now_ns;
	if (__builtin_expect(l->tail - l->head > l->mask, 0) && !weir_line_grow(l)) {
		weir_link_drop(&l->link, now_ns, p, WEIR_DROP_OVERFLOW);
		return false;
	}
	if (l->rate_bps) {
		const struct weir_line_time *time = weir_line_time_of(l, p->bytes);
		bool idle = l->free_ns <= now_ns;
		if (idle) {
			l->free_rest = l->free_ns == now_ns ? l->free_rest : 0;
			l->free_ns = now_ns;
			l->waiting_bytes = l->waiting_packets = 0;
			l->runs_head = l->runs_tail;
		} else {
			if (!weir_line_enqueue(l, now_ns, time)) {
				weir_link_drop(&l->link, now_ns, p, WEIR_DROP_OVERFLOW);
				return false;
			}
			wait_ns = l->free_ns - now_ns;
		}
		l->free_rest += time->rest;
		bool carry = l->free_rest >= l->rate_bps;
		l->free_rest -= carry ? l->rate_bps : 0;
		sent_ns = l->free_ns += time->ns + carry;
		if (idle) {
			l->serving_ns = l->free_ns;
			l->serving_rest = l->free_rest;
			l->serving_bytes = p->bytes;
		}
		if (l->link.stats.wait)
			weir_hist_add(l->link.stats.wait, wait_ns);
	}
	struct weir_line_record *record = &l->ring[l->tail++ & l->mask];
	record->due_ns = sent_ns + l->delay_ns;
	record->packet = *p;
	weir_packet_add_wait(&record->packet, wait_ns);
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
	if (l->head == l->tail)
		return false;
	const struct weir_line_record *record = &l->ring[l->head & l->mask];
	if (record->due_ns > now_ns)
		return false;
	*due_ns = record->due_ns;
	*p = record->packet;
	l->head++;
	l->out_bytes += p->bytes;
	return true;
}

#endif
