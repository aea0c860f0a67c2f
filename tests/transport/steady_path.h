/* SPDX-License-Identifier: MIT */
/* A path on which all is known: segments of 1000 bytes each 5 ms, 100 ms there and back, an ACK for each; a
 * fixed window of 20 segments keeps it just full, and 10 remain after a cut. */
#ifndef TESTS_TRANSPORT_STEADY_PATH_H
#define TESTS_TRANSPORT_STEADY_PATH_H

#include "pair.h"

#define MSS 1000u
#define HEADER 40u
#define GAP_NS (5 * WEIR_NS_PER_MS)
#define RTT_NS (100 * WEIR_NS_PER_MS)
#define WINDOW 20u

static const struct probe_params fixed_window = {.cwnd_bytes = WINDOW * MSS, .ssthresh_bytes = 10 * MSS};

static inline struct weir_endpoint_config steady_config(void)
{
	struct weir_endpoint_config c = weir_endpoint_defaults();
	c.mss_bytes = MSS;
	c.header_bytes = HEADER;
	c.ack_every = 1;
	return c;
}

static inline struct pair *steady_path_of(const struct weir_endpoint_config *c,
					  const struct probe_params *params)
{
	struct pair *p = pair_new(c, &probe_ops, params, RTT_NS / 2, 0);
	p->pipe[PAIR_DATA].rate_Bps = (MSS + HEADER) * WEIR_NS_PER_S / GAP_NS;
	return p;
}

static inline struct pair *steady_path(enum weir_recovery recovery)
{
	struct weir_endpoint_config c = steady_config();
	c.recovery = recovery;
	c.tail_loss_probe = false;
	return steady_path_of(&c, &fixed_window);
}

/* Where the n-th segment of the stream begins. */
static inline u64 nth_offset(u32 n)
{
	return (u64)(n - 1) * MSS;
}

#endif
