/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Any integer controller as a congestion control of the kernel's TCP. The kernel is the transport: what it
 * counts becomes the controller's view, and what the controller says becomes its window and its rate. With
 * cong_control the kernel leaves to us what it does for others after each ACK; docs/kernel.md has the list.
 *
 * `ops` is a constant everywhere: all calls through it are inlined, and what a controller does not look at is
 * not computed. */
#ifndef WEIR_KERN_GLUE_BPF_H
#define WEIR_KERN_GLUE_BPF_H

#include "kern/kernel.bpf.h"
#include "kern/record.h"
#include "weir/cc.h"

#define DELIVERED_SHIFT 4 /* `delivered` counts 16 bytes */
#define DELIVERED_BACK (1U << 20)
#define COUNT_MASK 0xffffffU
#define LOST_MASK 0x1fffU
#define WINDOW_MAX_BYTES (1ULL << 38) /* times 10^7 it fits in 64 bits */

/* 8 bytes in the socket, before the state. Counters are kept as their last bits: what matters of them is how
 * far the kernel's own have moved since. */
struct weir_glue {
	u64 round : 24;	    /* delivered packets at the start of this round */
	u64 delivered : 24; /* what the last view said, in 16 bytes */
	u64 lost : 13;	    /* lost packets that the controller knows of */
	u64 ece : 1;	    /* this ACK echoes a mark */
	u64 mark : 1;	    /* the kernel has begun an episode for it, the controller does not know yet */
	u64 reduced : 1;    /* snd_cwnd is what repair allows, the controller's window is in snd_ssthresh */
};
_Static_assert(sizeof(struct weir_glue) == 8, "8 bytes are left beside the largest state");

/* Everything about one call of one hook. */
struct weir_socket {
	const struct weir_cc_ops *ops;
	const void *params;
	struct tcp_sock *tp;
	void *state;
	u64 *wake_ns; /* NULL: no ticks */
	struct weir_glue glue;
	u32 mss_bytes;
	u32 tcp_state;
	/* Apart, since its address goes through pointers to functions: only then are those of `ops` seen to
	 * be constant, and inlined. */
	struct weir_kern_call *call;
};

struct {
	int (*type)[27]; /* BPF_MAP_TYPE_RINGBUF */
	int (*max_entries)[WEIR_KERN_RING_BYTES];
} weir_ring WEIR_SECTION(".maps");
/* What does not fit in the socket. */
struct weir_stored {
	u64 ready; /* 0: not yet begun */
	u64 wake_ns;
	u64 state[WEIR_CC_MAX_BYTES / sizeof(u64)];
};
struct {
	int (*type)[24];     /* BPF_MAP_TYPE_SK_STORAGE */
	int (*map_flags)[1]; /* BPF_F_NO_PREALLOC, as the type demands */
	int *key;
	struct weir_stored *value;
} weir_storage WEIR_SECTION(".maps");
extern volatile struct weir_kern_control weir_control;
struct weir_kern_replay weir_replay WEIR_SECTION(".data.replay") = {0};

/* ---- what the kernel knows ---- */

WEIR_CORE u32 weir_in_flight(const struct tcp_sock *tp)
{
	return tp->packets_out - tp->sacked_out - tp->lost_out + tp->retrans_out;
}

/* Bytes that arrived, in order or not; the kernel has those in order by the byte, the others by the packet.
 * When a small packet that counted as a full one is in order at last, the sum would step back: it stands
 * still instead until the rest has caught up. */
WEIR_CORE u64 weir_delivered(struct weir_socket *k)
{
	struct tcp_sock *tp = k->tp;
	u64 out_of_order = weir_min((u64)tp->sacked_out * k->mss_bytes, tp->snd_nxt - tp->snd_una);
	u64 now = (tp->bytes_acked + out_of_order) >> DELIVERED_SHIFT;
	u32 back = ((u32)k->glue.delivered - (u32)now) & COUNT_MASK;
	if (back < DELIVERED_BACK)
		now += back;
	k->glue.delivered = now & COUNT_MASK;
	return now << DELIVERED_SHIFT;
}

