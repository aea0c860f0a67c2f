/* SPDX-License-Identifier: MIT */
/* Options of `weir kernel watch` and `kernel run` that keep what is seen: -o, --qlog, --record. */
#ifndef WEIR_CLI_KERNEL_RECORDER_H
#define WEIR_CLI_KERNEL_RECORDER_H

#include "command.h"
#include "kern/watch.h"
#include "run/kernel_trace.h"

#include <pthread.h>
#include <stdatomic.h>

#define WEIR_KERNEL_RECORDER_OPTIONS                                                                         \
	{.name = "output",                                                                                   \
	 .letter = 'o',                                                                                      \
	 .value = "DIR",                                                                                     \
	 .help = "write series, summary, report, qlog and record into DIR"},                                 \
	    {.name = "qlog", .value = "FILE", .help = "each call as qlog"},                                  \
	    {.name = "record",                                                                               \
	     .value = "FILE",                                                                                \
	     .help = "each call, nothing left out, for `weir kernel replay`"},                               \
	    {.name = "sample",                                                                               \
	     .value = "TIME",                                                                                \
	     .help = "period of the series (10ms); 0: a row for each call"},                                 \
	    {.name = "limit", .value = "SIZE", .help = "of each file (1GB); what is beyond is counted"},     \
	    {.name = "port", .value = "N", .help = "only connections with this port at either end"},         \
	{                                                                                                    \
		.name = "name", .value = "NAME", .help = "of the first socket's flow (the controller's)"     \
	}

struct weir_kernel_recorder {
	const struct weir_invocation *call;
	bool any; /* something is to be kept */
	struct weir_kernel_trace_wanted wanted;
	struct weir_kernel_trace *trace;
	struct weir_kern_watch watch;
	u64 records; /* seen so far */
	pthread_t thread;
	bool threaded;
	_Atomic bool over;
};

/* Reads the options. 0, or an exit code after saying what is wrong. */
int weir_kernel_recorder_choose(struct weir_kernel_recorder *r, const struct weir_invocation *call);
/* Before the beginning: what is watched is the governor of this pilot; its signals are asked from `pilots`.
 */
void weir_kernel_recorder_pilot(struct weir_kernel_recorder *r, const struct weir_pilot_ops *pilot,
				struct weir_pilots *pilots);
/* Watches the controller of this kernel name from here on. `ops` and `params`: what is in the kernel; NULL:
 * look for it among those of this program. 0, or an exit code. */
int weir_kernel_recorder_begin(struct weir_kernel_recorder *r, const char *kernel_name,
			       const struct weir_cc_ops *ops, const u64 *params);
/* Reads in a thread of its own until weir_kernel_recorder_end; signals are not its business. */
int weir_kernel_recorder_start(struct weir_kernel_recorder *r);
/* Completes what is kept, and says what is missing in it. Harmless where nothing began. */
int weir_kernel_recorder_end(struct weir_kernel_recorder *r);

#endif
