/* SPDX-License-Identifier: MIT */
/* An experiment while it runs; between experiment_run.c and experiment_judge.c only. */
#ifndef WEIR_RUN_EXPERIMENT_ENGINE_H
#define WEIR_RUN_EXPERIMENT_ENGINE_H

#include "run/experiment_carry.h"
#include "run/experiment_workers.h"

struct weir_experiment_engine {
	const struct weir_experiment_run *run;
	const struct weir_experiment *e;
	struct weir_experiment_plan plan;
	struct weir_traces traces;
	bool keeps; /* runs, in keep */
	struct weir_keep keep;
	struct weir_workers workers;
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

/* ---- a run of a point ---- */

/* 0; or what weir_experiment_run returns, after telling why. Both are to be freed in any case. */
int weir_experiment_load_point(struct weir_experiment_engine *g, u32 point, struct weir_scenario_set *set,
			       struct weir_scenario *scenario);
void weir_experiment_reset_watched(struct weir_experiment_engine *g);
/* A loaded point as weir_experiment_carry wants it, but for the seed. False: out of memory; to be ended in
 * any case. */
struct weir_experiment_carrying {
	struct weir_carry carry;
	char **sets;
	u32 n_sets;
};
bool weir_experiment_carry_begin(struct weir_experiment_carrying *c, struct weir_experiment_engine *g,
				 u32 point, const struct weir_scenario_set *set,
				 const struct weir_scenario *scenario);
void weir_experiment_carry_end(struct weir_experiment_carrying *c);

/* What the model says of the point that is being run, into the numbers of each of its runs. 0, or -2 after
 * telling a mistake. */
int weir_experiment_ask_model(struct weir_experiment_engine *g, u32 point);
/* Writes a mistake in the metric of a claim, at its place in the file, to the complaints. */
void weir_experiment_complain(struct weir_experiment_engine *g, const struct weir_claim *c, const char *text);

/* Every claim that can be judged. 0, or -1 when out of memory. */
int weir_experiment_judge(struct weir_experiment_engine *g);

#endif
