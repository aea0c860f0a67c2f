/* SPDX-License-Identifier: MIT */
/* The age of information as exact integrals, not samples: from pairs of (generation time, arrival time) the
 * mean over time, the mean and the largest of the peaks, the time above a bound; with a spread also quantiles
 * over time. Both times are of one clock. The age is a sawtooth: it grows by one second a second, and falls
 * at each newer value.
 *
 * Closed form: a period T and a constant delay D give mean D + T / 2, peaks D + T.
 */
#ifndef WEIR_AGE_LEDGER_H
#define WEIR_AGE_LEDGER_H

#include "weir/types.h"

/* Age distribution over time. Between two values the age is uniform, so only the ends of these segments are
 * kept, by bucket: 32 in each power of two from 1 us to 2^24 s (194 days). Exact at the borders of buckets.
 */
#define WEIR_AGE_SPREAD_SUB_BITS 5
#define WEIR_AGE_SPREAD_OCTAVES 44
#define WEIR_AGE_SPREAD_BUCKETS ((WEIR_AGE_SPREAD_OCTAVES + 1) << WEIR_AGE_SPREAD_SUB_BITS)
struct weir_age_spread_bucket {
	double ends;  /* segments that begin here minus segments that end here */
	double sum_s; /* of the ages at these ends, likewise */
};
struct weir_age_spread {
	double time_s;
	struct weir_age_spread_bucket bucket[WEIR_AGE_SPREAD_BUCKETS];
};

struct weir_ledger {
	u64 begin_ns;	  /* counted from here: the first value, or a restart */
	u64 until_ns;	  /* counted so far */
	u64 generated_ns; /* of the newest value */
	u64 bound_ns;	  /* the application's; 0: none */
	u64 values, peaks;
	double area_s2;	   /* integral of the age */
	double peak_sum_s; /* of the ages just before each newer value */
	double peak_max_s;
	double over_s; /* time above the bound */
	bool known;    /* a value has come */
};

/* Nothing has come yet: the age is not known, and no time is counted until it is. */
void weir_ledger_init(struct weir_ledger *l, u64 bound_ns);

/* A value has arrived; one that is not newer than all before changes nothing but the time. One of the future
 * is taken as of now. `spread` may be NULL. Time never goes back: an earlier now_ns is taken as the last.
 * Returns whether it is newer. */
bool weir_ledger_value(struct weir_ledger *l, struct weir_age_spread *spread, u64 now_ns, u64 generated_ns);

/* The same for a value that takes the place of what there was even where it is older: the source restarted,
 * or its clock was corrected. */
void weir_ledger_replace(struct weir_ledger *l, struct weir_age_spread *spread, u64 now_ns, u64 generated_ns);

/* Counts up to now. Call it before reading; as often as wanted. */
void weir_ledger_advance(struct weir_ledger *l, struct weir_age_spread *spread, u64 now_ns);

/* Forgets what was counted, and counts from now on (the end of a warm-up). The newest value stays; bound too.
 */
void weir_ledger_restart(struct weir_ledger *l, struct weir_age_spread *spread, u64 now_ns);

/* The age now, s; 0 while not known. */
double weir_ledger_age_s(const struct weir_ledger *l, u64 now_ns);

/* Over the time counted; 0 where there is none. */
double weir_ledger_time_s(const struct weir_ledger *l);
double weir_ledger_mean_s(const struct weir_ledger *l);
double weir_ledger_peak_mean_s(const struct weir_ledger *l);
double weir_ledger_over_fraction(const struct weir_ledger *l);

/* The age that is not exceeded for a share q of the time; within 3 % beside what interpolation gives exactly.
 */
double weir_age_spread_quantile_s(const struct weir_age_spread *s, double q);

#endif
