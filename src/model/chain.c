/* SPDX-License-Identifier: MIT */
#include "chain.h"

#include "law.h"

#include <errno.h>
#include <stdlib.h>

static u32 down_of(const struct weir_model_config *c, u32 state)
{
	u64 to;

	if (c->down == WEIR_MODEL_INDEX) {
		to = weir_model_share(c->beta, state + 1ULL);
		to = to ? to - 1 : 0;
	} else {
		to = weir_model_share(c->beta, c->min_window_packets + state);
		to = to > c->min_window_packets ? to - c->min_window_packets : 0;
	}
	return to < state ? (u32)to : state ? state - 1 : 0;
}

int weir_chain_init(struct weir_chain *chain, const struct weir_model_config *c)
{
	u32 n = (u32)weir_model_states(c);

	*chain = (struct weir_chain){.n = n, .first_packets = c->min_window_packets};
	chain->loss = calloc(n, sizeof *chain->loss);
	chain->down = calloc(n, sizeof *chain->down);
	if (!chain->loss || !chain->down) {
		errno = ENOMEM;
		return -1;
	}
	for (u32 s = 0; s < n; s++)
		chain->down[s] = down_of(c, s);
	chain->loss[n - 1] = 1;
	return 0;
}

void weir_chain_free(struct weir_chain *chain)
{
	free(chain->loss);
	free(chain->down);
	*chain = (struct weir_chain){0};
}

void weir_chain_lose(struct weir_chain *chain, const struct weir_model_config *c, double lambda)
{
	double errors = weir_model_packet_errors(c) / lambda;

	for (u32 s = 0; s + 1 < chain->n; s++) {
		double w = (double)weir_chain_window_packets(chain, s);
		double p = weir_model_loss_probability(c->loss, errors * w);
		/* what never happens must not slow the arithmetic down */
		chain->loss[s] = p < 1e-200 ? 0 : p;
	}
}

/* ---- the stationary law ---- */

/* The sum over a window that slides down the states, by additions only (two stacks): `old` holds, for each
 * state that may yet leave, the sum from the newest of its stack to it. */
struct slide {
	double *old;
	double young;	   /* sum of those that came since */
	u32 oldest, limit; /* states in the window: [newest, oldest]; those >= limit are in `old` */
};

static void slide_flip(struct slide *w, const double *flow, u32 newest)
{
	double sum = 0;

	for (u32 s = newest; s <= w->oldest; s++) {
		sum += flow[s];
		w->old[s] = sum;
	}
	w->limit = newest;
	w->young = 0;
}

/* Leaves out the states that lead further up than `floor`. */
static double slide_sum(struct slide *w, const struct weir_chain *chain, const double *flow, u32 floor)
{
	u32 newest = floor + 1;

	while (w->oldest > newest && chain->down[w->oldest] > floor)
		w->oldest--;
	if (w->oldest < w->limit)
		slide_flip(w, flow, newest);
	return w->old[w->oldest] + w->young;
}

#define LARGE 1e200

/* Brings everything down together; what was tiny becomes 0 and is not looked at again. */
static u32 shrink(double *law, double *flow, struct slide *w, u32 from, u32 top)
{
	while (top > from && law[top] * (1 / LARGE) < 1e-300) {
		law[top] = 0;
		top--;
	}
	if (w->oldest > top)
		w->oldest = top;
	for (u32 s = from; s <= top; s++) {
		law[s] *= 1 / LARGE;
		flow[s] *= 1 / LARGE;
		w->old[s] *= 1 / LARGE;
	}
	w->young *= 1 / LARGE;
	return top;
}

/* Across the cut between s and s + 1 as much goes up as comes down: law[s] (1 - loss[s]) is the sum of the
 * losses of all states above that lead to s or below. */
static void walk_down(const struct weir_chain *chain, double *law, double *flow, struct slide *w, u32 top)
{
	u32 last = top;

	law[top] = 1;
	flow[top] = 1;
	*w = (struct slide){.old = w->old, .oldest = top, .limit = top};
	w->old[top] = 1;
	for (u32 s = top; s-- > 0;) {
		law[s] = slide_sum(w, chain, flow, s) / (1 - chain->loss[s]);
		flow[s] = law[s] * chain->loss[s];
		w->young += flow[s];
		if (law[s] > LARGE)
			last = shrink(law, flow, w, s, last);
	}
}

int weir_chain_stationary(const struct weir_chain *chain, double *law)
{
	double *flow = calloc(chain->n, sizeof *flow), sum = 0;
	struct slide w = {.old = calloc(chain->n, sizeof *w.old)};
	u32 top = 0;

	if (!flow || !w.old) {
		free(flow);
		free(w.old);
		errno = ENOMEM;
		return -1;
	}
	while (chain->loss[top] < 1)
		top++;
	for (u32 s = top; s < chain->n; s++)
		law[s] = 0;
	walk_down(chain, law, flow, &w, top);
	for (u32 s = 0; s < chain->n; s++)
		sum += law[s];
	for (u32 s = 0; s < chain->n; s++)
		law[s] /= sum;
	free(flow);
	free(w.old);
	return 0;
}
