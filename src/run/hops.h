/* SPDX-License-Identifier: MIT */
/* A scenario's hops as configurations of link elements, the same for the simulated world and for the
 * emulated one. */
#ifndef WEIR_RUN_HOPS_H
#define WEIR_RUN_HOPS_H

#include "link/hop.h"
#include "scenario/scenario.h"

struct weir_traces;

#define WEIR_HOP_NAME_BYTES 96

/* mean_bps: of each hop of the scenario, from weir_traces_rates. Name and trace stay the scenario's and the
 * traces'. */
struct weir_hop_config weir_hop_of(const struct weir_scenario *s, u32 hop, const struct weir_traces *traces,
				   const u64 *mean_bps);
/* The uncongested way back of a path without hops there is a hop of its own: infinitely fast, with the
 * path's delay. The name, "PATH.back", is put into the caller's buffer. */
struct weir_hop_config weir_hop_way_back(const struct weir_scenario_path *p, char name[WEIR_HOP_NAME_BYTES]);

#endif
