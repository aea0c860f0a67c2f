/* SPDX-License-Identifier: MIT */
/* One path of a scenario as hops that the ferry can take. */
#ifndef WEIR_RUN_LINK_PATH_H
#define WEIR_RUN_LINK_PATH_H

#include "emu/ferry.h"
#include "hops.h"
#include "traces.h"

struct weir_link_path {
	u32 n_hops;		     /* each once, also one that stands in both directions */
	struct weir_hop_config *hop; /* names and traces stay the scenario's and the traces' */
	u64 *mean_bps;		     /* of each; 0: infinitely fast */
	u32 *order[WEIR_WAYS], n[WEIR_WAYS];
	u64 delay_ns[WEIR_WAYS];	     /* without queueing and transmission */
	char back_name[WEIR_HOP_NAME_BYTES]; /* of an uncongested way back */
};

/* All traces of the scenario are in *traces (weir_check_hops). 0, or -1 when out of memory; *out must be
 * freed in both cases. */
int weir_link_path_make(const struct weir_scenario *s, u32 path, const struct weir_traces *traces,
			struct weir_link_path *out);
void weir_link_path_free(struct weir_link_path *p);

/* Adds the hops and both directions: the ferry must be new, so that its paths are WEIR_UP and WEIR_DOWN and
 * its hops have the numbers of `hop`. 0, or -1 when out of memory. */
int weir_link_path_add(const struct weir_link_path *p, struct weir_ferry *ferry);

#endif
