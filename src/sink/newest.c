/* SPDX-License-Identifier: MIT */
#include "newest.h"

#include <stdlib.h>
#include <string.h>

#define NONE 0xffffu
#define BUCKETS (2 * WEIR_NEWEST_SLOTS)

struct slot {
	struct weir_told told;
	u16 before, after; /* in the order of waiting */
	u16 chain;	   /* the next of the same bucket, or of the free ones */
};

struct weir_newest {
	u32 count;
	u16 first, last, free;
	u16 bucket[BUCKETS];
	struct slot slot[WEIR_NEWEST_SLOTS];
};

struct weir_newest *weir_newest_new(void)
{
	struct weir_newest *n = calloc(1, sizeof *n);
	if (!n)
		return NULL;
	n->first = n->last = NONE;
	memset(n->bucket, 0xff, sizeof n->bucket);
	for (u16 i = 0; i < WEIR_NEWEST_SLOTS; i++)
		n->slot[i].chain = (u16)(i + 1u < WEIR_NEWEST_SLOTS ? i + 1u : NONE);
	return n;
}

void weir_newest_free(struct weir_newest *n)
{
	free(n);
}

static u16 *bucket_of(struct weir_newest *n, u32 place)
{
	return &n->bucket[place * 2654435761u >> 21];
}
_Static_assert(BUCKETS == 1u << 11, "the hash has 11 bits");

static void copy(struct weir_told *to, const struct weir_told *v)
{
	memcpy(to, v, offsetof(struct weir_told, data) + v->bytes);
}

enum weir_newest_put weir_newest_put(struct weir_newest *n, const struct weir_told *v)
{
	u16 *bucket = bucket_of(n, v->place);
	for (u16 i = *bucket; i != NONE; i = n->slot[i].chain) {
		if (n->slot[i].told.place == v->place) {
			copy(&n->slot[i].told, v);
			return WEIR_NEWEST_REPLACED;
		}
	}
	u16 i = n->free;
	if (i == NONE)
		return WEIR_NEWEST_FULL;
	struct slot *s = &n->slot[i];
	n->free = s->chain;
	copy(&s->told, v);
	s->chain = *bucket;
	*bucket = i;
	s->before = n->last;
	s->after = NONE;
	*(n->last == NONE ? &n->first : &n->slot[n->last].after) = i;
	n->last = i;
	n->count++;
	return WEIR_NEWEST_WAITS;
}

const struct weir_told *weir_newest_first(const struct weir_newest *n, bool (*may)(void *owner, u32 place),
					  void *owner)
{
	for (u16 i = n->first; i != NONE; i = n->slot[i].after)
		if (!may || may(owner, n->slot[i].told.place))
			return &n->slot[i].told;
	return NULL;
}

void weir_newest_take(struct weir_newest *n, const struct weir_told *v)
{
	u16 i = (u16)((const struct slot *)v - n->slot), *link = bucket_of(n, v->place);
	struct slot *s = &n->slot[i];
	while (*link != i)
		link = &n->slot[*link].chain;
	*link = s->chain;
	*(s->before == NONE ? &n->first : &n->slot[s->before].after) = s->after;
	*(s->after == NONE ? &n->last : &n->slot[s->after].before) = s->before;
	s->chain = n->free;
	n->free = i;
	n->count--;
}

u32 weir_newest_count(const struct weir_newest *n)
{
	return n->count;
}
