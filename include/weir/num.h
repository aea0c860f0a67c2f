/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Integer arithmetic that means the same in user space and in BPF: no float, no signed division,
 * no 128-bit product, no compiler builtin that the kernel's verifier refuses. */
#ifndef WEIR_NUM_H
#define WEIR_NUM_H

#include "types.h"

/* Controllers and their kit are always inlined: BPF has no cheap calls. */
#define WEIR_CORE static inline __attribute__((always_inline, unused))

WEIR_CORE u64 weir_min(u64 a, u64 b)
{
	return a < b ? a : b;
}

WEIR_CORE u64 weir_max(u64 a, u64 b)
{
	return a > b ? a : b;
}

WEIR_CORE u64 weir_clamp(u64 x, u64 low, u64 high)
{
	return weir_max(low, weir_min(x, high));
}

/* a - b, or 0 where that would be negative. */
WEIR_CORE u64 weir_sub(u64 a, u64 b)
{
	return a > b ? a - b : 0;
}

/* a + b, or the largest u64. */
WEIR_CORE u64 weir_add(u64 a, u64 b)
{
	return a + b < a ? ~0ULL : a + b;
}

/* a / b, and 0 for a division by zero. */
WEIR_CORE u64 weir_div(u64 a, u64 b)
{
	return b ? a / b : 0;
}

/* Floor of log2(x); 0 for x = 0. */
WEIR_CORE u32 weir_ilog2(u64 x)
{
	u32 r = 0;
	if (x >> 32) {
		x >>= 32;
		r += 32;
	}
	if (x >> 16) {
		x >>= 16;
		r += 16;
	}
	if (x >> 8) {
		x >>= 8;
		r += 8;
	}
	if (x >> 4) {
		x >>= 4;
		r += 4;
	}
	if (x >> 2) {
		x >>= 2;
		r += 2;
	}
	if (x >> 1)
		r += 1;
	return r;
}

/* floor(a * b / c) with a full-width product; the largest u64 where the quotient does not fit,
 * 0 for c = 0. BPF has no 128-bit product: 32-bit halves, then bitwise long division. */
WEIR_CORE u64 weir_muldiv(u64 a, u64 b, u64 c)
{
	if (c == 0)
		return 0;
	if (!((a | b) >> 32))
		return a * b / c;
#ifndef __BPF__
	__extension__ typedef unsigned __int128 u128;
	u128 quotient = (u128)a * b / c;
	return quotient >> 64 ? ~0ULL : (u64)quotient;
#else
	u64 a1 = a >> 32, a0 = a & 0xffffffffULL, b1 = b >> 32, b0 = b & 0xffffffffULL;
	u64 low = a0 * b0, mid1 = a1 * b0, mid2 = a0 * b1;
	u64 carry = ((low >> 32) + (mid1 & 0xffffffffULL) + (mid2 & 0xffffffffULL)) >> 32;
	u64 hi = a1 * b1 + (mid1 >> 32) + (mid2 >> 32) + carry;
	u64 lo = a * b;

	if (hi == 0)
		return lo / c;
	if (hi >= c)
		return ~0ULL;
	u64 q = 0, rem = hi;
	for (int i = 63; i >= 0; i--) {
		u64 top = rem >> 63;
		rem = (rem << 1) | ((lo >> i) & 1);
		if (top || rem >= c) {
			rem -= c;
			q |= 1ULL << i;
		}
	}
	return q;
#endif
}

/* floor(cbrt(x)), exact for every u64. One bit of the root a step. */
WEIR_CORE u64 weir_cbrt(u64 x)
{
	u64 root = 0;
	for (int shift = 63; shift >= 0; shift -= 3) {
		root <<= 1;
		u64 step = 3 * root * (root + 1) + 1;
		if ((x >> shift) >= step) {
			x -= step << shift;
			root++;
		}
	}
	return root;
}

#endif
