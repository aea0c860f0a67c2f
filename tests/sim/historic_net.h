/* SPDX-License-Identifier: MIT */
/* Historic flows in a world of net.h: hosts whose clocks tick at times of their own. */
#ifndef TESTS_SIM_HISTORIC_NET_H
#define TESTS_SIM_HISTORIC_NET_H

#include "core/rng.h"
#include "net.h"

static inline u32 historic_phase_ns(const char *clock, u64 period_ns, u64 seed, u32 flow)
{
	struct weir_rng r;
	weir_rng_init(&r, seed, weir_rng_point(clock), flow);
	return (u32)weir_rng_below(&r, period_ns);
}

/* 1 MB over a 16 KB window in packets of 512 bytes, as in the paper; the receiver is of 1986. *sender must
 * live as long as the call of net_add. */
static inline struct weir_flow_config historic_flow(u32 path, struct weir_bsd43_config *sender, u64 seed,
						    u32 number)
{
	struct weir_flow_config f = {.path = path,
				     .historic = sender,
				     .endpoint = weir_endpoint_defaults(),
				     .app = {.kind = WEIR_APP_SIZED, .size_bytes = 1 << 20},
				     .stop_ns = WEIR_NEVER};
	sender->tick_phase_ns = historic_phase_ns("sender", WEIR_BSD43_TICK_NS, seed, number);
	f.endpoint.mss_bytes = 512;
	f.endpoint.header_bytes = 78;
	f.endpoint.rwnd_bytes = 16384;
	f.endpoint.initial_window_packets = 1;
	f.endpoint.plain_acks = true;
	f.endpoint.ack_policy = WEIR_ACK_BSD_OLD;
	f.endpoint.ack_out_of_order_late = true;
	f.endpoint.ack_phase_ns = historic_phase_ns("receiver", WEIR_ACK_BSD_TICK_NS, seed, number);
	return f;
}

#endif
