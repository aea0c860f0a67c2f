/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Any integer controller as a congestion control of the kernel's TCP. The kernel is the transport: what it
 * counts becomes the controller's view, and what the controller says becomes its window and its rate. With
 * cong_control the kernel leaves to us what it does for others after each ACK; docs/kernel.md has the list.
 *
 * `ops` is a constant everywhere: all calls through it are inlined, and what a controller does not look at is
 * not computed. */
#ifndef WEIR_KERN_GLUE_BPF_H
#define WEIR_KERN_GLUE_BPF_H

#include "kern/act.bpf.h"
#include "kern/call.h"

/* How a controller is called, by a socket and by the replay program; the governor is in its own way. Further
 * hooks of an object. */
#ifndef WEIR_CALL
#define WEIR_CALL_OF(k) weir_call((k)->ops, (k)->state, (k)->params, (k)->call)
#define WEIR_CALL weir_call
#define WEIR_TCP_OPS_MORE
#endif

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
	/* The same number once more, not told to be the same, and before the copy: what nobody looks at need
	 * not be computed when nobody watches. */
	__asm__ volatile("" : "+r"(k->mss_bytes));
	u64 rate_Bps = weir_rate_Bps(k);
	r->call = *k->call;
	r->call.view.delivery_Bps = rate_Bps;
	bpf_ringbuf_submit(r, 0);
}

/* The view is filled; the event is constant. */
WEIR_CORE void weir_tell(struct weir_socket *k, u32 event)
{
	k->call->event = event;
	WEIR_CALL_OF(k);
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
#ifdef WEIR_STORED_CALL
	k->call = &stored->call;
#endif
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
	    .ce = tp->delivered_ce & CE_MASK,
	};
	weir_unpace(sk);
	if (!weir_open(&k, ops, params, sk))
		return;
	weir_look(&k);
	k.call->view.initial_bytes = (u64)tp->snd_cwnd * k.mss_bytes;
	weir_tell(&k, WEIR_KERN_INIT);
	weir_obey(&k);
	weir_default_rate(&k);
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
	u32 flags = k->tcp_state == TCP_CWR && !k->glue.cwr ? 0 : WEIR_NEW_EPISODE;
	if (k->tcp_state != TCP_CWR)
		k->tp->snd_cwnd_cnt = weir_una_mark(k->tp);
	weir_look(k);
	k->tcp_state = TCP_RECOVERY;
	weir_tell_loss(k, weir_newly_lost(k) * k->mss_bytes, WEIR_LOSS_PACKET, flags);
	weir_obey(k);
	/* The fast retransmission; the ACK that led here, if there was one, says more at once. */
	if (weir_reduces(k))
		k->tp->snd_cwnd = (u32)weir_max(weir_in_flight(k->tp) + !k->tp->prr_out, 1);
	k->glue.reduced = weir_reduces(k);
	k->glue.cwr = 0;
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
	k->glue.cwr = 0;
	weir_obey(k);
	weir_show_ssthresh(k);
	weir_record(k);
}

/* The next ACK tells why. */
WEIR_CORE void weir_enter_cwr(struct weir_socket *k)
{
	k->tp->snd_cwnd_cnt = weir_una_mark(k->tp);
	k->glue.cwr = 1;
	k->glue.reduced = weir_reduces(k);
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
	*k->wake_ns = 0;
	k->call->out = (struct weir_out){0, 0, 0};
	weir_tell(k, WEIR_KERN_TICK);
	weir_record(k);
	weir_obey(k);
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
	v->flags = (u32)weir_forget(v->flags);
}

/* Losses and marks that this ACK brought. CWR alone says neither: it is an echoed mark, a packet that the own
 * device dropped, or a lost tail that the probe repaired. Only with a mark it is told as one. */
