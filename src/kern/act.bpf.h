/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* What a controller says, as the kernel does it: window and rate, and the reduction while lost data is
 * repaired. */
#ifndef WEIR_KERN_ACT_BPF_H
#define WEIR_KERN_ACT_BPF_H

#include "kern/view.bpf.h"

#define WINDOW_MAX_BYTES (1ULL << 38) /* times 10^7 it fits in 64 bits */

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

#endif
