/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Integer arithmetic that means the same in user space and in BPF: no float, no signed division,
 * no 128-bit product, no compiler builtin that the kernel's verifier refuses. */
#ifndef WEIR_NUM_H
#define WEIR_NUM_H

#include "types.h"

/* Controllers and their kit are always inlined: in BPF only then are their pointers understood. What has many
 * branches and only numbers is not: there it is a function of its own, which the kernel's verifier looks at
 * once instead of once for each way that leads to it. */
#define WEIR_CORE static inline __attribute__((always_inline, unused))
#ifdef __BPF__
#define WEIR_CORE_APART __attribute__((noinline))
u32 weir_ilog2(u64 x);
u64 weir_muldiv_wide(u64 a, u64 b, u64 c);
u64 weir_cbrt(u64 x);
u64 weir_log2(u64 x);
u64 weir_exp2(u64 x);
#else
#define WEIR_CORE_APART WEIR_CORE
#endif

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
WEIR_CORE_APART u32 weir_ilog2(u64 x)
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

/* One digit of 2^32 of a quotient: floor((rest 2^32 + next) / c) for rest < c and c >= 2^63, and in *rest
 * what remains. The quotient by the upper half of c is at most 2 too large (D. Knuth, TAOCP 4.3.1, theorem
 * B). */
WEIR_CORE u64 weir_div_digit(u64 *rest, u64 next, u64 c)
{
	u64 c1 = c >> 32, c0 = c & 0xffffffffULL;
	u64 q = *rest / c1, r = *rest % c1;
	if (q >> 32 || q * c0 > ((r << 32) | next)) {
		q--;
		r += c1;
		if (!(r >> 32) && (q >> 32 || q * c0 > ((r << 32) | next)))
			q--;
	}
	*rest = ((*rest << 32) | next) - q * c;
	return q;
}

/* floor((hi 2^64 + lo) / c) for hi < c. */
WEIR_CORE u64 weir_div_wide(u64 hi, u64 lo, u64 c)
{
	u32 shift = 63 - weir_ilog2(c);
	u64 rest = shift ? (hi << shift) | (lo >> (64 - shift)) : hi;
	lo <<= shift;
	c <<= shift;
	u64 upper = weir_div_digit(&rest, lo >> 32, c);
	return (upper << 32) | weir_div_digit(&rest, lo & 0xffffffffULL, c);
}

/* weir_muldiv without a 128-bit product, which BPF and 32-bit machines lack. */
WEIR_CORE_APART u64 weir_muldiv_wide(u64 a, u64 b, u64 c)
{
	u64 a1 = a >> 32, a0 = a & 0xffffffffULL, b1 = b >> 32, b0 = b & 0xffffffffULL;
	u64 low = a0 * b0, mid1 = a1 * b0, mid2 = a0 * b1;
	u64 carry = ((low >> 32) + (mid1 & 0xffffffffULL) + (mid2 & 0xffffffffULL)) >> 32;
	u64 hi = a1 * b1 + (mid1 >> 32) + (mid2 >> 32) + carry;
	u64 lo = a * b;
	if (hi == 0)
		return c ? lo / c : 0;
	return hi >= c ? ~0ULL : weir_div_wide(hi, lo, c);
}

/* floor(a * b / c) with a full-width product; the largest u64 where the quotient does not fit,
 * 0 for c = 0. */
WEIR_CORE u64 weir_muldiv(u64 a, u64 b, u64 c)
{
	if (c == 0)
		return 0;
	if (!((a | b) >> 32))
		return a * b / c;
#if !defined(__BPF__) && defined(__SIZEOF_INT128__)
	__extension__ typedef unsigned __int128 u128;
	u128 quotient = (u128)a * b / c;
	return quotient >> 64 ? ~0ULL : (u64)quotient;
#else
	return weir_muldiv_wide(a, b, c);
#endif
}

/* floor(cbrt(x)), exact for every u64. One bit of the root a step, without a branch: the verifier would walk
 * all 2^22 ways through them. What is left of x is below 2^50 units of the step, so that a difference below 0
 * shows in its last bit. */
WEIR_CORE_APART u64 weir_cbrt(u64 x)
{
	u64 root = 0;
	for (int shift = 63; shift >= 0; shift -= 3) {
		root <<= 1;
		u64 step = 3 * root * (root + 1) + 1;
		u64 less = ((x >> shift) - step) >> 63;
		x -= (step << shift) & (less - 1);
		root += 1 - less;
	}
	return root;
}

/* log2(x) in 2^-16, at most two of them too small; 0 for x = 0. One bit of the fraction a step: squaring
 * doubles the logarithm. */
WEIR_CORE_APART u64 weir_log2(u64 x)
{
	u32 whole = weir_ilog2(x);
	u64 part = (x << (63 - whole)) >> 32, log = whole; /* part: 2^31 is 1 */
	for (int i = 0; i < 16; i++) {
		part = (part * part) >> 31;
		u64 bit = part >> 32;
		part >>= bit;
		log = (log << 1) | bit;
	}
	return log;
}

/* 2^x for x in 2^-16, truncated, to within two millionths; the largest u64 where that does not fit. The
 * Taylor series, its coefficients in 2^-32. */
WEIR_CORE_APART u64 weir_exp2(u64 x)
{
	u64 whole = x >> 16, part = (x & 0xffffU) << 16, sum = 65510; /* ln(2)^7 / 7! */
	if (whole > 63)
		return ~0ULL;
	sum = 661577 + ((sum * part) >> 32);
	sum = 5726720 + ((sum * part) >> 32);
	sum = 41309550 + ((sum * part) >> 32);
	sum = 238388332 + ((sum * part) >> 32);
	sum = 1031764991 + ((sum * part) >> 32);
	sum = 2977044472 + ((sum * part) >> 32);
	sum = (1ULL << 32) + ((sum * part) >> 32);
	return whole < 32 ? sum >> (32 - whole) : sum << (whole - 32);
}

#endif
