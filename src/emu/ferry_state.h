/* SPDX-License-Identifier: MIT */
/* The ferry's inside, shared by ferry*.c:
 *	ferry.c       the object: hops, paths, ports, start and end
 *	ferry_run.c   the loop, and what it looks at
 *	ferry_read.c  from devices into slots; overruns
 *	ferry_hops.c  through the hops in the order of time, to those that leave
 *	ferry_write.c from slots to devices; lateness
 *	ferry_watch.c flows and snapshots
 *	ferry_pace.c  the thread: sleep, spin and priority
 * Times are of the model, ns since start, unless a name says `clock`. */
#ifndef WEIR_EMU_FERRY_STATE_H
#define WEIR_EMU_FERRY_STATE_H

#include "ferry.h"
#include "pool.h"

#include <sys/epoll.h>

#define FERRY_READ_BATCH 16   /* packets of one device between two writes */
#define FERRY_STAGED_MAX 1024 /* read, but not yet pushed: then a device has to wait */
#define FERRY_RUNS 32	      /* writes between two reads */
#define FERRY_LEAVING 2048    /* and packets in them */
#define FERRY_SNAPSHOTS 16
#define FERRY_TIMERS 64
#define FERRY_TICK_NS (10 * WEIR_NS_PER_MS)
#define FERRY_TICKS 10 /* the CPU share is taken over so many */
#define FERRY_WINDOWS 16

struct ferry_hop {
	struct weir_ferry *ferry;
	struct weir_link *link;
	u32 index;
	bool last;    /* of each path through it: its packets leave the network */
	u64 waited_n; /* what a cleared histogram held */
	double waited_sum_ns;
};

struct ferry_path {
	u32 n, way;
	u32 *hop;
};

struct ferry_port {
	const struct weir_tun *tun;
	u32 path, exit, way;
	bool stamped;
	bool full;	/* the latest look at it did not empty its ring */
	u32 full_round; /* in which round that was: the latest that it was ready */
	u64 since_ns;	/* since when its packets may wait, where its ring is not empty */
	u64 newest_ns;	/* arrival of the newest packet read; they never go back */
	u32 first_staged, last_staged, n_staged; /* slots */
	u32 run, round; /* the newest run to this port, and in which round it was made */
	u64 overruns_base, overruns;
};

/* Packets that leave, in order, and the writes that they are joined to. */
struct ferry_leaving {
	u64 due_ns, wait_ns;
	u32 flow;
	u32 next; /* of the same run */
	u16 bytes;
	bool marked;
};
struct ferry_run {
	struct weir_slot *slot;
	u32 exit, first, n; /* segments */
	u32 first_leaving, last_leaving;
	u32 bytes;
	bool ce;
};

struct ferry_route {
	u32 first, last, port;
};

struct ferry_flow {
	struct weir_ferry_flow seen;
	u32 way;
};

/* Bytes due and delivered in one window of time. */
struct ferry_window {
	u64 index, due_bytes, delivered_bytes;
};

struct ferry_snapshot {
	u64 version; /* atomic: 2 * index + 2 when it is whole, one less while it is written */
	u64 *words;
};

enum ferry_rest {
	FERRY_AWAKE,
	FERRY_SLEPT,  /* to the end */
	FERRY_WOKEN,  /* by a packet */
	FERRY_NAPPED, /* deaf for packets */
};

struct weir_ferry {
	struct weir_ferry_config config;
	struct weir_packet_pool pool;
	struct ferry_hop **hop;
	u64 *next_ns;  /* of each hop, when something leaves it */
	u64 *ahead_ns; /* of each hop, how long in advance departures are certain */
	struct ferry_path *path;
	struct ferry_port *port;
	struct ferry_route *route;
	struct ferry_flow *flow;
	u32 n_hops, n_paths, n_ports, n_routes;
	struct weir_ferry_taps taps;
	u64 hash_key;
	bool failed; /* memory ran out while it was put together */

	u64 origin_clock_ns;
	u64 stamp_shift_ns; /* from the clock of stamps to ours, modulo 2^64 */
	u64 now_ns;	    /* how far the hops are */
	u64 looked_ns;	    /* the latest look at the devices, and the one before */
	u64 looked_before_ns;
	u64 mark_ns;   /* the next snapshot or the end of the warm-up */
	u64 published; /* snapshots so far */
	struct weir_ferry_self self;
	int error; /* errno of a device that failed */

	struct weir_slot *spare[WEIR_SLOT_KINDS]; /* the next read goes there */
	u32 *staging;				  /* ports with staged packets */
	u32 n_staging, n_full;			  /* ports whose ring may hold more */

	struct ferry_run run[FERRY_RUNS];
	struct ferry_leaving leaving[FERRY_LEAVING];
	u32 n_runs, n_leaving, round;
	bool held_back; /* more is due than the runs had room for */

