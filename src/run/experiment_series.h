/* SPDX-License-Identifier: MIT */
/* Takes from the series of one run what the claims of an experiment ask for, without keeping the rest. */
#ifndef WEIR_RUN_EXPERIMENT_SERIES_H
#define WEIR_RUN_EXPERIMENT_SERIES_H

#include "record/series.h"
#include "run/experiment.h"

/* One operand's window. */
struct weir_watched {
	const char *name; /* FLOW.SIGNAL */
	u64 from_ns, to_ns;
	enum weir_reduce over_time;
	u64 rows; /* of this name, in the window or not */
	u64 n;	  /* in the window */
	double sum, min, max;
};

struct weir_watch {
	u32 n;
	struct weir_watched *watched; /* the caller's */
	FILE *file;
	struct weir_series *series; /* to hand to the run; NULL where n = 0 */
	u32 used;
	char line[1024]; /* the beginning of a row that has not ended */
};

/* Begins a run. 0, or -1 with errno set. */
int weir_watch_begin(struct weir_watch *w, struct weir_watched *watched, u32 n);
/* Ends the run; 0, or -1 with errno set. */
int weir_watch_end(struct weir_watch *w);
/* NaN where no sample lay in the window. */
double weir_watched_value(const struct weir_watched *x);

#endif
