/* SPDX-License-Identifier: MIT */
#include "number.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static u32 write_u64(char *out, u64 x)
{
	char reversed[20];
	u32 n = 0;
	do {
		reversed[n++] = (char)('0' + x % 10);
		x /= 10;
	} while (x);
	for (u32 i = 0; i < n; i++)
		out[i] = reversed[n - 1 - i];
	return n;
}

u32 weir_number_fixed(char out[WEIR_NUMBER_MAX], u64 value, u32 decimals)
{
	static const u64 power[] = {1,	    10,	     100,      1000,	  10000,
				    100000, 1000000, 10000000, 100000000, 1000000000};
	assert(decimals < sizeof power / sizeof power[0]);
	u64 fraction = value % power[decimals];
	u32 n = write_u64(out, value / power[decimals]);
	if (fraction) {
		while (fraction % 10 == 0) {
			fraction /= 10;
			decimals--;
		}
		out[n] = '.';
		for (u32 i = decimals; i > 0; i--) {
			out[n + i] = (char)('0' + fraction % 10);
			fraction /= 10;
		}
		n += 1 + decimals;
	}
	out[n] = 0;
	return n;
}

/* Most values are short decimals. With m < 10^15 and an exact power of ten the division rounds
 * correctly, so m / 10^k == x proves that these digits read back as x, and of two decimals with at
 * most 15 digits only one can. */
static u32 format_short(char *out, double x)
{
	if (x > 0 && x < 1e-6)
		return 0;
	static const double power[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
	for (u32 k = 0; k <= 9; k += k == 0 ? 1 : 2) {
		double scaled = x * power[k];
		if (scaled >= 1e15)
			return 0;
		u64 m = (u64)(scaled + 0.5);
		if ((double)m / power[k] == x)
			return weir_number_fixed(out, m, k);
	}
	return 0;
}

/* Shortest digits d[0] d[1] ... and the decimal exponent of d[0]. */
static int shortest_digits(double x, char digits[20], u32 *n)
{
	char text[48];
	for (int precision = x < DBL_MIN ? 0 : 14; precision <= 16; precision++) {
		snprintf(text, sizeof text, "%.*e", precision, x);
		if (strtod(text, NULL) == x)
			break;
	}
	/* The locale's point may be any bytes: take the digits and leave the rest. */
	char *p = text;
	u32 count = 0;
	for (; *p && *p != 'e'; p++)
		if (*p >= '0' && *p <= '9')
			digits[count++] = *p;
	while (count > 1 && digits[count - 1] == '0')
		count--;
	*n = count;
	return *p == 'e' ? atoi(p + 1) : 0;
}

static u32 lay_out(char *out, const char *digits, u32 n, int exponent)
{
	u32 len = 0;
	if (exponent < -6 || exponent >= 21) {
		out[len++] = digits[0];
		if (n > 1) {
			out[len++] = '.';
			memcpy(out + len, digits + 1, n - 1);
			len += n - 1;
		}
		out[len++] = 'e';
		out[len++] = exponent < 0 ? '-' : '+';
		return len + write_u64(out + len, (u64)abs(exponent));
	}
	if (exponent < 0) {
		out[len++] = '0';
		out[len++] = '.';
		for (int i = -1; i > exponent; i--)
			out[len++] = '0';
		memcpy(out + len, digits, n);
		return len + n;
	}
	u32 before = (u32)exponent + 1;
	for (u32 i = 0; i < before || i < n; i++) {
		if (i == before)
			out[len++] = '.';
		out[len++] = i < n ? digits[i] : '0';
	}
	return len;
}

u32 weir_number_format(char out[WEIR_NUMBER_MAX], double x)
{
	out[0] = 0;
	if (!isfinite(x))
		return 0;
	u32 sign = x < 0;
	if (sign)
		out[0] = '-';
	u32 n = format_short(out + sign, fabs(x));
	if (n)
		return sign + n;
	char digits[20] = {0};
	int exponent = shortest_digits(fabs(x), digits, &n);
	n = sign + lay_out(out + sign, digits, n, exponent);
	assert(n < WEIR_NUMBER_MAX);
	out[n] = 0;
	return n;
}
