/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* How a controller describes itself: feeds `weir list`, the scenario checker, the docs and the report. */
#ifndef WEIR_DESCRIBE_H
#define WEIR_DESCRIBE_H

#include "types.h"

/* Every parameter is one u64 in the params struct, in the table's order. Units: "" (count), "ns",
 * "bytes", "packets", "Bps", "ratio" and "Hz" (both held in millionths), "flag" (0 or 1), or words to choose
 * from, "auto|default|mvfst": the index of one (core/words.h). */
struct weir_param {
	const char *name;
	const char *unit;
	u64 default_value, min, max;
	const char *help;
};
struct weir_signal {
	const char *name;
	const char *unit;
};

#endif
