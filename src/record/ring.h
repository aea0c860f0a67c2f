/* SPDX-License-Identifier: MIT */
/* A bounded queue of records between two threads, one that puts and one that takes, without a lock or a
 * system call: what must not wait (the ferry) hands to what may (a writer of files). Each record is in one
 * piece and begins at a multiple of 8 bytes. */
#ifndef WEIR_RECORD_RING_H
#define WEIR_RECORD_RING_H

#include "weir/types.h"

#include <stdatomic.h>

struct weir_ring {
	u8 *at;
	u64 room_bytes; /* a power of 2 */
	/* Bytes ever put and taken; each is written by one thread only, in a cache line of its own. */
	_Alignas(64) _Atomic u64 put_bytes;
	u64 seen_taken_bytes; /* of the putting thread: how far the other one was when last asked */
	_Alignas(64) _Atomic u64 taken_bytes;
};

/* Memory is taken and touched at once. 0, or -1 with errno set. */
int weir_ring_init(struct weir_ring *r, u64 room_bytes);
void weir_ring_fini(struct weir_ring *r);

/* Puts a record made of two parts (the second may be empty); false when there is no room. */
bool weir_ring_put(struct weir_ring *r, const void *head, u32 head_bytes, const void *body, u32 body_bytes);
/* The oldest record, NULL when there is none. It stays valid until weir_ring_drop. */
const void *weir_ring_front(struct weir_ring *r, u32 *bytes);
void weir_ring_drop(struct weir_ring *r);

#endif
