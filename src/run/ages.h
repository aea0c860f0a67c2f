/* SPDX-License-Identifier: MIT */
/* The ages of information of a run, for its summary and its series. */
#ifndef WEIR_RUN_AGES_H
#define WEIR_RUN_AGES_H

#include "build.h"
#include "record/summary.h"

/* What of a flow's running integrals has been seen: two readings make the means of the time between. */
struct weir_age_seen {
	double area_s2, time_s, estimate_area_s2, estimate_time_s, backlog_area_s;
	u64 fresh, at_ns;
};

/* Of a stretch of time; NaN: nothing was counted in it. */
struct weir_age_stretch {
	double age_ms, estimate_ms, backlog, fresh_hz;
};
struct weir_age_stretch weir_ages_since(const struct weir_flow_age *now, u64 now_ns,
					struct weir_age_seen *seen);

/* Fills in what the summary says of ages; nothing where they are not measured. */
void weir_ages_of_flow(struct weir_flow_summary *out, const struct weir_build *b,
		       const struct weir_build_entry *e, u32 flow);
/* After the groups are there: theirs, and the fairness of all flows. 0, or -1: no memory. */
int weir_ages_of_groups(struct weir_summary *out, const struct weir_build *b);

#endif
