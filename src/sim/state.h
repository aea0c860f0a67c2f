/* SPDX-License-Identifier: MIT */
/* What a world is made of; only sim/ sees it. */
#ifndef WEIR_SIM_STATE_H
#define WEIR_SIM_STATE_H

#include "age/monitor.h"
#include "age/source.h"
#include "heads.h"
#include "link/line.h"
#include "slips.h"
#include "timers.h"
#include "transport/bsd43.h"
#include "transport/receiver.h"
#include "transport/sender.h"
#include "waits.h"
#include "world.h"

/* Flags of a packet; the high four bits are the attempt. */
enum {
	WEIR_SIM_ACK = 1 << 0,
	WEIR_SIM_CE_ECHO = 1 << 1,
	WEIR_SIM_REQUEST = 1 << 2,
	WEIR_SIM_DATAGRAM = 1 << 3
};
#define WEIR_SIM_ATTEMPT_SHIFT 4
#define WEIR_SIM_BACKWARD (WEIR_SIM_ACK | WEIR_SIM_REQUEST) /* travels against the data */

/* Side by side with the application of a flow that has one beyond bulk. */
struct weir_sim_app {
	struct weir_app app;
	u64 armed_ns, request_ns, request_armed_ns;
	u64 asked_ns; /* when the request that is being answered first left */
	u64 answered_bytes;
	u64 datagrams, datagram_sent_bytes, datagram_received_bytes;
	u32 tries;
	bool completed;
	struct weir_sim_age *age; /* NULL: nobody asks for it */
};

/* An acp flow: the same state machines as over real sockets. */
struct weir_sim_acp {
	struct weir_source source;
	struct weir_monitor monitor;
	u64 latest_rtt_ns;
	u64 fresh, late; /* updates that arrived */
	/* when the warm-up ended */
	struct weir_source_counts base;
	u64 base_fresh, base_late;
};

/* What it or its monitor says, while it is on its way. */
struct weir_sim_parcel {
	struct weir_slip slip;
	struct weir_age_packet packet;
};

/* The age of what one flow tells, at the receiver, and as its sender can know it. */
struct weir_sim_age {
	struct weir_ledger ledger, estimate;
	struct weir_age_spread *spread; /* the caller's, or NULL */
	u64 bound_ns;
	bool ended; /* nothing more is counted */
	struct weir_sim_acp *acp;
	/* Datagrams, and a stream of updates: the application once more, as far as what it told has come. */
	struct weir_app mirror;
	u64 mirrored, mirrored_ns; /* datagrams or updates after the first; when the last was told */
	/* Of any other stream each segment, from its first sending until it is delivered: a ring. */
	struct weir_sim_birth {
		u64 end_seq, sent_ns;
	} * birth;
	u32 birth_head, births, births_capacity; /* capacity: a power of two */
	u64 born_seq;				 /* end of the newest */
};

/* In the order of need, as the sender: the first line for every packet, the second for data, those of the
 * sender for ACKs. Aligned, so that the lines are those of the cache. */
struct weir_sim_flow {
	_Alignas(64) u32 number; /* its own */
	u32 first_hop[2];	 /* where its data enters, and what travels against it */
	u16 header_bytes;
	bool fct : 1, started : 1, stopped : 1, reverse : 1, fin : 1;
	u64 received_wire_bytes;
	struct weir_sim_app *app; /* NULL: bulk */
	struct weir_hist *rtt_ns, *queue_ns;
	u64 sender_armed_ns, receiver_armed_ns; /* earliest entry in the timer queue; WEIR_NEVER */

	struct weir_receiver receiver;
	u64 lost_packets;
	u32 path, endpoint; /* numbers of its path and of its row in world.endpoints */

	_Alignas(64) struct weir_sender sender; /* neither cc nor historic: no stream */
	u64 ce_packets;
};
_Static_assert(offsetof(struct weir_sim_flow, receiver) == 64, "one line for every packet");
_Static_assert(offsetof(struct weir_sim_flow, sender) == 192, "the sender begins a line");

