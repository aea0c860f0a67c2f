/* SPDX-License-Identifier: MIT */
/* A scenario's endpoint as the ends of a simulated connection take it: the era says what the switches are
 * that say nothing themselves. */
#ifndef WEIR_RUN_HISTORIC_H
#define WEIR_RUN_HISTORIC_H

#include "scenario/scenario.h"
#include "transport/bsd43.h"

static inline bool weir_is_historic(const struct weir_scenario_flow *f)
{
	return f->endpoint.era != WEIR_SCENARIO_MODERN;
}

/* What stands in the records where others have a controller: "bsd43-1986", "bsd43-1988". */
const char *weir_historic_name(const struct weir_scenario_endpoint *e);

/* The switches of a historic sender; the clock of its host ticks at a time drawn by (seed, flow). */
struct weir_bsd43_config weir_historic_sender(const struct weir_scenario_endpoint *e, u64 seed, u32 flow);

/* When and how the receiver acknowledges, of any era; the clock of its host likewise. */
void weir_historic_receiver(const struct weir_scenario_endpoint *e, u64 seed, u32 flow,
			    struct weir_endpoint_config *c);

#endif
