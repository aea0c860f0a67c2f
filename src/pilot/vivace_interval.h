/* SPDX-License-Identifier: MIT */
/* Monitor intervals: times in which one rate was sent, and what became of those packets, which is heard a
 * round trip later ("PCC Vivace: Online-Learning Congestion Control", NSDI 2018, section 3).
 *
 * An ACK that comes at `now` is of a packet that left at now - RTT. So each report is of a stretch of sending
 * time, from the newest packet that the report before told of to the newest of this one; its counts go to the
 * intervals in which that stretch lies, by how much of it lies there. */
#ifndef WEIR_PILOT_VIVACE_INTERVAL_H
#define WEIR_PILOT_VIVACE_INTERVAL_H

#include "weir/pilot.h"

#define VIVACE_INTERVALS 4 /* two pairs; what is in flight at most */

/* RTT over sending time, in seconds: sums over all samples, from the interval's begin and the first RTT. */
struct vivace_line {
	double n, t, r, tt, tr;
	double origin_s; /* the first RTT */
};

struct vivace_interval {
	double rate_Bps;
	u64 begin_ns, planned_ns; /* of sending, and how long */
	u64 end_ns;		  /* 0: not yet */
	double sent_bytes, acked_bytes, lost_bytes, limited_ns;
	u64 first_heard_ns, last_heard_ns; /* ACKs of it; 0: none yet */
	u64 first_srtt_ns, last_srtt_ns;   /* at these times */
	double spread_ns;		   /* sum over reports: largest - smallest RTT of each */
	u32 reports;
	struct vivace_line line;
};

/* Intervals that are judged together, sent one after the other. */
struct vivace_batch {
	struct vivace_interval interval[VIVACE_INTERVALS];
	u32 n;	      /* 0: none was begun */
	u32 sending;  /* n: all are sent */
	u32 hearing;  /* n: all is known */
	u64 front_ns; /* when the newest packet left that was heard of */
};

/* `n` intervals at these rates, from r->now_ns on; each lasts a smoothed RTT, `packets` at its rate or
 * floor_ns, whichever is longest. */
void vivace_batch_begin(struct vivace_batch *b, const struct weir_report *r, const double *rate_Bps, u32 n,
			double packets, u64 floor_ns);
/* What a report tells: of the interval being sent, and of those that are heard of. */
void vivace_batch_report(struct vivace_batch *b, const struct weir_report *r);
/* The rate of now: of the interval being sent, else rest_Bps. */
double vivace_batch_rate(const struct vivace_batch *b, double rest_Bps);
bool vivace_batch_heard(const struct vivace_batch *b);

/* All of a finished interval: */
double vivace_interval_s(const struct vivace_interval *i);    /* for which it was sent; above 0 */
double vivace_interval_loss(const struct vivace_interval *i); /* 0 to 1 */
/* Not sent at its rate: the application or the host had too little. */
bool vivace_interval_limited(const struct vivace_interval *i, u32 mss_bytes);
/* Slope of the regression of RTT over sending time; 0 where there is none. */
double vivace_line_slope(const struct vivace_line *l);

#endif
