/* SPDX-License-Identifier: MIT */
#include "ring.h"

#include "weir/num.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

/* Before each record its length; SKIP: the rest of the room is not used, the next record is at its start. */
#define LENGTH_BYTES 8
#define SKIP (~0ULL)

int weir_ring_init(struct weir_ring *r, u64 room_bytes)
{
	memset(r, 0, sizeof *r);
	void *at =
	    mmap(NULL, room_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (at == MAP_FAILED)
		return -1;
	r->at = at;
	r->room_bytes = room_bytes;
	return 0;
}

void weir_ring_fini(struct weir_ring *r)
{
	if (r->at)
		munmap(r->at, r->room_bytes);
	r->at = NULL;
}

static u64 *length_at(const struct weir_ring *r, u64 position)
{
	return (u64 *)(void *)(r->at + (position & (r->room_bytes - 1)));
}

static bool has_room(struct weir_ring *r, u64 put, u64 bytes)
{
	if (put + bytes - r->seen_taken_bytes <= r->room_bytes)
		return true;
	r->seen_taken_bytes = atomic_load_explicit(&r->taken_bytes, memory_order_acquire);
	return put + bytes - r->seen_taken_bytes <= r->room_bytes;
}

bool weir_ring_put(struct weir_ring *r, const void *head, u32 head_bytes, const void *body, u32 body_bytes)
{
	u64 put = atomic_load_explicit(&r->put_bytes, memory_order_relaxed);
	u64 bytes = LENGTH_BYTES + (((u64)head_bytes + body_bytes + 7) & ~7ULL);
	u64 to_end = r->room_bytes - (put & (r->room_bytes - 1));
	u64 skipped = bytes > to_end ? to_end : 0;
	if (bytes + skipped > r->room_bytes || !has_room(r, put, bytes + skipped))
		return false;
	if (skipped)
		*length_at(r, put) = SKIP;
	u64 *length = length_at(r, put + skipped);
	*length = (u64)head_bytes + body_bytes;
	u8 *to = (u8 *)length + LENGTH_BYTES;
	memcpy(to, head, head_bytes);
	if (body_bytes)
		memcpy(to + head_bytes, body, body_bytes);
	atomic_store_explicit(&r->put_bytes, put + skipped + bytes, memory_order_release);
	return true;
}

const void *weir_ring_front(struct weir_ring *r, u32 *bytes)
{
	u64 taken = atomic_load_explicit(&r->taken_bytes, memory_order_relaxed);
	if (taken == atomic_load_explicit(&r->put_bytes, memory_order_acquire))
		return NULL;
	/* A skip and the record behind it are put in one step. */
	if (*length_at(r, taken) == SKIP) {
		taken += r->room_bytes - (taken & (r->room_bytes - 1));
		atomic_store_explicit(&r->taken_bytes, taken, memory_order_release);
	}
	const u64 *length = length_at(r, taken);
	*bytes = (u32)*length;
	return (const u8 *)length + LENGTH_BYTES;
}

void weir_ring_drop(struct weir_ring *r)
{
	u64 taken = atomic_load_explicit(&r->taken_bytes, memory_order_relaxed);
	u64 bytes = LENGTH_BYTES + ((*length_at(r, taken) + 7) & ~7ULL);
	atomic_store_explicit(&r->taken_bytes, taken + bytes, memory_order_release);
}
