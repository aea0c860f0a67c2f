/* SPDX-License-Identifier: MIT */
/* Any sequence of events to any controller: it must stay within bounds, and within its state. The first
 * bytes choose the controller and the connection, each further block of them is one event. */
#include "bytes.h"
#include "cc/table.h"
#include "core/window.h"

#include <stdlib.h>
#include <string.h>

#define GUARD 0x5aU

int LLVMFuzzerTestOneInput(const u8 *data, size_t bytes);

/* A size from two bytes: any power of two, and what lies near it. */
static u64 size(struct reader *r)
{
	return size_up_to(r, 56);
}

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void event(struct reader *r, const struct weir_cc_ops *ops, u8 *state, const u64 *params,
		  struct weir_view *v, u64 *cwnd_bytes)
{
	struct weir_out o = {0};
	u32 kind = byte(r);
	v->flags = byte(r);
	v->now_ns += size(r) >> 8;
	struct weir_ack a = {.acked_bytes = size(r), .rtt_ns = size(r), .ce_bytes = kind & 0x80};
	struct weir_loss l = {.lost_bytes = a.acked_bytes,
			      .inflight_at_send_bytes = a.rtt_ns,
			      .kind = (kind >> 3) % 4,
			      .flags = kind >> 5 & 1};
	v->srtt_ns = a.rtt_ns;
	switch (kind % 5) {
	case 0:
		v->mss_bytes = (u32)size(r);
		break;
	case 1:
		ops->on_loss(state, params, v, &l, &o);
		break;
	case 2:
		ops->on_timeout(state, params, v, &o);
		break;
	case 3:
		if (ops->on_idle)
			ops->on_idle(state, params, v, a.acked_bytes, &o);
		break;
	default:
		v->delivered_bytes += a.acked_bytes;
		ops->on_ack(state, params, v, &a, &o);
		check(o.cwnd_bytes <= *cwnd_bytes || (v->flags & WEIR_CWND_LIMITED));
	}
	if (o.cwnd_bytes)
		*cwnd_bytes = o.cwnd_bytes;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t bytes)
{
	struct reader r = {data, bytes};
	const struct weir_cc_ops *ops = weir_cc_at(byte(&r) % weir_cc_count());
	_Alignas(8) u8 state[WEIR_CC_MAX_BYTES + 64];
	u64 params[64], signal[WEIR_CC_SIGNALS_MAX], cwnd_bytes = 0;
	struct weir_out o = {0};
	struct weir_view v = {.now_ns = size(&r), .initial_bytes = size(&r), .mss_bytes = (u32)size(&r)};
	for (u32 i = 0; i < ops->n_params; i++)
		params[i] = weir_clamp(size(&r), ops->params[i].min, ops->params[i].max);
	memset(state, GUARD, sizeof state);
	ops->init(state, params, &v, &o);
	cwnd_bytes = o.cwnd_bytes;
	while (r.left) {
		event(&r, ops, state, params, &v, &cwnd_bytes);
		check(cwnd_bytes >= 1 && cwnd_bytes <= WEIR_WINDOW_MAX_BYTES);
		ops->probe(state, signal);
	}
	for (size_t i = ops->state_bytes; i < sizeof state; i++)
		check(state[i] == GUARD);
	return 0;
}
