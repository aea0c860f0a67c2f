/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The smallest or largest of what was seen lately, in fixed room: the window is cut in eight parts, and the
 * best of each is kept. When a part begins the oldest is forgotten, so that what is remembered reaches back
 * between 7/8 of the window and all of it. Time is in any unit: nanoseconds, rounds.
 *
 * In BPF what has many ways is apart (num.h). A pointer that it gets might be NULL, as far as the verifier
 * knows, and must be of socket storage: states that hold this do not fit in the socket itself. */
#ifndef WEIR_CORE_RECENT_H
#define WEIR_CORE_RECENT_H

#include "weir/cc.h"

#define WEIR_RECENT_PARTS 8

struct weir_recent {
	u64 part_from;		     /* when the newest part began */
	u64 older;		     /* the smallest of all but the newest */
	u64 best[WEIR_RECENT_PARTS]; /* the smallest of each, the newest first; WEIR_NEVER: nothing seen */
};

WEIR_CORE void weir_recent_init(struct weir_recent *r, u64 at)
{
	r->part_from = at;
	r->older = WEIR_NEVER;
	for (u32 i = 0; i < WEIR_RECENT_PARTS; i++)
		r->best[i] = WEIR_NEVER;
}

/* Parts have passed. A window that changes its length changes that of the parts that begin from now on. */
WEIR_CORE_APART u64 weir_recent_advance(struct weir_recent *r, u64 at, u64 part)
{
	if (!r)
		return 0;
	u64 since = weir_sub(at, r->part_from), parts = since / part;
	r->part_from = at - since % part;
	if (parts >= WEIR_RECENT_PARTS)
		weir_recent_init(r, r->part_from);
	for (u32 n = 0; n < WEIR_RECENT_PARTS - 1 && n < parts; n++) {
		for (u32 i = WEIR_RECENT_PARTS - 1; i > 0; i--)
			r->best[i] = r->best[i - 1];
		r->best[0] = WEIR_NEVER;
	}
	r->older = WEIR_NEVER;
	for (u32 i = 1; i < WEIR_RECENT_PARTS; i++)
		r->older = weir_min(r->older, r->best[i]);
	return parts;
}

WEIR_CORE u64 weir_recent_min(const struct weir_recent *r)
{
	return weir_min(r->older, r->best[0]);
}

/* Returns the smallest, this one included. */
WEIR_CORE u64 weir_recent_add_min(struct weir_recent *r, u64 at, u64 span, u64 x)
{
	u64 part = weir_max(span / WEIR_RECENT_PARTS, 1);
	if (weir_sub(at, r->part_from) >= part)
		weir_recent_advance(r, at, part);
	r->best[0] = weir_min(r->best[0], x);
	return weir_recent_min(r);
}

/* The largest is the smallest of the complements; 0 if nothing was seen. */
WEIR_CORE u64 weir_recent_max(const struct weir_recent *r)
{
	return ~weir_recent_min(r);
}

WEIR_CORE u64 weir_recent_add_max(struct weir_recent *r, u64 at, u64 span, u64 x)
{
	return ~weir_recent_add_min(r, at, span, ~x);
}

#endif
