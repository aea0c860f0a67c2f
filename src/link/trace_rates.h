/* SPDX-License-Identifier: MIT */
/* Traces from rates and back: rate-time tables (CSV), constant rates, synthetic radio links. */
#ifndef WEIR_LINK_TRACE_RATES_H
#define WEIR_LINK_TRACE_RATES_H

#include "trace.h"

#define WEIR_TRACE_MOST_BPS 1000000000000ULL

/* From at_ns on, until the next step or the end, the link has this rate. */
struct weir_rate_step {
	u64 at_ns, bps;
};

/* An opportunity whenever another WEIR_TRACE_BYTES could have been sent, the first after half of them, so
 * that the number is the nearest to what the rates give. The first step is at 0. Returns 0, or -1. */
int weir_trace_from_steps(const struct weir_rate_step *steps, u64 n, u64 period_ns, struct weir_trace *t,
			  struct weir_diag *d);

/* Rows `time_s,rate_bps`, as in docs/formats.md; a row without a rate is the end. Without one, or a
 * period_ns above 0, the last row lasts as long as the one before. Returns 0, or -1 with all mistakes. */
int weir_trace_parse_csv(const char *text, size_t length, u64 period_ns, struct weir_trace *t,
			 struct weir_diag *d);

struct weir_lte {
	u64 mean_bps, duration_ns, seed;
	double outages; /* share of the time without service, below 1 */
};

/* A link in the manner of a phone on LTE; the model stands in docs/formats.md. Whole ms, as a scheduler
 * with 1 ms slots has them. The mean rate is the one asked for. */
int weir_trace_make_lte(const struct weir_lte *lte, struct weir_trace *t, struct weir_diag *d);

enum weir_trace_format { WEIR_TRACE_OWN, WEIR_TRACE_MAHIMAHI, WEIR_TRACE_CSV };

/* Whether the format can say it: 0, or -1 with the reason in *d. `bin_ns` is the step of a CSV. */
int weir_trace_can_write(const struct weir_trace *t, enum weir_trace_format format, u64 bin_ns,
			 struct weir_diag *d);
/* Whether the stream took it all is for the caller to see. */
void weir_trace_write(const struct weir_trace *t, enum weir_trace_format format, u64 bin_ns, FILE *to);

#endif
