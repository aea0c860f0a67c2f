/* SPDX-License-Identifier: MIT */
/* Takes from the series of one run what the claims of an experiment ask for, without keeping the rest.
 * A pattern's star is alone or follows a letter (`*.goodput_bps`, `old-*.lost`): `cubic.*` is the name of a
 * group. Only flows are summed, no groups, links or emulators. */
#ifndef WEIR_RUN_EXPERIMENT_SERIES_H
#define WEIR_RUN_EXPERIMENT_SERIES_H

#include "record/series.h"
#include "run/experiment.h"
#include "run/experiment_time.h"

/* One operand, and what its claim takes beside it. Names are FLOW.SIGNAL; PART*.SIGNAL: the sum over the
 * flows whose names begin with PART. */
struct weir_watched {
	const char *name;
	u64 rows[WEIR_TIME_ROLES]; /* of each name, whether they counted or not */
	struct weir_time_sum sum;  /* its rule has the other names */
};

struct weir_watch {
	u32 n;
	struct weir_watched *watched; /* the caller's */
	FILE *file;
	struct weir_series *series; /* to hand to the run; NULL where n = 0 */
	FILE *rows;		    /* the caller's: gets what the watched got; may be NULL */
	u32 used;
	char line[1024]; /* the beginning of a row that has not ended */
};

/* Begins a run. 0, or -1 with errno set. */
int weir_watch_begin(struct weir_watch *w, struct weir_watched *watched, u32 n, FILE *rows);
/* Ends the run; 0, or -1 with errno set. */
int weir_watch_end(struct weir_watch *w);
/* Feeds the watched once more with what `rows` got. */
void weir_watch_again(struct weir_watched *watched, u32 n, const char *rows);
/* As if nothing had been seen; frees what was held. */
void weir_watched_reset(struct weir_watched *x);
/* The name in that role; NULL: nothing is taken in it. */
const char *weir_watched_name(const struct weir_watched *x, enum weir_time_role role);
/* Whether a row of series.csv under FLOW.SIGNAL is one of those that `name` means. */
bool weir_watch_matches(const char *name, const char *flow_signal);

#endif
