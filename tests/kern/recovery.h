/* SPDX-License-Identifier: MIT */
/* Our controllers in the kernel against the kernel's own: the same link, the same losses, side by side. With
 * cong_control the repair of losses is the glue's: if it did worse than the kernel's, it would be seen here
 * as less goodput or more packets sent again. */
#ifndef WEIR_TESTS_KERN_RECOVERY_H
#define WEIR_TESTS_KERN_RECOVERY_H

#include "weir/types.h"

struct recovery_plan {
	u32 rounds; /* pairs of runs in each cell */
	u64 duration_ns;
	double goodput_within; /* of the native one's, whatever the interval says; 0: the interval decides */
};

/* Runs, prints one line for each cell, and judges: goodput within 3 % or no difference to be told from none
 * at 95 %; fractions of packets sent again with overlapping 95 % intervals. An exit status. */
int recovery_compare(const struct recovery_plan *plan);

#endif
