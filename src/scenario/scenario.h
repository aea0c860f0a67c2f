/* SPDX-License-Identifier: MIT */
/* A scenario: what to simulate or emulate, as checked plain data. Read from YAML (docs/formats.md) and
 * checked against one table (schema.h) and the parameter tables of the controllers; all mistakes are
 * reported at once. This room knows names and units, nothing else: run/ turns it into a network.
 *
 * After a successful load every number is in range, every name resolves, every default is filled in, and
 * that holds for every point of a sweep. What needs more context stays symbolic: buffers in ms or BDP
 * (they need rates and delays of whole paths) and trace files (not opened here). */
#ifndef WEIR_SCENARIO_SCENARIO_H
#define WEIR_SCENARIO_SCENARIO_H

#include "core/diag.h"
#include "weir/cc.h"

#define WEIR_SCENARIO_MAX_FLOWS 1000000 /* sum of all counts */
#define WEIR_SCENARIO_MAX_HOPS 1000
#define WEIR_SCENARIO_MAX_POINTS 10000
#define WEIR_SCENARIO_NONE 0xffffffffU
#define WEIR_SCENARIO_RWND_BYTES                                                                             \
	(1ULL << 40) /* the largest receiver window, and what a modern one is by default */

/* Where a value stands, so that a later stage can point at it: weir_scenario_mistake. */
struct weir_scenario_place {
	u32 line, column; /* from 1; 0: nowhere, a default */
	u32 set;	  /* 0: in the file; else in the set-th --set argument, line is 1 */
};

enum weir_scenario_buffer_kind {
	WEIR_SCENARIO_BYTES,
	WEIR_SCENARIO_PACKETS,
	WEIR_SCENARIO_NS,	 /* of the hop's rate; on a trace of its mean rate */
	WEIR_SCENARIO_BDP,	 /* value in millionths of a BDP: slowest hop x total RTT of the path */
	WEIR_SCENARIO_UNLIMITED, /* value is 0 */
};
struct weir_scenario_buffer {
	u32 kind; /* enum weir_scenario_buffer_kind */
	u64 value;
	u64 least_packets; /* whatever value resolves to, at least so many packets; 0: no floor */
	struct weir_scenario_place at;
};

enum weir_scenario_aqm_kind {
	WEIR_SCENARIO_DROPTAIL,
	WEIR_SCENARIO_DROPHEAD,
	WEIR_SCENARIO_RED,
	WEIR_SCENARIO_CODEL,
	WEIR_SCENARIO_PIE,
	WEIR_SCENARIO_FQ_CODEL,
};
struct weir_scenario_aqm {
	u32 kind;		    /* enum weir_scenario_aqm_kind */
	u64 target_ns, interval_ns; /* CoDel, PIE (interval = update period), FQ-CoDel */
	struct weir_scenario_buffer red_min, red_max;
	double red_max_p, red_weight;
	u64 fq_flows, fq_quantum_bytes;
	bool ecn;
};

enum weir_scenario_loss_model {
	WEIR_SCENARIO_LOSS_NONE,
	WEIR_SCENARIO_BERNOULLI,
	WEIR_SCENARIO_PERIODIC,
	WEIR_SCENARIO_GILBERT_ELLIOTT,
};
struct weir_scenario_loss {
	u32 model; /* enum weir_scenario_loss_model */
	double p;
	u64 period_packets;
	double good_to_bad, bad_to_good, loss_good, loss_bad;
};

/* What may stand before or after the queue of a hop. */
struct weir_scenario_impair {
	struct weir_scenario_loss loss;
	double duplicate_p;
	double reorder_p;
	u64 reorder_delay_ns;
	u64 jitter_ns;
	bool jitter_reorders;
};

/* How long a packet of a given size is in transmission: always as long, or exponentially distributed. */
enum weir_scenario_service { WEIR_SCENARIO_EVEN, WEIR_SCENARIO_EXPONENTIAL };
enum weir_scenario_rate_kind { WEIR_SCENARIO_FIXED, WEIR_SCENARIO_TRACE, WEIR_SCENARIO_WALK };