/* Packets found lost since the last time. */
WEIR_CORE u64 weir_newly_lost(struct weir_socket *k)
{
	u32 lost = k->tp->lost;
	u32 newly = (lost - (u32)k->glue.lost) & LOST_MASK;
	k->glue.lost = lost & LOST_MASK;
	return newly;
}

/* 0 stays 0; the kernel's clock counts microseconds, so that a round trip in the machine may take none. */
WEIR_CORE u64 weir_rtt_ns(u32 rtt_us)
{
	return weir_max(rtt_us, 1) * WEIR_NS_PER_US;
}

WEIR_CORE void weir_look(struct weir_socket *k)
{
	struct tcp_sock *tp = k->tp;
	struct weir_view *v = &k->call->view;
	u32 min_us = tp->rtt_min.s[0].v;
	v->now_ns = tp->tcp_clock_cache;
	v->srtt_ns = tp->srtt_us ? weir_max((u64)tp->srtt_us * (WEIR_NS_PER_US / 8), WEIR_NS_PER_US) : 0;
	v->min_rtt_ns = min_us == ~0U ? 0 : weir_rtt_ns(min_us);
	v->inflight_bytes = (u64)weir_in_flight(tp) * k->mss_bytes;
	v->delivered_bytes = weir_delivered(k);
	v->delivery_Bps = weir_div((u64)tp->rate_delivered * k->mss_bytes * 1000000, tp->rate_interval_us);
	v->initial_bytes = 0;
	v->mss_bytes = k->mss_bytes;
	v->flags = (tp->app_limited ? WEIR_APP_LIMITED : 0) |
		   (WEIR_BITFIELD(tp, is_cwnd_limited) ? WEIR_CWND_LIMITED : 0) |
		   (k->tcp_state == TCP_RECOVERY ? WEIR_RECOVERY : 0);
	k->call->reserved = 0;
	k->call->out = (struct weir_out){0, 0, 0};
}

/* ---- what the kernel shall do ---- */

WEIR_CORE u32 weir_packets(const struct weir_socket *k, u64 cwnd_bytes)
{
	u64 packets = weir_min(cwnd_bytes, WINDOW_MAX_BYTES) / weir_max(k->mss_bytes, 1);
	return (u32)weir_clamp(packets, 1, weir_max(k->tp->snd_cwnd_clamp, 1));
}

/* The kernel sizes its bursts by this rate; only the pacer of a controller that asks for one obeys it.
 * Without an opinion: 2 windows a round trip in slow start, then 1.2, as for the kernel's own controllers. */
WEIR_CORE void weir_set_rate(struct weir_socket *k)
{
	struct tcp_sock *tp = k->tp;
	struct sock *sk = (struct sock *)tp;
	u64 rate_Bps = k->call->out.pacing_Bps;
	if (rate_Bps) {
		if (!sk->sk_pacing_status)
			sk->sk_pacing_status = TCP_PACING_NEEDED;
	} else {
		if (sk->sk_pacing_status == TCP_PACING_NEEDED || !tp->srtt_us)
			return;
		u64 window =
		    weir_min((u64)weir_max(tp->snd_cwnd, tp->packets_out) * k->mss_bytes, WINDOW_MAX_BYTES);
		u32 per_round = tp->snd_cwnd < tp->snd_ssthresh / 2 ? 16000000 : 9600000;
		rate_Bps = window * per_round / tp->srtt_us;
	}
	sk->sk_pacing_rate = (weir_long)weir_min(rate_Bps, sk->sk_max_pacing_rate);
}

/* Proportional rate reduction (RFC 9937): what may leave in answer to this ACK. The kernel counts what left
 * since the episode began; what arrived is counted in snd_cwnd_cnt, which it sets to 0 then. */
WEIR_CORE void weir_reduce(struct weir_socket *k, u32 delivered, bool safe)
{
	struct tcp_sock *tp = k->tp;
	u32 target = tp->snd_ssthresh, flight = weir_in_flight(tp), sent = tp->prr_out;
	u32 arrived = tp->snd_cwnd_cnt + delivered;
	u64 may_send;
	tp->snd_cwnd_cnt = arrived;
	if (flight > target) {
		u64 before = weir_max(tp->prior_cwnd, 1);
		may_send = weir_sub(((u64)arrived * target + before - 1) / before, sent);
	} else {
		may_send = weir_max(weir_sub(arrived, sent), delivered) + safe;
		may_send = weir_min(may_send, target - flight);
	}
	if (!sent && !may_send)
		may_send = 1; /* the fast retransmission itself */
	tp->snd_cwnd = (u32)weir_max(flight + may_send, 1);
	k->glue.reduced = 1;
}

