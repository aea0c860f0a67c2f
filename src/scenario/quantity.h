/* SPDX-License-Identifier: MIT */
/* Numbers with units, as people write them: `96 Mbit/s`, `12.5 ms`, `64 KiB`, `2 BDP`, `1%`. Decimal and
 * exact: no floating point on the way to an integer, no locale. What lies between two values of the
 * resolution (1 ns, 1 bit/s, 1 byte, a millionth) is rounded to the nearer one. */
#ifndef WEIR_SCENARIO_QUANTITY_H
#define WEIR_SCENARIO_QUANTITY_H

#include "weir/num.h"

enum weir_quantity {
	WEIR_QUANTITY_COUNT,	 /* whole, no unit */
	WEIR_QUANTITY_RATE,	 /* bit/s; also written in B/s */
	WEIR_QUANTITY_TIME,	 /* ns */
	WEIR_QUANTITY_BYTES,	 /* bytes */
	WEIR_QUANTITY_PACKETS,	 /* whole; the unit may be left out */
	WEIR_QUANTITY_RATIO,	 /* millionths; written as a plain number or in % */
	WEIR_QUANTITY_BDP,	 /* millionths of a bandwidth-delay product */
	WEIR_QUANTITY_FREQUENCY, /* millionths of a Hz */
};

/* Bit of a kind in a set of kinds. */
#define WEIR_QUANTITY_BIT(kind) (1u << (kind))

#define WEIR_QUANTITY_ERROR 200 /* room for a message */

/* Reads `text` as one of the kinds in the set (WEIR_QUANTITY_BIT); *kind says which by its unit. False: the
 * text is wrong and `error` says why, e.g. "15 has no unit: write 15 ms or 15 s". */
bool weir_quantity_any(const char *text, u32 kinds, enum weir_quantity *kind, u64 *value,
		       char error[WEIR_QUANTITY_ERROR]);
bool weir_quantity(const char *text, enum weir_quantity kind, u64 *value, char error[WEIR_QUANTITY_ERROR]);

/* A plain decimal number or one in %, as the nearest double; at most 15 digits, not below 1e-22. */
bool weir_quantity_fraction(const char *text, double *value, char error[WEIR_QUANTITY_ERROR]);

/* The value with the largest unit that keeps it short and exact: "12.5 ms", "10 Tbit/s". */
void weir_quantity_print(enum weir_quantity kind, u64 value, char out[48]);

#endif
