/* SPDX-License-Identifier: MIT */
/* The rate of the traffic beside ours, out of one report: z = mu S / R - S ("Elasticity Detection: A Building
 * Block for Internet Congestion Control", eq. 1), S and R over the same packets (eq. 2). It holds while the
 * bottleneck's queue is not empty and the sender had something to send; a report says what it is good for. */
#ifndef WEIR_PILOT_CROSS_H
#define WEIR_PILOT_CROSS_H

#include "weir/pilot.h"

enum weir_cross_use {
	WEIR_CROSS_MISSING,	/* no rate sample, or one that cannot be */
	WEIR_CROSS_REPAIR,	/* S and R are, of packets that were not sent and received in one order */
	WEIR_CROSS_APP_LIMITED, /* S and R are, but of an application's rate */
	WEIR_CROSS_EMPTY_QUEUE, /* S and R are, z says nothing */
	WEIR_CROSS_GOOD,
};

struct weir_cross {
	enum weir_cross_use use;
	double send_Bps, receive_Bps; /* 0 where missing */
	double z_Bps;		      /* 0 unless good and mu is known; may be below 0 */
	double span_s;		      /* over which S was taken */
};

/* mu_Bps: 0: unknown. */
void weir_cross_read(const struct weir_report *r, double mu_Bps, struct weir_cross *out);
/* Eq. 1, whatever it is good for. */
double weir_cross_z_Bps(double mu_Bps, double send_Bps, double receive_Bps);
/* Mean of the report's round trips, or the latest one there was; 0: none yet. */
u64 weir_cross_rtt_ns(const struct weir_report *r);
/* Whether the round trips of this report tell of a queue: 1 ms and 1/64 above the smallest. */
bool weir_cross_queue(const struct weir_report *r);
/* A rate that is finite, positive and below anything there is, else 0. */
double weir_cross_rate(double rate_Bps);

#endif