/* Outside repair the controller's window is the kernel's. No opinion: the last word stands. */
WEIR_CORE void weir_obey(struct weir_socket *k)
{
	struct tcp_sock *tp = k->tp;
	u64 cwnd_bytes = k->call->out.cwnd_bytes;
	if (cwnd_bytes)
		tp->snd_cwnd = weir_packets(k, cwnd_bytes);
	else if (k->glue.reduced)
		tp->snd_cwnd = (u32)weir_max(tp->snd_ssthresh, 1);
	k->glue.reduced = 0;
}

/* In an episode it is the target of the reduction. */
WEIR_CORE void weir_aim(struct weir_socket *k)
{
	if (k->call->out.cwnd_bytes)
		k->tp->snd_ssthresh = weir_packets(k, k->call->out.cwnd_bytes);
}

/* ---- calls ---- */

/* After the call, with the window as it is now: the ring's reader sees what came of it. */
WEIR_CORE void weir_record(struct weir_socket *k)
{
	if (!weir_control.watcher)
		return;
	struct weir_kern_record *r = bpf_ringbuf_reserve(&weir_ring, sizeof *r, 0);
	if (!r) {
		__sync_fetch_and_add(&weir_control.dropped, 1);
		return;
	}
	struct sock *sk = (struct sock *)k->tp;
	r->socket = (u64)(weir_long)k->tp;
	r->local_port = sk->__sk_common.skc_num;
	r->remote_port = __builtin_bswap16(sk->__sk_common.skc_dport);
	r->cwnd_packets = k->tp->snd_cwnd;
	r->call = *k->call;
	bpf_ringbuf_submit(r, 0);
}

WEIR_CORE void weir_call(const struct weir_cc_ops *ops, void *state, const void *params,
			 struct weir_kern_call *c)
{
	switch (c->event) {
	case WEIR_KERN_INIT:
		ops->init(state, params, &c->view, &c->out);
		break;
	case WEIR_KERN_ACK:
		ops->on_ack(state, params, &c->view, &c->ack, &c->out);
		break;
	case WEIR_KERN_LOSS:
		ops->on_loss(state, params, &c->view, &c->loss, &c->out);
		break;
	case WEIR_KERN_TIMEOUT:
		ops->on_timeout(state, params, &c->view, &c->out);
		break;
	case WEIR_KERN_IDLE:
		if (ops->on_idle)
			ops->on_idle(state, params, &c->view, c->idle_ns, &c->out);
		break;
	case WEIR_KERN_TICK:
		if (ops->on_tick)
			ops->on_tick(state, params, &c->view, &c->out);
		break;
	}
}

/* The view is filled; the event is constant. */
WEIR_CORE void weir_tell(struct weir_socket *k, u32 event)
{
	k->call->event = event;
	weir_call(k->ops, k->state, k->params, k->call);
	if (k->wake_ns && k->call->out.wake_ns)
		*k->wake_ns = k->call->out.wake_ns;
}

WEIR_CORE void weir_tell_loss(struct weir_socket *k, u64 lost_bytes, u32 kind, u32 flags)
{
	k->call->loss = (struct weir_loss){.lost_bytes = lost_bytes, .kind = kind, .flags = flags};
	weir_tell(k, WEIR_KERN_LOSS);
}

/* ---- hooks ---- */

