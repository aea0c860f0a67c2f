/* SPDX-License-Identifier: MIT */
/* What a run comes down to: the contents of summary.json (weir.summary/1). Each field is defined, with
 * its unit, in docs/formats.md, chapter "Results". A double that is NaN and a u64 that is WEIR_NEVER stand
 * for "there is none" and are written as null. */
#ifndef WEIR_RECORD_SUMMARY_H
#define WEIR_RECORD_SUMMARY_H

#include "core/hist.h"
#include "emulation.h"
#include "weir/cc.h"

#define WEIR_NAME_BYTES 96

/* How a quantity is spread; n = 0: none was seen, null. */
struct weir_spread {
	u64 n;
	double min, mean, p50, p95, p99, max;
};
/* Of all samples in the histogram, each divided by `divisor` (a division keeps 50 ms exactly 50). */
void weir_spread_from_hist(struct weir_spread *s, const struct weir_hist *h, double divisor);

/* Of an age of information over time: exact but for the quantiles. All NaN: there is none, null. */
struct weir_age_summary {
	double mean_ms, peak_mean_ms, peak_max_ms; /* peaks: just before each newer value */
	double p50_ms, p95_ms, p99_ms;		   /* NaN: not known of an estimate */
	double over_fraction;			   /* of the time, above the bound; NaN without one */
};

/* Updates, or whatever else has an age; WEIR_NEVER and NaN: not known. */
struct weir_updates_summary {
	u64 sent, fresh, late, replaced, expired, outages;
	double sent_hz, fresh_hz;
};

/* What a player of video got to show, after the warm-up. */
struct weir_video_summary {
	bool there;
	u64 chunks, switches, rebuffers;
	double bitrate_bps; /* mean of the chunks */
	double buffer_mean_s, played_s, rebuffer_s;
	double startup_s; /* from the start of the flow; NaN: it has not played */
};

struct weir_signal_summary {
	char name[WEIR_NAME_BYTES]; /* with the unit: ssthresh_bytes */
	double mean, last;
	const char *words; /* "a|b|c": of a choice, whose value is an index; NULL: a number */
};
#define WEIR_SIGNALS_MAX 16 /* of a flow */

struct weir_flow_summary {
	char name[WEIR_NAME_BYTES], path[WEIR_NAME_BYTES];
	char controller[WEIR_NAME_BYTES]; /* empty: a datagram application has none, null */
	const char *application;
	double start_s, active_s; /* when it began; how long it was there after the warm-up */
	double goodput_bps, throughput_bps;
	struct weir_spread rtt_ms, queue_delay_ms, one_way_delay_ms;
	u64 packets_sent, packets_lost, retransmitted;
	u64 timeouts, recoveries, spurious, ce_packets;
	double loss_fraction, backlog_mean, cwnd_mean_bytes;
	bool aged; /* the age of what it tells is measured */
	struct weir_age_summary age, age_estimate;
	struct weir_updates_summary updates;
	struct weir_video_summary video;
	u32 n_signals;
	struct weir_signal_summary signal[WEIR_SIGNALS_MAX];
};

#define WEIR_FCT_CLASSES 5 /* of all flows of a run: decades from 10 kB */
#define WEIR_FCT_DECADES 6 /* of a group: decades from 15 kB */
struct weir_fct_summary {
	const char *size;	  /* "10kB-100kB" */
	u64 min_bytes, max_bytes; /* min <= size < max; WEIR_NEVER: no upper end */
	struct weir_spread fct_ms;
};

/* All flows of one name pattern: sums, and how single flows are spread. */
struct weir_group_summary {
	char name[WEIR_NAME_BYTES], path[WEIR_NAME_BYTES], controller[WEIR_NAME_BYTES];
	const char *application;
	u64 flows;
	double goodput_bps, throughput_bps; /* sums; of arrivals: of all their bytes over all the time */
	double throughput_p10_bps, throughput_p50_bps, throughput_p90_bps, jain_throughput;
	struct weir_spread rtt_ms, queue_delay_ms, one_way_delay_ms;
	u64 packets_sent, packets_lost, retransmitted;
	u64 timeouts, recoveries, spurious, ce_packets;
	double loss_fraction;
	bool aged;
	/* mean, peak_mean and over_fraction: means over the flows; quantiles over the time of all of them */
	struct weir_age_summary age;
	double age_p10_ms, age_p50_ms, age_p90_ms, jain_age; /* over the flows' means */
	double backlog_mean, update_hz;			     /* of acp: means over the flows; else NaN */
	double elastic_fraction; /* of the bytes that arrived, in flows of more than 10 packets; NaN: not
				    known */
	u32 n_fct;		 /* 0: its flows do not end by themselves */
	struct weir_fct_summary fct[WEIR_FCT_DECADES];
};

struct weir_link_summary {
	char name[WEIR_NAME_BYTES];
	double capacity_bps; /* mean after the warm-up; NaN: infinitely fast */
	double utilization, throughput_bps;
	u64 packets, drops; /* transmitted; dropped by the queue, its AQM and the policer */
	u64 drops_overflow, drops_aqm, drops_policer, drops_loss, marks;
	double queue_mean_bytes, queue_max_bytes; /* of the samples */
	struct weir_spread queue_delay_ms;
};

#define WEIR_NOTES_MAX 32

struct weir_summary {
	char scenario[WEIR_NAME_BYTES], title[256];
	const char *backend; /* "sim", "emu" */
	u64 seed;
	double wall_s;
	double simulated_s, warmup_s, sampling_s;
	double flow_sampling_s; /* of single flows: a multiple of sampling_s where there are many */
	bool interrupted;
	u64 events, packets;
	u32 n_flows, n_groups, n_links, n_fct, n_notes;
	struct weir_flow_summary *flow; /* empty above 1000 flows */
	struct weir_group_summary *group;
	struct weir_link_summary *link;
	struct weir_fct_summary fct[WEIR_FCT_CLASSES];
	double jain_throughput;
	double jain_age;		 /* 0 or NaN: there is none */
	struct weir_emulation emulation; /* verdict NULL in a simulation */
	char note[WEIR_NOTES_MAX][256];	 /* what a reader of the numbers must know */
};

void weir_summary_free(struct weir_summary *s);
/* A note that is already there or does not fit is left out. */
__attribute__((format(printf, 2, 3))) void weir_summary_note(struct weir_summary *s, const char *format, ...);
/* The fields, into an open object, so that more can follow (repeats). */
void weir_summary_fields(struct weir_json *j, const struct weir_summary *s);

/* The text form of a controller's signal: its name with a text unit, and its value in that unit. Table
 * units become ms (ns), bps (Bps) and plain ratios (millionths); all others stay. */
void weir_signal_name(char out[WEIR_NAME_BYTES], const char *name, const char *unit);
double weir_signal_value(const char *unit, double value);

#endif