struct weir_sim_hop {
	struct weir_link *link;
	struct weir_line *line; /* the same, when it is a line */
	u32 next;		/* the next hop of all who use it, WEIR_NONE = their endpoint */
	bool mixed;		/* users differ: ask the route */
	u64 delay_ns;
	struct weir_sim_hop_owner {
		struct weir_world *world;
		u32 hop;
	} * owner; /* what the link tells of its drops */
};

/* What an ACK carries beyond its number: SACK blocks. */
struct weir_sim_sack {
	struct weir_slip slip;
	u32 n;
	struct weir_sack_block block[WEIR_SACK_BLOCKS];
};

struct weir_world {
	u64 now_ns, events, seed;
	struct weir_heads heads; /* one for each hop, then the timers */
	struct weir_sim_hop *hops;
	struct weir_sim_flow *flows;
	struct weir_timers timers;
	u32 n_hops, n_flows, n_paths;
	u32 flows_capacity, hops_capacity, paths_capacity;
	struct weir_slips sacks, parcels; /* of ACKs; of acp flows */
	bool ready, failed;
	bool tapped;	   /* somebody looks at each packet: taps, or the ages of streams */
	u32 *aged, n_aged; /* flows whose age is measured */
	/* path p in direction d (0 forward): row 2p + d */
	struct weir_sim_route {
		u32 n, *hops;
	} * paths;
	u32 *next; /* row * n_hops + hop: the hop after it, or WEIR_NONE */
	struct weir_endpoint_config **endpoints;
	u32 n_endpoints;
	struct weir_pool pool; /* of what grows with the flows */
	struct weir_world_taps taps;
	struct weir_waits waits; /* while on_hop_departure is tapped */
	struct weir_completion *completions;
	u64 n_completions, completions_capacity;
	struct weir_governed **governed; /* of flows that a pilot drives: the params of their senders */
	u32 n_governed;
};

/* world.c: routes are laid before the first event; false when out of memory */
bool weir_sim_prepare(struct weir_world *w);

/* flow.c: what happens at the ends */
void weir_sim_start(struct weir_world *w, u32 flow);
void weir_sim_stop(struct weir_world *w, u32 flow);
void weir_sim_arrive(struct weir_world *w, const struct weir_packet *p);
void weir_sim_sender_due(struct weir_world *w, u32 flow);
void weir_sim_receiver_due(struct weir_world *w, u32 flow);
void weir_sim_send_all(struct weir_world *w, struct weir_sim_flow *f);

/* historic.c: flows whose sender stands in for the historic one. False when out of memory. */
bool weir_sim_historic_add(struct weir_sim_flow *f, const struct weir_bsd43_config *c);
void weir_sim_historic_totals(const struct weir_sim_flow *f, struct weir_flow_totals *t);
void weir_sim_historic_now(const struct weir_sim_flow *f, struct weir_flow_now *n);

/* piloted.c: flows that a pilot drives. False when out of memory. */
bool weir_sim_pilot_add(struct weir_world *w, struct weir_sim_flow *f, const struct weir_flow_config *c);
void weir_sim_pilots_free(struct weir_world *w);

/* apps.c: applications beyond bulk */
void weir_sim_app_start(struct weir_world *w, u32 flow);
void weir_sim_app_due(struct weir_world *w, u32 flow);
void weir_sim_request_due(struct weir_world *w, u32 flow);
void weir_sim_request_arrives(struct weir_world *w, u32 flow, u64 number);
void weir_sim_app_delivered(struct weir_world *w, u32 flow);

/* acp.c: flows of an age source and its monitor */
bool weir_sim_acp_add(struct weir_sim_flow *f, const struct weir_source_config *c); /* false: no memory */
void weir_sim_acp_start(struct weir_world *w, struct weir_sim_flow *f);
void weir_sim_acp_now(const struct weir_sim_flow *f, struct weir_flow_now *n);
void weir_sim_acp_due(struct weir_world *w, struct weir_sim_flow *f);
void weir_sim_acp_offer(struct weir_world *w, struct weir_sim_flow *f);
void weir_sim_acp_arrives(struct weir_world *w, struct weir_sim_flow *f, const struct weir_packet *p);