WEIR_CORE void weir_tell_signals(struct weir_socket *k, u64 lost, u64 ce_bytes)
{
	bool begins = k->glue.cwr;
	if (lost || (begins && !ce_bytes)) {
		u32 flags = begins && !ce_bytes ? WEIR_NEW_EPISODE : 0;
		weir_tell_loss(k, lost * k->mss_bytes, WEIR_LOSS_PACKET, flags);
		weir_record(k);
		weir_obey(k);
	}
	if (ce_bytes) {
		k->call->out = (struct weir_out){0, 0, 0};
		weir_tell_loss(k, ce_bytes, WEIR_LOSS_ECN, begins ? WEIR_NEW_EPISODE : 0);
		weir_record(k);
		weir_obey(k);
	}
	k->glue.cwr = 0;
}

/* The end of each ACK. Losses, marks, the ACK: the order of every host. */
WEIR_CORE void weir_hook_ack(const struct weir_cc_ops *ops, const void *params, void *sk,
			     const struct rate_sample *rs)
{
	struct weir_kern_call call = {0};
	struct weir_socket k = {.call = &call, .sample = rs};
	if (!weir_open(&k, ops, params, sk))
		return;
	u32 before = (u32)k.glue.delivered, packets = rs->acked_sacked;
	u64 lost = weir_newly_lost(&k), marked = weir_newly_marked(&k);
	weir_look(&k);
	weir_end_episode(&k);
	u64 acked_bytes = (u64)(((u32)k.glue.delivered - before) & COUNT_MASK) << DELIVERED_SHIFT;
	u64 ce_bytes = marked ? weir_max(weir_min(marked * k.mss_bytes, acked_bytes), 1) : 0;
	if (lost || ce_bytes || k.glue.cwr)
		weir_tell_signals(&k, lost, ce_bytes);
	if (packets) {
		weir_take_sample(&k, rs);
		k.call->out = (struct weir_out){0, 0, 0};
		k.call->ack = (struct weir_ack){.acked_bytes = acked_bytes,
						.rtt_ns = weir_forget(weir_sample_rtt_ns(rs->rtt_us)),
						.ce_bytes = weir_forget(ce_bytes)};
		if (ops->needs & WEIR_NEED_RATE)
			weir_take_intervals(&k, &k.call->ack);
		weir_tell(&k, WEIR_KERN_ACK);
		weir_record(&k);
		weir_obey(&k);
	}
	weir_tick_if_due(&k);
	if (weir_in_episode(&k))
		weir_reduce(&k, packets, !rs->losses);
	weir_default_rate(&k);
	if (!weir_in_episode(&k) && k.call->view.flags & WEIR_ROUND_START)
		weir_show_ssthresh(&k);
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
	weir_show_ssthresh(&k);
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
	weir_end_episode(&k);
	weir_tell(&k, WEIR_KERN_IDLE);
	weir_record(&k);
	weir_obey(&k);
	weir_tick_if_due(&k);
	weir_default_rate(&k);
	weir_close(&k);
}

/* ---- binding ---- */

#ifndef WEIR_KERNEL_NAME
#define WEIR_KERNEL_NAME(id) "weir_" #id
#endif

#define WEIR_TCP_OPS(id, control)                                                                            \
	{                                                                                                    \
		.ssthresh = (void *)id##_tcp_ssthresh, .set_state = (void *)id##_tcp_set_state,              \
		.cwnd_event = (void *)id##_tcp_cwnd_event, .cong_control = (void *)control,                  \
		.undo_cwnd = (void *)id##_tcp_undo, .name = WEIR_KERNEL_NAME(id),                            \
		.init = (void *)id##_tcp_init, WEIR_TCP_OPS_MORE                                             \
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
	/* The kernel asks before it tells of the loss: the controller's answer stands there soon after. */  \
	WEIR_SECTION("struct_ops/ssthresh") u32 id##_tcp_ssthresh(u64 *c)                                    \
	{                                                                                                    \
		return (u32)weir_max(((struct tcp_sock *)c[0])->snd_cwnd / 2, 2);                            \
	}                                                                                                    \
	WEIR_SECTION("syscall") int id##_replay(void *c)                                                     \
	{                                                                                                    \
		(void)c;                                                                                     \
		WEIR_CALL(&weir_cc_##id, weir_replay.state, WEIR_PARAMS, &weir_replay.call);                 \
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
