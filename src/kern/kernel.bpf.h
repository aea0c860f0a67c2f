/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The little of the kernel that the glue touches. Only names and types count: where a field lies is found
 * when a program is loaded (CO-RE), so nothing here depends on the machine that compiles it. A field that is
 * not there any more makes the load fail by its name. What a helper does, and its number, is in man 7
 * bpf-helpers.
 */
#ifndef WEIR_KERN_KERNEL_BPF_H
#define WEIR_KERN_KERNEL_BPF_H

#include "weir/types.h"

#define WEIR_SECTION(name) __attribute__((section(name), used))
#define WEIR_RELOCATED __attribute__((preserve_access_index))

typedef long unsigned int weir_long; /* as long as a word of this machine */

struct sock_common {
	u16 skc_num;   /* the own port */
	u16 skc_dport; /* the other's, in network order */
} WEIR_RELOCATED;
struct sock {
	struct sock_common __sk_common;
	u32 sk_pacing_status;
	weir_long sk_pacing_rate, sk_max_pacing_rate; /* bytes per second */
} WEIR_RELOCATED;
struct inet_connection_sock {
	u8 icsk_ca_state : 5;
	u64 icsk_ca_priv[13];
} WEIR_RELOCATED;
struct minmax_sample {
	u32 t, v;
} WEIR_RELOCATED;
struct minmax {
	struct minmax_sample s[3];
} WEIR_RELOCATED;
struct tcp_sock {
	u32 snd_cwnd, snd_cwnd_cnt, snd_cwnd_clamp, snd_ssthresh; /* packets */
	u32 prior_cwnd, prior_ssthresh, prr_out;		  /* likewise */
	u32 packets_out, sacked_out, lost_out, retrans_out;	  /* likewise */
	u32 delivered, delivered_ce, lost, app_limited;		  /* likewise, since the start */
	u32 data_segs_out;					  /* likewise */
	u32 mss_cache;						  /* bytes */
	u32 snd_una, snd_nxt, undo_marker;
	u32 srtt_us; /* 8 times the value */
	u32 rate_delivered, rate_interval_us;
	u8 is_cwnd_limited : 1;
	u64 bytes_acked;
	u64 tcp_clock_cache;  /* ns, monotonic: when this ACK, timer or write began */
	u64 delivered_mstamp; /* us: when `delivered` last grew */
	struct minmax rtt_min;
} WEIR_RELOCATED;
struct rate_sample {
	u64 prior_mstamp; /* 0: nothing was delivered */
	u32 prior_delivered;
	i32 delivered;
	long interval_us, rtt_us; /* below 0: no sample */
	u32 snd_interval_us, rcv_interval_us;
	int losses;
	u32 acked_sacked;
	bool is_app_limited;
} WEIR_RELOCATED;

/* Only the members that are filled in: the loader matches them by name. */
struct tcp_congestion_ops {
	u32 (*ssthresh)(struct sock *sk);
	void (*set_state)(struct sock *sk, u8 state);
	void (*cwnd_event)(struct sock *sk, int event);
	void (*cong_control)(struct sock *sk, u32 ack, int flag, const struct rate_sample *rs);
	u32 (*undo_cwnd)(struct sock *sk);
	char name[16];
	void (*init)(struct sock *sk);
	void (*release)(struct sock *sk);
};
struct bpf_spin_lock {
	u32 val;
};

/* Values of the kernel's enums, which never change. */
enum { TCP_OPEN, TCP_DISORDER, TCP_CWR, TCP_RECOVERY, TCP_LOSS };
#define TCP_EVENT_TX_START 0
#define TCP_PACING_NONE 0
#define TCP_PACING_NEEDED 1
#define TCP_NO_SSTHRESH 0x7fffffffU

/* The value of a bit field, wherever and however wide it is in this kernel. */
#define WEIR_BITFIELD(pointer, field)                                                                        \
	({                                                                                                   \
		const u8 *at = (const u8 *)(pointer) + __builtin_preserve_field_info((pointer)->field, 0);   \
		u64 bits = 0;                                                                                \
		switch (__builtin_preserve_field_info((pointer)->field, 1)) {                                \
		case 1:                                                                                      \
			bits = *at;                                                                          \
			break;                                                                               \
		case 2:                                                                                      \
			bits = *(const u16 *)at;                                                             \
			break;                                                                               \
		case 4:                                                                                      \
			bits = *(const u32 *)at;                                                             \
			break;                                                                               \
		case 8:                                                                                      \
			bits = *(const u64 *)at;                                                             \
			break;                                                                               \
		}                                                                                            \
		bits <<= __builtin_preserve_field_info((pointer)->field, 4);                                 \
		(u32)(bits >> __builtin_preserve_field_info((pointer)->field, 5));                           \
	})

static void *(*const bpf_map_lookup_elem)(void *map, const void *key) = (void *)1;
static void (*const bpf_spin_lock)(struct bpf_spin_lock *lock) = (void *)93;
static void (*const bpf_spin_unlock)(struct bpf_spin_lock *lock) = (void *)94;
static void *(*const bpf_sk_storage_get)(void *map, struct sock *sk, void *value, u64 flags) = (void *)107;
static void *(*const bpf_ringbuf_reserve)(void *map, u64 bytes, u64 flags) = (void *)131;
static void (*const bpf_ringbuf_submit)(void *data, u64 flags) = (void *)132;

#endif
