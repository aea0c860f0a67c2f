/* SPDX-License-Identifier: MIT */
/* What only shows when a scenario meets its trace files and the arguments of the command. */
#ifndef WEIR_RUN_CHECK_H
#define WEIR_RUN_CHECK_H

#include "build.h"
#include "traces.h"

/* Trace files that cannot be read, buffers below one packet, controllers without a simulated form, a subject
 * without --controller: all of them, in every point of the set. Reads the traces into *traces. Returns how
 * many mistakes were added to *diag. */
u32 weir_check_point(const struct weir_scenario_set *set, const struct weir_scenario *s,
		     const struct weir_build_with *with, struct weir_traces *traces, struct weir_diag *diag);

/* Trace files and buffers alone: for real packets, where nothing else of the scenario counts. */
u32 weir_check_hops(const struct weir_scenario_set *set, const struct weir_scenario *s,
		    struct weir_traces *traces, struct weir_diag *diag);

#endif
