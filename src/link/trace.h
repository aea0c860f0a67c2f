/* SPDX-License-Identifier: MIT */
/* Traces: the times at which a link may send, over and over. The format is mahimahi's, with additions of
 * our own that a header announces; its grammar stands in docs/formats.md, chapter "Traces". */
#ifndef WEIR_LINK_TRACE_H
#define WEIR_LINK_TRACE_H

#include "core/diag.h"
#include "weir/num.h"

#define WEIR_TRACE_BYTES 1500 /* what one opportunity may send */
#define WEIR_TRACE_MOST_BYTES (64U << 20)
#define WEIR_TRACE_MOST_ENTRIES (1U << 24)
#define WEIR_TRACE_MOST_MS 10000000000ULL /* 115 days */

struct weir_trace {
	u64 *at_ns; /* in order, at most period_ns */
	u64 n;	    /* at least 1 */
	u64 period_ns;
	bool own_period; /* the file names its period; else it is the last timestamp, as in mahimahi */
};

enum weir_trace_option {
	WEIR_TRACE_SORT = 1 << 0, /* put timestamps in order instead of refusing them */
};

/* Each returns 0, or -1 with every mistake in *d; t is then empty. `period_ns` overrides what the file
 * says, 0: does not. d->file is to be set by the caller of _parse; _load sets it to the path. */
int weir_trace_parse(const char *text, size_t length, unsigned options, u64 period_ns, struct weir_trace *t,
		     struct weir_diag *d);
int weir_trace_load(const char *path, unsigned options, u64 period_ns, struct weir_trace *t,
		    struct weir_diag *d);
void weir_trace_fini(struct weir_trace *t);

/* The whole of a file of at most `most` bytes, NUL-terminated, to be freed; NULL with the reason in *d.
 * "-" is the standard input. */
char *weir_trace_read(const char *path, size_t most, size_t *length, struct weir_diag *d);

/* Opportunity i, from 0, on through all periods. */
static inline u64 weir_trace_time_ns(const struct weir_trace *t, u64 i)
{
	return i < t->n ? t->at_ns[i] : i / t->n * t->period_ns + t->at_ns[i % t->n];
}

/* The same trace, but everything later by this time: before it comes the end of the period. 0, or -1 when
 * out of memory; weir_trace_fini in both cases. */
int weir_trace_delay(const struct weir_trace *t, u64 by_ns, struct weir_trace *out);

/* How many opportunities there are up to and including a time. */
u64 weir_trace_count(const struct weir_trace *t, u64 until_ns);

double weir_trace_mean_bps(const struct weir_trace *t);
/* The highest rate over any window_ns (the whole period, if that is shorter), within one period. */
double weir_trace_max_bps(const struct weir_trace *t, u64 window_ns);
/* The longest time without an opportunity, across the end of the period too. */
u64 weir_trace_longest_outage_ns(const struct weir_trace *t);

#endif
