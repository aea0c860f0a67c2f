/* SPDX-License-Identifier: MIT */
#include "slips.h"

#include <stdlib.h>

#define START 64
#define MOST (1u << 30)

static bool grow(struct weir_slips *s)
{
	u32 capacity = s->capacity ? 2 * s->capacity : START;
	unsigned char *at = capacity > MOST ? NULL : realloc(s->at, capacity * s->bytes);
	if (!at)
		return false;
	s->at = at;
	for (u32 i = s->capacity; i < capacity; i++)
		weir_slip(s, i + 1)->refs = 0;
	s->next = s->capacity;
	s->capacity = capacity;
	return true;
}

u32 weir_slips_take(struct weir_slips *s)
{
	if (s->used >= s->capacity / 2 && !grow(s))
		return 0;
	u32 i = s->next;
	while (weir_slip(s, i + 1)->refs)
		i = (i + 1) & (s->capacity - 1);
	s->next = (i + 1) & (s->capacity - 1);
	s->used++;
	weir_slip(s, i + 1)->refs = 1;
	return i + 1;
}
