/* SPDX-License-Identifier: MIT */
/* What the governor in the kernel and the pilots in user space say to each other. A connection has a number
 * of its own, which no other one of this registration ever gets. */
#ifndef WEIR_KERN_PILOT_FORMAT_H
#define WEIR_KERN_PILOT_FORMAT_H

#include "weir/pilot.h"

/* The inner controllers that the governor's program carries: WEIR_INNER(NAME), each below the limits of its
 * storage. What a pilot does not name costs nothing: the verifier drops it. */
#define WEIR_INNERS(WEIR_INNER)                                                                              \
	WEIR_INNER(reno)                                                                                     \
	WEIR_INNER(cubic)                                                                                    \
	WEIR_INNER(vegas)                                                                                    \
	WEIR_INNER(copa)
#define WEIR_INNER_KIND(id) WEIR_INNER_##id,
enum weir_inner_kind { WEIR_INNERS(WEIR_INNER_KIND) WEIR_INNER_KINDS };
#undef WEIR_INNER_KIND

#define WEIR_INNER_PARAMS_MAX 16

/* Constants of one registration; the loader fills them in, then the verifier knows them. The last of the
 * inner controllers is Reno, for when a setpoint has expired. */
#define WEIR_KERN_INNERS (WEIR_PILOT_INNERS_MAX + 1)
struct weir_kern_inners {
	u32 n;			    /* the pilot's */
	u32 kind[WEIR_KERN_INNERS]; /* enum weir_inner_kind */
	u32 used[WEIR_INNER_KINDS]; /* whether one of them is of this kind */
	u64 params[WEIR_KERN_INNERS][WEIR_INNER_PARAMS_MAX];
	struct weir_setpoint first; /* until the pilot has answered for the first time */
};

/* Of the ring. */
struct weir_kern_report {
	u64 connection;
	u64 socket; /* as in struct weir_kern_record */
	u16 local_port, remote_port;
	u32 closed; /* 1: the connection is gone; the report is empty */
	struct weir_report report;
};

/* Of the map: the newest setpoint of a connection. */
struct weir_kern_setpoint {
	u32 lock; /* the kernel's: struct bpf_spin_lock */
	u32 reserved;
	struct weir_setpoint setpoint;
};

#define WEIR_KERN_REPORTS_BYTES (1U << 20) /* of the ring: 4000 reports */
#define WEIR_KERN_PILOTS_MAX 512	   /* connections with a pilot at the same time */

#endif
