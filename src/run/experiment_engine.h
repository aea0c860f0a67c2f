/* SPDX-License-Identifier: MIT */
/* An experiment while it runs; between experiment_run.c and experiment_judge.c only. */
#ifndef WEIR_RUN_EXPERIMENT_ENGINE_H
#define WEIR_RUN_EXPERIMENT_ENGINE_H

#include "run/experiment_carry.h"

struct weir_experiment_engine {
	const struct weir_experiment_run *run;
	const struct weir_experiment *e;
	struct weir_experiment_plan plan;
	struct weir_traces traces;
	struct weir_keep keep;
	u32 n_runs;		    /* point x seed; those of points to skip are never made */
	double *numbers;	    /* [claim][operand][run]; NaN: this run gave none */
	char **invalid;		    /* [run]: why the emulator could not keep up; NULL: it could */
	double *cost;		    /* [point]: how long one run of it is taken to last, 0: none is made */
	double done, all, cost_now; /* of these costs, for the progress */
	/* of the point that is being run */
	const struct weir_scenario *scenario;
	u32 n_watched;
	struct weir_watched *watched; /* of the operands that are series, in their order */
	u32 mistakes;
	struct weir_experiment_result *out;
};

static inline double *weir_experiment_number(const struct weir_experiment_engine *g, u32 claim, u32 operand,
					     u32 run)
{
	return &g->numbers[((size_t)claim * 2 + operand) * g->n_runs + run];
}

/* What the model says of the point that is being run, into the numbers of each of its runs. 0, or -2 after
 * telling a mistake. */
int weir_experiment_ask_model(struct weir_experiment_engine *g, u32 point);
/* Writes a mistake in the metric of a claim, at its place in the file, to the complaints. */
void weir_experiment_complain(struct weir_experiment_engine *g, const struct weir_claim *c, const char *text);

/* Every claim that can be judged. 0, or -1 when out of memory. */
int weir_experiment_judge(struct weir_experiment_engine *g);

#endif
