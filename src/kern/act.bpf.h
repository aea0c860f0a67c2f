/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* What a controller says, as the kernel does it: window and rate, and the reduction while lost data is
 * repaired. */
#ifndef WEIR_KERN_ACT_BPF_H
#define WEIR_KERN_ACT_BPF_H

#include "kern/view.bpf.h"

#define WINDOW_MAX_BYTES (1ULL << 38) /* times 10^7 it fits in 64 bits */
#define ARRIVED_MASK 0xffffffU	      /* of snd_cwnd_cnt; above it: where snd_una was */

/* To the nearest: always down, a window of ten packets would lose a twentieth, and a controller that counts
 * bytes would wait longer than a round for the acknowledgements of a window. */
WEIR_CORE u32 weir_packets(const struct weir_socket *k, u64 cwnd_bytes)
{
	u32 mss = (u32)weir_max(k->mss_bytes, 1);
	u64 packets = (weir_min(cwnd_bytes, WINDOW_MAX_BYTES) + mss / 2) / mss;
	return (u32)weir_forget(weir_clamp(packets, 1, weir_max(k->tp->snd_cwnd_clamp, 1)));
}

/* The kernel sizes its bursts by this rate; only the pacer of a controller that asks for one obeys it. */
WEIR_CORE void weir_pace(struct weir_socket *k, u64 rate_Bps)
{
	struct sock *sk = (struct sock *)k->tp;
	if (!sk->sk_pacing_status)
		sk->sk_pacing_status = TCP_PACING_NEEDED;
	sk->sk_pacing_rate = (weir_long)weir_min(rate_Bps, sk->sk_max_pacing_rate);
	k->paced = true;
}

/* Whether a controller paces: where the user set no limit, nobody else asks for it. */
WEIR_CORE bool weir_controller_paces(const struct sock *sk)
{
	return sk->sk_pacing_status == TCP_PACING_NEEDED && sk->sk_max_pacing_rate == ~(weir_long)0;
}

/* What the socket's controller before this one left behind (bbr, where that is the default) would hold for
 * ever. */
WEIR_CORE void weir_unpace(struct sock *sk)
{
	if (weir_controller_paces(sk))
		sk->sk_pacing_status = TCP_PACING_NONE;
}

/* Without an opinion: 2 windows a round trip in slow start, then 1.2, as for the kernel's own controllers. */
WEIR_CORE void weir_default_rate(struct weir_socket *k)
{
	struct tcp_sock *tp = k->tp;
	struct sock *sk = (struct sock *)tp;
	if (k->paced || weir_controller_paces(sk) || !tp->srtt_us)
		return;
	u64 window = weir_min((u64)weir_max(tp->snd_cwnd, tp->packets_out) * k->mss_bytes, WINDOW_MAX_BYTES);
	u32 per_round = tp->snd_cwnd < tp->snd_ssthresh / 2 ? 16000000 : 9600000;
	sk->sk_pacing_rate =
	    (weir_long)weir_min(window * per_round / tp->srtt_us, (u64)sk->sk_max_pacing_rate);
}

/* In an episode the controller's window is the target of the reduction, and stands in snd_ssthresh; but not
 * where the controller answers for the repair itself. */
WEIR_CORE bool weir_reduces(const struct weir_socket *k)
{
	return !(k->ops->needs & WEIR_NEED_OWN_REPAIR);
}

WEIR_CORE bool weir_in_episode(const struct weir_socket *k)
{
	if (!weir_reduces(k))
		return false;
	return k->tcp_state == TCP_CWR || k->tcp_state == TCP_RECOVERY;
}

/* What was just said, at once: what is said later in the same hook stands above it, and what is not said
 * leaves what was said before. */
WEIR_CORE void weir_obey(struct weir_socket *k)
{
	u64 cwnd_bytes = k->call->out.cwnd_bytes, rate_Bps = k->call->out.pacing_Bps;
	if (cwnd_bytes) {
		u32 packets = weir_packets(k, cwnd_bytes);
		if (weir_in_episode(k))
			k->tp->snd_ssthresh = packets;
		else
			k->tp->snd_cwnd = packets;
	}
	if (rate_Bps)
		weir_pace(k, rate_Bps);
}

/* Where an episode is over its target is the window. */
WEIR_CORE void weir_end_episode(struct weir_socket *k)
{
	if (!k->glue.reduced || weir_in_episode(k))
		return;
	k->tp->snd_cwnd = (u32)weir_max(k->tp->snd_ssthresh, 1);
	k->glue.reduced = 0;
}

/* Eight bits of snd_una, mixed: whether it moved, wrongly "no" once in 256 times. */
WEIR_CORE u32 weir_una_mark(const struct tcp_sock *tp)
{
	return tp->snd_una * 2654435761U & ~ARRIVED_MASK;
}

/* Proportional rate reduction (RFC 9937): what may leave in answer to this ACK. The kernel counts what left
 * since the episode began; what arrived is counted in snd_cwnd_cnt, which nothing else uses under
 * cong_control. An ACK is safe to grow on if it moved snd_una and told of no loss. */
WEIR_CORE void weir_reduce(struct weir_socket *k, u32 delivered, bool lossless)
{
	struct tcp_sock *tp = k->tp;
	u32 target = tp->snd_ssthresh, flight = weir_in_flight(tp), sent = tp->prr_out;
	u32 arrived = (u32)weir_min((tp->snd_cwnd_cnt & ARRIVED_MASK) + (u64)delivered, ARRIVED_MASK);
	bool safe = lossless && (tp->snd_cwnd_cnt & ~ARRIVED_MASK) != weir_una_mark(tp);
	u64 may_send;
	tp->snd_cwnd_cnt = arrived | weir_una_mark(tp);
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

/* What TCP_INFO tells of a controller whose first signal is its ssthresh; the kernel sizes bursts by it as
 * well. Outside of episodes, where the window stands there. */
WEIR_CORE void weir_show_ssthresh(struct weir_socket *k)
{
	u64 value[WEIR_CC_SIGNALS_MAX] = {0};
	if (!weir_first_signal_shows || !k->ops->probe)
		return;
	k->ops->probe(k->state, value);
	k->tp->snd_ssthresh = value[0] ? weir_packets(k, value[0]) : TCP_NO_SSTHRESH;
}

#endif