struct weir_scenario_hop {
	const char *name;
	u32 rate_kind;	   /* enum weir_scenario_rate_kind */
	u64 rate_bps;	   /* FIXED: 0 = infinitely fast (`unlimited`). WALK: the start and the mean */
	u32 service;	   /* enum weir_scenario_service; FIXED only */
	const char *trace; /* TRACE: path of the file, resolved from the scenario's folder */
	struct weir_scenario_place trace_at;
	u64 walk_min_bps, walk_max_bps, walk_step_ns;
	double walk_sigma;
	u64 delay_ns;
	struct weir_scenario_buffer buffer;
	u64 largest_packet_bytes; /* of all that passes here, this way; 0: nothing does */
	struct weir_scenario_aqm aqm;
	struct weir_scenario_impair before, after; /* keys directly in the hop stand after the queue */
	u64 policer_bps, policer_burst_bytes;	   /* 0: none */
	u64 aggregate_ns;			   /* 0: none */
	struct weir_scenario_place at;
};

struct weir_scenario_path {
	const char *name;
	u32 n_hops, n_back;
	const u32 *hops; /* indexes into weir_scenario.hops, at least one, none twice */
	const u32 *back; /* likewise; n_back = 0: an uncongested way back that takes back_delay_ns */
	u64 back_delay_ns;
	struct weir_scenario_place at;
};

enum weir_scenario_recovery { WEIR_SCENARIO_SACK, WEIR_SCENARIO_NEWRENO, WEIR_SCENARIO_RENO };
/* All but the modern endpoint are historic: the sender has its own way of control, and no controller. */
enum weir_scenario_era { WEIR_SCENARIO_MODERN, WEIR_SCENARIO_ERA_1986, WEIR_SCENARIO_ERA_1988 };
enum weir_scenario_variance {
	WEIR_SCENARIO_VARIANCE_OF_ERA,
	WEIR_SCENARIO_VARIANCE_NONE,
	WEIR_SCENARIO_VARIANCE_2V,
	WEIR_SCENARIO_VARIANCE_4V,
};
enum weir_scenario_ack_policy {
	WEIR_SCENARIO_ACK_OF_ERA,
	WEIR_SCENARIO_ACK_STANDARD,
	WEIR_SCENARIO_ACK_BSD_OLD,
	WEIR_SCENARIO_ACK_BSD_NEW,
};
enum weir_scenario_holes {
	WEIR_SCENARIO_HOLES_OF_ERA,
	WEIR_SCENARIO_HOLES_LATE,
	WEIR_SCENARIO_HOLES_AT_ONCE
};
enum weir_scenario_switch { WEIR_SCENARIO_AS_ERA, WEIR_SCENARIO_ON, WEIR_SCENARIO_OFF };
struct weir_scenario_endpoint {
	u32 era;	  /* enum weir_scenario_era: says what the switches are that say nothing themselves */
	u32 rtt_variance; /* enum weir_scenario_variance */
	/* enum weir_scenario_switch */
	u32 exponential_backoff, slow_start, dynamic_window, karn, fast_retransmit;
	u32 ack_policy;	      /* enum weir_scenario_ack_policy; of the modern era: the standard one */
	u32 ack_out_of_order; /* enum weir_scenario_holes; of the modern era: at once */
	u32 recovery;	      /* enum weir_scenario_recovery; from here on 0 where it does not apply */
	u64 mss_bytes, header_bytes, rwnd_bytes;
	u64 initial_window_packets;
	u64 ack_every; /* 1 or 2 */
	u64 delayed_ack_ns, rto_min_ns, rto_max_ns;
	u64 first_sequence;
	bool tail_loss_probe, undo, ecn, pace;
};

