/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* log, exp, pow, sin and cos that give the same bits on every machine and compiler: only + - * / on
 * IEEE doubles, integer operations on their bits, no table, no libm, no fused multiply-add (the build
 * says -ffp-contract=off). For results that must be reproducible; libm's may differ in the last place.
 *
 * Method: argument reduction by a constant split into parts of 33 bits, whose small multiples are exact
 * (Cody and Waite, Software Manual for the Elementary Functions, 1980), then the Taylor series, long
 * enough that its rest is below 2^-60; pow carries its logarithm in two doubles (sums and products with
 * their rounding errors: Dekker, Numerische Mathematik 18, 1971). tests/core/test_fmath.c holds each to
 * its bound against libm: log and exp 1 ulp; sin and cos 1 ulp or 2^-100 near their zeros; pow 2 ulp. */
#ifndef WEIR_CORE_FMATH_H
#define WEIR_CORE_FMATH_H

#include "weir/types.h"

#include <math.h> /* sqrt, which IEEE 754 requires to be exact */
#include <string.h>

#define WEIR_INFINITY ((double)INFINITY)
#define WEIR_NAN ((double)NAN)
#define WEIR_LN2_HIGH 0x1.62e42fefp-1 /* 33 bits: a multiple by an exponent is exact */
#define WEIR_LN2_LOW 0x1.473de6af278edp-34
#define WEIR_1_LN2 0x1.71547652b82fep+0
#define WEIR_PI_2_HIGH 0x1.921fb544p+0 /* 33 bits, 33 bits, the rest */
#define WEIR_PI_2_MIDDLE 0x1.0b4611a6p-34
#define WEIR_PI_2_LOW 0x1.3198a2e037073p-69
#define WEIR_2_PI 0x1.45f306dc9c883p-1
#define WEIR_TWO_PI 0x1.921fb54442d18p+2

/* The unevaluated sum high + low, with |low| at most half an ulp of high. */
struct weir_twofold {
	double high, low;
};

static inline u64 weir_double_bits(double x)
{
	u64 bits;
	memcpy(&bits, &x, sizeof bits);
	return bits;
}

static inline double weir_bits_double(u64 bits)
{
	double x;
	memcpy(&x, &bits, sizeof x);
	return x;
}

static inline double weir_sqrt(double x)
{
	return sqrt(x);
}

/* x * 2^k, rounded once, for |k| <= 2000. */
static inline double weir_scale(double x, int k)
{
	for (; k > 1000; k -= 1000)
		x *= 0x1p1000;
	for (; k < -1000; k += 1000)
		x *= 0x1p-1000;
	return x * weir_bits_double((u64)(1023 + k) << 52);
}

/* x = m * 2^k with m in [sqrt(1/2), sqrt(2)), for finite x > 0. */
static inline double weir_split(double x, int *k)
{
	int e = 0;
	if (x < 0x1p-1022) {
		x *= 0x1p54;
		e = -54;
	}
	u64 bits = weir_double_bits(x);
	u64 mantissa = bits & 0xfffffffffffffULL;
	e += (int)(bits >> 52) - 1023;
	bool upper = mantissa >= 0x6a09e667f3bcdULL; /* sqrt(2) */
	*k = e + upper;
	return weir_bits_double(mantissa | (upper ? 1022ULL : 1023ULL) << 52);
}

/* atanh(s) = s + s z (1/3 + z/5 + z^2/7 + ...) with z = s^2: the bracket from the term of z/5 on, times 2.
 * s is at most .172, z at most .0295. */
static inline double weir_atanh_rest(double z)
{
	static const double c[] = {2. / 5,  2. / 7,  2. / 9,  2. / 11, 2. / 13,
				   2. / 15, 2. / 17, 2. / 19, 2. / 21, 2. / 23};
	double sum = c[9];
	for (int i = 8; i >= 0; i--)
		sum = sum * z + c[i];
	return sum;
}

/* Natural logarithm; -infinity for 0, NaN below. */
static inline double weir_log(double x)
{
	if (!(x > 0))
		return x == 0 ? -WEIR_INFINITY : WEIR_NAN;
	if (x == WEIR_INFINITY)
		return x;
	int k;
	double f = weir_split(x, &k) - 1;
	double s = f / (2 + f), z = s * s;
	double r = z * (2. / 3 + z * weir_atanh_rest(z));
	/* log(1 + f) = 2 s + s r, and 2 s = f - s f: f is exact and carries most of the sum */
	return k * WEIR_LN2_HIGH + (f - (s * (f - r) - k * WEIR_LN2_LOW));
}

/* e^(x + low) for a low that is tiny beside x. */
static inline double weir_exp_twofold(double x, double low)
{
	static const double c[] = {1. / 2,	 1. / 6,	1. / 24,	1. / 120,
				   1. / 720,	 1. / 5040,	1. / 40320,	1. / 362880,
				   1. / 3628800, 1. / 39916800, 1. / 479001600, 1. / 6227020800.};
	if (x != x)
		return x;
	if (x > 709.79)
		return WEIR_INFINITY;
	if (x < -745.14)
		return 0;
	int k = (int)(x * WEIR_1_LN2 + (x < 0 ? -.5 : .5));
	double high = x - k * WEIR_LN2_HIGH, rest = low - k * WEIR_LN2_LOW;
	double r = high + rest;
	rest = (high - r) + rest;
	double sum = c[11];
	for (int i = 10; i >= 0; i--)
		sum = sum * r + c[i];
	return weir_scale(1 + (r + (r * r * sum + rest)), k);
}

