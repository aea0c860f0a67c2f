/* SPDX-License-Identifier: MIT */
#include "waits.h"

#include <stdlib.h>

static u32 *bucket_of(const struct weir_waits *w, u32 hop, const struct weir_packet *p)
{
	u64 h = p->ref * 0x9e3779b97f4a7c15ULL;
	h = (h ^ (h >> 29) ^ p->flow ^ (u64)hop << 32) * 0xbf58476d1ce4e5b9ULL;
	return &w->bucket[(h >> 32) & (w->room - 1)];
}

static bool grow(struct weir_waits *w)
{
	u32 room = w->room ? 2 * w->room : 256;
	struct weir_waits_entry *entry = realloc(w->entry, room * sizeof *entry);
	if (!entry)
		return false;
	w->entry = entry;
	u32 *bucket = calloc(room, sizeof *bucket);
	if (!bucket)
		return false;
	free(w->bucket);
	w->bucket = bucket;
	w->room = room;
	for (u32 i = 0; i < w->n; i++) { /* full, so that none is free */
		u32 *first = bucket_of(w, entry[i].hop, &entry[i].packet);
		entry[i].next = *first;
		*first = i + 1;
	}
	return true;
}

bool weir_waits_enter(struct weir_waits *w, u32 hop, const struct weir_packet *p)
{
	if (!p->queued_16ns)
		return true;
	if (!w->free && w->n == w->room && !grow(w))
		return false;
	u32 at = w->free ? w->free : ++w->n;
	struct weir_waits_entry *e = &w->entry[at - 1];
	if (w->free)
		w->free = e->next;
	u32 *first = bucket_of(w, hop, p);
	*e = (struct weir_waits_entry){*p, hop, 1, *first};
	*first = at;
	return true;
}

static bool is_same(const struct weir_waits_entry *e, u32 hop, const struct weir_packet *p)
{
	return e->hop == hop && e->packet.ref == p->ref && e->packet.flow == p->flow &&
	       e->packet.ext == p->ext && e->packet.flags == p->flags;
}

/* Where the number of the entry stands that belongs to this packet; NULL for none. */
static u32 *find(struct weir_waits *w, u32 hop, const struct weir_packet *p)
{
	u32 *best = NULL;
	if (!w->room)
		return NULL;
	for (u32 *at = bucket_of(w, hop, p); *at; at = &w->entry[*at - 1].next) {
		const struct weir_waits_entry *e = &w->entry[*at - 1];
		if (is_same(e, hop, p) && e->packet.queued_16ns <= p->queued_16ns &&
		    (!best || e->packet.queued_16ns > w->entry[*best - 1].packet.queued_16ns))
			best = at;
	}
	return best;
}

void weir_waits_copy(struct weir_waits *w, u32 hop, const struct weir_packet *p)
{
	const u32 *at = find(w, hop, p);
	if (at)
		w->entry[*at - 1].copies++;
}

u64 weir_waits_leave(struct weir_waits *w, u32 hop, const struct weir_packet *p)
{
	u32 *at = find(w, hop, p);
	if (!at)
		return weir_packet_wait_ns(p);
	u32 number = *at;
	struct weir_waits_entry *e = &w->entry[number - 1];
	u64 wait_ns = (u64)(p->queued_16ns - e->packet.queued_16ns) << 4;
	if (--e->copies == 0) {
		*at = e->next;
		e->next = w->free;
		w->free = number;
	}
	return wait_ns;
}

void weir_waits_free(struct weir_waits *w)
{
	free(w->entry);
	free(w->bucket);
	*w = (struct weir_waits){0};
}