/* age.c: ages of what all other flows tell */
bool weir_sim_age_add(struct weir_world *w, struct weir_sim_flow *f, const struct weir_flow_config *c);
void weir_sim_age_free(struct weir_sim_age *a); /* NULL: nothing */
void weir_sim_age_start(struct weir_world *w, struct weir_sim_flow *f);
void weir_sim_age_end(struct weir_world *w, struct weir_sim_flow *f);
void weir_sim_age_value(struct weir_world *w, struct weir_sim_age *a, u64 generated_ns);
void weir_sim_age_datagram(struct weir_world *w, struct weir_sim_age *a, u64 number);
void weir_sim_age_sent(struct weir_world *w, struct weir_sim_flow *f, u64 end_seq);
void weir_sim_age_delivered(struct weir_world *w, struct weir_sim_flow *f, u64 total_bytes);
void weir_sim_age_acked(struct weir_world *w, struct weir_sim_flow *f, u64 rtt_ns);

/* sacks.c */
u32 weir_sim_sack_put(struct weir_world *w, const struct weir_ack_segment *ack);
void weir_sim_sack_get(const struct weir_world *w, u32 ext, struct weir_ack_segment *ack);

static inline struct weir_sim_age *weir_sim_age_of(const struct weir_sim_flow *f)
{
	return f->app ? f->app->age : NULL;
}

static inline bool weir_sim_is_acp(const struct weir_sim_flow *f)
{
	const struct weir_sim_age *a = weir_sim_age_of(f);
	return a && a->acp;
}

/* What the packets of a flow carry beside their numbers. */
static inline struct weir_slips *weir_sim_slips_of(struct weir_world *w, const struct weir_sim_flow *f)
{
	return weir_sim_is_acp(f) ? &w->parcels : &w->sacks;
}

/* Whether it is a stream; else datagrams. */
static inline bool weir_sim_is_stream(const struct weir_sim_flow *f)
{
	return f->sender.cc || f->sender.historic;
}

/* One past the last byte of the stream that was ever sent, and the first that is not acknowledged. */
static inline u64 weir_sim_sent_seq(const struct weir_sim_flow *f)
{
	return f->sender.historic ? f->sender.historic->max : f->sender.nxt;
}

static inline u64 weir_sim_acked_seq(const struct weir_sim_flow *f)
{
	return f->sender.historic ? f->sender.historic->una : f->sender.una;
}

static inline u64 weir_sim_sent_bytes(const struct weir_sim_flow *f)
{
	return weir_sim_is_stream(f) && f->started ? weir_sim_sent_seq(f) - f->sender.config->first_sequence
						   : 0;
}

static inline u32 weir_sim_row(const struct weir_sim_flow *f, bool backward)
{
	return 2 * f->path + (f->reverse != backward);
}

/* Enters a timer unless one that is early enough is there. */
static inline void weir_sim_arm(struct weir_world *w, u64 *armed_ns, u64 due_ns, enum weir_timer_kind kind,
				u32 flow)
{
	if (due_ns >= *armed_ns)
		return;
	*armed_ns = due_ns;
	if (!weir_timers_push(&w->timers, due_ns, kind, flow))
		w->failed = true;
	if (w->ready)
		weir_heads_set(&w->heads, w->n_hops, weir_timers_head_ns(&w->timers));
}

void weir_sim_tap_arrival(struct weir_world *w, u32 hop, const struct weir_packet *p);

/* A packet arrives at a hop now. */
static inline __attribute__((always_inline)) void weir_sim_push(struct weir_world *w, u32 hop,
								const struct weir_packet *p)
{
	struct weir_sim_hop *h = &w->hops[hop];
	if (__builtin_expect(w->tapped, 0))
		weir_sim_tap_arrival(w, hop, p);
	if (h->line) {
		weir_line_push(h->line, w->now_ns, p);
		if (w->heads.at_ns[hop] == WEIR_NEVER)
			weir_heads_set(&w->heads, hop, weir_line_head_ns(h->line));
	} else {
		h->link->ops->push(h->link, w->now_ns, 0, p);
		weir_heads_set(&w->heads, hop, h->link->ops->next_ns(h->link));
	}
}

#endif
