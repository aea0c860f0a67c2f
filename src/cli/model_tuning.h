/* SPDX-License-Identifier: MIT */
/* What `weir model tune` found, and the forms it is told in. */
#ifndef WEIR_CLI_MODEL_TUNING_H
#define WEIR_CLI_MODEL_TUNING_H

#include "model.h"

#include <stdio.h>

struct weir_model_tuning {
	struct weir_model_config path; /* without beta and lambda_max */
	struct weir_model_grid grid;
	double beta[WEIR_MODEL_AXIS_MAX], lambda_max[WEIR_MODEL_AXIS_MAX];
	double tolerance;
	bool carry;
	double *matrix;
	u32 best[WEIR_MODEL_AXIS_MAX]; /* as weir_model_optimum gives it */
	double eq36[WEIR_MODEL_AXIS_MAX];
	struct weir_model_trial trial[3];
	u32 n_trials;
};

void weir_model_tuning_text(const struct weir_model_tuning *t);
/* 0, or -1 with errno set. */
int weir_model_tuning_json(const struct weir_model_tuning *t, FILE *to);
/* Whether a directory can be written there; says why not. */
int weir_model_tuning_check_place(const struct weir_invocation *call, const char *directory);
/* tune.json, manifest.json and report.html into `directory`. An exit code. */
int weir_model_tuning_write(const struct weir_invocation *call, const struct weir_model_tuning *t,
			    const char *directory);

#endif