/* Where the state is; false if there is no memory for it. */
WEIR_CORE bool weir_find_state(struct weir_socket *k)
{
	struct inet_connection_sock *icsk = (struct inet_connection_sock *)k->tp;
	if (k->ops->state_bytes + (k->ops->on_tick ? 8 : 0) <= WEIR_CC_HOT_BYTES) {
		k->state = &icsk->icsk_ca_priv[1];
		k->wake_ns = k->ops->on_tick ? &icsk->icsk_ca_priv[12] : 0;
		return true;
	}
	struct weir_stored *stored = bpf_sk_storage_get(&weir_storage, (struct sock *)k->tp, 0, 1);
	if (!stored) {
		__sync_fetch_and_add(&weir_control.stateless, 1);
		return false;
	}
	k->state = stored->state;
	k->wake_ns = k->ops->on_tick ? &stored->wake_ns : 0;
	if (!stored->ready) { /* at the start, or when there was no memory then */
		stored->ready = 1;
		weir_look(k);
		k->call->view.initial_bytes = (u64)k->tp->snd_cwnd * k->mss_bytes;
		weir_tell(k, WEIR_KERN_INIT);
	}
	return true;
}

WEIR_CORE struct weir_glue *weir_glue_of(struct tcp_sock *tp)
{
	return (struct weir_glue *)&((struct inet_connection_sock *)tp)->icsk_ca_priv[0];
}

WEIR_CORE bool weir_open(struct weir_socket *k, const struct weir_cc_ops *ops, const void *params, void *sk)
{
	k->ops = ops;
	k->params = params;
	k->tp = sk;
	k->glue = *weir_glue_of(k->tp);
	k->mss_bytes = k->tp->mss_cache;
	k->tcp_state = WEIR_BITFIELD((struct inet_connection_sock *)sk, icsk_ca_state);
	return weir_find_state(k);
}

WEIR_CORE void weir_close(struct weir_socket *k)
{
	*weir_glue_of(k->tp) = k->glue;
}

WEIR_CORE void weir_hook_init(const struct weir_cc_ops *ops, const void *params, void *sk)
{
	struct weir_kern_call call = {0};
	struct weir_socket k = {.call = &call};
	struct tcp_sock *tp = sk;
	*weir_glue_of(tp) = (struct weir_glue){
	    .round = tp->delivered & COUNT_MASK,
	    .delivered = (tp->bytes_acked >> DELIVERED_SHIFT) & COUNT_MASK,
	    .lost = tp->lost & LOST_MASK,
	};
	if (!weir_open(&k, ops, params, sk))
		return;
	weir_look(&k);
	k.call->view.initial_bytes = (u64)tp->snd_cwnd * k.mss_bytes;
	weir_tell(&k, WEIR_KERN_INIT);
	weir_obey(&k);
	weir_set_rate(&k);
	weir_record(&k);
	weir_close(&k);
}

/* A timeout, or the path's MTU that shrank: the kernel calls both a loss, but the second takes nothing from
 * the window (tcp_sock remembers no window to undo, or has more in flight than a timeout leaves). */
WEIR_CORE bool weir_is_timeout(const struct weir_socket *k)
{
	const struct tcp_sock *tp = k->tp;
	if (k->tcp_state <= TCP_DISORDER)
		return tp->prior_ssthresh != 0;
	return k->tcp_state == TCP_LOSS || tp->snd_cwnd == weir_in_flight(tp) + 1;
}

WEIR_CORE void weir_enter_recovery(struct weir_socket *k)
{
	/* One answer a window, to marks and losses together (RFC 3168 section 6.1.2). */
	u32 flags = k->tcp_state == TCP_CWR ? 0 : WEIR_NEW_EPISODE;
	weir_look(k);
	weir_tell_loss(k, weir_newly_lost(k) * k->mss_bytes, WEIR_LOSS_PACKET, flags);
	weir_aim(k);
	/* The fast retransmission; the ACK that led here, if there was one, says more at once. */
	k->tp->snd_cwnd = (u32)weir_max(weir_in_flight(k->tp) + !k->tp->prr_out, 1);
	k->glue.reduced = 1;
	weir_record(k);
}

/* CWR alone says neither mark nor loss: an echoed mark, a packet that the own device dropped, or a lost tail
 * that the probe repaired. Only the first came with an ECE; it is told with the ACK's bytes. */
