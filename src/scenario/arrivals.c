/* SPDX-License-Identifier: MIT */
/* Keys that a single flow may have, and flows that arrive at random may not. */
#include "check.h"

void weir_check_arrivals(struct weir_checker *c, const struct weir_yaml *node,
			 const struct weir_scenario_flow *flow)
{
	static const char *const others[] = {"count", "start_jitter", "age", "age_bound"};
	if (flow->app.kind != WEIR_SCENARIO_ARRIVALS)
		return;
	for (u32 i = 0; i < sizeof others / sizeof others[0]; i++)
		weir_check_refuse(c, node, others[i], i ? "arrivals" : "arrivals: `load` says how many come");
}