enum weir_scenario_app_kind {
	WEIR_SCENARIO_BULK,
	WEIR_SCENARIO_SIZED,
	WEIR_SCENARIO_PACED,
	WEIR_SCENARIO_ON_OFF,
	WEIR_SCENARIO_REQUEST,
	WEIR_SCENARIO_CBR,	/* datagrams: neither controller nor endpoint */
	WEIR_SCENARIO_POISSON,	/* likewise */
	WEIR_SCENARIO_UPDATES,	/* of a state: by tcp a stream of them, by udp and acp one a datagram */
	WEIR_SCENARIO_ARRIVALS, /* many flows: one that is sized for each that arrives */
	WEIR_SCENARIO_VIDEO,	/* chunks that the receiver asks for, of a bitrate that it chooses */
};
#define WEIR_SCENARIO_SIZES "caida|dctcp|vl2|fb-cache" /* the tables of flow sizes that come along */
/* When a value comes into being that an update tells. */
enum weir_scenario_generate {
	WEIR_SCENARIO_GENERATE_AT_SLOT,	 /* asked for when it is about to leave: acp only */
	WEIR_SCENARIO_GENERATE_PERIODIC, /* at rate_uhz, at equal gaps */
	WEIR_SCENARIO_GENERATE_POISSON,	 /* at rate_uhz, at exponential gaps */
};
/* Bitrates at which a video is there, rising. */
#define WEIR_SCENARIO_RUNGS_MAX 16
struct weir_scenario_ladder {
	u32 n;
	u64 bps[WEIR_SCENARIO_RUNGS_MAX];
};
struct weir_scenario_app {
	u32 kind;		     /* enum weir_scenario_app_kind */
	u64 rate_bps;		     /* ON_OFF: 0 = as fast as the connection goes */
	u64 chunk_bytes;	     /* a write (default the MSS), or a datagram on the wire (default 1500) */
	u64 size_bytes;		     /* SIZED, REQUEST */
	u64 on_ns, off_ns, think_ns; /* ON_OFF; REQUEST */
	bool exponential;
	u64 update_bytes, rate_uhz; /* UPDATES: payload of each; how many a second, in millionths */
	u32 generate;		    /* UPDATES: enum weir_scenario_generate */
	u64 load_bps;		    /* ARRIVALS: mean payload that they offer */
	const char *sizes;	    /* ARRIVALS: one of WEIR_SCENARIO_SIZES, else the path of a file */
	struct weir_scenario_place sizes_at;
	struct weir_scenario_ladder ladder; /* VIDEO */
	u64 video_chunk_ns, video_buffer_ns;
};

/* Of acp, without the headers of UDP and IP (docs/formats.md, "Telemetry on the wire"). */
#define WEIR_SCENARIO_ACP_HEADER_BYTES 64
#define WEIR_SCENARIO_ACP_ANSWER_BYTES 60
#define WEIR_SCENARIO_ACP_UPDATE_MAX_BYTES 1400

enum weir_scenario_transport { WEIR_SCENARIO_TCP, WEIR_SCENARIO_UDP, WEIR_SCENARIO_ACP };

/* Of a flow whose age of information is of interest. */
struct weir_scenario_age {
	bool measured; /* by `age: true`, and where there are updates */
	u64 bound_ns;  /* an age above it is a violation; 0: no bound */
	/* acp; 0: none */
	u64 max_age_ns;		    /* an older value is not sent any more */
	u64 floor_uhz, ceiling_uhz; /* of the rate of updates */
};

struct weir_scenario_controller {
	const char
	    *name;    /* NULL for a datagram application and a historic endpoint; of `kernel:cubic` cubic */
	bool kernel;  /* written as kernel:NAME: may then be unknown to the catalog */
	bool subject; /* to be replaced by --controller; name is then "subject" */
	u32 index;    /* in the catalog, or WEIR_SCENARIO_NONE (subject, kernel:NAME unknown here) */
	u32 n_params; /* of catalog->controllers[index] */
	const u64 *params; /* complete, in the table's order and units; NULL where n_params = 0 */
	struct weir_scenario_place at;
};

/* One flow, or `count` equal ones that are then called name.1 ... name.N. How many there are of ARRIVALS only
 * a run knows, by its seed: their count is 1. */
