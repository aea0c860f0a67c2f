/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* What the kernel knows of a connection, as a controller sees it; and what the glue itself has to remember.
 */
#ifndef WEIR_KERN_VIEW_BPF_H
#define WEIR_KERN_VIEW_BPF_H

#include "kern/kernel.bpf.h"
#include "kern/record.h"
#include "weir/cc.h"

#define DELIVERED_SHIFT 4 /* `delivered` counts 16 bytes */
#define DELIVERED_BACK (1U << 20)
#define COUNT_MASK 0xffffffU
#define LOST_MASK 0x7fU
#define CE_MASK 0x7fU

/* 8 bytes in the socket, before the state. Counters are kept as their last bits: what matters of them is how
 * far the kernel's own have moved since. */
struct weir_glue {
	u64 round : 24;	    /* delivered packets at the start of this round */
	u64 delivered : 24; /* what the last view said, in 16 bytes */
	u64 lost : 7;	    /* lost packets that the controller knows of */
	u64 ce : 7;	    /* likewise delivered ones whose mark was echoed */
	u64 cwr : 1;	    /* the kernel has begun an episode without a loss; the next ACK tells why */
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
	const struct rate_sample *sample; /* in an ACK; else NULL */
	u32 mss_bytes;
	u32 tcp_state;
	bool paced; /* this hook has set a rate */
	/* Apart, since its address goes through pointers to functions: only then are those of `ops` seen to
	 * be constant, and inlined. */
	struct weir_kern_call *call;
};

struct {
	int (*type)[27]; /* BPF_MAP_TYPE_RINGBUF */
	int (*max_entries)[WEIR_KERN_RING_BYTES];
} weir_ring WEIR_SECTION(".maps");
/* What does not fit in the socket. */
#ifndef WEIR_STORED_BYTES
#define WEIR_STORED_BYTES WEIR_CC_MAX_BYTES
#endif
struct weir_stored {
	u64 ready; /* 0: not yet begun */
	u64 wake_ns;
	u64 state[WEIR_STORED_BYTES / sizeof(u64)];
#ifdef WEIR_STORED_CALL /* where the stack, which all functions share, has no room for it */
	struct weir_kern_call call;
#endif
};
struct {
	int (*type)[24];     /* BPF_MAP_TYPE_SK_STORAGE */
	int (*map_flags)[1]; /* BPF_F_NO_PREALLOC, as the type demands */
	int *key;
	struct weir_stored *value;
} weir_storage WEIR_SECTION(".maps");
extern volatile struct weir_kern_control weir_control;
/* Whether the first of the controller's signals is its ssthresh. The loader, who has their names, says so. */
const volatile u32 weir_first_signal_shows WEIR_SECTION(".rodata.signal") = 0;
struct weir_kern_replay weir_replay WEIR_SECTION(".data.replay") = {0};

/* What the loader has set; not what the compiler sees. */
#define WEIR_LOADED(object)                                                                                  \
	({                                                                                                   \
		const void *loaded = (const void *)&(object);                                                \
		__asm__ volatile("" : "+r"(loaded));                                                         \
		loaded;                                                                                      \
	})
#define WEIR_PARAMS WEIR_LOADED(weir_params)

/* The same number, of which the verifier knows nothing any more. It walks through what follows once for each
 * set of values that it can tell apart, so that a few flags and times that "may be exactly 0" multiply its
 * work. */
WEIR_CORE u64 weir_forget(u64 x)
{
	__asm__ volatile("%0 = be64 %0\n%0 = be64 %0" : "+r"(x));
	return x;
}

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

/* Packets found lost since the last time. An ACK may tell of more at once than the bits hold. */
WEIR_CORE u64 weir_newly_lost(struct weir_socket *k)
{
	u32 lost = k->tp->lost;
	u32 newly = (lost - (u32)k->glue.lost) & LOST_MASK;
	k->glue.lost = lost & LOST_MASK;
	if (k->sample && k->sample->losses > (int)LOST_MASK)
		newly = (u32)k->sample->losses;
	return newly;
}

/* Delivered packets whose mark was echoed since the last time. (An ACK for a multiple of 128 packets, all of
 * them marked, is missed.) */
WEIR_CORE u64 weir_newly_marked(struct weir_socket *k)
{
	u32 ce = k->tp->delivered_ce;
	u32 newly = (ce - (u32)k->glue.ce) & CE_MASK;
	k->glue.ce = ce & CE_MASK;
	return newly;
}

/* The newest sample; without one in this call, the best of the last ones that the kernel keeps. */
WEIR_CORE u64 weir_rate_Bps(const struct weir_socket *k)
{
	const struct rate_sample *rs = k->sample;
	const struct tcp_sock *tp = k->tp;
	if (rs && rs->delivered > 0 && rs->interval_us > 0)
		return (u64)(u32)rs->delivered * k->mss_bytes * 1000000 / (u64)rs->interval_us;
	return weir_div((u64)tp->rate_delivered * k->mss_bytes * 1000000, tp->rate_interval_us);
}

/* 0 stays 0; the kernel's clock counts microseconds, so that a round trip in the machine may take none. */
WEIR_CORE u64 weir_rtt_ns(u32 rtt_us)
{
	return weir_max(rtt_us, 1) * WEIR_NS_PER_US;
}

/* An ACK's sample. Of what was sent again the kernel has one by time stamps, in whole milliseconds and up to
 * one too small, so that it may be less than the path: none (RFC 6298 section 3, as in transport/). */
WEIR_CORE u64 weir_sample_rtt_ns(long rtt_us)
{
	return rtt_us < 0 || (rtt_us && (u32)rtt_us % 1000 == 0) ? 0 : weir_rtt_ns((u32)rtt_us);
}

/* The kernel takes a sample that is shorter than the smallest RTT for compressed, and tells of none. */
WEIR_CORE void weir_take_intervals(const struct weir_socket *k, struct weir_ack *a)
{
	const struct rate_sample *rs = k->sample;
	bool any = rs->delivered > 0 && rs->interval_us > 0;
	a->sample_bytes = any ? (u64)(u32)rs->delivered * k->mss_bytes : 0;
	a->send_interval_ns = any ? rs->snd_interval_us * WEIR_NS_PER_US : 0;
	a->ack_interval_ns = any ? rs->rcv_interval_us * WEIR_NS_PER_US : 0;
}

WEIR_CORE void weir_look(struct weir_socket *k)
{
	struct tcp_sock *tp = k->tp;
	struct weir_view *v = &k->call->view;
	u32 min_us = tp->rtt_min.s[0].v;
	v->now_ns = tp->tcp_clock_cache;
	v->srtt_ns =
	    weir_forget(tp->srtt_us ? weir_max((u64)tp->srtt_us * (WEIR_NS_PER_US / 8), WEIR_NS_PER_US) : 0);
	v->min_rtt_ns = weir_forget(min_us == ~0U ? 0 : weir_rtt_ns(min_us));
	v->inflight_bytes = (u64)weir_in_flight(tp) * k->mss_bytes;
	v->delivered_bytes = weir_delivered(k);
	v->delivery_Bps = weir_rate_Bps(k);
	v->initial_bytes = 0;
	v->mss_bytes = k->mss_bytes;
	v->flags = (tp->app_limited ? WEIR_APP_LIMITED : 0) |
		   (WEIR_BITFIELD(tp, is_cwnd_limited) ? WEIR_CWND_LIMITED : 0) |
		   (k->tcp_state == TCP_RECOVERY ? WEIR_RECOVERY : 0);
	k->call->reserved = 0;
	k->call->out = (struct weir_out){0, 0, 0};
}

#endif
