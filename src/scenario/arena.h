/* SPDX-License-Identifier: MIT */
/* Memory that is given back all at once: everything that a scenario consists of. */
#ifndef WEIR_SCENARIO_ARENA_H
#define WEIR_SCENARIO_ARENA_H

#include "weir/num.h"

#include <stdlib.h>
#include <string.h>

#define WEIR_ARENA_CHUNK 8192

struct weir_arena {
	struct weir_arena_chunk {
		struct weir_arena_chunk *next;
		size_t used, room;
		_Alignas(16) char data[];
	} * chunks;
};

/* Zeroed; NULL when out of memory. */
static inline void *weir_arena_get(struct weir_arena *a, size_t bytes)
{
	bytes = (bytes + 15) & ~(size_t)15;
	struct weir_arena_chunk *c = a->chunks;
	if (!c || c->room - c->used < bytes) {
		size_t room = bytes > WEIR_ARENA_CHUNK ? bytes : WEIR_ARENA_CHUNK;
		c = calloc(1, sizeof *c + room);
		if (!c)
			return NULL;
		c->room = room;
		c->next = a->chunks;
		a->chunks = c;
	}
	void *p = c->data + c->used;
	c->used += bytes;
	return p;
}

/* A copy with a zero behind it. */
static inline char *weir_arena_text(struct weir_arena *a, const char *text, size_t bytes)
{
	char *copy = weir_arena_get(a, bytes + 1);
	if (copy && bytes)
		memcpy(copy, text, bytes);
	return copy;
}

static inline void weir_arena_free(struct weir_arena *a)
{
	while (a->chunks) {
		struct weir_arena_chunk *next = a->chunks->next;
		free(a->chunks);
		a->chunks = next;
	}
}

#endif
