/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The increase and the decrease of HighSpeed TCP (RFC 3649 section 5), for the controllers that use them.
 * With w the window in packets, from Low_Window 38 to High_Window 83000:
 *   b(w) = .5 - .4 (log w - log 38) / (log 83000 - log 38)       what a loss takes of the window
 *   a(w) = w^2 p(w) 2 b(w) / (2 - b(w)),  p(w) = .078 / w^1.2    segments a round
 * Below, a = 1 and b = 1/2, as Reno. Above, b stays at .1, its end, and a goes on by its formula. */
#ifndef WEIR_CORE_HIGHSPEED_H
#define WEIR_CORE_HIGHSPEED_H

#include "core/window.h"

#define WEIR_HIGHSPEED_LOW_LOG2 343928ULL   /* of 38, in 2^-16 */
#define WEIR_HIGHSPEED_HIGH_LOG2 1070912ULL /* of 83000 */

struct weir_highspeed {
	u64 window_bytes; /* the window that the two below are of; 0: none yet */
	u32 increase;	  /* a(w): WEIR_RATE_ONE is one segment */
	u32 cut;	  /* b(w): WEIR_RATIO_ONE is one */
};

/* log2 of the window in packets, in 2^-16; 0 for less than a packet. */
WEIR_CORE u64 weir_window_log2(u64 window_bytes, u64 mss_bytes)
{
	return weir_sub(weir_log2(window_bytes), weir_log2(mss_bytes));
}

WEIR_CORE u32 weir_highspeed_cut(u64 packets_log2)
{
	u64 log = weir_clamp(packets_log2, WEIR_HIGHSPEED_LOW_LOG2, WEIR_HIGHSPEED_HIGH_LOG2);
	return (u32)(500000 - 400000 * (log - WEIR_HIGHSPEED_LOW_LOG2) /
				  (WEIR_HIGHSPEED_HIGH_LOG2 - WEIR_HIGHSPEED_LOW_LOG2));
}

WEIR_CORE u32 weir_highspeed_rate(u64 packets_log2, u64 cut)
{
	if (packets_log2 <= WEIR_HIGHSPEED_LOW_LOG2)
		return WEIR_RATE_ONE;
	u64 power = weir_exp2(packets_log2 * 4 / 5 + (WEIR_RATE_BITS << 16)); /* w^.8 */
	u64 rate = weir_muldiv(power, 156 * cut, 1000 * (2 * WEIR_RATIO_ONE - cut));
	return (u32)weir_clamp(rate, WEIR_RATE_ONE, 0xffffffffU);
}

WEIR_CORE void weir_highspeed_init(struct weir_highspeed *h)
{
	h->window_bytes = 0;
	h->increase = WEIR_RATE_ONE;
	h->cut = WEIR_RATIO_ONE / 2;
}

/* Computed anew only when the window has moved, which on most ACKs it has not. */
WEIR_CORE void weir_highspeed_at(struct weir_highspeed *h, u64 window_bytes, u64 mss_bytes)
{
	if (h->window_bytes == window_bytes)
		return;
	u64 log = weir_window_log2(window_bytes, mss_bytes);
	h->window_bytes = window_bytes;
	h->cut = weir_highspeed_cut(log);
	h->increase = weir_highspeed_rate(log, h->cut);
}

/* What a loss leaves of this window. */
WEIR_CORE u64 weir_highspeed_target(struct weir_highspeed *h, u64 window_bytes, u64 mss_bytes)
{
	weir_highspeed_at(h, window_bytes, mss_bytes);
	return window_bytes - weir_muldiv(window_bytes, h->cut, WEIR_RATIO_ONE);
}

#endif
