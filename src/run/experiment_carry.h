/* SPDX-License-Identifier: MIT */
/* One run of an experiment: taken from those that are kept, or simulated, or emulated until the emulator
 * could keep up. */
#ifndef WEIR_RUN_EXPERIMENT_CARRY_H
#define WEIR_RUN_EXPERIMENT_CARRY_H

#include "run/experiment_keep.h"
#include "run/experiment_series.h"
#include "run/traces.h"

struct weir_carry {
	const struct weir_experiment_run *run;
	const struct weir_traces *traces;
	struct weir_keep *keep; /* NULL: none are kept */
	/* of this run */
	const struct weir_scenario *scenario;
	struct weir_keep_point point; /* what determines it */
	bool emulated;
	u32 n_watched;
	struct weir_watched *watched; /* set back to nothing seen */
	void (*progress)(void *ctx, double done, double total);
	void *progress_ctx;
};

struct weir_carried {
	json_t *document; /* of the summary; NULL when the run is invalid or failed */
	bool was_kept, invalid;
	u32 attempts;
	double simulated_s;
	char reason[160]; /* why it is invalid */
};

/* 0; or a weir_exit with a sentence in *why ("" for an interrupt). The document is the caller's. */
int weir_experiment_carry(const struct weir_carry *c, struct weir_carried *out, char why[512]);

#endif
