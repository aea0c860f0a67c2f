/* SPDX-License-Identifier: MIT */
/* The tuner of the paper (Algorithm 1): for each beta the smallest lambda_max with the highest throughput.
 * What the paper makes of it, eq. 36, does not follow: docs/model.md. */
#ifndef WEIR_MODEL_TUNE_H
#define WEIR_MODEL_TUNE_H

#include "model.h"

#define WEIR_MODEL_AXIS_MAX 1000 /* values of beta or lambda_max */
#define WEIR_MODEL_CELLS_MAX 100000
/* Throughputs closer than this are the same: the rest is rounding, and would choose at random on a plateau.
 */
#define WEIR_MODEL_TIE 1e-9

struct weir_model_grid {
	const double *beta, *lambda_max; /* both rise */
	u32 n_betas, n_lambdas;
};

/* Normalised throughput of every pair into matrix[beta][lambda_max]; `progress` may be NULL. 0, or -1 with
 * errno ENOMEM, or EINTR when `progress` returned false. Every pair has passed weir_model_check. */
int weir_model_matrix(const struct weir_model_config *path, const struct weir_model_grid *grid,
		      double *matrix, bool (*progress)(void *ctx, double done, double total), void *ctx);

/* Algorithm 1 over the matrix: best[beta] becomes the index of the smallest lambda_max that comes within
 * `tolerance` of the highest throughput of its row; 0 is "as printed", .02 finds the knee. With `carry` the
 * maximum is kept from row to row, as printed, and a row that stays below it has none: best is n_lambdas. */
void weir_model_optimum(const struct weir_model_grid *grid, const double *matrix, double tolerance,
			bool carry, u32 *best);

#endif