static inline double weir_exp(double x)
{
	return weir_exp_twofold(x, 0);
}

static inline struct weir_twofold weir_two_sum(double a, double b)
{
	double sum = a + b, t = sum - a;
	return (struct weir_twofold){sum, (a - (sum - t)) + (b - t)};
}

static inline struct weir_twofold weir_two_product(double a, double b)
{
	double t = a * 0x1.000002p27, u = b * 0x1.000002p27; /* 2^27 + 1: halves of 26 bits */
	double a1 = t - (t - a), b1 = u - (u - b), a2 = a - a1, b2 = b - b1, product = a * b;
	return (struct weir_twofold){product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2};
}

static inline struct weir_twofold weir_multiply_twofold(struct weir_twofold a, struct weir_twofold b)
{
	struct weir_twofold p = weir_two_product(a.high, b.high);
	return weir_two_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}

static inline struct weir_twofold weir_add_twofold(struct weir_twofold a, struct weir_twofold b)
{
	struct weir_twofold s = weir_two_sum(a.high, b.high);
	return weir_two_sum(s.high, s.low + (a.low + b.low));
}

/* log(x) to about 66 bits, for finite x > 0. */
static inline struct weir_twofold weir_log_twofold(double x)
{
	int k;
	double m = weir_split(x, &k), f = m - 1;
	struct weir_twofold divisor = weir_two_sum(m, 1), s = {f / divisor.high, 0};
	struct weir_twofold back = weir_two_product(s.high, divisor.high);
	s.low = (((f - back.high) - back.low) - s.high * divisor.low) / divisor.high;

	struct weir_twofold z = weir_multiply_twofold(s, s), cube = weir_multiply_twofold(s, z);
	struct weir_twofold third =
	    weir_multiply_twofold(cube, (struct weir_twofold){2. / 3, 0x1.5555555555555p-55});
	third.low += cube.high * z.high * weir_atanh_rest(z.high);
	struct weir_twofold sum = weir_add_twofold((struct weir_twofold){2 * s.high, 2 * s.low}, third);
	return weir_add_twofold(weir_two_sum(k * WEIR_LN2_HIGH, k * WEIR_LN2_LOW), sum);
}

/* x^y. Of a negative x only integral powers are real; others are NaN. x^0 = 1. */
static inline double weir_pow(double x, double y)
{
	if (y == 0 || x == 1)
		return 1;
	if (x != x || y != y)
		return WEIR_NAN;
	double sign = 1;
	if (x < 0) {
		double size = y < 0 ? -y : y;
		if (size < 0x1p53 && size != (double)(u64)size)
			return WEIR_NAN;
		if (size < 0x1p53 && (u64)size % 2)
			sign = -1;
		x = -x;
	}
	if (x == 0 || x == WEIR_INFINITY)
		return sign * ((x == 0) == (y > 0) ? 0 : WEIR_INFINITY);
	struct weir_twofold l = weir_log_twofold(x);
	double rough = y * l.high;
	if (rough > 710 || rough < -746)
		return sign * (rough > 0 ? WEIR_INFINITY : 0);
	struct weir_twofold e = weir_two_product(y, l.high);
	return sign * weir_exp_twofold(e.high, e.low + y * l.low);
}

/* sin(r + low) and cos(r + low) for |r| <= pi/4 and a tiny low. */
static inline double weir_sin_kernel(double r, double low)
{
	static const double c[] = {
	    -1. / 6,	    1. / 120,	      -1. / 5040,	    1. / 362880,
	    -1. / 39916800, 1. / 6227020800., -1. / 1307674368000., 1. / 355687428096000.};
	double z = r * r, sum = c[7];
	for (int i = 6; i >= 0; i--)
		sum = sum * z + c[i];
	return r + (r * z * sum + low * (1 - z / 2));
}

static inline double weir_cos_kernel(double r, double low)
{
	static const double c[] = {1. / 24,	    -1. / 720,		1. / 40320,	     -1. / 3628800,
				   1. / 479001600., -1. / 87178291200., 1. / 20922789888000.};
	double z = r * r, half = z / 2, one = 1 - half, sum = c[6];
	for (int i = 5; i >= 0; i--)
		sum = sum * z + c[i];
	return one + (((1 - one) - half) + (z * z * sum - r * low));
}

/* sin(x) for quarter 0, cos(x) for quarter 1. */
static inline double weir_sin_quarter(double x, u64 quarter)
{
	if (!(x <= 0x1p20 && x >= -0x1p20))
		return WEIR_NAN;
	i64 n = (i64)(x * WEIR_2_PI + (x < 0 ? -.5 : .5));
	double k = (double)n;
	struct weir_twofold r = weir_two_sum(x - k * WEIR_PI_2_HIGH, -k * WEIR_PI_2_MIDDLE);
	r = weir_two_sum(r.high, r.low - k * WEIR_PI_2_LOW);
	quarter += (u64)n;
	double y = quarter & 1 ? weir_cos_kernel(r.high, r.low) : weir_sin_kernel(r.high, r.low);
	return quarter & 2 ? -y : y;
}

/* For |x| <= 2^20 radians; beyond it, where phases lose their meaning, NaN. */
static inline double weir_sin(double x)
{
	return weir_sin_quarter(x, 0);
}

static inline double weir_cos(double x)
{
	return weir_sin_quarter(x, 1);
}

#endif
