/* SPDX-License-Identifier: MIT */
/* For controllers whose papers have formulas: a window of so many packets in congestion avoidance, time in
 * round trips, and a comparison that says what was wrong. */
#ifndef WEIR_TESTS_CC_LAW_H
#define WEIR_TESTS_CC_LAW_H

#include "feed.h"

#include <math.h>
#include <stdio.h>

#define LAW_RTT_NS (100 * FEED_MS)

static inline void law_near(const char *what, double x, double right, double relative)
{
	if (!(fabs(x / right - 1) <= relative))
		fail_msg("%s: %.6g, not %.6g", what, x, right);
}

static inline double law_packets(const struct feed *f)
{
	return (double)f->cwnd_bytes / FEED_MSS;
}

/* A first window of this size. */
static inline void law_open(struct feed *f, const char *name, u64 packets)
{
	feed_open(f, name, LAW_RTT_NS);
	f->view.initial_bytes = packets * FEED_MSS;
	feed_init(f);
	f->view.initial_bytes = 10 * FEED_MSS;
}

/* Acknowledges windows until it is at `packets`; returns how many it took. Clock and rounds stand still. */
static inline double law_windows_until(struct feed *f, double packets)
{
	double windows = 0;
	while (law_packets(f) < packets) {
		u64 acked = weir_max(f->cwnd_bytes / 200, FEED_MSS);
		windows += (double)acked / (double)f->cwnd_bytes;
		feed_ack(f, acked);
		if (windows > 1e6)
			fail_msg("%s stays at %.1f packets", f->ops->name, law_packets(f));
	}
	return windows;
}

/* One round, in at most 200 ACKs, with this RTT. */
static inline void law_round(struct feed *f, u64 rtt_ns)
{
	f->rtt_ns = f->view.srtt_ns = rtt_ns;
	feed_round_by(f, weir_max(f->cwnd_bytes / 200, FEED_MSS));
}

/* The RTT at which of this window so many packets wait in the queue. */
static inline u64 law_rtt_with(double window, double queued)
{
	return (u64)(LAW_RTT_NS * window / (window - queued));
}

#endif
