/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Memory for large arrays that are walked at random: on large pages where the system has them. A hundred
 * thousand flows and the packets between them are far more than the TLB covers in small ones. */
#ifndef WEIR_CORE_PAGES_H
#define WEIR_CORE_PAGES_H

#include <stdlib.h>
#include <sys/mman.h>

#define WEIR_PAGES_LARGE ((size_t)2 << 20)
#define WEIR_PAGES_ALIGN ((size_t)64) /* of smaller arrays: a line of the cache */

/* Not zeroed; freed by free(). NULL when out of memory. */
static inline void *weir_pages_alloc(size_t bytes)
{
	size_t align = bytes < WEIR_PAGES_LARGE ? WEIR_PAGES_ALIGN : WEIR_PAGES_LARGE;
	size_t rounded = (bytes + align - 1) & ~(align - 1);
	void *pages = rounded < bytes ? NULL : aligned_alloc(align, rounded);
#ifdef MADV_HUGEPAGE
	if (pages && align == WEIR_PAGES_LARGE)
		(void)madvise(pages, rounded, MADV_HUGEPAGE); /* advice: refusing it changes no result */
#endif
	return pages;
}

#endif
