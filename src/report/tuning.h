/* SPDX-License-Identifier: MIT */
/* What a tuner found, as one page: a heat map over both parameters, a line for each of some settings, the
 * optima in a table. The caller brings plain data and keeps it. */
#ifndef WEIR_REPORT_TUNING_H
#define WEIR_REPORT_TUNING_H

#include "core/diag.h"

#include <stdio.h>

/* What a setting really gave, beside what the model says. NaN stands for a number that there is not. */
struct weir_report_trial {
	const char *name, *setting;
	double model, simulated, ci95[2];
	u64 n; /* runs */
};

struct weir_report_tuning {
	const char *title, *about; /* about: the path and the reading, in a sentence */
	const char *verdict;	   /* what follows from it; plain text */
	const char *reference;	   /* the name of the other rule: "eq. 36" */
	const double *beta, *lambda_max;
	u32 n_betas, n_lambdas;
	const double *share;	   /* [beta][lambda_max], of the rate */
	const u32 *best;	   /* [beta], an index into lambda_max; n_lambdas: none */
	const double *recommended; /* [beta], a lambda_max by that other rule */
	const struct weir_report_trial *trial;
	u32 n_trials;
};

/* The heat map and the lines alone, for another page. */
void weir_tuning_figures(FILE *to, const struct weir_report_tuning *t);

/* Writes the page to `path`, whole or not at all. Returns an enum weir_exit; why it failed is in `d`. */
int weir_report_tuning(const char *path, const struct weir_report_tuning *t, struct weir_diag *d);

#endif
