/* SPDX-License-Identifier: MIT */
/* TCP flows side by side, each on an emulated link of its own between two namespaces of its own, the ferry in
 * a third: whatever the machine does meets all of them at once. */
#ifndef WEIR_TESTS_KERN_LANES_H
#define WEIR_TESTS_KERN_LANES_H

#include "emu/fidelity.h"
#include "ktcp/flow.h"

#define LANES_MAX 16

struct lane {
	const char *controller; /* the kernel's name */
	const char *losses;	/* key of the random losses: lanes of one key lose the same packets, counted
				   from the first */
	double loss;		/* probability, of data */
	u64 rate_bps, delay_ns, buffer_bytes; /* delay: one way */
};

/* Packets of the sender that left, and of them those that were sent again. */
struct lane_part {
	double goodput_bps; /* payload that was acknowledged */
	u64 packets, again;
};
struct lane_seen {
	struct lane_part start, rest; /* up to warm_ns and after it */
	u64 timeouts;
	u64 ssthresh_packets; /* at the end; WEIR_KTCP_UNKNOWN: none yet */
};

/* All lanes for so long. 0; or an exit status, and `why` says why. */
int lanes_run(const struct lane *lane, u32 n, u64 seed, u64 warm_ns, u64 duration_ns, struct lane_seen *seen,
	      struct weir_judgement *judgement, char why[WEIR_KTCP_WHY_BYTES]);

#endif
