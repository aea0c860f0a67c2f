/* SPDX-License-Identifier: MIT */
/* How quantities and flows look: units, prefixes, digits, and which colour belongs to whom. The colours
 * themselves stand in style.css, once for light and once for dark. */
#ifndef WEIR_REPORT_THEME_H
#define WEIR_REPORT_THEME_H

#include "weir/types.h"

#define WEIR_THEME_COLOURS 8 /* --c0 ... --c7 in style.css */
#define WEIR_THEME_DASHES 3  /* solid, dashed, dotted: charts.js and style.css know the lengths */
#define WEIR_THEME_LINES_MAX 12
#define WEIR_THEME_NEUTRAL 8 /* --c8: sums, capacities and whatever is nobody's own */

enum weir_dimension {
	WEIR_PLAIN,   /* no unit */
	WEIR_RATE,    /* bit/s */
	WEIR_BYTES,   /* bytes */
	WEIR_TIME,    /* ms */
	WEIR_SHARE,   /* a fraction, shown in % */
	WEIR_COUNT,   /* things: 12,345 */
	WEIR_PACKETS, /* packets */
	WEIR_OFTEN,   /* Hz */
};
#define WEIR_DIMENSIONS (WEIR_OFTEN + 1)

/* A signal's dimension by the end of its name (rtt_ms, pacing_bps, pacing_Bps, cwnd_bytes, ...), and the
 * factor that brings its values to that dimension's base unit. */
struct weir_unit {
	enum weir_dimension dimension;
	double factor;
};
struct weir_unit weir_unit_of(const char *signal);
/* The same by the name of a unit, as the tables of controllers hold it: "ns", "bytes", "Bps", ... */
struct weir_unit weir_unit_named(const char *unit);
/* "goodput_bps" -> "goodput": the name without its unit, '_' as ' '. Bounded; returns out. */
const char *weir_signal_words(const char *signal, char *out, u32 room);

/* The prefix that suits values up to `max`: chart value = value / divisor, in `symbol`. */
struct weir_scale {
	double divisor;
	const char *symbol;
};
struct weir_scale weir_scale_for(enum weir_dimension dimension, double max);

#define WEIR_PRETTY_MAX 48
/* "48.2 Mbit/s", "150 kB", "25.3 ms", "0.02 %", "12,345". Three significant digits; a dash for NaN and
 * infinities. Returns out. */
const char *weir_pretty(char out[WEIR_PRETTY_MAX], enum weir_dimension dimension, double value);
/* The same without the unit and with `digits` significant ones, for a value that is already scaled. */
const char *weir_digits(char out[WEIR_PRETTY_MAX], double value, u32 digits);

/* The n-th line's look. Colours first, then the same colours dashed. */
static inline u32 weir_theme_colour(u32 n)
{
	return n % WEIR_THEME_COLOURS;
}
static inline u32 weir_theme_dash(u32 n)
{
	return n / WEIR_THEME_COLOURS % WEIR_THEME_DASHES;
}

#endif
