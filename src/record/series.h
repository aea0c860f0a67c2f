/* SPDX-License-Identifier: MIT */
/* series.csv: what changed over time, one value a row, `time_s,flow,signal,value`, in the order of time.
 * `flow` is a flow's name, a group's (`NAME.*`) or a link's (`link:NAME`). A value that does not exist
 * has no row. Streaming: memory does not grow with the run. */
#ifndef WEIR_RECORD_SERIES_H
#define WEIR_RECORD_SERIES_H

#include "number.h"

#include <stdio.h>

#define WEIR_SERIES_HEADER "time_s,flow,signal,value\n"

struct weir_series {
	FILE *out;
	int error; /* errno of the first failure; 0 = none. Later rows are ignored */
	u64 rows;
	u32 time_length, head_length;
	char time[WEIR_NUMBER_MAX]; /* "12.3," */
	char head[512];		    /* "12.3,flow," */
	u32 used;
	char buffer[1 << 16];
};

/* `out` stays the caller's; it is flushed by finish, not closed. */
void weir_series_begin(struct weir_series *s, FILE *out);
void weir_series_time(struct weir_series *s, u64 now_ns);
/* The rows that follow are of this flow, until the next call or the next time. */
void weir_series_flow(struct weir_series *s, const char *prefix, const char *name);
/* NaN and infinities: no row. */
void weir_series_value(struct weir_series *s, const char *signal, double value);
/* value / 10^decimals: cheap; for nanoseconds to milliseconds decimals = 6. */
void weir_series_fixed(struct weir_series *s, const char *signal, u64 value, u32 decimals);
/* 0, or -1 with errno set when any row could not be written. */
int weir_series_finish(struct weir_series *s);

#endif
