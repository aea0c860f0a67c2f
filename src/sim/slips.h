/* SPDX-License-Identifier: MIT */
/* What packets carry beyond their number, a slot each: SACK blocks, what an age source and its monitor say. A
 * packet has its slot's number plus one; copies of the packet share it. Slots are handed out in a circle:
 * answers travel in order, so that memory is walked in order too. What is still in use is passed over; the
 * circle doubles when half of it is in use, and numbers stay. So a packet that waits for long holds up
 * nothing, and passing over those that wait costs less than a round of the circle. */
#ifndef WEIR_SIM_SLIPS_H
#define WEIR_SIM_SLIPS_H

#include "weir/types.h"

#include <stddef.h>

/* How a slot begins. */
struct weir_slip {
	u32 refs; /* copies of the packet; 0: free */
};

struct weir_slips {
	unsigned char *at;
	size_t bytes; /* of a slot; set once, before all */
	u32 next, used, capacity;
};

static inline struct weir_slip *weir_slip(const struct weir_slips *s, u32 ext)
{
	return (struct weir_slip *)(void *)(s->at + (ext - 1) * s->bytes);
}

/* A slot's number plus one, with one reference; 0 when memory ran out. */
u32 weir_slips_take(struct weir_slips *s);

/* One copy of the packet is gone. */
static inline void weir_slips_drop(struct weir_slips *s, u32 ext)
{
	s->used -= --weir_slip(s, ext)->refs == 0;
}

#endif
