/* SPDX-License-Identifier: MIT */
/* How much a buffer is: from ms and BDP to bytes, once rates and delays of whole paths are known. */
#ifndef WEIR_RUN_BUFFER_H
#define WEIR_RUN_BUFFER_H

#include "scenario/scenario.h"

struct weir_buffer_limit {
	u64 bytes, packets; /* 0: no limit of this kind */
};

/* Of the hop-th hop. mean_bps: of each hop, 0 = infinitely fast; on a trace its mean rate. ms are of the
 * hop's own rate. A BDP is the slowest rate among the hops of the longest path through this hop, in the
 * direction in which it stands there, times that path's round trip without queues. A buffer that comes
 * out as nothing holds nothing: it does not become unlimited. */
struct weir_buffer_limit weir_buffer_resolve(const struct weir_scenario *s, u32 hop,
					     const struct weir_scenario_buffer *buffer, const u64 *mean_bps);
/* A threshold of RED, always in bytes: packets count as the largest that comes to this hop. */
u64 weir_buffer_red_bytes(const struct weir_scenario *s, u32 hop,
			  const struct weir_scenario_buffer *threshold, const u64 *mean_bps);

#endif
