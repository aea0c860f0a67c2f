/* SPDX-License-Identifier: MIT */
/* What has to hold between the keys of what is sent. */
#include "check.h"

static void check_arrivals(struct weir_checker *c, const struct weir_yaml *node)
{
	static const char *const others[] = {"count", "start_jitter", "age", "age_bound"};
	for (u32 i = 0; i < sizeof others / sizeof others[0]; i++)
		weir_check_refuse(c, node, others[i], i ? "arrivals" : "arrivals: `load` says how many come");
}

void weir_check_content(struct weir_checker *c, const struct weir_yaml *node,
			const struct weir_scenario_flow *flow)
{
	const struct weir_scenario_app *app = &flow->app;
	if (app->kind == WEIR_SCENARIO_ARRIVALS)
		check_arrivals(c, node);
	/* 0: the value was wrong and that is reported. */
	if (app->kind == WEIR_SCENARIO_VIDEO && app->video_buffer_ns && app->video_chunk_ns &&
	    app->video_buffer_ns < 2 * app->video_chunk_ns)
		weir_check_mistake(c, node->at, "a video's buffer must hold at least two chunks");
}
