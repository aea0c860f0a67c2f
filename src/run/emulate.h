/* SPDX-License-Identifier: MIT */
/* One emulated run of one checked scenario: kernel TCP over real packets, in real time, with the same records
 * as a simulated one. */
#ifndef WEIR_RUN_EMULATE_H
#define WEIR_RUN_EMULATE_H

#include "core/exit_code.h"
#include "exports.h"
#include "simulate.h"

struct weir_emulate_config {
	struct weir_simulate_config run; /* with.emulated; exports: iperf3 only */
	struct weir_exports_wanted live; /* pcap and mahimahi: written as the packets pass */
	const char *directory;		 /* where to */
};

/* 0, or a weir_exit with a sentence in *why: WEIR_EXIT_MACHINE when the machine lacks something. The summary
 * is complete also for a run that was stopped early, whatever its verdict, and must be freed in every case.
 */
int weir_emulate(const struct weir_emulate_config *c, struct weir_summary *out, char why[512]);

/* How often the network is looked at: at least each 20 ms, so that stops and the end of the warm-up are met
 * nearly, but not more often than each ms; a whole part of the sampling period where that can be. */
u64 weir_emulate_publish_ns(u64 sample_ns);

#endif
