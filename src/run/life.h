/* SPDX-License-Identifier: MIT */
/* When a flow was there, and its totals at both ends of that time: what averages are taken over. */
#ifndef WEIR_RUN_LIFE_H
#define WEIR_RUN_LIFE_H

#include "build.h"

struct weir_life {
	const struct weir_build *b;
	u64 from_ns;			      /* the end of the warm-up, 0 without one */
	u64 end_ns;			      /* of the run */
	u64 marked_ns;			      /* weir_life_mark has seen all up to here */
	struct weir_flow_totals *entry_base;  /* likewise of each entry */
	struct weir_video_totals *video_base; /* likewise; NULL without a video */
	struct weir_flow_totals *base;	      /* of each flow at from_ns; NULL without a warm-up */
	struct weir_link_stats *link_base;
	u64 *link_base_capacity;
	/* bytes at stop_ns of the flows that stop before the run ends; NULL when none does */
	struct weir_life_bytes {
		u64 delivered, received;
	} * at_stop;
	u64 *completed_ns; /* of each flow, WEIR_NEVER: not complete; NULL without `sized` flows */
};

/* 0, or -1 when out of memory; free in both cases. */
int weir_life_begin(struct weir_life *l, const struct weir_build *b);
/* The next time at which weir_life_mark must be called (the end of the warm-up, a stop), after now_ns. */
u64 weir_life_next_ns(const struct weir_life *l, u64 now_ns);
/* The backend stands at now_ns: exactly a time of weir_life_next_ns, or in an emulation as soon after it as
 * anybody looks. True when the warm-up ended: histograms are to be cleared. */
bool weir_life_mark(struct weir_life *l, u64 now_ns);
/* The run ended. 0, or -1 when out of memory. */
int weir_life_end(struct weir_life *l, u64 now_ns);
void weir_life_free(struct weir_life *l);

/* What a flow did after the warm-up. active_ns = 0: it was not there, rates do not exist. */
struct weir_lived {
	u64 active_ns, delivered_bytes, received_bytes; /* bytes while it was active */
	struct weir_flow_totals totals;			/* counters from the warm-up to the end of the run */
};
void weir_life_of(const struct weir_life *l, const struct weir_build_entry *e, u32 flow,
		  struct weir_lived *out);

/* Of all flows of the entry, where the backend counts them together; false: add them up. */
bool weir_life_of_entry(const struct weir_life *l, u32 entry, struct weir_flow_totals *t);

#endif
