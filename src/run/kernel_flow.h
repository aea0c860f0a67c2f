/* SPDX-License-Identifier: MIT */
/* One TCP socket of a controller in the kernel, by its recorded calls: rows of series.csv while it lives, and
 * what it comes down to in the end. */
#ifndef WEIR_RUN_KERNEL_FLOW_H
#define WEIR_RUN_KERNEL_FLOW_H

#include "kern/record.h"
#include "record/series.h"
#include "record/summary.h"

struct weir_kernel_flow {
	char name[WEIR_NAME_BYTES];
	u64 socket;
	u64 start_ns, last_ns, row_ns; /* first and newest call; the newest row */
	u64 acked_bytes;
	bool paced;
	struct weir_out said; /* the last word on each */
	u32 mss_bytes, kernel_cwnd_packets;
	struct weir_view view; /* of the newest call */
	/* since the newest row */
	u64 row_acked_bytes, row_rtt_n, row_rtt_ns, row_lost_bytes;
	u32 row_flags;
	/* in all */
	struct weir_hist rtt;
	u64 calls, lost_bytes, ce_bytes, timeouts, episodes, spurious;
	double cwnd_sum, backlog_sum;
	u64 looks, signal_looks[WEIR_SIGNALS_MAX];
	double signal_sum[WEIR_SIGNALS_MAX], signal_last[WEIR_SIGNALS_MAX];
};

/* What the controller or the pilot shows. */
struct weir_kernel_signals {
	u32 n;
	const struct weir_signal *table;
	const double *value; /* in the table's units, not finite: none now; NULL: not known */
};

void weir_kernel_flow_take(struct weir_kernel_flow *f, const struct weir_kern_record *r);
/* A row at `time_ns` of the series, which begins at 0. Without a series only the averages count it. */
void weir_kernel_flow_row(struct weir_kernel_flow *f, u64 time_ns, const struct weir_kernel_signals *signals,
			  struct weir_series *series);
/* `origin_ns`: the time of the series' 0; of the signals the values are not looked at. */
void weir_kernel_flow_summarise(const struct weir_kernel_flow *f, u64 origin_ns,
				const struct weir_kernel_signals *signals, const char *controller,
				struct weir_flow_summary *s);

#endif
