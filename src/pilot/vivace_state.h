/* SPDX-License-Identifier: MIT */
/* What the vivace pilot keeps; its parts: vivace.c (parameters, setpoints), vivace_decide.c (what the next
 * rate is), vivace_law.c (utility, step), vivace_interval.c (what became of a rate). */
#ifndef WEIR_PILOT_VIVACE_STATE_H
#define WEIR_PILOT_VIVACE_STATE_H

#include "core/rng.h"
#include "pilot/vivace_law.h"

enum vivace_state { VIVACE_STARTING, VIVACE_PROBING, VIVACE_MOVING };

struct vivace_params {
	u64 constants; /* 0: kernel, 1: paper */
	u64 latency_coefficient, loss_coefficient, exponent, epsilon, step, latency_filter, noise_filter,
	    published_slip;
	u64 bound, bound_step, start_gain, interval_packets, interval_floor_ns;
	u64 initial_rate_Bps, min_rate_Bps, max_rate_Bps;
};

struct vivace {
	struct vivace_rules rules;
	struct vivace_batch batch;
	struct vivace_gait gait;
	struct weir_rng rng; /* which of a pair is sent first */
	enum vivace_state state;
	double rate_Bps;		     /* around which is probed; while moving what is tried */
	double from_Bps, from_utility;	     /* what it is compared with; 0: nothing yet */
	double utility, gradient;	     /* newest, for signals; NaN: none yet */
	double rtt_gradient, loss;	     /* likewise */
	bool limited;			     /* the newest intervals were not sent at their rate */
	bool begun;			     /* there was a report with a round trip */
	u64 now_ns, number, srtt_ns, cut_ns; /* of the newest report; of the newest timeout */
	u32 mss_bytes;
};

/* All of the batch is heard: the next state, rate and batch. */
void vivace_decide(struct vivace *s, const struct vivace_params *p, const struct weir_report *r);
/* The same state once more, from now on. */
void vivace_again(struct vivace *s, const struct vivace_params *p, const struct weir_report *r);
/* Finite, at least two packets a round trip, within the parameters. */
double vivace_bounded(const struct vivace *s, const struct vivace_params *p, double rate_Bps);

#endif
