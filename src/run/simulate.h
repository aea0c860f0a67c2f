/* SPDX-License-Identifier: MIT */
/* One simulated run of one checked scenario: what `weir run`, the repeats, the axes and the experiments are
 * made of.
 *
 *	weir_registry_init(&registry);
 *	weir_scenario_load(path, sets, n_sets, &registry.catalog, &set, &diag);
 *	weir_scenario_point(&set, 0, &scenario, &diag);
 *	weir_build_check(&set, &scenario, &config.with, &traces, &diag);     every mistake that is left
 *	weir_simulate(&config, &summary);
 */
#ifndef WEIR_RUN_SIMULATE_H
#define WEIR_RUN_SIMULATE_H

#include "build.h"
#include "record/series.h"
#include "record/summary.h"

#include <signal.h>

struct weir_exports;

struct weir_simulate_config {
	const struct weir_scenario *scenario; /* passed weir_build_check */
	struct weir_build_with with;
	const struct weir_traces *traces;
	u64 seed;
	struct weir_series *series;	   /* NULL: none is wanted */
	struct weir_exports *exports;	   /* NULL: none are wanted */
	const volatile sig_atomic_t *stop; /* NULL, or becomes non-zero when the run shall end early */
	/* Called once a step, with the simulated share of the run; may be NULL. */
	void (*progress)(void *ctx, double done, double total);
	void *progress_ctx;
};

/* 0, or -1 with errno set: ENOMEM. The summary is complete also for a run that was stopped early
 * (`interrupted`) and must be freed in every case. wall_s is left 0 for the caller, who has a clock. */
int weir_simulate(const struct weir_simulate_config *c, struct weir_summary *out);

#endif
