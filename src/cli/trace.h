/* SPDX-License-Identifier: MIT */
/* What the verbs of `weir trace` share: traces in, mistakes told, traces out. */
#ifndef WEIR_CLI_TRACE_H
#define WEIR_CLI_TRACE_H

#include "link/trace_rates.h"
#include "values.h"

/* What is wrong with the input that is being read, or the output being written. */
extern struct weir_diag weir_trace_diag;
void weir_trace_diag_start(const char *file);
/* Prints the mistakes of an input, with its lines. Returns WEIR_EXIT_USAGE. */
int weir_trace_complain(const char *source);

/* Reads a trace, also from a table of rates; prints what is wrong. Returns an enum weir_exit. */
int weir_trace_input(const char *path, unsigned options, u64 period_ns, struct weir_trace *t);
/* What is no mistake but will surprise: a mean rate or an outage that no transport works well with. */
void weir_trace_warn(const char *path, const struct weir_trace *t);

extern const struct weir_command weir_trace_check, weir_trace_describe, weir_trace_convert, weir_trace_make;

#endif
