/* SPDX-License-Identifier: MIT */
#include "pool.h"

#include <assert.h>
#include <sys/mman.h>

/* The mapping is cut in these steps, each into slots of one size. The first line of the first is left out:
 * number 0 is no slot. */
#define STEP_BYTES (1u << 20)
#define STEPS_LEAST 4

/* Each holds its header, a virtio header and a stamp (32 bytes with some room) beside the packet. */
const u32 weir_slot_bytes[WEIR_SLOT_KINDS] = {2048, 10240, 66048};
_Static_assert(sizeof(struct weir_slot) + 32 + 1500 <= 2048, "an Ethernet-sized packet is small");
_Static_assert(sizeof(struct weir_slot) + 32 + 9000 <= 10240, "a jumbo frame is not large");
_Static_assert(sizeof(struct weir_slot) + 48 + 65535 <= 66048, "everything fits a large one");

int weir_packet_pool_init(struct weir_packet_pool *p, u64 bytes)
{
	*p = (struct weir_packet_pool){0};
	p->bytes = weir_max(bytes & ~(u64)(STEP_BYTES - 1), (u64)STEPS_LEAST * STEP_BYTES);
	p->bytes = weir_min(p->bytes, 1ULL << 37);
	void *base =
	    mmap(NULL, p->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (base == MAP_FAILED)
		return -1;
	p->base = base;
	return 0;
}

void weir_packet_pool_fini(struct weir_packet_pool *p)
{
	if (p->base)
		munmap(p->base, p->bytes);
	*p = (struct weir_packet_pool){0};
}

/* A slot that was never used; NULL when there is none. */
static struct weir_slot *get_fresh(struct weir_packet_pool *p, u32 kind)
{
	u32 bytes = weir_slot_bytes[kind];
	if (p->fresh_end[kind] - p->fresh[kind] < bytes) {
		if (p->taken == p->bytes)
			return NULL;
		p->fresh[kind] = p->taken ? p->taken : 64;
		p->taken += STEP_BYTES;
		p->fresh_end[kind] = p->taken;
	}
	u32 number = (u32)(p->fresh[kind] >> 6);
	p->fresh[kind] += bytes;
	struct weir_slot *s = weir_slot_at(p, number);
	s->self = number;
	s->kind = (u8)kind;
	return s;
}

struct weir_slot *weir_slot_get(struct weir_packet_pool *p, u32 kind)
{
	struct weir_slot *s;
	if (p->free[kind]) {
		s = weir_slot_at(p, p->free[kind]);
		p->free[kind] = s->next;
	} else {
		s = get_fresh(p, kind);
		if (!s)
			return NULL;
	}
	p->used[kind]++;
	s->users = 1;
	s->next = WEIR_SLOT_NONE;
	return s;
}

void weir_slot_free(struct weir_packet_pool *p, struct weir_slot *s)
{
	assert(s->users == 0 && p->used[s->kind]);
	p->used[s->kind]--;
	s->next = p->free[s->kind];
	p->free[s->kind] = s->self;
}
