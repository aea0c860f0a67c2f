/* SPDX-License-Identifier: MIT */
#ifndef WEIR_LINK_RED_H
#define WEIR_LINK_RED_H

#include "hop.h"

/* RED's probability before it is spread out, for an average queue: 0 below the minimum, rising to max_p
 * at the maximum and from there to 1 at twice the maximum ("gentle"). */
double weir_red_probability(const struct weir_queue_config *c, double average_bytes);

#endif
