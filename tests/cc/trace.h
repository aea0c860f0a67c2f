/* SPDX-License-Identifier: MIT */
/* Random sequences of events for controllers, from a seed. */
#ifndef WEIR_TESTS_CC_TRACE_H
#define WEIR_TESTS_CC_TRACE_H

#include "core/rng.h"
#include "weir/cc.h"

enum trace_kind { TRACE_ACK, TRACE_LOSS, TRACE_TIMEOUT, TRACE_IDLE, TRACE_KINDS };

struct trace_event {
	enum trace_kind kind;
	u64 after_ns; /* since the event before */
	u64 bytes;    /* acknowledged or lost */
	u64 rtt_ns, ce_bytes, inflight_at_send_bytes;
	u32 view_flags, loss_kind, loss_flags, mss_bytes;
};

/* Any size is as likely as any other, 0 and the ends included. */
static inline u64 trace_any_size(struct weir_rng *r, u32 bits_max)
{
	u64 bits = weir_rng_below(r, bits_max + 1ULL);
	return bits == 0 ? 0 : weir_rng_u64(r) >> (64 - bits);
}

static inline u64 trace_between(struct weir_rng *r, u64 low, u64 high)
{
	return low + weir_rng_below(r, high - low + 1);
}

/* What a connection over some path could see: constant MSS, sane times. */
static inline void trace_plausible(struct weir_rng *r, struct trace_event *e, u32 mss_bytes)
{
	static const u32 weight[] = {TRACE_ACK,	 TRACE_ACK,	TRACE_ACK, TRACE_ACK, TRACE_ACK, TRACE_ACK,
				     TRACE_ACK,	 TRACE_ACK,	TRACE_ACK, TRACE_ACK, TRACE_ACK, TRACE_ACK,
				     TRACE_ACK,	 TRACE_ACK,	TRACE_ACK, TRACE_ACK, TRACE_ACK, TRACE_LOSS,
				     TRACE_LOSS, TRACE_TIMEOUT, TRACE_IDLE};
	*e = (struct trace_event){.mss_bytes = mss_bytes};
	e->kind = weight[weir_rng_below(r, sizeof weight / sizeof weight[0])];
	e->after_ns = weir_rng_below(r, 50 * WEIR_NS_PER_MS);
	e->bytes = mss_bytes * trace_between(r, 0, weir_rng_below(r, 20) ? 4 : 4000);
	e->rtt_ns = weir_rng_below(r, 5) ? trace_between(r, 20, 150) * WEIR_NS_PER_MS : 0;
	e->ce_bytes = weir_rng_below(r, 30) ? 0 : e->bytes;
	e->view_flags = (u32)weir_rng_below(r, 16) | (weir_rng_below(r, 3) ? WEIR_CWND_LIMITED : 0);
	e->loss_kind = (u32)weir_rng_below(r, 3);
	e->loss_flags = weir_rng_below(r, 2) ? WEIR_NEW_EPISODE : 0;
	e->inflight_at_send_bytes = weir_rng_below(r, 2) ? mss_bytes * trace_between(r, 1, 200) : 0;
	if (e->kind == TRACE_IDLE)
		e->after_ns = trace_any_size(r, 36);
}

/* What no connection sees. */
static inline void trace_extreme(struct weir_rng *r, struct trace_event *e)
{
	*e = (struct trace_event){
	    .kind = (enum trace_kind)weir_rng_below(r, TRACE_KINDS),
	    .after_ns = trace_any_size(r, 56),
	    .bytes = trace_any_size(r, 64),
	    .rtt_ns = trace_any_size(r, 64),
	    .ce_bytes = weir_rng_below(r, 3) ? 0 : trace_any_size(r, 64),
	    .inflight_at_send_bytes = trace_any_size(r, 64),
	    .view_flags = (u32)weir_rng_u64(r),
	    .loss_kind = (u32)weir_rng_below(r, 5),
	    .loss_flags = (u32)weir_rng_u64(r),
	    .mss_bytes = (u32)trace_any_size(r, 32),
	};
}

#endif
