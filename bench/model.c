/* SPDX-License-Identifier: MIT */
/* Milliseconds of CPU for one figure of the model over the paper's path: N = 1253, literally with 10,000
 * iterations, and by the stationary law. "NAME MILLISECONDS" a line, the best of some runs. */
#include "model/model.h"

#include <stdio.h>
#include <time.h>

#define RUNS 20

static double cpu_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

int main(void)
{
	static const enum weir_model_reading readings[] = {WEIR_MODEL_LITERAL, WEIR_MODEL_RENEWAL,
							   WEIR_MODEL_TWO_STATE};
	for (size_t i = 0; i < sizeof readings / sizeof readings[0]; i++) {
		struct weir_model_config c = weir_model_defaults(readings[i]);
		double best_ms = 1e9;
		for (int run = 0; run < RUNS; run++) {
			struct weir_model_result r;
			double start_ms = cpu_ms();
			if (weir_model_throughput(&c, false, &r) < 0)
				return 1;
			double ms = cpu_ms() - start_ms;
			weir_model_result_free(&r);
			best_ms = ms < best_ms ? ms : best_ms;
		}
		printf("%s %.4f\n", weir_model_reading_names[readings[i]], best_ms);
	}
	return 0;
}