WEIR_CORE void weir_enter_cwr(struct weir_socket *k)
{
	k->glue.reduced = 1;
	if (k->glue.ece) {
		k->glue.mark = 1;
		return;
	}
	weir_look(k);
	weir_tell_loss(k, weir_newly_lost(k) * k->mss_bytes, WEIR_LOSS_PACKET, WEIR_NEW_EPISODE);
	weir_aim(k);
	weir_record(k);
}

WEIR_CORE void weir_enter_loss(struct weir_socket *k)
{
	if (!weir_is_timeout(k))
		return;
	k->tcp_state = TCP_LOSS;
	weir_newly_lost(k); /* everything: the timeout says so */
	weir_look(k);
	weir_tell(k, WEIR_KERN_TIMEOUT);
	k->glue.reduced = 0;
	k->glue.mark = 0;
	weir_obey(k);
	weir_record(k);
}

/* `next` is not yet the state that the socket tells. */
WEIR_CORE void weir_hook_state(const struct weir_cc_ops *ops, const void *params, void *sk, u32 next)
{
	struct weir_kern_call call = {0};
	struct weir_socket k = {.call = &call};
	if (next < TCP_CWR || !weir_open(&k, ops, params, sk))
		return;
	if (next == TCP_LOSS)
		weir_enter_loss(&k);
	else if (next == TCP_RECOVERY && k.tcp_state != TCP_RECOVERY)
		weir_enter_recovery(&k);
	else if (next == TCP_CWR && k.tcp_state < TCP_CWR)
		weir_enter_cwr(&k);
	weir_close(&k);
}

WEIR_CORE void weir_tick_if_due(struct weir_socket *k)
{
	if (!k->wake_ns || !*k->wake_ns || *k->wake_ns > k->call->view.now_ns)
		return;
	struct weir_out before = k->call->out;
	*k->wake_ns = 0;
	weir_tell(k, WEIR_KERN_TICK);
	weir_record(k);
	k->call->out.cwnd_bytes = k->call->out.cwnd_bytes ? k->call->out.cwnd_bytes : before.cwnd_bytes;
	k->call->out.pacing_Bps = k->call->out.pacing_Bps ? k->call->out.pacing_Bps : before.pacing_Bps;
}

WEIR_CORE void weir_take_sample(struct weir_socket *k, const struct rate_sample *rs)
{
	struct weir_view *v = &k->call->view;
	bool round =
	    rs->prior_mstamp && ((rs->prior_delivered - (u32)k->glue.round) & COUNT_MASK) <= COUNT_MASK / 2;
	if (round) {
		k->glue.round = k->tp->delivered & COUNT_MASK;
		v->flags |= WEIR_ROUND_START;
	}
	v->flags &= ~(u32)WEIR_APP_LIMITED;
	v->flags |= rs->is_app_limited ? WEIR_APP_LIMITED : 0;
	if (rs->delivered > 0 && rs->interval_us > 0)
		v->delivery_Bps = (u64)(u32)rs->delivered * k->mss_bytes * 1000000 / (u64)rs->interval_us;
}

