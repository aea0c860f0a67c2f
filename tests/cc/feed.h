/* SPDX-License-Identifier: MIT */
/* A controller without a network: hands it events, and checks after each what holds for all of them. */
#ifndef WEIR_TESTS_CC_FEED_H
#define WEIR_TESTS_CC_FEED_H

#include "cc/table.h"
#include "weir/cc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define FEED_MSS 1000U
#define FEED_MS WEIR_NS_PER_MS

struct feed {
	const struct weir_cc_ops *ops;
	_Alignas(8) u8 state[WEIR_CC_MAX_BYTES];
	u64 params[64];
	struct weir_view view;
	u64 cwnd_bytes; /* the last word of the controller */
	u64 rtt_ns;	/* of every ACK; 0: no samples */
};

static inline void feed_take(struct feed *f, const struct weir_out *o)
{
	if (o->cwnd_bytes)
		f->cwnd_bytes = o->cwnd_bytes;
	assert_true(f->cwnd_bytes >= f->view.mss_bytes);
}

static inline struct feed *feed_param(struct feed *f, const char *name, u64 value)
{
	for (u32 i = 0; i < f->ops->n_params; i++)
		if (strcmp(f->ops->params[i].name, name) == 0) {
			f->params[i] = value;
			return f;
		}
	fail_msg("%s has no parameter %s", f->ops->name, name);
	return f;
}

static inline void feed_init(struct feed *f)
{
	struct weir_out o = {0};
	memset(f->state, 0xa5, sizeof f->state); /* init must not rely on zeroes */
	f->ops->init(f->state, f->params, &f->view, &o);
	feed_take(f, &o);
}

/* Ten segments of FEED_MSS, RTT rtt_ns, window-limited, the clock at one second. */
static inline void feed_open(struct feed *f, const char *name, u64 rtt_ns)
{
	memset(f, 0, sizeof *f);
	f->ops = weir_cc_find(name);
	assert_non_null(f->ops);
	weir_cc_defaults(f->ops, f->params);
	f->rtt_ns = rtt_ns;
	f->view = (struct weir_view){.now_ns = WEIR_NS_PER_S,
				     .srtt_ns = rtt_ns,
				     .min_rtt_ns = rtt_ns,
				     .initial_bytes = 10 * FEED_MSS,
				     .mss_bytes = FEED_MSS,
				     .flags = WEIR_CWND_LIMITED};
	feed_init(f);
}

static inline void feed_ack(struct feed *f, u64 acked_bytes)
{
	struct weir_ack a = {.acked_bytes = acked_bytes, .rtt_ns = f->rtt_ns};
	struct weir_out o = {0};
	f->view.delivered_bytes += acked_bytes;
	f->view.inflight_bytes = f->cwnd_bytes;
	f->ops->on_ack(f->state, f->params, &f->view, &a, &o);
	feed_take(f, &o);
}

/* One window of data in ACKs for `per_ack` bytes each, spread over one RTT; the first begins a round. */
static inline void feed_round_by(struct feed *f, u64 per_ack_bytes)
{
	u64 window = f->cwnd_bytes, start_ns = f->view.now_ns, done = 0;
	f->view.flags |= WEIR_ROUND_START;
	while (done < window) {
		u64 n = weir_min(per_ack_bytes, window - done);
		done += n;
		f->view.now_ns = start_ns + weir_muldiv(f->rtt_ns, done, window);
		feed_ack(f, n);
		f->view.flags &= ~(u32)WEIR_ROUND_START;
	}
}

static inline void feed_round(struct feed *f)
{
	feed_round_by(f, f->view.mss_bytes);
}

static inline void feed_signal(struct feed *f, u32 kind, u32 flags, u64 inflight_at_send_bytes)
{
	struct weir_loss l = {.lost_bytes = f->view.mss_bytes,
			      .inflight_at_send_bytes = inflight_at_send_bytes,
			      .kind = kind,
			      .flags = flags};
	struct weir_out o = {0};
	f->ops->on_loss(f->state, f->params, &f->view, &l, &o);
	feed_take(f, &o);
}

static inline void feed_loss(struct feed *f)
{
	feed_signal(f, WEIR_LOSS_PACKET, WEIR_NEW_EPISODE, 0);
}

static inline void feed_undo(struct feed *f)
{
	feed_signal(f, WEIR_LOSS_SPURIOUS, 0, 0);
}

static inline void feed_timeout(struct feed *f)
{
	struct weir_out o = {0};
	f->ops->on_timeout(f->state, f->params, &f->view, &o);
	feed_take(f, &o);
}

/* Silence of that long, then the call that precedes the next packet. */
static inline void feed_idle(struct feed *f, u64 idle_ns)
{
	struct weir_out o = {0};
	f->view.now_ns += idle_ns;
	f->ops->on_idle(f->state, f->params, &f->view, idle_ns, &o);
	feed_take(f, &o);
}

/* Those that keep a window which a loss cuts say so by their first signal. The others keep a rate. */
static inline bool feed_cuts(const struct weir_cc_ops *ops)
{
	return ops->n_signals && strcmp(ops->signals[0].name, "ssthresh") == 0;
}

static inline u64 feed_signal_value(const struct feed *f, const char *name)
{
	u64 value[WEIR_CC_SIGNALS_MAX] = {0};
	f->ops->probe(f->state, value);
	for (u32 i = 0; i < f->ops->n_signals; i++)
		if (strcmp(f->ops->signals[i].name, name) == 0)
			return value[i];
	fail_msg("%s has no signal %s", f->ops->name, name);
	return 0;
}

#endif
