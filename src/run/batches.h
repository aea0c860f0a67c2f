/* SPDX-License-Identifier: MIT */
/* How sure is a number that one run gave? By batch means: the time in which it was measured is cut into
 * equal batches, each gives the number once, and the spread of these says how far the whole may be off.
 *
 * It assumes a run that is steady between its warm-up and its end, and batches that do not depend on each
 * other: each is at least 20 round trips long, and 20 batches become 10 and then 5 as long as neighbours are
 * alike (their lag-1 correlation is above 0). Slower swings than a fifth of the run are not seen: repeats
 * with other seeds see them. */
#ifndef WEIR_RUN_BATCHES_H
#define WEIR_RUN_BATCHES_H

#include "weir/types.h"

#define WEIR_BATCHES_MOST 20
#define WEIR_BATCHES_LEAST 5
#define WEIR_BATCH_RTTS 20
#define WEIR_BATCH_ROWS 4 /* rows of a series in each batch, at least */

struct weir_batch_row {
	double time_s;
	double value; /* of the time since the row before; no NaN */
};

struct weir_batch_request {
	const struct weir_batch_row *row; /* in order of time */
	u64 n;
	double from_s, end_s; /* what counts: from < time <= end */
	double rtt_s;	      /* 0: not known, no batch is too short */
	bool median;	      /* of the rows of a batch; else their mean over time */
};

/* The standard error of the number, and Student's degrees of freedom for it: batches - 1. False when the run
 * was too short for WEIR_BATCHES_LEAST batches, a batch has too few rows, or memory ran out. */
bool weir_batches(const struct weir_batch_request *q, double *standard_error, u32 *freedom);

#endif
