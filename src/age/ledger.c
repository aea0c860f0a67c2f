/* SPDX-License-Identifier: MIT */
#include "ledger.h"

#include "weir/num.h"

#include <string.h>

#define SUB (1u << WEIR_AGE_SPREAD_SUB_BITS)

/* ---- the distribution ----
 * A segment of the sawtooth from age a to age b spends x - a below an age x in between. So the time below x
 * is the sum over segments of (x - a)+ - (x - b)+: only counts and sums of the ends below x are needed. */

static u32 spread_bucket(u64 age_ns)
{
	u64 x_us = age_ns / WEIR_NS_PER_US;
	if (x_us < SUB)
		return (u32)x_us;
	u32 shift = weir_ilog2(x_us) - WEIR_AGE_SPREAD_SUB_BITS;
	u32 i = (shift << WEIR_AGE_SPREAD_SUB_BITS) + (u32)(x_us >> shift);
	return i < WEIR_AGE_SPREAD_BUCKETS ? i : WEIR_AGE_SPREAD_BUCKETS - 1;
}

/* Least age of a bucket. */
static double spread_border_s(u32 i)
{
	if (i < 2 * SUB)
		return i * 1e-6;
	u32 shift = (i >> WEIR_AGE_SPREAD_SUB_BITS) - 1;
	return (double)((u64)(i - (shift << WEIR_AGE_SPREAD_SUB_BITS)) << shift) * 1e-6;
}

static void spread_end(struct weir_age_spread *s, u64 age_ns, double sign)
{
	struct weir_age_spread_bucket *b = &s->bucket[spread_bucket(age_ns)];
	b->ends += sign;
	b->sum_s += sign * ((double)age_ns * 1e-9);
}

double weir_age_spread_quantile_s(const struct weir_age_spread *s, double q)
{
	double wanted_s = q * s->time_s, ends = 0, sum_s = 0, below_s = 0, largest_s = 0;
	for (u32 i = 0; i + 1 < WEIR_AGE_SPREAD_BUCKETS; i++) {
		ends += s->bucket[i].ends;
		sum_s += s->bucket[i].sum_s;
		double low_s = spread_border_s(i), high_s = spread_border_s(i + 1);
		double upto_s = high_s * ends - sum_s;
		if (upto_s <= below_s)
			continue;
		if (upto_s >= wanted_s) {
			double part = (wanted_s - below_s) / (upto_s - below_s);
			return low_s + (part > 0 ? part : 0) * (high_s - low_s);
		}
		if (upto_s - below_s > 1e-9 * s->time_s) /* else rounding, where nothing is */
			largest_s = high_s;
		below_s = upto_s;
	}
	return largest_s;
}

/* ---- the sums ---- */

void weir_ledger_init(struct weir_ledger *l, u64 bound_ns)
{
	memset(l, 0, sizeof *l);
	l->bound_ns = bound_ns;
}

void weir_ledger_advance(struct weir_ledger *l, struct weir_age_spread *spread, u64 now_ns)
{
	if (!l->known || now_ns <= l->until_ns)
		return;
	u64 from_ns = l->until_ns - l->generated_ns, to_ns = now_ns - l->generated_ns;
	double length_s = (double)(to_ns - from_ns) * 1e-9;
	l->area_s2 += length_s * ((double)from_ns * 1e-9 + length_s / 2);
	if (l->bound_ns && to_ns > l->bound_ns)
		l->over_s += (double)(to_ns - weir_max(from_ns, l->bound_ns)) * 1e-9;
	if (spread) {
		spread_end(spread, from_ns, 1);
		spread_end(spread, to_ns, -1);
		spread->time_s += length_s;
	}
	l->until_ns = now_ns;
}

static void ledger_take(struct weir_ledger *l, u64 generated_ns)
{
	double peak_s = (double)(l->until_ns - l->generated_ns) * 1e-9;
	l->peak_sum_s += peak_s;
	l->peak_max_s = peak_s > l->peak_max_s ? peak_s : l->peak_max_s;
	l->peaks++;
	l->values++;
	l->generated_ns = generated_ns;
}

void weir_ledger_replace(struct weir_ledger *l, struct weir_age_spread *spread, u64 now_ns, u64 generated_ns)
{
	now_ns = weir_max(now_ns, l->until_ns);
	generated_ns = weir_min(generated_ns, now_ns);
	if (l->known) {
		weir_ledger_advance(l, spread, now_ns);
		ledger_take(l, generated_ns);
		return;
	}
	l->known = true;
	l->begin_ns = l->until_ns = now_ns;
	l->generated_ns = generated_ns;
	l->values = 1;
}

bool weir_ledger_value(struct weir_ledger *l, struct weir_age_spread *spread, u64 now_ns, u64 generated_ns)
{
	if (l->known && weir_min(generated_ns, weir_max(now_ns, l->until_ns)) <= l->generated_ns) {
		weir_ledger_advance(l, spread, now_ns);
		return false;
	}
	weir_ledger_replace(l, spread, now_ns, generated_ns);
	return true;
}

void weir_ledger_restart(struct weir_ledger *l, struct weir_age_spread *spread, u64 now_ns)
{
	u64 generated_ns = l->generated_ns;
	bool known = l->known;
	now_ns = weir_max(now_ns, l->until_ns);
	weir_ledger_init(l, l->bound_ns);
	if (spread)
		memset(spread, 0, sizeof *spread);
	if (!known)
		return;
	l->known = true;
	l->begin_ns = l->until_ns = now_ns;
	l->generated_ns = generated_ns;
}

double weir_ledger_age_s(const struct weir_ledger *l, u64 now_ns)
{
	return l->known ? (double)(weir_max(now_ns, l->until_ns) - l->generated_ns) * 1e-9 : 0;
}

double weir_ledger_time_s(const struct weir_ledger *l)
{
	return (double)(l->until_ns - l->begin_ns) * 1e-9;
}

double weir_ledger_mean_s(const struct weir_ledger *l)
{
	double time_s = weir_ledger_time_s(l);
	return time_s > 0 ? l->area_s2 / time_s : 0;
}

double weir_ledger_peak_mean_s(const struct weir_ledger *l)
{
	return l->peaks ? l->peak_sum_s / (double)l->peaks : 0;
}

double weir_ledger_over_fraction(const struct weir_ledger *l)
{
	double time_s = weir_ledger_time_s(l);
	return time_s > 0 ? l->over_s / time_s : 0;
}
