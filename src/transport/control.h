/* SPDX-License-Identifier: MIT */
/* How the sender talks to its controller: one place that fills the view and takes the answer. */
#ifndef WEIR_TRANSPORT_CONTROL_H
#define WEIR_TRANSPORT_CONTROL_H

#include "sender.h"

/* What a segment sent then says about the path: WEIR_APP_LIMITED if the application had too little to send
 * while it was on its way or before. What was in flight when the application ran dry left at the path's rate;
 * what left from then on, until all of it has arrived, did not. */
static inline u32 weir_control_limit(struct weir_sender *s, u64 now_ns, u64 sent_ns)
{
	bool limited = sent_ns < s->app_limited_to_ns && sent_ns > s->app_limited_from_ns;
	if (s->app_limited_to_ns == WEIR_NEVER && s->delivered_bytes > s->app_limited_until_bytes)
		s->app_limited_to_ns = now_ns;
	return limited ? WEIR_APP_LIMITED : 0;
}

/* Of events that bring no sample. */
static inline u32 weir_control_limited_now(const struct weir_sender *s)
{
	return s->app_limited_to_ns == WEIR_NEVER ? WEIR_APP_LIMITED : 0;
}

static inline struct weir_view weir_control_view(const struct weir_sender *s, u64 now_ns, u32 extra_flags)
{
	u32 flags = extra_flags;
	if (s->limited_now || s->limited_before)
		flags |= WEIR_CWND_LIMITED;
	if (s->state == WEIR_SENDER_RECOVERY)
		flags |= WEIR_RECOVERY;
	return (struct weir_view){
	    .now_ns = now_ns,
	    .srtt_ns = s->rtt.srtt_ns,
	    .min_rtt_ns = s->rtt.min_ns,
	    .inflight_bytes = s->pipe_bytes,
	    .delivered_bytes = s->delivered_bytes,
	    .delivery_Bps = s->delivery_Bps,
	    .initial_bytes = (u64)s->config->initial_window_packets * s->mss_bytes,
	    .mss_bytes = s->mss_bytes,
	    .flags = flags,
	};
}

#define WEIR_TICK_FLOOR_NS 1000ULL /* a wake-up asked for in the past must not stop the clock */

/* 0 means no opinion: the last word stands. */
static inline void weir_control_take(struct weir_sender *s, u64 now_ns, const struct weir_out *out)
{
	if (out->cwnd_bytes)
		s->cwnd_bytes = weir_max(out->cwnd_bytes, s->mss_bytes);
	if (out->pacing_Bps | out->wake_ns) {
		s->pacing_Bps = out->pacing_Bps ? out->pacing_Bps : s->pacing_Bps;
		if (out->wake_ns)
			s->tick_ns = weir_max(out->wake_ns, now_ns + WEIR_TICK_FLOOR_NS);
		s->steady &= !s->pacing_Bps;
	}
}

static inline void weir_control_init(struct weir_sender *s, u64 now_ns)
{
	struct weir_view view = weir_control_view(s, now_ns, weir_control_limited_now(s));
	struct weir_out out = {0};
	s->cc->init(s->cc_state, s->params, &view, &out);
	weir_control_take(s, now_ns, &out);
}

static inline void weir_control_ack(struct weir_sender *s, u64 now_ns, u32 flags, const struct weir_ack *ack)
{
	struct weir_view view = weir_control_view(s, now_ns, flags);
	struct weir_out out = {0};
	s->cc->on_ack(s->cc_state, s->params, &view, ack, &out);
	weir_control_take(s, now_ns, &out);
}

static inline void weir_control_loss(struct weir_sender *s, u64 now_ns, const struct weir_loss *loss)
{
	struct weir_view view = weir_control_view(s, now_ns, weir_control_limited_now(s));
	struct weir_out out = {0};
	s->cc->on_loss(s->cc_state, s->params, &view, loss, &out);
	weir_control_take(s, now_ns, &out);
}

static inline void weir_control_timeout(struct weir_sender *s, u64 now_ns)
{
	struct weir_view view = weir_control_view(s, now_ns, weir_control_limited_now(s));
	struct weir_out out = {0};
	s->cc->on_timeout(s->cc_state, s->params, &view, &out);
	weir_control_take(s, now_ns, &out);
}

static inline void weir_control_idle(struct weir_sender *s, u64 now_ns, u64 idle_ns)
{
	if (!s->cc->on_idle)
		return;
	struct weir_view view = weir_control_view(s, now_ns, weir_control_limited_now(s));
	struct weir_out out = {0};
	s->cc->on_idle(s->cc_state, s->params, &view, idle_ns, &out);
	weir_control_take(s, now_ns, &out);
}

static inline void weir_control_send(struct weir_sender *s, u64 now_ns, u64 bytes)
{
	if (!s->cc->on_send)
		return;
	struct weir_view view = weir_control_view(s, now_ns, weir_control_limited_now(s));
	struct weir_out out = {0};
	s->cc->on_send(s->cc_state, s->params, &view, bytes, &out);
	weir_control_take(s, now_ns, &out);
}

static inline void weir_control_tick(struct weir_sender *s, u64 now_ns)
{
	s->tick_ns = WEIR_NEVER;
	if (!s->cc->on_tick)
		return;
	struct weir_view view = weir_control_view(s, now_ns, weir_control_limited_now(s));
	struct weir_out out = {0};
	s->cc->on_tick(s->cc_state, s->params, &view, &out);
	weir_control_take(s, now_ns, &out);
}

#endif
