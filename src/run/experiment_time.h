/* SPDX-License-Identifier: MIT */
/* How the samples of a series become one number: what `window`, `time`, `while` and `beside` of a claim say,
 * and its arithmetic, one sample after the other.
 *
 * A sample is what the series has at one time; with mean_over, its mean over one stretch of that length.
 * Another series at the same time, or over the same stretch, can decide whether a sample counts (`while`) and
 * what is made of it (`beside`). */
#ifndef WEIR_RUN_EXPERIMENT_TIME_H
#define WEIR_RUN_EXPERIMENT_TIME_H

#include "weir/types.h"

#define WEIR_TIME_WINDOWS_MAX 8

enum weir_over_time {
	WEIR_TIME_MEAN,
	WEIR_TIME_MIN,
	WEIR_TIME_MAX,
	WEIR_TIME_VARIATION, /* standard deviation / mean */
	WEIR_TIME_QUANTILE,
	WEIR_TIME_FRACTION, /* of the samples that lie in `range` */
};

enum weir_beside {
	WEIR_BESIDE_NOTHING,
	WEIR_BESIDE_ERROR,	/* |A - B| / |B| */
	WEIR_BESIDE_RATIO,	/* A / B */
	WEIR_BESIDE_DIFFERENCE, /* |A - B| */
	WEIR_BESIDE_AGREEMENT, /* 1 where A is above own_above exactly when B is above beside_above, else 0 */
};

/* A value above `above` and not above `below`. */
struct weir_time_range {
	double above, below;
};

struct weir_time_rule {
	u32 n_windows; /* 0: all */
	struct {
		u64 from_ns, to_ns; /* [from, to) */
	} window[WEIR_TIME_WINDOWS_MAX];
	enum weir_over_time over;
	double quantile;
	struct weir_time_range range;
	const char *while_series; /* FLOW.SIGNAL; NULL: samples always count */
	struct weir_time_range while_range;
	enum weir_beside beside;
	const char *beside_series;
	double own_above, beside_above;
	double factor;	  /* of B; 0: 1 */
	u64 mean_over_ns; /* 0: the samples as they are */
	u64 lag_ns;	  /* B counts so much later, by less than a stretch */
};

/* The series itself, `while` and `beside`. */
enum weir_time_role { WEIR_TIME_OWN, WEIR_TIME_WHILE, WEIR_TIME_BESIDE, WEIR_TIME_ROLES };

struct weir_time_stretch {
	u64 n[WEIR_TIME_ROLES];
	double sum[WEIR_TIME_ROLES];
};

struct weir_time_sum {
	const struct weir_time_rule *rule; /* NULL: the mean of all */
	/* of the newest time, which may not be complete: a series may be a sum over flows */
	bool pending;
	double time_s;
	bool has[WEIR_TIME_ROLES];
	double value[WEIR_TIME_ROLES];
	/* the newest stretch, and for what comes early the next one */
	u64 stretch;
	struct weir_time_stretch now, next;
	/* of the samples that counted */
	u64 n;
	double total, mean, squares, min, max; /* squares: of the differences from the mean */
	double *sample;			       /* for a quantile; n of them */
	u64 room;
	bool no_memory;
};

/* What a role has at a time, in the order of time; of one time and role it is added up. */
void weir_time_take(struct weir_time_sum *s, enum weir_time_role role, double time_s, double value);
/* Nothing more comes. */
void weir_time_end(struct weir_time_sum *s);
/* NaN where no sample counted. After weir_time_end. */
double weir_time_value(struct weir_time_sum *s);
/* As if nothing had been taken; frees what was held. */
void weir_time_reset(struct weir_time_sum *s);

#endif
