/* SPDX-License-Identifier: MIT */
/* The chain of eq. 25: from each state one step up, or at a loss far down. States are 0 ... n - 1 here, the
 * paper's minus 1. */
#ifndef WEIR_MODEL_CHAIN_H
#define WEIR_MODEL_CHAIN_H

#include "model.h"

struct weir_chain {
	u32 n;
	u64 first_packets; /* the window of state 0 */
	double *loss;	   /* probability of a loss in each state; 1 in the last */
	u32 *down; /* where it leads: never rises by more than 1 from state to state, below its own state
		    * but for state 0, which leads to itself */
};

/* Windows, destinations; losses are left 0 but for the last state. 0, or -1 with errno ENOMEM; free in any
 * case. */
int weir_chain_init(struct weir_chain *chain, const struct weir_model_config *c);
void weir_chain_free(struct weir_chain *chain);

static inline u64 weir_chain_window_packets(const struct weir_chain *chain, u32 state)
{
	return chain->first_packets + state;
}

/* The losses of a window of w packets each, the last state apart. */
void weir_chain_lose(struct weir_chain *chain, const struct weir_model_config *c, double lambda);

/* The stationary law into law[n], which sums to 1: in one pass, from sums of positive terms only, so that the
 * smallest probabilities are as exact as the largest. 0, or -1 with errno ENOMEM. */
int weir_chain_stationary(const struct weir_chain *chain, double *law);

/* ---- iteration ---- */

/* A distribution that moves: eq. 33's v(t). It is kept where it is in memory while the states pass over it,
 * so that a step up costs nothing; parts below 1e-30 are given up, so that only stretches with weight are
 * walked. */
struct weir_march {
	const struct weir_chain *chain;
	u64 steps, t;	/* steps that there is room for, and done */
	double *at;	/* the weight of state s at at[s + steps - t] */
	bool *live;	/* of each stretch of it */
	double *gain;	/* of each state: the mean window after the next step */
	u32 *run;	/* first state that leads down to each */
	double *second; /* of each: whether a second one does; NULL where more may */
};

/* All weight in state `start`. 0, or -1 with errno ENOMEM; free in any case. */
int weir_march_init(struct weir_march *m, const struct weir_chain *chain, u32 start, u64 steps);
void weir_march_free(struct weir_march *m);
/* Once more after the chain's losses have changed. */
void weir_march_gains(struct weir_march *m);
/* One transition. Returns the mean window after it; *loss becomes the probability that it was one. */
double weir_march_step(struct weir_march *m, double *loss);
/* Sum of weight x value over the states, as they are now. */
double weir_march_mean(const struct weir_march *m, const double *value);

#endif
