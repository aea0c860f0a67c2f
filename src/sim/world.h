/* SPDX-License-Identifier: MIT */
/* A simulated network: hops, paths, flows and one virtual clock. Build it, run it to a time, read it,
 * run it further. Nothing here reads a clock or draws from anything but the seed.
 *
 * Order of events at equal times (the tie rule, docs/formats.md): departures before arrivals inside a
 * hop; between hops, the hop that was added first; then timers, by kind, then by flow. */
#ifndef WEIR_SIM_WORLD_H
#define WEIR_SIM_WORLD_H

#include "age/flow_age.h"
#include "app/app.h"
#include "core/hist.h"
#include "link/hop.h"
#include "transport/bsd43.h"
#include "transport/endpoint.h"
#include "weir/pilot.h"

struct weir_world;

struct weir_world_config {
	u64 seed;
	u32 flows_hint; /* how many flows will be added, 0 if unknown */
};

struct weir_flow_config {
	u32 path;
	bool reverse; /* data travels the path's way back */
	/* NULL for datagram applications, for historic flows and for those that a pilot drives. */
	const struct weir_cc_ops *cc;
	const struct weir_pilot_ops *pilot; /* NULL: none; its inner controllers are those of cc/table.h */
	/* The historic endpoint sends, and decides for itself; NULL: the modern one. */
	const struct weir_bsd43_config *historic;
	const u64 *params; /* of cc or of the pilot, kept by the caller while the world lives */
	struct weir_endpoint_config endpoint;
	struct weir_app_config app;
	u64 start_ns, stop_ns;	    /* stop_ns: the application ends; WEIR_NEVER = with the run */
	struct weir_hist *rtt_ns;   /* each RTT sample of the sender; caller's, may be shared, may be NULL */
	struct weir_hist *queue_ns; /* time in queues of each data packet that arrived; likewise */
	bool fct;		    /* record completions: weir_world_completions */
	bool fin;		    /* SIZED: its end is acknowledged at once, as a FIN would be */
	/* What it tells at the receiver has an age: the newest value that has come, of `updates` the newest
	 * whole one, of any other stream the newest segment in order, as of its first sending. */
	bool age;
	u64 age_bound_ns;		    /* 0: none */
	struct weir_age_spread *age_spread; /* zeroed; caller's, may be shared, may be NULL */
	/* An acp flow: `cc` and `historic` NULL, `app` of kind UPDATES and with datagrams: what it offers,
	 * and the size of one on the wire; copied, but flow_id and incarnation are the world's to choose. Its
	 * age is measured. */
	const struct weir_source_config *acp;
};

/* Running totals; subtract two readings for an interval. */
struct weir_flow_totals {
	u64 delivered_bytes;	 /* goodput: payload delivered in order (datagrams: payload received) */
	u64 received_wire_bytes; /* every data packet that arrived, headers and duplicates included */
	u64 sent_packets;	 /* data packets put on the path, retransmissions included */
	u64 sent_wire_bytes;
	u64 retransmitted_packets;
	u64 lost_packets;		    /* data packets of this flow that the path dropped */
	u64 timeouts, recoveries, spurious; /* RTOs, fast-recovery episodes, undone cuts */
	u64 ce_packets;
};

/* What holds at this instant. */
struct weir_flow_now {
	u64 cwnd_bytes, pacing_Bps, inflight_bytes;
	u64 srtt_ns, min_rtt_ns, latest_rtt_ns, rto_ns;
	bool app_limited, in_recovery, done;
	u32 n_signals; /* the controller's own, as its ops->signals; a pilot's: weir_world_flow_pilot */
	u64 signal[WEIR_CC_SIGNALS_MAX];
	u32 missing; /* bit k: signal k has no value now; in a simulation all have */
};

struct weir_completion {
	u32 flow;
	u64 start_ns, end_ns, bytes;
};

/* For pcap, qlog and mahimahi logs; every hook may be NULL. They see; they do not change. */
struct weir_world_taps {
	void *ctx;
	void (*on_send)(void *ctx, u64 now_ns, u32 flow, bool is_ack, u64 seq, u64 ack, u32 wire_bytes,
			bool retransmit);
	void (*on_receive)(void *ctx, u64 now_ns, u32 flow, bool is_ack, u64 seq, u64 ack, u32 wire_bytes);
	void (*on_ack_done)(void *ctx, u64 now_ns, u32 flow, const struct weir_flow_now *now);
	void (*on_hop_arrival)(void *ctx, u64 now_ns, u32 hop, u32 wire_bytes);
	/* wait_ns: in the queue of this hop alone, to 16 ns */
	void (*on_hop_departure)(void *ctx, u64 now_ns, u32 hop, u32 wire_bytes, u64 wait_ns);
	void (*on_hop_drop)(void *ctx, u64 now_ns, u32 hop, u32 wire_bytes);
};

/* All _new and _add functions return NULL or WEIR_NONE only when out of memory or over a hard limit. */
#define WEIR_NONE 0xffffffffU

struct weir_world *weir_world_new(const struct weir_world_config *c);
void weir_world_free(struct weir_world *w);
u32 weir_world_add_hop(struct weir_world *w, const struct weir_hop_config *c);
/* Both lists of hop numbers are at least one long; an uncongested way back is a hop of rate 0 with the
 * path's delay. A hop may stand in any number of paths, at most once in each direction of one. */
u32 weir_world_add_path(struct weir_world *w, const u32 *hops, u32 n_hops, const u32 *back, u32 n_back);
u32 weir_world_add_flow(struct weir_world *w, const struct weir_flow_config *c);
void weir_world_set_taps(struct weir_world *w, const struct weir_world_taps *taps);
/* Each packet's time in the hop's queue goes there; the caller's, NULL = nowhere. */
void weir_world_set_hop_wait(struct weir_world *w, u32 hop, struct weir_hist *wait_ns);

/* Processes every event up to and including until_ns (WEIR_NEVER: all that there are, and the clock stays at
 * the last). Returns 0, or -1 when memory ran out (the world
 * then stands still, complete, at weir_world_now_ns). */
int weir_world_run(struct weir_world *w, u64 until_ns);
u64 weir_world_now_ns(const struct weir_world *w);
u64 weir_world_events(const struct weir_world *w);

u32 weir_world_n_flows(const struct weir_world *w);
u32 weir_world_n_hops(const struct weir_world *w);
void weir_world_flow_totals(const struct weir_world *w, u32 flow, struct weir_flow_totals *t);
void weir_world_flow_now(const struct weir_world *w, u32 flow, struct weir_flow_now *n);
/* Up to this instant; false: its age is not measured. */
bool weir_world_flow_age(struct weir_world *w, u32 flow, struct weir_flow_age *a);
/* What its pilot shows, in its order and units (NaN: none now); false: it has none, or has not begun. */
bool weir_world_flow_pilot(const struct weir_world *w, u32 flow, double value[WEIR_PILOT_SIGNALS_MAX]);
/* What its player has, as of this instant; false: it is no video. */
bool weir_world_flow_video(const struct weir_world *w, u32 flow, struct weir_video *v);
/* A warm-up ends: all ages are counted from now on, and their spreads are empty. */
void weir_world_restart_ages(struct weir_world *w);
/* Counters of the hop; *waiting_bytes is the queue at this instant. */
const struct weir_link_stats *weir_world_hop_stats(struct weir_world *w, u32 hop, u64 *waiting_bytes);
/* Each finished SIZED flow or REQUEST; the array grows while the world runs. */
const struct weir_completion *weir_world_completions(const struct weir_world *w, u64 *n);

#endif
