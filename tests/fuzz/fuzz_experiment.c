/* SPDX-License-Identifier: MIT */
/* An experiment's file by anybody: either mistakes, told, or a plan that can be walked. */
#include "run/experiment.h"
#include "run/experiment_sweep.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const u8 *data, size_t bytes);

static void walk(const struct weir_experiment *e, bool quick)
{
	struct weir_experiment_plan plan;
	u32 choice[WEIR_EXPERIMENT_MAX_AXES];
	const char *unit;

	weir_experiment_plan(e, quick, true, &plan);
	if (plan.n_points == 0 || plan.n_seeds == 0 || plan.n_points > WEIR_EXPERIMENT_MAX_RUNS)
		abort();
	for (u32 point = 0; point < plan.n_points; point++) {
		weir_experiment_choices(&plan, point, choice);
		for (u32 a = 0; a < e->n_axes; a++)
			if (choice[a] >= e->axes[a].n)
				abort();
	}
	for (u32 a = 0; a < e->n_axes; a++) {
		struct weir_experiment_sweep *s = calloc(e->axes[a].n, sizeof *s);
		if (s)
			weir_experiment_scale(&plan, a, &unit, s);
		free(s);
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t bytes)
{
	static struct weir_registry registry;
	struct weir_experiment e;
	char path[64];

	if (!registry.entries && weir_registry_init(&registry) < 0)
		return 0;
	int fd = memfd_create("experiment", 0);
	FILE *nowhere = fopen("/dev/null", "w");
	if (fd < 0 || !nowhere || write(fd, data, bytes) != (ssize_t)bytes)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (weir_experiment_load(path, &registry, &e, nowhere) == 0) {
		walk(&e, false);
		walk(&e, true);
	}
	weir_experiment_free(&e);
	fclose(nowhere);
	close(fd);
	return 0;
}
