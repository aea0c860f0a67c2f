/* SPDX-License-Identifier: MIT */
/* Two results side by side: does the second agree with the first? Flows, groups and links are matched by
 * name. Judged are goodput (of links: throughput) and median queue delay. */
#ifndef WEIR_RUN_COMPARE_H
#define WEIR_RUN_COMPARE_H

#include "record/query.h"
#include "weir/types.h"

struct weir_compare_limits {
	double goodput_fraction;	 /* fraction of the first value */
	double delay_fraction, delay_ms; /* fraction of the first value, or so many ms, whichever is more */
};
#define WEIR_COMPARE_DEFAULTS                                                                                \
	{                                                                                                    \
		.goodput_fraction = .05, .delay_fraction = .10, .delay_ms = 2                                \
	}

enum weir_compare_verdict {
	WEIR_COMPARE_WITHIN,
	WEIR_COMPARE_OUTSIDE,
	WEIR_COMPARE_NOISE,   /* beyond the limit, but the 95 % confidence intervals meet: not outside */
	WEIR_COMPARE_MISSING, /* only one of the two has it: outside */
};

struct weir_compare_side {
	bool known; /* false: not there, or null */
	double value;
	bool has_ci;
	double ci_low, ci_high;
};

struct weir_compare_row {
	const char *kind;   /* "flow", "group", "link" */
	const char *name;   /* lives with the documents */
	const char *metric; /* "goodput_bps" */
	struct weir_compare_side a, b;
	double largest_difference; /* largest |b - a| that is within */
	enum weir_compare_verdict verdict;
};

struct weir_comparison {
	u32 n, room, outside, noise; /* outside counts the missing too */
	bool no_memory;
	struct weir_compare_row *row;
};

/* Judges two documents of schema weir.summary/1. Returns 0, or -1 when out of memory. Rows in the order of
 * the first document, then what only the second has. */
int weir_compare(const json_t *a, const json_t *b, const struct weir_compare_limits *limits,
		 struct weir_comparison *out);
void weir_comparison_free(struct weir_comparison *c);

#endif
