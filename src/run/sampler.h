/* SPDX-License-Identifier: MIT */
/* Looks at a running network at equal steps: rows of series.csv, and the means of what has no running total
 * (window, backlog, signals, queue length). Fixed memory, no allocation between begin and free.
 *
 * Looking must cost little beside the packets. Links are looked at each step; flows and groups each
 * flow_every and group_every steps, chosen so that a whole run takes at most WEIR_SAMPLES_FLOWS and
 * WEIR_SAMPLES_GROUPS looks at single flows, yet at least WEIR_SAMPLES_LEAST looks at each. A sampling
 * period that the scenario itself gives is kept to the letter. */
#ifndef WEIR_RUN_SAMPLER_H
#define WEIR_RUN_SAMPLER_H

#include "ages.h"
#include "build.h"
#include "fair_share.h"
#include "record/series.h"
#include "record/summary.h"

#define WEIR_SAMPLES_FLOWS 12000
#define WEIR_SAMPLES_GROUPS 100000
#define WEIR_SAMPLES_LEAST 20

struct weir_sampled_flow {
	/* totals at the last look */
	u64 seen_ns, delivered_bytes, received_bytes, retransmitted, lost, sent, sent_bytes;
	struct weir_flow_tallies seen;
	bool done;
	/* means over the looks while it was active, after the warm-up */
	u64 looks;
	double cwnd_sum, backlog_sum;
	double signal_sum[WEIR_SIGNALS_MAX], signal_last[WEIR_SIGNALS_MAX];
	u64 signal_looks[WEIR_SIGNALS_MAX]; /* at which it had a value */
	struct weir_age_seen age;
};

struct weir_sampled_group {
	u64 seen_ns, delivered_bytes, received_bytes, retransmitted, lost, sent, sent_bytes;
	struct weir_flow_tallies seen;
	/* Of flows that arrive at random only those are looked at that may still move: in `live`, up to the
	 * number of the first that has not begun; what the others had moved when they left is summed up. */
	u32 n_live, begun;
	struct weir_flow_totals gone;
};

struct weir_sampled_link {
	u64 seen_ns, sent_bytes, capacity_bytes, drops, losses;
	struct weir_tally wait;
	struct weir_fair_share fair;
	u64 looks; /* after the warm-up */
	double queue_sum;
	u64 queue_max;
};

struct weir_sampler {
	const struct weir_build *b;
	struct weir_series *series; /* NULL: means only */
	bool piloted; /* a pilot drives some flow: what others offer is shown, which it asks for */
	u64 flow_every, group_every, step;
	struct weir_sampled_flow *flow; /* of each row of histograms; used where the entry is not grouped */
	struct weir_sampled_group *group;
	struct weir_sampled_link *link;
	struct weir_tally late;
	u64 *group_received;		 /* of each flow at the last look at its group */
	u64 *group_moved_ns;		 /* likewise: when something had come of it the last time */
	u32 *live;			 /* likewise: an entry's flows that are looked at, from e->first on */
	struct weir_age_seen *group_age; /* likewise; NULL where nobody asks for an age */
	struct weir_hist *spread_bps, *spread_rtt, *spread_cwnd, *spread_age;
	char (*signal_name)[WEIR_SIGNALS_MAX][104]; /* of each entry, as in series.csv: "cc.NAME_UNIT" */
};

/* 0, or -1 when out of memory; free in both cases. */
int weir_sampler_begin(struct weir_sampler *s, const struct weir_build *b, struct weir_series *series);
/* The backend stands at `now_ns`; `last`: the run ends here, so that everything is looked at. */
void weir_sampler_step(struct weir_sampler *s, u64 now_ns, bool last);
/* The warm-up ends: means and the interval of histograms that were just cleared begin anew. */
void weir_sampler_restart(struct weir_sampler *s);
void weir_sampler_free(struct weir_sampler *s);

/* sampler_age.c: the rows of a flow and of a group whose ages are measured; without a series the controller's
 * signals only. The last look at them was at seen_ns. */
void weir_sampler_flow_age(struct weir_sampler *s, const struct weir_build_entry *e, u32 flow, u64 seen_ns,
			   u64 now_ns);
void weir_sampler_group_age(struct weir_sampler *s, const struct weir_build_entry *e, u64 now_ns);
void weir_sampler_restart_ages(struct weir_sampler *s);

/* sampler_signal.c: a look at signal k of a flow, in its table's unit. Not finite: it has no value now. */
void weir_sampler_signal(struct weir_sampler *s, const struct weir_build_entry *e,
			 struct weir_sampled_flow *f, u32 k, double value);
/* What the pilot of a flow shows. */
void weir_sampler_flow_pilot(struct weir_sampler *s, const struct weir_build_entry *e, u32 flow);

/* sampler_group.c: the rows of an entry's flows together. */
void weir_sampler_group(struct weir_sampler *s, const struct weir_build_entry *e, u64 now_ns);
/* Mean of the samples since the last look, in ms, of the histograms in this row. */
void weir_sampler_put_tallies(struct weir_sampler *s, u32 hist, struct weir_flow_tallies *seen);

/* What was put on the path and not dropped by it. */
void weir_sampler_put_accepted(struct weir_sampler *s, u64 sent, u64 sent_bytes, u64 lost, u64 ns);

static inline u64 weir_sampler_bps(u64 bytes, u64 ns)
{
	return weir_muldiv(bytes * 8, WEIR_NS_PER_S, ns);
}

/* Quantiles .1, .5 and .9 as three rows. */
void weir_sampler_put_spread(struct weir_series *out, const struct weir_hist *h, const char *const name[3],
			     u32 decimals);

#endif
