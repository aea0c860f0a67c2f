/* SPDX-License-Identifier: MIT */
/* Acp flows and datagrams of updates for tests: on the worlds of net.h. */
#ifndef TESTS_SIM_ACP_H
#define TESTS_SIM_ACP_H

#include "age/table.h"
#include "age/wire.h"
#include "net.h"

#include <stdlib.h>

#define ACP_HEADER_BYTES 28u
#define ACP_PARAMS_MAX 32

struct acp_choice {
	u64 params[ACP_PARAMS_MAX];
	struct weir_source_config source;
};

/* Of that controller, a value at each slot, so many bytes of payload. */
static inline struct weir_flow_config acp_flow(u32 path, const char *controller, u64 value_bytes,
					       struct acp_choice *choice)
{
	const struct weir_age_ops *ops = weir_age_find(controller);
	assert_non_null(ops);
	assert_true(ops->n_params <= ACP_PARAMS_MAX);
	weir_age_defaults(ops, choice->params);
	choice->source = weir_source_defaults(ops, choice->params);
	choice->source.just_in_time = true;
	struct weir_flow_config f = {
	    .path = path,
	    .endpoint = weir_endpoint_defaults(),
	    .app = {.kind = WEIR_APP_UPDATES,
		    .datagrams = true,
		    .chunk_bytes = value_bytes + WEIR_AGE_HEADER_BYTES + ACP_HEADER_BYTES},
	    .stop_ns = WEIR_NEVER,
	    .acp = &choice->source};
	f.endpoint.header_bytes = ACP_HEADER_BYTES;
	return f;
}

/* Datagrams of so many bytes on the wire, at equal gaps or at random. */
static inline struct weir_flow_config updates_flow(u32 path, u64 wire_bytes, double hz, bool poisson)
{
	struct weir_flow_config f = {.path = path,
				     .endpoint = weir_endpoint_defaults(),
				     .app = {.kind = WEIR_APP_UPDATES,
					     .datagrams = true,
					     .exponential = poisson,
					     .chunk_bytes = wire_bytes,
					     .rate_uhz = (u64)(hz * 1e6 + .5)},
				     .stop_ns = WEIR_NEVER,
				     .age = true};
	f.endpoint.header_bytes = ACP_HEADER_BYTES;
	return f;
}

static inline struct weir_flow_age age_of(struct net *n, u32 flow)
{
	struct weir_flow_age a;
	assert_true(weir_world_flow_age(n->world, flow, &a));
	return a;
}

static inline double backlog_of(const struct weir_flow_age *a)
{
	return a->backlog_area_s / weir_ledger_time_s(&a->estimate);
}

static inline void assert_near(const char *what, double x, double right, double part)
{
	print_message("%s: %.5g, %.5g by theory\n", what, x, right);
	if (!(x <= right * (1 + part) && x >= right * (1 - part)))
		fail_msg("%s: %.6g is not within %g %% of %.6g", what, x, part * 100, right);
}

#endif
