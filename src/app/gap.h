/* SPDX-License-Identifier: MIT */
/* Times between two writes or two datagrams, with what rounding to ns leaves over carried on, so that the
 * rate holds over any length. Inside app/ only. */
#ifndef WEIR_APP_GAP_H
#define WEIR_APP_GAP_H

#include "core/draw.h"
#include "weir/num.h"

/* A gap or a period is at most this, so that no sum of times wraps: 146 years. */
#define WEIR_APP_GAP_MAX_NS (1ULL << 62)

/* at + gap, never beyond "never". */
static inline u64 weir_app_after(u64 at_ns, u64 gap_ns)
{
	return weir_add(at_ns, weir_min(gap_ns, WEIR_APP_GAP_MAX_NS));
}

/* Exactly bytes * 8 / rate_bps on average; *carry holds the remainder in units of 1/rate ns. At least
 * 1 ns: a chunk each ns is the fastest that there is. 0 < rate_bps < 2^63. */
static inline u64 weir_app_gap_equal(u64 bytes, u64 rate_bps, i64 *carry)
{
	__extension__ typedef unsigned __int128 u128;
	u128 bit_ns = (u128)bytes * (8 * WEIR_NS_PER_S) + (u64)*carry;
	u128 gap = bit_ns / rate_bps;

	*carry = (i64)(u64)(bit_ns % rate_bps);
	if (gap > WEIR_APP_GAP_MAX_NS)
		return WEIR_APP_GAP_MAX_NS;
	return weir_max((u64)gap, 1);
}

/* Exponential with this mean, in ns, at most WEIR_APP_GAP_MAX_NS. */
static inline double weir_app_exponential(struct weir_rng *rng, double mean_ns)
{
	double x = weir_draw_exponential(rng, mean_ns);
	return x < (double)WEIR_APP_GAP_MAX_NS ? x : (double)WEIR_APP_GAP_MAX_NS;
}

/* An exponential gap of at least 1 ns. *carry holds the fraction, or the debt that the floor of 1 ns made,
 * in units of 2^-32 ns, so that the mean is not moved by either. */
static inline u64 weir_app_gap_poisson(struct weir_rng *rng, u64 bytes, u64 rate_bps, i64 *carry)
{
	double x = weir_app_exponential(rng, (double)bytes * 8e9 / (double)rate_bps);
	u64 whole = (u64)x;
	i64 fraction = (i64)((x - (double)whole) * 0x1p32) + *carry;
	i64 gap = (i64)whole;

	if (fraction < 0 && gap > 1) { /* pay back */
		i64 step = (-fraction + 0xffffffffLL) / 0x100000000LL;
		step = step < gap - 1 ? step : gap - 1;
		gap -= step;
		fraction += step * 0x100000000LL;
	}
	if (fraction >= 0x100000000LL) {
		gap++;
		fraction -= 0x100000000LL;
	}
	if (gap < 1) {
		fraction -= 0x100000000LL;
		gap = 1;
	}
	/* Faster than a datagram each ns cannot be had: forget such a debt. */
	*carry = fraction < -(1LL << 52) ? -(1LL << 52) : fraction;
	return (u64)gap;
}

#endif
