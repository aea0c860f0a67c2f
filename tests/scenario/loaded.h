/* SPDX-License-Identifier: MIT */
/* A right scenario, loaded or the test has failed. */
#ifndef WEIR_TESTS_SCENARIO_LOADED_H
#define WEIR_TESTS_SCENARIO_LOADED_H

#include "complain.h"

struct loaded {
	struct weir_scenario_set set;
	struct weir_scenario point;
};

static inline void load(struct loaded *l, const char *path, const char *text, const char *const *sets,
			u32 n_sets, u64 index)
{
	struct weir_diag diag = {0};
	if (weir_scenario_parse(path, text, strlen(text), sets, n_sets, &catalog, &l->set, &diag) < 0 ||
	    weir_scenario_point(&l->set, index, &l->point, &diag) < 0) {
		weir_diag_print(&diag, text, stderr);
		fail();
	}
	assert_int_equal(diag.n, 0);
}

static inline void unload(struct loaded *l)
{
	weir_scenario_free(&l->point);
	weir_scenario_set_free(&l->set);
}

static const char small[] = "duration: 90 s\n"
			    "paths: {main: {hops: [{name: b, rate: 96 Mbit/s, delay: 25 ms}]}}\n"
			    "flows: [{name: f, controller: cubic}]\n";

#endif
