/* SPDX-License-Identifier: MIT */
/* Simulated runs made by several processes at once, before the experiment goes through them one by one: each
 * puts what it has made where runs are kept. What is missing there afterwards, the experiment makes itself.
 */
#ifndef WEIR_RUN_EXPERIMENT_WORKERS_H
#define WEIR_RUN_EXPERIMENT_WORKERS_H

#include "weir/types.h"

#include <limits.h>
#include <sys/types.h>

#define WEIR_WORKERS_MAX 64

struct weir_experiment_engine;
struct weir_workers_memory; /* what the processes share */

struct weir_workers {
	struct weir_workers_memory *shared; /* NULL: nobody but this process makes runs */
	size_t shared_bytes;
	char folder[PATH_MAX]; /* of runs that nobody wanted to keep; "" for none */
	u32 n;
	pid_t pid[WEIR_WORKERS_MAX];
};

/* Makes all runs of a plan without emulated points, with run->jobs processes, this one included; and waits
 * for them. Does nothing where there is only one run, one job or no place to keep runs. */
void weir_workers_run(struct weir_experiment_engine *g);
/* Whether the run was made now, and not found. */
bool weir_workers_made(const struct weir_workers *w, u32 run);
void weir_workers_free(struct weir_workers *w);

#endif
