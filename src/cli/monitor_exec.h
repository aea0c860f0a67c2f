/* SPDX-License-Identifier: MIT */
/* A command for each fresh value: of one source never two at a time, and only for the newest value. */
#ifndef WEIR_CLI_MONITOR_EXEC_H
#define WEIR_CLI_MONITOR_EXEC_H

#include "net/shell.h"
#include "sink/newest.h"

#define WEIR_EXEC_JOBS_MAX 64

struct weir_exec {
	const char *command;
	u64 timeout_ns;
	u32 jobs; /* at a time, of all sources together */
	u64 started, failed, timed_out, superseded, dropped;

	/* private */
	struct weir_loop *loop;
	struct weir_newest *waiting;
	struct weir_exec_job {
		struct weir_exec *exec;
		struct weir_shell shell;
		u32 place;
	} job[WEIR_EXEC_JOBS_MAX];
};

/* Set command, timeout_ns and jobs before. 0, or -1: out of memory. */
int weir_exec_open(struct weir_exec *x, struct weir_loop *loop);
void weir_exec_value(struct weir_exec *x, u64 now_ns, const struct weir_told *v);
/* Ends what takes too long; when to come again. */
u64 weir_exec_step(struct weir_exec *x, u64 now_ns);
void weir_exec_close(struct weir_exec *x);

#endif