	int epoll;
	struct epoll_event *event;
	enum ferry_rest rest; /* just before the latest look */
	u64 wake_ns;	      /* when it was to end */
	/* How long before a departure to wake; below 0: how long after. */
	i64 lead_ns, lead_least_ns;
	u64 tick_ns, tick_cpu_ns[FERRY_TICKS], tick_at_ns[FERRY_TICKS];
	u32 ticks, calm_ticks;
	bool realtime, may_realtime, raised;
	u64 realtime_from_ns, cpu_base_ns;
	u32 overruns_next;
	u64 overruns_at_ns;

	u32 timer_late_ns[FERRY_TIMERS]; /* of the latest wake-ups by time */
	u32 n_timers, timer_draw;
	u32 fraction; /* a sequence that fills [0, 2^32) evenly */
	struct ferry_window window[FERRY_WINDOWS];
	u64 window_ns;
	struct weir_fidelity fidelity;
	u64 refused; /* packets that a device did not take, or no memory did: among the overruns */

	struct ferry_snapshot snapshot[FERRY_SNAPSHOTS];
	u64 snapshot_words;
};

/* A packet in a hop: ref = slot and segment, ext = its wait in the hops before, flags = its hop in the path.
 */
static inline u32 ferry_packet_slot(const struct weir_packet *p)
{
	return (u32)p->ref;
}
static inline u32 ferry_packet_segment(const struct weir_packet *p)
{
	return (u32)(p->ref >> 32);
}

u64 ferry_clock_ns(void); /* CLOCK_MONOTONIC */
static inline u64 ferry_now_ns(const struct weir_ferry *f)
{
	return ferry_clock_ns() - f->origin_clock_ns;
}

/* ---- ferry_hops.c ---- */
struct weir_link_owner ferry_hop_owner(struct ferry_hop *hop);
/* Moves all hops up to horizon_ns, pushing what is staged when its time comes, and takes what leaves by
 * until_ns, as far as it is certain and there is room in the runs. */
void ferry_advance(struct weir_ferry *f, u64 horizon_ns, u64 until_ns);
u64 ferry_next_departure_ns(const struct weir_ferry *f);

/* ---- ferry_read.c ---- */
int ferry_read_begin(struct weir_ferry *f); /* 0, or -1: no memory */
/* Reads a batch from each of the ports that are ready. Returns the horizon. */
u64 ferry_read(struct weir_ferry *f, const struct epoll_event *ready, u32 n);
void ferry_stage_pop(struct weir_ferry *f, struct ferry_port *port);
void ferry_overruns_begin(struct weir_ferry *f);
/* Asks one device in turn, so that each is asked once a second; or all, at the end. */
void ferry_overruns_tick(struct weir_ferry *f, u64 now_ns);
void ferry_overruns_all(struct weir_ferry *f);
u32 ferry_find_exit(const struct weir_ferry *f, const struct ferry_port *port, u32 destination);

/* ---- ferry_write.c ---- */
void ferry_leave(struct weir_ferry *f, struct weir_slot *slot, const struct weir_packet *p, u64 due_ns);
void ferry_write(struct weir_ferry *f);
/* The wire's form of one segment, or of a packet: its bytes and how many of them there are. */
void ferry_tap_packet(struct weir_ferry *f, u64 now_ns, struct weir_slot *slot, u32 segment, bool ce,
		      u32 port, bool exited);

/* ---- ferry_watch.c ---- */
int ferry_watch_begin(struct weir_ferry *f); /* 0, or -1: no memory */
void ferry_watch_end(struct weir_ferry *f);
void ferry_mark(struct weir_ferry *f); /* the hops have come to mark_ns */
void ferry_flow_entered(struct weir_ferry *f, const struct weir_slot *slot, u32 bytes);
void ferry_flow_dropped(struct weir_ferry *f, const struct weir_slot *slot);
void ferry_flow_delivered(struct weir_ferry *f, const struct weir_slot *slot, const struct ferry_leaving *l,
			  u64 after_ns);

/* ---- ferry_pace.c ---- */
struct ferry_thread_before {
	int policy, priority, nice, slack_ns;
};
void ferry_pace_begin(struct weir_ferry *f, struct ferry_thread_before *before);
void ferry_pace_end(struct weir_ferry *f, const struct ferry_thread_before *before);
void ferry_tick(struct weir_ferry *f, u64 now_ns);
/* Sleeps until `wake_ns` or until a device has something. */
void ferry_sleep(struct weir_ferry *f, u64 now_ns, u64 wake_ns);
/* Sleeps until `wake_ns`, whatever comes. */
void ferry_nap(struct weir_ferry *f, u64 wake_ns);
/* For packets without a stamp, see fidelity.h: since when a packet that the latest look found may have waited
 * in a ring that was empty at the look before. A packet that woke the ferry has waited about as long as the
 * ferry's own alarms make it wait. */
u64 ferry_waiting_since_ns(struct weir_ferry *f);
/* A guess for one packet out of the longest. Packets found together also queue behind each other in the link,
 * where they did not come together: half of the longest at least. */
u64 ferry_guess_wait_ns(struct weir_ferry *f, u64 longest_ns, bool alone);

#endif
