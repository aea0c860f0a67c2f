/* SPDX-License-Identifier: MIT */
/* The ferry: carries real packets through link elements by the monotonic clock. One thread, both ways:
 *
 *	read what has come (a few at a time) -> cut super-packets -> push at the time of arrival
 *	-> from hop to hop, each at its due time -> write what is due -> sleep until shortly before the next
 *	due time, then spin
 *
 * Elements are given due times, never wake-up times: the ferry's own lateness is counted (fidelity.h), not
 * propagated. All hops advance together in the order of time, up to a horizon: the time at which the devices
 * were last found empty, or the stamp of the last packet read where they were not. Time 0 of the elements is
 * weir_ferry_start.
 *
 * It queues nothing itself: packets wait in elements; their bytes wait in a pool (pool.h) of fixed size. */
#ifndef WEIR_EMU_FERRY_H
#define WEIR_EMU_FERRY_H

#include "fidelity.h"
#include "link/hop.h"
#include "tun.h"

#include <signal.h>

struct weir_ferry;
struct weir_frame; /* frame.h: where headers, ports and payload of a packet are */

enum weir_realtime { WEIR_REALTIME_AUTO, WEIR_REALTIME_ON, WEIR_REALTIME_OFF };

struct weir_ferry_config {
	u64 seed;
	u64 base_rtt_ns;    /* for the verdict */
	u64 start_clock_ns; /* CLOCK_MONOTONIC of time 0, at most shortly before the start; 0: the start
			       itself */
	u64 spin_ns;	/* how long before a due time to wake and spin; 0: 200 us in real time, else 60 us */
	u64 pool_bytes; /* address space for packets; 0: 1 GiB, touched as needed */
	enum weir_realtime realtime; /* SCHED_FIFO; AUTO: while its CPU stays under 70 % over 100 ms */
	u64 warmup_ns;		     /* histograms of hops and flows are cleared then; 0: never */
	u64 publish_ns;		     /* a snapshot at each multiple of it; 0: none */
	/* Flows for per-flow figures: packets whose TCP or UDP port, either one, is first_port + i belong
	 * to flow i < n_flows. packet.flow of all others is a hash of addresses, protocol and ports, with the
	 * top bit set. 0: none. */
	u32 first_port, n_flows;
};

/* NULL only when out of memory. The owner calls weir_ferry_free. */
struct weir_ferry *weir_ferry_new(const struct weir_ferry_config *c);
void weir_ferry_free(struct weir_ferry *f);

/* Numbers from 0 in the order of adding; WEIR_FERRY_NONE when out of memory. */
#define WEIR_FERRY_NONE 0xffffffffU
u32 weir_ferry_add_hop(struct weir_ferry *f, const struct weir_hop_config *c);
/* One direction: hops in order, at least one. `way` says for which way its packets count. */
u32 weir_ferry_add_path(struct weir_ferry *f, const u32 *hops, u32 n_hops, u32 way);
/* Packets read from this device take this path. The device stays the caller's and outlives the ferry.
 * `exit`: the port where all of them come out, or WEIR_FERRY_NONE: by destination address, see route. */
u32 weir_ferry_add_port(struct weir_ferry *f, const struct weir_tun *tun, u32 path, u32 exit);
/* Ports may be added in pairs, before the other one exists. */
void weir_ferry_set_exit(struct weir_ferry *f, u32 port, u32 exit);
/* Destination addresses (low 32 bits, host order) in [first, end) come out at this port. 0, or -1. */
int weir_ferry_route(struct weir_ferry *f, u32 first, u32 end, u32 port);

/* What may watch: called on the ferry's thread, so quick; each may be NULL. Times are of the model, from 0.
 */
struct weir_ferry_taps {
	void *ctx;
	u32 snap_bytes; /* how much of each packet on_packet wants, from its front; 0: all */
	/* A packet entered (exited = false) or left the network: `ip` has captured_bytes of it, as single
	 * packets also where super-packets are read and written. Checksums may be unfinished. */
	void (*on_packet)(void *ctx, u64 now_ns, u32 port, bool exited, const u8 *ip, u32 captured_bytes,
			  u32 wire_bytes);
	void (*on_hop_arrival)(void *ctx, u64 now_ns, u32 hop, u32 wire_bytes);
	void (*on_hop_departure)(void *ctx, u64 now_ns, u32 hop, u32 wire_bytes, u64 wait_ns);
	void (*on_hop_drop)(void *ctx, u64 now_ns, u32 hop, u32 wire_bytes);
};
void weir_ferry_set_taps(struct weir_ferry *f, const struct weir_ferry_taps *taps);

/* Time 0 is now, or as configured (CLOCK_MONOTONIC, returned). Counters of the devices are read as the base
 * of overruns. */
u64 weir_ferry_start(struct weir_ferry *f);
/* Carries until *stop becomes non-zero (looked at least each 100 ms; a signal that interrupts the thread
 * makes it at once) or until_ns of the model has come. Then nothing more is read; what is inside is given
 * back. 0, or -1 with errno set: a device failed. */
int weir_ferry_run(struct weir_ferry *f, const volatile sig_atomic_t *stop, u64 until_ns);

/* One flow, as seen from outside its endpoints. IP bytes. One-way delay: true arrival to actual delivery. */
struct weir_ferry_flow {
	u64 in_packets, in_bytes, out_packets, out_bytes, dropped_packets;    /* of the sender's data */
	u64 ack_in_packets, ack_out_packets, ack_dropped_packets, ce_packets; /* the other way; marked */
	u64 delay_n, delay_sum_ns, queue_n, queue_sum_ns;
	struct weir_hist *delay_ns, *queue_ns; /* owner's, NULL: not wanted; queue: the model's wait */
};
/* Before start. Data of flow i travels `way`. */
void weir_ferry_set_flow(struct weir_ferry *f, u32 flow, u32 way, struct weir_hist *delay_ns,
			 struct weir_hist *queue_ns);
/* Each packet's wait in the hop's queue goes there; the caller's, NULL: nowhere. Before start. */
void weir_ferry_set_hop_wait(struct weir_ferry *f, u32 hop, struct weir_hist *wait_ns);

/* A snapshot at model time index * publish_ns: hops settled to exactly that time. */
struct weir_ferry_hop {
	struct weir_link_stats stats;
	u64 waiting_bytes, wait_n;
	double wait_sum_ns;
};
/* The ferry itself: running totals over both ways, but for the largest lateness since the snapshot before. */
struct weir_ferry_self {
	u64 late_n, late_sum_ns, late_max_ns;
};
struct weir_ferry_snapshot {
	u64 now_ns;
	struct weir_ferry_self self;
	struct weir_ferry_hop *hop; /* caller's arrays, of the numbers added */
	struct weir_ferry_flow *flow;
};
/* From any thread. 0; 1: not there yet; -1: older than the last 16, lost. */
int weir_ferry_snapshot(struct weir_ferry *f, u64 index, struct weir_ferry_snapshot *out);

/* After run returned (or from the ferry's thread): counters of hops and flows now, and the fidelity so far.
 * weir_fidelity is large: the caller keeps it. */
void weir_ferry_now(struct weir_ferry *f, struct weir_ferry_snapshot *out);
void weir_ferry_fidelity(struct weir_ferry *f, struct weir_fidelity *out);

#endif
