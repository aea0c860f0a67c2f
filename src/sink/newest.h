/* SPDX-License-Identifier: MIT */
/* Values that somebody could not take at once: of each source only the newest waits, in a store of fixed
 * size; the source that waits longest comes first. */
#ifndef WEIR_SINK_NEWEST_H
#define WEIR_SINK_NEWEST_H

#include "told.h"

#define WEIR_NEWEST_SLOTS 1024

struct weir_newest; /* 1.5 MB */

/* NULL: out of memory. */
struct weir_newest *weir_newest_new(void);
void weir_newest_free(struct weir_newest *n);

enum weir_newest_put {
	WEIR_NEWEST_WAITS,
	WEIR_NEWEST_REPLACED, /* an older one of this source, which nobody will see */
	WEIR_NEWEST_FULL,     /* too many sources wait: not taken */
};
enum weir_newest_put weir_newest_put(struct weir_newest *n, const struct weir_told *v);

/* The source that waits longest, of those with which `may` agrees (NULL: of all); NULL if there is none. It
 * stands until the next call. */
const struct weir_told *weir_newest_first(const struct weir_newest *n, bool (*may)(void *owner, u32 place),
					  void *owner);
/* What `first` returned has been told. */
void weir_newest_take(struct weir_newest *n, const struct weir_told *v);
u32 weir_newest_count(const struct weir_newest *n);

#endif
