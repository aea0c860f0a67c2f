/* SPDX-License-Identifier: MIT */
#ifndef WEIR_TESTS_SCENARIO_COMPLAIN_H
#define WEIR_TESTS_SCENARIO_COMPLAIN_H

#include "catalog.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Everything that is reported about a scenario, as LINE:COLUMN: TEXT lines. */
static inline void complain(const char *text, size_t bytes, const char *const *sets, u32 n_sets, char *out,
			    size_t room)
{
	struct weir_scenario_set set;
	struct weir_diag diag = {0};
	int result = weir_scenario_parse("t.yaml", text, bytes, sets, n_sets, &catalog, &set, &diag);
	size_t used = 0;
	out[0] = 0;
	for (u32 i = 0; i < diag.n && used < room; i++) {
		const struct weir_diag_entry *e = &diag.entry[i];
		used += (size_t)snprintf(out + used, room - used, "%s%s%u:%u: %s\n", e->option,
					 e->option[0] ? ":" : "", e->line, e->column, e->text);
	}
	assert_int_equal(result, diag.n ? -1 : 0);
	weir_scenario_set_free(&set);
}

#endif
