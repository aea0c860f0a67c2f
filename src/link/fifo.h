/* SPDX-License-Identifier: MIT */
/* Packets in order, each with one time: a ring that doubles when full. */
#ifndef WEIR_LINK_FIFO_H
#define WEIR_LINK_FIFO_H

#include "packet.h"

struct weir_queued {
	u64 at_ns; /* when it arrived, or when it is due */
	struct weir_packet packet;
};

struct weir_fifo {
	struct weir_queued *ring;
	u64 room, head, tail; /* room is a power of two, or 0 before the first packet */
};

/* Makes room for one more; false when memory ran out. */
bool weir_fifo_reserve(struct weir_fifo *f);
void weir_fifo_fini(struct weir_fifo *f);

static inline u64 weir_fifo_length(const struct weir_fifo *f)
{
	return f->tail - f->head;
}

/* The packet n places behind the head; there must be one. */
static inline struct weir_queued *weir_fifo_at(const struct weir_fifo *f, u64 n)
{
	return &f->ring[(f->head + n) & (f->room - 1)];
}

static inline bool weir_fifo_push(struct weir_fifo *f, u64 at_ns, const struct weir_packet *p)
{
	if (weir_fifo_length(f) == f->room && !weir_fifo_reserve(f))
		return false;
	f->ring[f->tail++ & (f->room - 1)] = (struct weir_queued){at_ns, *p};
	return true;
}

static inline bool weir_fifo_pop(struct weir_fifo *f, struct weir_queued *out)
{
	if (f->head == f->tail)
		return false;
	*out = f->ring[f->head++ & (f->room - 1)];
	return true;
}

static inline u64 weir_fifo_head_ns(const struct weir_fifo *f)
{
	return f->head == f->tail ? WEIR_NEVER : weir_fifo_at(f, 0)->at_ns;
}

#endif
