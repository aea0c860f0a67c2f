/* SPDX-License-Identifier: MIT */
/* The views that two hosts make of one connection, laid side by side: those that the kernel's glue showed its
 * controller, as recorded, and those that transport/ makes of the capture of the same packets. */
#ifndef WEIR_TESTS_KERN_VIEWS_H
#define WEIR_TESTS_KERN_VIEWS_H

#include "capture.h"
#include "kern/record.h"

/* One connection's calls in the kernel. */
struct recorded {
	u32 n, room;
	struct weir_kern_call *call;
	u64 missing; /* calls that were lost, and those of other connections that began unseen */
};

/* Of the connection with this local port. 0, or -1 with a sentence. */
int recorded_read(struct recorded *r, const char *path, u16 local_port, char why[200]);
void recorded_free(struct recorded *r);

/* What the application did: `bulk_bytes` as fast as it went, then writes of `write_bytes`, each when nothing
 * of the last one was left. */
struct written {
	u64 bulk_bytes, write_bytes;
};

struct views {
	u32 acks, paired;	       /* ACKs with news that the kernel's controller saw; seen by both */
	u32 rounds[2], round_differs;  /* the kernel's and ours; those that do not begin with the same ACK */
	u32 rounds_apart;	       /* by how many rounds the one was ever ahead of the other */
	u32 limited[2], limit_differs; /* likewise for WEIR_APP_LIMITED, after the first window */
	u32 episodes[2], episode_differs;
	u32 timeouts; /* what comes after the kernel's first one is left out */
	u32 forced, ignored;
	/* by how much the kernel's min_rtt was above ours, or that of the data alone; and below */
	double min_rtt_above_us, min_rtt_below_us;
	u32 only_kernel;      /* ACKs that filled a hole, of which only the kernel has an RTT sample */
	double rtt_median_us; /* of the differences of RTT samples */
	double rate_median;   /* of the relative differences of samples */
	double rate_outside;  /* part of them beyond 5 % */
	double late_us;	      /* mean time from the ACK in the capture to the call in the kernel */
};

/* `wall_ns`: the wall clock less the clock of the record. */
void views_compare(struct views *v, const struct capture *c, const struct recorded *r,
		   const struct written *w, u64 wall_ns);

#endif
