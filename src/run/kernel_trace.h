/* SPDX-License-Identifier: MIT */
/* What becomes of the calls of a controller in the kernel, as they are watched: a directory of results in the
 * formats of a run, a qlog, a file from which they can be made again. What was lost on the way, or found no
 * room, is counted and said in each of them. One thread at a time. */
#ifndef WEIR_RUN_KERNEL_TRACE_H
#define WEIR_RUN_KERNEL_TRACE_H

#include "kern/calls.h"
#include "kern/pilots.h"
#include "kernel_flow.h"
#include "record/outdir.h"

#define WEIR_KERNEL_TRACE_WHY_BYTES 600
#define WEIR_KERNEL_TRACE_FLOWS_MAX 1000U /* sockets with rows and a summary of their own */

struct weir_kernel_trace_wanted {
	const char *directory; /* NULL: no directory; it appears whole, and takes the place of a result */
	const char *qlog;      /* NULL: no file */
	const char *record;    /* likewise */
	const char *name;      /* of the first socket's flow; the others are NAME.2, NAME.3 ... */
	const char *kernel_name;
	const struct weir_cc_ops *ops;	    /* NULL: not known here, so that its own signals are not */
	const struct weir_pilot_ops *pilot; /* in place of `ops`: its governor is what is watched; or NULL */
	struct weir_pilots *pilots;	    /* they know its signals */
	struct weir_calls_head head;
	u64 sample_ns;	 /* a row for each socket each so long; 0: at each call */
	u64 limit_bytes; /* of each file */
	u16 port;	 /* only connections with this port at either end; 0: all */
	u32 n_arguments;
	const char *const *arguments; /* of the command line, for the manifest */
};

/* The table of what the controller or the pilot shows, without values. */
struct weir_kernel_signals weir_kernel_trace_signals(const struct weir_kernel_trace_wanted *w);

struct weir_kernel_trace;

/* NULL with a sentence. Everything it points to outlives the trace. */
struct weir_kernel_trace *weir_kernel_trace_begin(const struct weir_kernel_trace_wanted *wanted,
						  char why[WEIR_KERNEL_TRACE_WHY_BYTES]);
/* `dropped`: how many were lost in all before this one. */
void weir_kernel_trace_take(struct weir_kernel_trace *t, const struct weir_kern_record *r, u64 dropped);

struct weir_kernel_trace_counts {
	u64 records, dropped,
	    omitted; /* taken; lost on the way; not written to one of the files: it was full */
	u32 sockets;
};

/* Completes the files. The directory is still under its temporary name, so that a report can be added:
 * weir_outdir_commit or weir_outdir_abandon it. 0, or -1 with a sentence; the directory is gone then. */
int weir_kernel_trace_end(struct weir_kernel_trace *t, u64 dropped, struct weir_kernel_trace_counts *counts,
			  struct weir_outdir *directory, char why[WEIR_KERNEL_TRACE_WHY_BYTES]);

#endif
