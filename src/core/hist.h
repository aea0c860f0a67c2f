/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Log-linear histogram: 64 equal steps in each power of two, so that a quantile is within .8 % of the
 * exact one over the whole range of u64. Fixed size, merge is addition. The mean is exact. */
#ifndef WEIR_CORE_HIST_H
#define WEIR_CORE_HIST_H

#include "weir/num.h"

#define WEIR_HIST_SUB_BITS 6
#define WEIR_HIST_SUB (1u << WEIR_HIST_SUB_BITS)
#define WEIR_HIST_BUCKETS ((64 - WEIR_HIST_SUB_BITS + 1) * WEIR_HIST_SUB)

struct weir_hist {
	u64 n, min, max;
	double sum;
	u64 bucket[WEIR_HIST_BUCKETS];
};

static inline u32 weir_hist_index(u64 x)
{
	if (x < WEIR_HIST_SUB)
		return (u32)x;
	u32 shift = 63 - (u32)__builtin_clzll(x) - WEIR_HIST_SUB_BITS;
	return (shift << WEIR_HIST_SUB_BITS) + (u32)(x >> shift);
}

/* Middle of the values that share a bucket. */
static inline double weir_hist_middle(u32 index)
{
	if (index < 2 * WEIR_HIST_SUB)
		return index;
	u32 shift = (index >> WEIR_HIST_SUB_BITS) - 1;
	u64 low = (u64)(index - (shift << WEIR_HIST_SUB_BITS)) << shift;
	return (double)low + (double)((1ULL << shift) - 1) / 2;
}

static inline void weir_hist_add(struct weir_hist *h, u64 x)
{
	if (__builtin_expect(x - h->min > h->max - h->min || h->n == 0, 0)) { /* outside [min, max] */
		h->min = h->n == 0 || x < h->min ? x : h->min;
		h->max = x > h->max ? x : h->max;
	}
	h->n++;
	h->sum += (double)(i64)x; /* one instruction, where u64 takes many; no value is that large */
	h->bucket[weir_hist_index(x)]++;
}

static inline void weir_hist_merge(struct weir_hist *into, const struct weir_hist *from)
{
	if (from->n == 0)
		return;
	into->min = into->n == 0 ? from->min : weir_min(into->min, from->min);
	into->max = weir_max(into->max, from->max);
	into->n += from->n;
	into->sum += from->sum;
	for (u32 i = 0; i < WEIR_HIST_BUCKETS; i++)
		into->bucket[i] += from->bucket[i];
}

/* Back to empty, touching only what was used: where nothing may be late, pages that nobody wrote to shall not
 * be made for it. */
static inline void weir_hist_clear(struct weir_hist *h)
{
	if (h->n == 0)
		return;
	for (u32 i = weir_hist_index(h->min), last = weir_hist_index(h->max); i <= last; i++)
		h->bucket[i] = 0;
	h->n = h->min = h->max = 0;
	h->sum = 0;
}

static inline double weir_hist_mean(const struct weir_hist *h)
{
	return h->n ? h->sum / (double)h->n : 0;
}

/* The smallest value with at least a share q of all values at or below it; 0 when empty. */
static inline double weir_hist_quantile(const struct weir_hist *h, double q)
{
	if (h->n == 0)
		return 0;
	double rank = q * (double)h->n;
	u64 seen = 0;
	for (u32 i = 0; i < WEIR_HIST_BUCKETS; i++) {
		seen += h->bucket[i];
		if (h->bucket[i] && (double)seen >= rank) {
			double x = weir_hist_middle(i);
			x = x < (double)h->min ? (double)h->min : x;
			return x > (double)h->max ? (double)h->max : x;
		}
	}
	return (double)h->max;
}

#endif