/* The end of each ACK. Losses, marks, the ACK: the order of every host. */
WEIR_CORE void weir_hook_ack(const struct weir_cc_ops *ops, const void *params, void *sk,
			     const struct rate_sample *rs)
{
	struct weir_kern_call call = {0};
	struct weir_socket k = {.call = &call};
	if (!weir_open(&k, ops, params, sk))
		return;
	u32 before = (u32)k.glue.delivered, packets = rs->acked_sacked;
	u64 lost = weir_newly_lost(&k);
	bool safe = !rs->losses;
	weir_look(&k);
	u64 acked_bytes = (u64)(((u32)k.glue.delivered - before) & COUNT_MASK) << DELIVERED_SHIFT;
	u64 ce_bytes = k.glue.ece ? acked_bytes : 0;
	struct weir_out out = {0, 0, 0};
	if (lost) {
		weir_tell_loss(&k, lost * k.mss_bytes, WEIR_LOSS_PACKET, 0);
		weir_record(&k);
		out = k.call->out;
	}
	if ((k.glue.ece && packets) || k.glue.mark) {
		k.call->out = (struct weir_out){0, 0, 0};
		weir_tell_loss(&k, ce_bytes, WEIR_LOSS_ECN, k.glue.mark ? WEIR_NEW_EPISODE : 0);
		weir_record(&k);
		k.glue.mark = 0;
		out = k.call->out;
	}
	if (packets) {
		weir_take_sample(&k, rs);
		k.call->out = (struct weir_out){0, 0, 0};
		k.call->ack = (struct weir_ack){.acked_bytes = acked_bytes,
						.rtt_ns = rs->rtt_us < 0 ? 0 : weir_rtt_ns((u32)rs->rtt_us),
						.ce_bytes = ce_bytes};
		weir_tell(&k, WEIR_KERN_ACK);
		weir_record(&k);
		k.call->out.cwnd_bytes = k.call->out.cwnd_bytes ? k.call->out.cwnd_bytes : out.cwnd_bytes;
		k.call->out.pacing_Bps = k.call->out.pacing_Bps ? k.call->out.pacing_Bps : out.pacing_Bps;
	}
	weir_tick_if_due(&k);
	if (k.tcp_state == TCP_CWR || k.tcp_state == TCP_RECOVERY) {
		weir_aim(&k);
		weir_reduce(&k, packets, safe);
	} else {
		weir_obey(&k);
	}
	weir_set_rate(&k);
	k.glue.ece = 0;
	weir_close(&k);
}

/* The kernel found that the last cut was a mistake. Returns the window in packets. */
WEIR_CORE u32 weir_hook_undo(const struct weir_cc_ops *ops, const void *params, void *sk)
{
	struct weir_kern_call call = {0};
	struct weir_socket k = {.call = &call};
	struct tcp_sock *tp = sk;
	u32 packets = (u32)weir_max(tp->snd_cwnd, tp->prior_cwnd);
	if (!weir_open(&k, ops, params, sk))
		return packets;
	weir_look(&k);
	weir_tell_loss(&k, 0, WEIR_LOSS_SPURIOUS, 0);
	k.glue.reduced = 0;
	weir_record(&k);
	weir_close(&k);
	return k.call->out.cwnd_bytes ? weir_packets(&k, k.call->out.cwnd_bytes) : packets;
}

/* About to send with nothing in flight: silence since the last delivery. */
WEIR_CORE void weir_hook_send(const struct weir_cc_ops *ops, const void *params, void *sk)
{
	struct weir_kern_call call = {0};
	struct weir_socket k = {.call = &call};
	struct tcp_sock *tp = sk;
	if (!(ops->on_idle || ops->on_tick) || tp->packets_out || !tp->data_segs_out)
		return;
	u64 since_ns = tp->delivered_mstamp * WEIR_NS_PER_US, now_ns = tp->tcp_clock_cache;
	if (since_ns >= now_ns || !weir_open(&k, ops, params, sk))
		return;
	weir_look(&k);
	k.call->idle_ns = now_ns - since_ns;
	weir_tell(&k, WEIR_KERN_IDLE);
	weir_record(&k);
	weir_tick_if_due(&k);
	weir_obey(&k);
	weir_set_rate(&k);
	weir_close(&k);
}

/* ---- binding ---- */

#ifndef WEIR_KERNEL_NAME
#define WEIR_KERNEL_NAME(id) "weir_" #id
#endif

/* What the loader has set; not what the compiler sees. */
#define WEIR_PARAMS                                                                                          \
	({                                                                                                   \
		const void *params = (const void *)&weir_params;                                             \
		__asm__ volatile("" : "+r"(params));                                                         \
		params;                                                                                      \
	})

#define WEIR_TCP_OPS(id, control)                                                                            \
	{                                                                                                    \
		.ssthresh = (void *)id##_tcp_ssthresh, .set_state = (void *)id##_tcp_set_state,              \
		.cwnd_event = (void *)id##_tcp_cwnd_event, .in_ack_event = (void *)id##_tcp_in_ack,          \
		.cong_control = (void *)control, .undo_cwnd = (void *)id##_tcp_undo,                         \
		.name = WEIR_KERNEL_NAME(id), .init = (void *)id##_tcp_init,                                 \
	}

/* The hooks (whose arguments come as an array), two tables of them (cong_control has two more arguments since
 * 6.10; the loader takes one), and the replay program of the agreement test. */
