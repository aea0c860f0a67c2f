/* SPDX-License-Identifier: MIT */
#include "tune.h"

#include <errno.h>

int weir_model_matrix(const struct weir_model_config *path, const struct weir_model_grid *grid,
		      double *matrix, bool (*progress)(void *ctx, double done, double total), void *ctx)
{
	struct weir_model_config c = *path;
	u32 cells = grid->n_betas * grid->n_lambdas;

	for (u32 i = 0; i < cells; i++) {
		struct weir_model_result r;
		c.beta = grid->beta[i / grid->n_lambdas];
		c.lambda_max = grid->lambda_max[i % grid->n_lambdas];
		if (weir_model_throughput(&c, false, &r) < 0)
			return -1;
		matrix[i] = r.normalized_throughput;
		weir_model_result_free(&r);
		if (progress && !progress(ctx, i + 1, cells)) {
			errno = EINTR;
			return -1;
		}
	}
	return 0;
}

void weir_model_optimum(const struct weir_model_grid *grid, const double *matrix, double tolerance,
			bool carry, u32 *best)
{
	double tie = tolerance > WEIR_MODEL_TIE ? tolerance : WEIR_MODEL_TIE, carried = 0;

	for (u32 b = 0; b < grid->n_betas; b++) {
		const double *row = &matrix[(u64)b * grid->n_lambdas];
		double highest = 0;
		u32 i = 0;
		for (u32 k = 0; k < grid->n_lambdas; k++)
			highest = row[k] > highest ? row[k] : highest;
		while (row[i] < highest - tie)
			i++;
		best[b] = carry && highest <= carried + WEIR_MODEL_TIE ? grid->n_lambdas : i;
		carried = highest > carried ? highest : carried;
	}
}
