/* SPDX-License-Identifier: MIT */
/* Two results side by side: does the second agree with the first? Flows, groups and links are matched by
 * name, whatever their controllers are called. Judged are goodput (of links: throughput) and median queue
 * delay, each with its 95 % confidence interval where there is one: over the repeats of a run, else over
 * batches of its series (batches.h). */
#ifndef WEIR_RUN_COMPARE_H
#define WEIR_RUN_COMPARE_H

#include "record/query.h"
#include "run/compare_series.h"

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
	WEIR_COMPARE_NOISE, /* beyond the limit, but the interval of the difference reaches it: not outside */
	WEIR_COMPARE_MISSING, /* only one of the two has it: outside */
	WEIR_COMPARE_VERDICTS
};
extern const char *const weir_compare_words[WEIR_COMPARE_VERDICTS];

/* A 95 % confidence interval by Student's t; freedom = 0: there is none. */
struct weir_compare_interval {
	u32 freedom; /* degrees of freedom */
	double standard_error, low, high;
};

struct weir_compare_side {
	bool known; /* false: not there, or null */
	double value;
	struct weir_compare_interval ci;
};

struct weir_compare_row {
	const char *run;    /* which of several; NULL for a single one. All texts live with the documents */
	const char *kind;   /* "flow", "group", "link"; "run": a run that only one of the two has */
	const char *name;   /* of the flow, ...; of a run its label */
	const char *metric; /* "goodput_bps"; "" for a run */
	struct weir_compare_side a, b;
	double difference;		 /* b - a, where both are known */
	struct weir_compare_interval ci; /* of the difference (Welch), where both sides have one */
	double largest_difference;	 /* largest |b - a| that is within */
	enum weir_compare_verdict verdict;
	bool unsure; /* within, but the interval of the difference passes the limit */
};

#define WEIR_COMPARE_NOTES 24
struct weir_comparison {
	u32 n, room, outside, noise, unsure; /* outside counts the missing too */
	bool no_memory;
	/* A side was emulated and says itself that the emulator could not keep up: no verdict counts. */
	bool invalid;
	struct weir_compare_row *row;
	u32 n_notes, more_notes;
	char note[WEIR_COMPARE_NOTES][320]; /* what a reader of the rows must know, the worst first */
};

/* One side: a document of schema weir.summary/1, and its series (NULL: none). */
struct weir_compare_result {
	const char *run; /* label, or NULL */
	const json_t *summary;
	const struct weir_compare_series *series;
};

/* Judges b by a and adds to `out`, which begins as {0}. 0, or -1 when out of memory. Rows in the order of
 * the first document, then what only the second has. */
int weir_compare(const struct weir_compare_result *a, const struct weir_compare_result *b,
		 const struct weir_compare_limits *limits, struct weir_comparison *out);
/* Adds a run that only one of the two has. */
int weir_compare_missing_run(const char *label, struct weir_comparison *out);
void weir_comparison_free(struct weir_comparison *c);

/* "invalid" before "outside" before "within": what all rows together come to. */
const char *weir_comparison_verdict(const struct weir_comparison *c);

/* Whether two names of a controller or of a run stand for the same thing: "kernel:" does not count. */
bool weir_compare_same(const char *a, const char *b);

#endif