#define WEIR_BPF_CONTROLLER(id)                                                                              \
	volatile struct weir_kern_control weir_control WEIR_SECTION(".data.control") = {                     \
	    .name = WEIR_KERNEL_NAME(id)};                                                                   \
	const volatile struct id##_params weir_params WEIR_SECTION(".rodata.params") = {0};                  \
	WEIR_SECTION("struct_ops/init") int id##_tcp_init(u64 *c)                                            \
	{                                                                                                    \
		weir_hook_init(&weir_cc_##id, WEIR_PARAMS, (void *)c[0]);                                    \
		return 0;                                                                                    \
	}                                                                                                    \
	WEIR_SECTION("struct_ops/set_state") int id##_tcp_set_state(u64 *c)                                  \
	{                                                                                                    \
		weir_hook_state(&weir_cc_##id, WEIR_PARAMS, (void *)c[0], (u8)c[1]);                         \
		return 0;                                                                                    \
	}                                                                                                    \
	WEIR_SECTION("struct_ops/cwnd_event") int id##_tcp_cwnd_event(u64 *c)                                \
	{                                                                                                    \
		if ((u32)c[1] == TCP_EVENT_TX_START)                                                         \
			weir_hook_send(&weir_cc_##id, WEIR_PARAMS, (void *)c[0]);                            \
		return 0;                                                                                    \
	}                                                                                                    \
	WEIR_SECTION("struct_ops/in_ack_event") int id##_tcp_in_ack(u64 *c)                                  \
	{                                                                                                    \
		if (c[1] & TCP_ACK_ECE)                                                                      \
			weir_glue_of((void *)c[0])->ece = 1;                                                 \
		return 0;                                                                                    \
	}                                                                                                    \
	WEIR_SECTION("struct_ops/cong_control") int id##_tcp_control(u64 *c)                                 \
	{                                                                                                    \
		weir_hook_ack(&weir_cc_##id, WEIR_PARAMS, (void *)c[0], (void *)c[3]);                       \
		return 0;                                                                                    \
	}                                                                                                    \
	WEIR_SECTION("struct_ops/cong_control_2") int id##_tcp_control_2(u64 *c)                             \
	{                                                                                                    \
		weir_hook_ack(&weir_cc_##id, WEIR_PARAMS, (void *)c[0], (void *)c[1]);                       \
		return 0;                                                                                    \
	}                                                                                                    \
	WEIR_SECTION("struct_ops/undo_cwnd") u32 id##_tcp_undo(u64 *c)                                       \
	{                                                                                                    \
		return weir_hook_undo(&weir_cc_##id, WEIR_PARAMS, (void *)c[0]);                             \
	}                                                                                                    \
	/* A guess for those who read it from outside; in an episode the controller's window stands there.   \
	 */                                                                                                  \
	WEIR_SECTION("struct_ops/ssthresh") u32 id##_tcp_ssthresh(u64 *c)                                    \
	{                                                                                                    \
		return (u32)weir_max(((struct tcp_sock *)c[0])->snd_cwnd / 2, 2);                            \
	}                                                                                                    \
	WEIR_SECTION("syscall") int id##_replay(void *c)                                                     \
	{                                                                                                    \
		(void)c;                                                                                     \
		weir_call(&weir_cc_##id, weir_replay.state, WEIR_PARAMS, &weir_replay.call);                 \
		return 0;                                                                                    \
	}                                                                                                    \
	struct tcp_congestion_ops weir_tcp WEIR_SECTION(".struct_ops") = WEIR_TCP_OPS(id, id##_tcp_control); \
	struct tcp_congestion_ops weir_tcp_2 WEIR_SECTION(".struct_ops") =                                   \
	    WEIR_TCP_OPS(id, id##_tcp_control_2);                                                            \
	char weir_license[] WEIR_SECTION("license") = "Dual MIT/GPL"

/* A header compiled on the fly brings its binding with it. */
#ifdef WEIR_CC_ON_THE_FLY
#undef WEIR_CC_EXPORT
#define WEIR_CC_EXPORT(id) WEIR_BPF_CONTROLLER(id)
#endif

#endif
