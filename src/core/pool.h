/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Small arrays of many flows, carved from large pages and recycled by size. One owner, one thread. Sizes are
 * rounded up to a power of two, which is what doubling arrays ask for anyway. Without a pool (NULL), for
 * large arrays, and where sanitizers watch (WEIR_DEBUG_CHECKS), the C library's heap serves instead. */
#ifndef WEIR_CORE_POOL_H
#define WEIR_CORE_POOL_H

#include "core/pages.h"
#include "weir/num.h"

#define WEIR_POOL_LEAST_BITS 5 /* 32 bytes */
#define WEIR_POOL_MOST_BITS 15 /* 32 KiB; larger ones have pages of their own */
#define WEIR_POOL_CLASSES (WEIR_POOL_MOST_BITS - WEIR_POOL_LEAST_BITS + 1)
#define WEIR_POOL_SLAB_LEAST                                                                                 \
	((size_t)64 << 10) /* the first; each is twice the one before, up to a large page */

/* All zero is an empty pool. */
struct weir_pool {
	void *recycled[WEIR_POOL_CLASSES]; /* lists linked through their first word */
	u8 *fresh, *fresh_end;
	void *slabs; /* likewise */
	size_t slab_bytes;
};

static inline bool weir_pool_serves(const struct weir_pool *pool, size_t bytes)
{
#ifdef WEIR_DEBUG_CHECKS
	(void)pool;
	(void)bytes;
	return false;
#else
	return pool && bytes <= (size_t)1 << WEIR_POOL_MOST_BITS;
#endif
}

static inline u32 weir_pool_class(size_t bytes)
{
	u32 bits = bytes > 1 ? weir_ilog2(bytes - 1) + 1 : 0;
	return bits < WEIR_POOL_LEAST_BITS ? 0 : bits - WEIR_POOL_LEAST_BITS;
}

static inline bool weir_pool_add_slab(struct weir_pool *pool)
{
	size_t bytes = pool->slab_bytes ? 2 * pool->slab_bytes : WEIR_POOL_SLAB_LEAST;
	bytes = bytes < WEIR_PAGES_LARGE ? bytes : WEIR_PAGES_LARGE;
	u8 *slab = weir_pages_alloc(bytes);
	if (!slab)
		return false;
	*(void **)(void *)slab = pool->slabs;
	pool->slabs = slab;
	pool->slab_bytes = bytes;
	pool->fresh = slab + WEIR_PAGES_ALIGN;
	pool->fresh_end = slab + bytes;
	return true;
}

static inline size_t weir_pool_class_bytes(u32 class)
{
	return (size_t)1 << (class + WEIR_POOL_LEAST_BITS);
}

static inline void weir_pool_recycle(struct weir_pool *pool, void *p, u32 class)
{
	*(void **)p = pool->recycled[class];
	pool->recycled[class] = p;
}

/* The smallest recycled piece that is large enough, cut to size: what growing arrays leave behind is what
 * smaller ones need next. NULL when there is none. */
static inline void *weir_pool_reuse(struct weir_pool *pool, u32 class)
{
	u32 from = class;
	while (from < WEIR_POOL_CLASSES && !pool->recycled[from])
		from++;
	if (from == WEIR_POOL_CLASSES)
		return NULL;
	u8 *p = pool->recycled[from];
	pool->recycled[from] = *(void **)(void *)p;
	while (from > class) {
		from--;
		weir_pool_recycle(pool, p + weir_pool_class_bytes(from), from);
	}
	return p;
}

/* Not zeroed; NULL when out of memory. Give it back with the same size. */
static inline void *weir_pool_get(struct weir_pool *pool, size_t bytes)
{
	if (!weir_pool_serves(pool, bytes))
		return malloc(bytes);
	u32 class = weir_pool_class(bytes);
	void *p = weir_pool_reuse(pool, class);
	if (p)
		return p;
	size_t rounded = weir_pool_class_bytes(class);
	if ((size_t)(pool->fresh_end - pool->fresh) < rounded && !weir_pool_add_slab(pool))
		return NULL;
	p = pool->fresh;
	pool->fresh += rounded;
	return p;
}

static inline void weir_pool_put(struct weir_pool *pool, void *p, size_t bytes)
{
	if (!weir_pool_serves(pool, bytes))
		free(p);
	else if (p)
		weir_pool_recycle(pool, p, weir_pool_class(bytes));
}

/* Everything that was got and put goes at once. */
static inline void weir_pool_free(struct weir_pool *pool)
{
	while (pool->slabs) {
		void *next = *(void **)pool->slabs;
		free(pool->slabs);
		pool->slabs = next;
	}
	*pool = (struct weir_pool){0};
}

#endif
