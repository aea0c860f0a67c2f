/* SPDX-License-Identifier: MIT */
/* Sockets get small numbers, from 1, in the order in which they are seen. */
#ifndef WEIR_KERN_NUMBER_H
#define WEIR_KERN_NUMBER_H

#include "record.h"

#define WEIR_KERN_NUMBER_SLOTS 16384U /* a power of two */
#define WEIR_KERN_NUMBER_FULL (WEIR_KERN_NUMBER_SLOTS / 4 * 3)

/* All zeros at the start. */
struct weir_kern_numbers {
	u32 n, used; /* sockets so far; places in the table, where a socket may follow another */
	u64 socket[WEIR_KERN_NUMBER_SLOTS];
	u32 number[WEIR_KERN_NUMBER_SLOTS];
};

/* A socket that begins anew is a new one. 0: there is no room for more. */
static inline u32 weir_kern_number(struct weir_kern_numbers *t, const struct weir_kern_record *r)
{
	u64 at = (r->socket >> 4) * 0x9e3779b97f4a7c15ULL >> 40;
	for (;; at++) {
		u64 slot = at & (WEIR_KERN_NUMBER_SLOTS - 1);
		bool empty = !t->socket[slot];
		if (!empty && t->socket[slot] != r->socket)
			continue;
		if (empty && t->used >= WEIR_KERN_NUMBER_FULL)
			return 0;
		if (empty || r->call.event == WEIR_KERN_INIT)
			t->number[slot] = ++t->n;
		t->used += empty;
		t->socket[slot] = r->socket;
		return t->number[slot];
	}
}

#endif
