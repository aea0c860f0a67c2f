/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Short decimals without strtod, which series of millions of rows would spend most of their time in. */
#ifndef WEIR_CORE_DECIMAL_H
#define WEIR_CORE_DECIMAL_H

#include "weir/types.h"

/* The value of [-]digits[.digits] with at most 15 digits: both the integer and the power of ten are exact
 * doubles then, and so their quotient is rounded once, to the same double as strtod's (Clinger 1990). False
 * for anything else, however valid. */
static inline bool weir_decimal_plain(const char *text, double *x)
{
	static const double power[] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,	 1e6,  1e7,
				       1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
	bool negative = *text == '-';
	u64 digits = 0;
	u32 n = 0, after_point = 0;
	const char *in = text + negative;
	for (; *in >= '0' && *in <= '9' && n <= 15; in++, n++)
		digits = 10 * digits + (u64)(*in - '0');
	if (n && *in == '.') {
		for (in++; *in >= '0' && *in <= '9' && n <= 15; in++, n++, after_point++)
			digits = 10 * digits + (u64)(*in - '0');
		if (after_point == 0)
			return false;
	}
	if (*in || n == 0 || n > 15)
		return false;
	double value = (double)(i64)digits / power[after_point];
	*x = negative ? -value : value;
	return true;
}

#endif
