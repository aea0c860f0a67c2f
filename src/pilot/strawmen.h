/* SPDX-License-Identifier: MIT */
/* Two plain ways to tell elastic traffic, which do not work: the strawmen of "Elasticity Detection: A
 * Building Block for Internet Congestion Control", section 3, beside the detector for comparison. Decision
 * record 036 has why they fail.
 *
 * Self-inflicted delay (Fig. 2): what of the queueing delay is our own packets'. Others' share of it would be
 * elastic traffic's. Our packets in the queue are what is in flight beyond what the path without a queue
 * holds, and they delay by as long as the link takes to send them: (inflight - R min_rtt) / mu. By Little's
 * law that is R / mu of the whole delay, whoever the others are.
 *
 * Cross-correlation: elastic traffic gives way to our wave, a round trip of ITS later, so that S and z go
 * against each other with that lag; what does not react has nothing in common with S. The lag is not known:
 * ours is taken. */
#ifndef WEIR_PILOT_STRAWMEN_H
#define WEIR_PILOT_STRAWMEN_H

#include "pilot/detector.h"

/* Means over about a second, since a pulse is in all of them. */
struct weir_self_inflicted {
	bool known;
	double own_ns, queue_ns; /* our packets' delay; all of it: RTT - min RTT */
	double rate_share;	 /* R / mu */
};

void weir_self_inflicted_report(struct weir_self_inflicted *s, const struct weir_report *r, double mu_Bps);
/* own_ns / queue_ns, at least 0; NaN while nothing is known and without a queue. */
double weir_self_inflicted_share(const struct weir_self_inflicted *s);
/* "The delay is not ours alone": less than half of it. */
enum weir_answer weir_self_inflicted_verdict(const struct weir_self_inflicted *s);

struct weir_correlation {
	double at_our_lag; /* of S with z one smoothed round trip of ours later; NaN: none */
	double strongest;  /* the one that is farthest from 0, of lags from 0 to below a period of the wave */
	u64 strongest_lag_ns;	  /* and its lag */
	enum weir_answer verdict; /* elastic: at_our_lag is -1/2 or less */
};

/* Over the detector's window; not applicable where the window is not full or there is no wave. Costs about 30
 * us. */
void weir_correlation_read(const struct weir_detector *d, struct weir_correlation *out);

#endif
