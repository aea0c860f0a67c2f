/* SPDX-License-Identifier: MIT */
/* The pilots of all connections of one registration: a state for each, from its first report until it closes.
 * One thread at a time. */
#ifndef WEIR_KERN_HOSTED_H
#define WEIR_KERN_HOSTED_H

#include "pilot_format.h"

struct weir_hosted_counts {
	u64 connections, reports; /* that had a pilot; that were answered */
	u64 lost_reports;	  /* that never came: gaps in their numbers */
	u64 expired_reports;	  /* made while Reno was in charge since no answer had come */
	u64 refused;		  /* connections for which there was no room: Reno drives them */
};

struct weir_hosted {
	const struct weir_pilot_ops *ops;
	const u64 *params; /* ops->n_params */
	u64 seed, setpoints;
	struct weir_hosted_counts counts;
	u32 n;
	u64 connection[WEIR_KERN_PILOTS_MAX]; /* their numbers, and what there is of each */
	struct weir_hosted_one *one[WEIR_KERN_PILOTS_MAX];
};

/* `ops` and `params` outlive it. */
void weir_hosted_begin(struct weir_hosted *h, const struct weir_pilot_ops *ops, const u64 *params, u64 seed);
void weir_hosted_end(struct weir_hosted *h);

/* Takes a report. The setpoint that answers it; NULL: none, the connection is closed or was refused.
 * `*dropped`: a connection whose pilot is gone, so that its setpoint is nobody's; 0: none. */
const struct weir_setpoint *weir_hosted_take(struct weir_hosted *h, const struct weir_kern_report *r,
					     u64 *dropped);

/* The newest signals of a connection with this socket, or, for socket 0, with this local port; the last that
 * came, where there are several. False: there is none. */
bool weir_hosted_signals(const struct weir_hosted *h, u64 socket, u16 local_port,
			 double value[WEIR_PILOT_SIGNALS_MAX]);

/* What the governor must know before there is a report: the pilot's first setpoint, and its inner controllers
 * with their parameters. 0, or -1 with a sentence: one that the governor in the kernel does not carry, or a
 * parameter that it does not have. */
int weir_hosted_inners(const struct weir_pilot_ops *ops, const u64 *params, struct weir_kern_inners *out,
		       char why[200]);

#endif