struct weir_scenario_flow {
	const char *name;
	u32 path; /* index into weir_scenario.paths */
	bool reverse;
	bool traffic; /* from the list `traffic`: cross traffic, the same in every other respect */
	u64 count;
	u64 start_ns;
	u64 stop_ns;	     /* WEIR_NEVER: with the run */
	u64 start_jitter_ns; /* each flow starts at start_ns + uniform [0, start_jitter_ns] by seed */
	u32 transport;	     /* enum weir_scenario_transport */
	struct weir_scenario_app app;
	struct weir_scenario_age age;
	struct weir_scenario_controller controller; /* of `transport: acp` an age controller */
	struct weir_scenario_endpoint endpoint;
	struct weir_scenario_place at;
};
/* Without any controller: udp, and the applications that are only ever sent so. */
bool weir_scenario_is_datagram(const struct weir_scenario_flow *f);
/* On the wire: the largest packet that it sends forth, and what answers it (0: nothing; TCP: the least). */
u64 weir_scenario_packet_bytes(const struct weir_scenario_flow *f);
u64 weir_scenario_ack_bytes(const struct weir_scenario_flow *f);

struct weir_scenario_record {
	bool pcap, qlog, iperf3, mahimahi, sends;
};

struct weir_scenario {
	const char *name;  /* stem of the file's name */
	const char *title; /* the name where none was given; never NULL */
	u64 duration_ns, warmup_ns, seed;
	u64 stop_after_packets; /* of all flows, retransmissions included; 0: no such end */
	u64 sample_ns;		/* the default max(10 ms, duration / 2000) is filled in */
	u32 n_hops, n_paths, n_flows;
	u64 total_flows; /* sum of counts */
	const struct weir_scenario_hop *hops;
	const struct weir_scenario_path *paths;
	const struct weir_scenario_flow *flows; /* flows, then traffic, in the file's order */
	struct weir_scenario_record record;
	struct weir_scenario_endpoint endpoint; /* what the flows began with; each has its own */
	struct weir_arena *arena;		/* owns everything above */
};
void weir_scenario_free(struct weir_scenario *s);

/* Which controllers there are: run/ builds it from the registry and the headers given on the command line. */
struct weir_scenario_catalog {
	u32 n;
	const struct weir_scenario_catalog_entry {
		const char *name;
		const struct weir_param *params;
		u32 n_params;
		bool age; /* it decides how often an acp flow sends; else a window */
	} * controllers;
	/* Above 0: real packets of up to this size take the paths. Then flows need not be there, and a path
	 * may take no time. */
	u64 real_packet_bytes;
};

/* A list where one value is expected makes an axis; the set holds every combination. */
struct weir_scenario_axis {
	const char *key; /* dotted, as for --set */
	u32 n;
	const char *const *values; /* as text */
};

struct weir_scenario_tree; /* private */
struct weir_scenario_set {
	const char *name; /* stem of the file's name */
	const char *text; /* the file as read, for weir_diag_print and for the manifest; NULL if unreadable */
	size_t text_bytes;
	u32 n_axes;
	const struct weir_scenario_axis *axes;
	u64 n_points; /* 1 without axes; the last axis varies fastest */
	struct weir_scenario_tree *tree;
};

/* Reads and checks a file, with n_sets arguments KEY=VALUE of --set put in. Returns 0, or -1 with at least
 * one mistake in *diag (whose `file` is set here). *out must be freed in both cases; after a failure only
 * name and text are of use. The catalog must outlive *out. */
int weir_scenario_load(const char *path, const char *const *sets, u32 n_sets,
		       const struct weir_scenario_catalog *catalog, struct weir_scenario_set *out,
		       struct weir_diag *diag);
/* The same from memory; `path` only gives the name and the folder of trace files. */
int weir_scenario_parse(const char *path, const char *text, size_t bytes, const char *const *sets, u32 n_sets,
			const struct weir_scenario_catalog *catalog, struct weir_scenario_set *out,
			struct weir_diag *diag);
void weir_scenario_set_free(struct weir_scenario_set *set);

/* The index-th point, index < n_points, as a scenario of its own. Returns 0, or -1 when out of memory. */
int weir_scenario_point(const struct weir_scenario_set *set, u64 index, struct weir_scenario *out,
			struct weir_diag *diag);
/* Which value of an axis the index-th point has: < axes[axis].n. */
u32 weir_scenario_choice(const struct weir_scenario_set *set, u32 axis, u64 index);

/* For later stages: a mistake at a place of this scenario. */
__attribute__((format(printf, 4, 5))) void weir_scenario_mistake(const struct weir_scenario_set *set,
								 struct weir_diag *diag,
								 struct weir_scenario_place at,
								 const char *format, ...);

#endif
