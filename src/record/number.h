/* SPDX-License-Identifier: MIT */
/* How a number is written in every file that Weir makes: one rule, so that two runs differ in no byte. */
#ifndef WEIR_RECORD_NUMBER_H
#define WEIR_RECORD_NUMBER_H

#include "weir/types.h"

#define WEIR_NUMBER_MAX 32

/* The shortest decimal that reads back as exactly `x`, laid out as ECMAScript does: plain digits for
 * 1e-6 <= |x| < 1e21, else d.ddde-7 or d.ddde+21. The point is '.' whatever the locale, -0 is 0.
 * Returns the length, and 0 (an empty string) for NaN and infinities, which no format of ours can hold. */
u32 weir_number_format(char out[WEIR_NUMBER_MAX], double x);

/* value / 10^decimals without trailing zeros: the shortest form when value < 10^15, and much faster.
 * decimals <= 9. */
u32 weir_number_fixed(char out[WEIR_NUMBER_MAX], u64 value, u32 decimals);

#endif
