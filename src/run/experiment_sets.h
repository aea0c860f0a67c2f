/* SPDX-License-Identifier: MIT */
/* What is set in the scenario at one point of an experiment. */
#ifndef WEIR_RUN_EXPERIMENT_SETS_H
#define WEIR_RUN_EXPERIMENT_SETS_H

#include "run/experiment.h"

/* KEY=VALUE as for --set: the experiment's own, then those of each axis. NULL when out of memory. */
char **weir_experiment_point_sets(const struct weir_experiment *e, const u32 *choice, u32 *n);
void weir_experiment_free_sets(char **sets, u32 n);

#endif
