/* SPDX-License-Identifier: MIT */
/* A controller that writes down what it is told, and holds the transport to the contract of weir/cc.h at
 * every call. Its window is what the test says: fixed, a share after a cut, or growing by what is
 * acknowledged. One log at a time. */
#ifndef TESTS_TRANSPORT_PROBE_H
#define TESTS_TRANSPORT_PROBE_H

#include "transport/sender.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

enum probe_kind {
	PROBE_INIT,
	PROBE_ACK,
	PROBE_LOSS,
	PROBE_ECN,
	PROBE_SPURIOUS,
	PROBE_TIMEOUT,
	PROBE_IDLE,
	PROBE_SEND,
	PROBE_TICK,
	PROBE_KINDS
};

struct probe_event {
	enum probe_kind kind;
	u64 now_ns, bytes, rtt_ns, sent_ns, inflight_bytes, delivered_bytes, delivery_Bps, ce_bytes;
	u32 view_flags, loss_flags;
};

#define PROBE_EVENTS_MAX 65536

static struct probe_log {
	struct probe_event event[PROBE_EVENTS_MAX];
	u32 n, n_of[PROBE_KINDS];
	u32 cuts;	 /* losses with WEIR_NEW_EPISODE */
	u32 rounds;	 /* ACKs with WEIR_ROUND_START */
	u64 acked_bytes; /* summed */
	u64 episode_ns;	 /* when the last cut or timeout was */
	u64 episode_nxt;
	u32 ack_number, acked_in; /* which ACK the harness is handing over, and the last that on_ack saw */
	const struct weir_sender *sender;
} probe;

/* Values of the params, in order. */
struct probe_params {
	u64 cwnd_bytes;	    /* to begin with */
	u64 ssthresh_bytes; /* after a cut; 0: half of what was */
	u64 pacing_Bps;
	u64 grow; /* 1: grows as slow start does, where the window limits */
	u64 wake_ns;
};

struct probe_state {
	u64 cwnd_bytes, prior_bytes;
};

static inline void probe_reset(const struct weir_sender *sender)
{
	memset(&probe, 0, sizeof probe);
	probe.sender = sender;
}

static inline struct probe_event *probe_note(enum probe_kind kind, const struct weir_view *v)
{
	if (probe.n) {
		const struct probe_event *last = &probe.event[probe.n - 1];
		assert_true(v->now_ns >= last->now_ns);
		assert_true(v->delivered_bytes >= last->delivered_bytes);
	}
	assert_true(probe.n < PROBE_EVENTS_MAX);
	assert_int_equal(v->inflight_bytes, probe.sender->pipe_bytes);
	struct probe_event *e = &probe.event[probe.n++];
	*e = (struct probe_event){.kind = kind,
				  .now_ns = v->now_ns,
				  .inflight_bytes = v->inflight_bytes,
				  .delivered_bytes = v->delivered_bytes,
				  .delivery_Bps = v->delivery_Bps,
				  .view_flags = v->flags};
	probe.n_of[kind]++;
	return e;
}

static inline const struct probe_event *probe_last(enum probe_kind kind)
{
	for (u32 i = probe.n; i-- > 0;)
		if (probe.event[i].kind == kind)
			return &probe.event[i];
	return NULL;
}

static inline void probe_init(void *state, const void *params, const struct weir_view *v, struct weir_out *o)
{
	struct probe_state *s = state;
	const struct probe_params *p = params;
	probe_note(PROBE_INIT, v);
	s->cwnd_bytes = p->cwnd_bytes;
	s->prior_bytes = 0;
	*o = (struct weir_out){
	    .cwnd_bytes = s->cwnd_bytes, .pacing_Bps = p->pacing_Bps, .wake_ns = p->wake_ns};
}

static inline void probe_on_ack(void *state, const void *params, const struct weir_view *v,
				const struct weir_ack *a, struct weir_out *o)
{
	struct probe_state *s = state;
	const struct probe_params *p = params;
	struct probe_event *e = probe_note(PROBE_ACK, v);
	e->bytes = a->acked_bytes;
	e->rtt_ns = a->rtt_ns;
	e->ce_bytes = a->ce_bytes;
	assert_true(a->acked_bytes > 0 && a->ce_bytes <= a->acked_bytes);
	assert_true(a->rtt_ns == 0 || (a->rtt_ns >= v->min_rtt_ns && v->srtt_ns > 0));
	assert_int_not_equal(probe.acked_in, probe.ack_number); /* one on_ack for one acknowledgement */
	probe.acked_in = probe.ack_number;
	probe.acked_bytes += a->acked_bytes;
	assert_int_equal(probe.acked_bytes, v->delivered_bytes);
	probe.rounds += (v->flags & WEIR_ROUND_START) != 0;
	if (p->grow && v->flags & WEIR_CWND_LIMITED && !(v->flags & WEIR_RECOVERY))
		s->cwnd_bytes += a->acked_bytes;
	o->cwnd_bytes = s->cwnd_bytes;
}

