/* SPDX-License-Identifier: MIT */
/* Random calls of a controller: mostly what a path may show, now and then anything at all. */
#ifndef WEIR_TESTS_KERN_ANY_CALL_H
#define WEIR_TESTS_KERN_ANY_CALL_H

#include "core/rng.h"
#include "kern/record.h"

#include <string.h>

static inline u64 below(struct weir_rng *r, u64 n)
{
	return weir_rng_u64(r) % n;
}

/* Mostly what a path may show, now and then anything at all. */
static inline u64 number(struct weir_rng *r, u64 usual)
{
	u64 kind = below(r, 32);
	if (kind == 0)
		return 0;
	if (kind == 1)
		return weir_rng_u64(r) >> below(r, 64);
	return below(r, usual) + 1;
}

static inline void any_view(struct weir_rng *r, struct weir_view *v)
{
	v->now_ns += number(r, 20 * WEIR_NS_PER_MS);
	v->srtt_ns = number(r, 200 * WEIR_NS_PER_MS);
	v->min_rtt_ns = number(r, 50 * WEIR_NS_PER_MS);
	v->inflight_bytes = number(r, 1 << 22);
	v->delivered_bytes += number(r, 65536);
	v->delivery_Bps = number(r, 125000000);
	v->initial_bytes = number(r, 20000);
	v->mss_bytes = below(r, 64) ? 1448 : (u32)number(r, 9000);
	v->flags = (u32)below(r, 16) | (below(r, 4) ? (u32)WEIR_CWND_LIMITED : 0);
}

static inline void any_call(struct weir_rng *r, struct weir_kern_call *c)
{
	u64 kind = below(r, 100);
	any_view(r, &c->view);
	memset(&c->ack, 0, sizeof c->loss > sizeof c->ack ? sizeof c->loss : sizeof c->ack);
	memset(&c->out, 0, sizeof c->out);
	if (kind < 85) {
		c->event = WEIR_KERN_ACK;
		c->ack = (struct weir_ack){.acked_bytes = number(r, 65536),
					   .rtt_ns = number(r, 100 * WEIR_NS_PER_MS),
					   .owd_ns = number(r, 50 * WEIR_NS_PER_MS),
					   .age_ns = number(r, 50 * WEIR_NS_PER_MS),
					   .ce_bytes = below(r, 8) ? 0 : number(r, 1448),
					   .sample_bytes = below(r, 8) ? number(r, 1 << 20) : 0,
					   .send_interval_ns = number(r, 100 * WEIR_NS_PER_MS),
					   .ack_interval_ns = number(r, 100 * WEIR_NS_PER_MS)};
	} else if (kind < 94) {
		c->event = WEIR_KERN_LOSS;
		c->loss = (struct weir_loss){.lost_bytes = number(r, 65536),
					     .sent_ns = number(r, WEIR_NS_PER_S),
					     .inflight_at_send_bytes = number(r, 1 << 22),
					     .kind = (u32)below(r, 4),
					     .flags = (u32)below(r, 2)};
	} else {
		static const u32 rare[] = {WEIR_KERN_TIMEOUT, WEIR_KERN_IDLE, WEIR_KERN_IDLE, WEIR_KERN_TICK};
		c->event = rare[below(r, 4)];
		c->idle_ns = number(r, 10 * WEIR_NS_PER_S);
	}
}

#endif
