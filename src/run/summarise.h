/* SPDX-License-Identifier: MIT */
/* What a finished world comes down to. The definitions stand in docs/formats.md, chapter "Results". */
#ifndef WEIR_RUN_SUMMARISE_H
#define WEIR_RUN_SUMMARISE_H

#include "life.h"
#include "record/summary.h"
#include "sampler.h"

/* Fills flows, groups, links, completions, fairness, events, packets and simulated_s. 0, or -1 when out of
 * memory. */
int weir_summarise(struct weir_summary *out, const struct weir_build *b, const struct weir_life *life,
		   const struct weir_sampler *sampler);

/* summarise_fct.c: completion times of all flows, and of each group. The groups are there. Likewise. */
int weir_summarise_fct(struct weir_summary *out, const struct weir_build *b, const struct weir_life *life);

#endif