/* One cut for each window of data: what is lost was sent after the last cut, or all sent then is through. */
static inline void probe_check_episode(const struct weir_view *v, const struct weir_loss *l)
{
	if (l->kind == WEIR_LOSS_PACKET && l->sent_ns)
		assert_true(l->sent_ns >= probe.episode_ns);
	else
		assert_true(probe.sender->una >= probe.episode_nxt);
	probe.cuts++;
	probe.episode_ns = v->now_ns;
	probe.episode_nxt = probe.sender->nxt;
}

static inline void probe_on_loss(void *state, const void *params, const struct weir_view *v,
				 const struct weir_loss *l, struct weir_out *o)
{
	struct probe_state *s = state;
	const struct probe_params *p = params;
	enum probe_kind kind = l->kind == WEIR_LOSS_SPURIOUS ? PROBE_SPURIOUS
			       : l->kind == WEIR_LOSS_ECN    ? PROBE_ECN
							     : PROBE_LOSS;
	struct probe_event *e = probe_note(kind, v);
	e->bytes = l->lost_bytes;
	e->sent_ns = l->sent_ns;
	e->loss_flags = l->flags;
	/* The loss that an ACK revealed comes before the ACK itself. */
	assert_true(probe.ack_number == 0 || probe.acked_in != probe.ack_number);
	assert_true(kind == PROBE_SPURIOUS || l->lost_bytes > 0);
	if (l->flags & WEIR_NEW_EPISODE) {
		probe_check_episode(v, l);
		s->prior_bytes = s->cwnd_bytes;
		s->cwnd_bytes = p->ssthresh_bytes ? p->ssthresh_bytes : s->cwnd_bytes / 2;
	}
	if (kind == PROBE_SPURIOUS) {
		assert_true(s->prior_bytes > 0);
		probe.episode_ns = probe.episode_nxt = 0; /* a cut that was none */
		s->cwnd_bytes = weir_max(s->prior_bytes, s->cwnd_bytes);
	}
	o->cwnd_bytes = weir_max(s->cwnd_bytes, v->mss_bytes);
}

static inline void probe_on_timeout(void *state, const void *params, const struct weir_view *v,
				    struct weir_out *o)
{
	struct probe_state *s = state;
	(void)params;
	probe_note(PROBE_TIMEOUT, v);
	if (s->cwnd_bytes > v->mss_bytes)
		s->prior_bytes = s->cwnd_bytes;
	o->cwnd_bytes = s->cwnd_bytes = v->mss_bytes;
	probe.episode_ns = v->now_ns;
	probe.episode_nxt = probe.sender->nxt;
}

static inline void probe_on_idle(void *state, const void *params, const struct weir_view *v, u64 idle_ns,
				 struct weir_out *o)
{
	(void)state;
	(void)params;
	(void)o;
	assert_true(v->inflight_bytes == 0);
	probe_note(PROBE_IDLE, v)->bytes = idle_ns;
}

static inline void probe_on_tick(void *state, const void *params, const struct weir_view *v,
				 struct weir_out *o)
{
	const struct probe_params *p = params;
	(void)state;
	probe_note(PROBE_TICK, v);
	if (probe.n_of[PROBE_TICK] < 100)
		o->wake_ns = p->wake_ns;
}

static inline void probe_signals(const void *state, u64 value[WEIR_CC_SIGNALS_MAX])
{
	(void)state;
	(void)value;
}

static const struct weir_cc_ops probe_ops = {.name = "probe",
					     .abi = WEIR_CC_ABI,
					     .state_bytes = sizeof(struct probe_state),
					     .init = probe_init,
					     .on_ack = probe_on_ack,
					     .on_loss = probe_on_loss,
					     .on_timeout = probe_on_timeout,
					     .on_idle = probe_on_idle,
					     .on_tick = probe_on_tick,
					     .probe = probe_signals};

#endif
