/* SPDX-License-Identifier: MIT */
/* What a long flow would have beside flows that arrive at random if all shared a link equally at every
 * instant: processor sharing in fluid, of the sizes and starts that the run has, whatever the controllers
 * make of them. A yardstick for shares, and no flow of 5 packets counts in it for longer than it needs. */
#ifndef WEIR_RUN_FAIR_SHARE_H
#define WEIR_RUN_FAIR_SHARE_H

#include "build.h"

struct weir_fair_share {
	double link_Bps;
	double now_s;
	double served_bytes; /* of each flow that is there all the time: their common progress */
	double share_bytes;  /* of these, since the last look */
	u32 active;
	double *done_bytes; /* heap, the least first: served_bytes at which an active flow is through */
	u32 n_entries;
	struct weir_fair_share_entry {
		const struct weir_build_entry *entry;
		double wire; /* bytes on the wire for one of payload */
		u32 next;    /* number of the flow that comes next, below entry->first + entry->count */
	} * entries;
};

/* Of a hop; without flows that arrive there, or where it is infinitely fast, n_entries stays 0. 0, or -1 when
 * out of memory; free in both cases. */
int weir_fair_share_begin(struct weir_fair_share *f, const struct weir_build *b, u32 hop);
/* Bytes of one long flow since the last call. now_ns never goes back. */
double weir_fair_share_until(struct weir_fair_share *f, const struct weir_build *b, u64 now_ns);
void weir_fair_share_free(struct weir_fair_share *f);

#endif
