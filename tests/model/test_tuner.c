/* SPDX-License-Identifier: MIT */
/* Algorithm 1 as printed, with a tolerance for ties, and as a knee. */
#include "model/tune.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const double betas[] = {.5, .55, .6, .65, .7, .75, .8, .85, .9, .95};
static const double lambdas[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
static const struct weir_model_grid grid = {betas, lambdas, 10, 10};

static void fill(double per, u64 buffer_packets, double matrix[100])
{
	struct weir_model_config c = weir_model_defaults(WEIR_MODEL_LITERAL);
	c.per = per;
	c.buffer_packets = buffer_packets;
	assert_int_equal(weir_model_matrix(&c, &grid, matrix, NULL, NULL), 0);
}

static void assert_vector(const double *matrix, double tolerance, bool carry, const u32 right[10])
{
	u32 best[10];
	weir_model_optimum(&grid, matrix, tolerance, carry, best);
	for (u32 i = 0; i < 10; i++)
		if (best[i] + 1 != right[i])
			fail_msg("beta %g: %u, not %u", betas[i], best[i] + 1, right[i]);
}

/* The paper's rate: the largest of the grid, reset or not; eq. 36 is neither that nor the knee, though near
 * to it. */
static void as_printed_and_the_knee(void **state)
{
	(void)state;
	double matrix[100];
	static const u32 all[] = {10, 10, 10, 10, 10, 10, 10, 10, 10, 10};
	fill(1e-8, 64, matrix);
	assert_vector(matrix, 0, false, all);
	assert_vector(matrix, 0, true, all);
	assert_vector(matrix, .02, false, (u32[]){6, 6, 5, 5, 5, 4, 4, 3, 2, 1});
	u32 best[10], apart = 0;
	weir_model_optimum(&grid, matrix, .02, false, best);
	for (u32 i = 0; i < 10; i++)
		apart += lambdas[best[i]] != weir_model_eq36(betas[i]);
	assert_int_equal(apart, 2);
}

/* Where the plateau begins: rises with beta, where eq. 36 falls. Noise of the last digit does not choose. */
static void plateaus(void **state)
{
	(void)state;
	static const double some[] = {.5, .7, .85, .95};
	static const struct weir_model_grid rows = {some, lambdas, 4, 10};
	struct weir_model_config c = weir_model_defaults(WEIR_MODEL_LITERAL);
	double matrix[40];
	u32 best[4];
	c.per = 1e-6;
	assert_int_equal(weir_model_matrix(&c, &rows, matrix, NULL, NULL), 0);
	weir_model_optimum(&rows, matrix, 0, false, best);
	assert_int_equal(best[0] + 1, 3);
	assert_int_equal(best[1] + 1, 4);
	assert_int_equal(best[2] + 1, 6);
	assert_int_equal(best[3] + 1, 10);
}

static void a_maximum_that_is_carried(void **state)
{
	(void)state;
	static const double falling[] = {.5, .6, .4, .45, .6, .7};
	static const struct weir_model_grid small = {betas, lambdas, 3, 2};
	u32 best[3];
	weir_model_optimum(&small, falling, 0, true, best);
	assert_int_equal(best[0], 1);
	assert_int_equal(best[1], 2); /* none */
	assert_int_equal(best[2], 1);
	weir_model_optimum(&small, falling, 1, false, best);
	assert_int_equal(best[0] + best[1] + best[2], 0);
}

static bool stop(void *ctx, double done, double total)
{
	(void)ctx;
	(void)total;
	return done < 2;
}

static void it_stops_when_asked(void **state)
{
	(void)state;
	double matrix[100];
	struct weir_model_config c = weir_model_defaults(WEIR_MODEL_RENEWAL);
	assert_int_equal(weir_model_matrix(&c, &grid, matrix, stop, NULL), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(as_printed_and_the_knee),
	    cmocka_unit_test(plateaus),
	    cmocka_unit_test(a_maximum_that_is_carried),
	    cmocka_unit_test(it_stops_when_asked),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
