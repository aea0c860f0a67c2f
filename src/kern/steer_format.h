/* SPDX-License-Identifier: MIT */
/* What steer.bpf.c and its loader say to each other. */
#ifndef WEIR_KERN_STEER_FORMAT_H
#define WEIR_KERN_STEER_FORMAT_H

#include "weir/types.h"

/* The 16 bytes of a congestion control's name, padded with zeroes, as two words. */
struct weir_steer_name {
	u64 half[2];
};
struct weir_steer_counts {
	u64 steered; /* connections that had the congestion control when they were complete */
	u64 missed;  /* and those that had not */
};

#endif
