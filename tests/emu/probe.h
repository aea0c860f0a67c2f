/* SPDX-License-Identifier: MIT */
/* The outside observer of an emulated link: knows nothing of the emulator, believes nothing of it.
 *
 * Two processes, each in a network namespace, send each other UDP datagrams across the link. What counts are
 * the kernel's time stamps: as the packet is handed to the device, and as the device hands it to the kernel
 * on the other side. Neither the observer's own scheduling nor the reflector's is taken for the link's error.
 * All packets of a direction are the observer's own, so from the stamps of their departures it can work out
 * when each of them ought to have come out of a FIFO link: that, and not an even spacing that no sleeping
 * sender keeps, is what the arrivals are held against. */
#ifndef WEIR_TESTS_EMU_PROBE_H
#define WEIR_TESTS_EMU_PROBE_H

#include "weir/types.h"

#include <netinet/in.h>
#include <stdatomic.h>
#include <sys/socket.h>

enum { PROBE_UP, PROBE_DOWN, PROBE_WAYS };

#define PROBE_PACKETS_MAX 8000000U
#define PROBE_BATCH 64

struct probe_config {
	const char *near_path, *far_path; /* of network namespaces; NULL: the one we are in */
	struct sockaddr_storage to;	  /* of the far end, with its port */
	u64 rate_bps;			  /* of IP bytes, on average */
	u32 size_bytes, reply_size_bytes; /* of IP packets */
	u32 reply_every;		  /* each n-th packet is answered; 0: none */
	u32 burst;			  /* packets that are handed over as one super-packet; 1: none are */
	u64 seconds_ns, skip_ns, tick_ns; /* tick: the sender wakes no more often */
	bool poisson, ecn, plain; /* plain: no stamps of departures, for rates that they would hinder */
	u64 link_bps[PROBE_WAYS]; /* the ideal; 0: infinitely fast */
	u64 delay_ns;		  /* each way */
	u64 window_ns;		  /* for rates */
};

/* Times are CLOCK_MONOTONIC, 0: none. */
struct probe_packet {
	u64 sent_ns, read_ns; /* by the clock of the processes, around the system calls */
	u64 tx_ns, rx_ns;     /* by the kernel */
	u64 ideal_ns;	      /* when it should have come */
	u32 size_bytes;
	u32 answers; /* a reply: the packet that it answers */
	bool ce;
};

/* Shared by the two processes: each field has one writer. */
struct probe_shared {
	_Atomic u32 far_ready, near_done;
	_Atomic u32 n[PROBE_WAYS];
	_Atomic u32 clock_steps;
	u64 start_ns;
	u32 room[PROBE_WAYS];
	struct probe_packet *packets[PROBE_WAYS];
};

/* probe_socket.c: a UDP socket with stamps, and the two clocks. */
struct probe_clock {
	u64 offset_ns[2]; /* wall clock less monotonic: now, and before the last step */
	u32 steps;
};
u64 probe_now(void);
void probe_clock_sample(struct probe_clock *c);
/* A stamp is by the wall clock, which may have stepped meanwhile: of both offsets the one that puts it nearer
 * to a moment that is known roughly. */
u64 probe_clock_convert(const struct probe_clock *c, u64 wall_ns, u64 about_ns);

struct probe_wire {
	u32 magic, sequence, reply, answers;
};
#define PROBE_MAGIC 0x57505242U

struct probe_got {
	struct probe_wire wire;
	struct sockaddr_storage from;
	socklen_t from_bytes;
	u64 rx_wall_ns; /* 0: no stamp */
	u32 payload_bytes;
	bool ce;
};
struct probe_stamp {
	u32 sequence;
	u64 tx_wall_ns;
};

u32 probe_header_bytes(const struct sockaddr_storage *to); /* of IP and UDP */
/* In the calling thread's namespace. Dies with a message where something is refused. */
int probe_socket(const struct sockaddr_storage *bind_to, const struct sockaddr_storage *connect_to,
		 const struct probe_config *c);
/* What has come, at most PROBE_BATCH; never waits. */
u32 probe_receive(int fd, struct probe_got *got);
/* Stamps of departures. */
u32 probe_stamps(int fd, struct probe_stamp *stamps);
/* Sends n datagrams; waits for room. Dies when the kernel refuses. */
void probe_send(int fd, const struct sockaddr_storage *to, const struct probe_wire *wires, u32 n,
		u32 payload_bytes);
/* The same as one super-packet, to where the socket is connected; one stamp for all. */
void probe_send_burst(int fd, const struct probe_wire *wires, u32 n, u32 payload_bytes);

/* probe_ends.c */
void probe_far(const struct probe_config *c, struct probe_shared *s);
void probe_near(const struct probe_config *c, struct probe_shared *s);

/* probe_replay.c */
struct probe_quantiles {
	u64 n;
	double min_us, p50_us, p90_us, p99_us, max_us;
};
struct probe_rates {
	double mean_bps, min_bps, p50_bps, max_bps; /* IP bytes in windows */
};
struct probe_way {
	u64 sent, received, lost, unstamped, ce;
	double ideal_queue_max_packets; /* of the link that it should have been */
	struct probe_quantiles error;
	struct probe_rates rates;
	double missed_fraction; /* over windows: bytes due less bytes come where positive, over all due */
};
struct probe_report {
	struct probe_way way[PROBE_WAYS];
	struct probe_quantiles rtt_error, process_rtt_error; /* the second with both processes' wake-ups */
};
/* 0, or -1 when out of memory. */
int probe_replay(const struct probe_config *c, struct probe_shared *s, struct probe_report *out);

_Noreturn void probe_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
