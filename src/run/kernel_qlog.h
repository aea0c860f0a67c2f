/* SPDX-License-Identifier: MIT */
/* The calls of controllers in the kernel as qlog: QUIC's events for what it has words for, weir: events for
 * the controller's calls themselves. Bounded. */
#ifndef WEIR_RUN_KERNEL_QLOG_H
#define WEIR_RUN_KERNEL_QLOG_H

#include "kern/record.h"

#include <stdio.h>

struct weir_kernel_qlog;

/* `out` is closed by the end. NULL when out of memory; `out` is closed then. */
struct weir_kernel_qlog *weir_kernel_qlog_begin(FILE *out, const char *title, u64 limit_bytes);
/* A call of the socket of this number, in a flow of this name; times from 0. */
void weir_kernel_qlog_take(struct weir_kernel_qlog *q, u64 time_ns, const char *flow, u32 socket,
			   const struct weir_kern_record *r);
/* So many calls are missing here. */
void weir_kernel_qlog_gap(struct weir_kernel_qlog *q, u64 time_ns, u64 dropped);
/* Calls that found no room. */
u64 weir_kernel_qlog_omitted(const struct weir_kernel_qlog *q);
/* 0, or -1 with errno set. */
int weir_kernel_qlog_end(struct weir_kernel_qlog *q);

#endif
