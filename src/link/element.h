/* SPDX-License-Identifier: MIT */
/* The parts that a hop is composed of. A part is told of each arrival in order of time, first completes
 * what is due by then (so that a departure comes before an arrival at the same time), and hands packets
 * on to the part below with the times at which they left. As the parts form a chain without feedback,
 * each may be run up to a time before the next: lateness of the caller changes nothing. */
#ifndef WEIR_LINK_ELEMENT_H
#define WEIR_LINK_ELEMENT_H

#include "core/rng.h"
#include "hop.h"

struct weir_element;

struct weir_element_ops {
	const char *name;
	void (*arrive)(struct weir_element *e, u64 now_ns, const struct weir_packet *p);
	/* NULL in parts that hold nothing */
	void (*run)(struct weir_element *e, u64 until_ns);
	u64 (*next_ns)(const struct weir_element *e); /* when run has something to do */
	void (*fini)(struct weir_element *e);	      /* frees what the part owns, not the part */
};

struct weir_element {
	const struct weir_element_ops *ops;
	struct weir_link *link;	   /* the hop: counters and owner */
	struct weir_element *down; /* NULL in the last part */
	u64 held_packets, held_bytes;
};

static inline void weir_element_emit(struct weir_element *e, u64 now_ns, const struct weir_packet *p)
{
	e->down->ops->arrive(e->down, now_ns, p);
}

static inline void weir_element_hold(struct weir_element *e, const struct weir_packet *p)
{
	e->held_packets++;
	e->held_bytes += p->bytes;
}

static inline void weir_element_let_go(struct weir_element *e, const struct weir_packet *p)
{
	e->held_packets--;
	e->held_bytes -= p->bytes;
}

/* A packet for which memory ran out. */
static inline void weir_element_fail(struct weir_element *e, u64 now_ns, const struct weir_packet *p)
{
	e->link->failed = true;
	weir_link_drop(e->link, now_ns, p, WEIR_DROP_OVERFLOW);
}

/* Constructors: memory for the part, not yet linked to a hop; NULL when out of memory. */
struct weir_element *weir_wire_new(void);
struct weir_element *weir_policer_new(u64 bps, u64 burst_bytes);
struct weir_element *weir_loss_new(const struct weir_loss_config *c, const struct weir_rng *rng);
struct weir_element *weir_duplicate_new(double p, const struct weir_rng *rng);
struct weir_element *weir_reorder_new(double p, u64 delay_ns, const struct weir_rng *rng);
struct weir_element *weir_jitter_new(u64 jitter_ns, bool reorders, const struct weir_rng *rng);
struct weir_element *weir_aggregate_new(u64 period_ns);
struct weir_element *weir_delay_new(u64 delay_ns);

/* The last part is always a delay; packets leave the hop through it. */
bool weir_delay_pop(struct weir_element *delay, u64 until_ns, struct weir_packet *p, u64 *due_ns);

#endif
