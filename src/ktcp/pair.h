/* SPDX-License-Identifier: MIT */
/* Two processes for a flow, each in a network namespace: made, waited for until both are ready, told to end,
 * ended. What they do and the memory that they share with the parent is the caller's.
 *
 * Both are forked from the caller and die with the thread that started them. In them: no signal handler of
 * the parent's is left, the terminal's signals are ignored, SIGTERM (the parent's word to end) and
 * WEIR_KTCP_SCHEDULED_SIGNAL are blocked and wait to be heard by a signalfd, the priority is an ordinary
 * one, and of all descriptors only `peer`, `ready` and the standard ones are open. */
#ifndef WEIR_KTCP_PAIR_H
#define WEIR_KTCP_PAIR_H

#include "weir/types.h"

#include <signal.h>
#include <sys/types.h>

#define WEIR_KTCP_WHY_BYTES 256
#define WEIR_KTCP_SCHEDULED_SIGNAL SIGUSR1 /* the parent's word that something new is in the memory */

enum weir_ktcp_side { WEIR_KTCP_SENDER, WEIR_KTCP_RECEIVER, WEIR_KTCP_SIDES };

/* What a new process finds. */
struct weir_ktcp_birth {
	u32 side;
	int error; /* errno of entering its namespace; 0: it is there */
	int peer;  /* one end of a socket pair between the two: it closes when the other is gone */
	int ready; /* a pipe to the parent: write one byte when ready, then close it */
};
/* A process's whole life; its exit status. */
typedef int weir_ktcp_life(void *ctx, const struct weir_ktcp_birth *b);

struct weir_ktcp_pair {
	pid_t pid[WEIR_KTCP_SIDES]; /* 0: not there, or waited for */
	u64 told_ns;		    /* 0: not told to end */
	bool died[WEIR_KTCP_SIDES]; /* by a signal that is not ours */
	int signal[WEIR_KTCP_SIDES];
};

u64 weir_ktcp_now_ns(void); /* CLOCK_MONOTONIC */

/* Starts both and waits until both are ready, at most some seconds. 0; -1 with a sentence: whatever was
 * started is still to be ended. `ns`: descriptors of network namespaces. */
int weir_ktcp_pair_start(struct weir_ktcp_pair *p, const int ns[WEIR_KTCP_SIDES], weir_ktcp_life *live,
			 void *ctx, char why[WEIR_KTCP_WHY_BYTES]);
void weir_ktcp_pair_signal(const struct weir_ktcp_pair *p, int signal);
/* Tells both to end, without waiting; only the first time. */
void weir_ktcp_pair_tell(struct weir_ktcp_pair *p);
/* Tells them if nobody did, and waits, after 2 s with SIGKILL. 0, or -1 with a sentence: one was killed. */
int weir_ktcp_pair_finish(struct weir_ktcp_pair *p, char why[WEIR_KTCP_WHY_BYTES]);

#endif
