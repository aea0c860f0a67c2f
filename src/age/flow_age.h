/* SPDX-License-Identifier: MIT */
/* What is known of the age of what a flow tells, whoever carries it: a simulated network or real sockets. */
#ifndef WEIR_AGE_FLOW_AGE_H
#define WEIR_AGE_FLOW_AGE_H

#include "source.h"

/* Counted since the start of a flow, or since the end of a warm-up. */
struct weir_flow_age {
	struct weir_ledger age,
	    estimate; /* at the receiver; as its sender knows it (acp: generation times) */
	u64 fresh;    /* values that were newer than all before */
	/* the rest of acp only */
	bool acp;
	u64 updates; /* sent */
	u64 late, replaced, expired, outages;
	double backlog_area_s; /* integral of S - N^ over the time of the estimate */
	double rate_hz, gap_s; /* lambda in force; the last Z; 0: none yet */
	u32 n_signals;
	double signal[WEIR_AGE_SIGNALS_MAX]; /* the controller's, in the units of its table */
};

/* What a source has counted since its start; of two the difference is that of the time between. */
struct weir_source_counts {
	u64 updates, replaced, expired, outages;
	double backlog_area_s;
};

struct weir_source_counts weir_source_counts(const struct weir_source *s);
/* The source's part of *out: all but age, fresh and late. `base`: the counts when the warm-up ended. */
void weir_flow_age_of_source(struct weir_flow_age *out, const struct weir_source *s,
			     const struct weir_source_counts *base);

#endif
