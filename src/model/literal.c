/* SPDX-License-Identifier: MIT */
/* Eqs. 12-34 as printed: v(t + 1) = v(t) T from one state, lambda(t) from the mean window, I transitions. */
#include "chain.h"
#include "law.h"

#include <errno.h>
#include <stdlib.h>

#define STEADY .01 /* of the stationary mean */

struct run {
	const struct weir_model_config *c;
	struct weir_chain chain;
	struct weir_march march;
	double *law;	 /* stationary, NULL: not wanted */
	double *carried; /* of each state, where that is not its window: only with a cap */
	double window_packets, bdp_packets, stationary_packets;
	double *mean_packets, *running; /* of each iteration; NULL: not wanted */
};

/* Eq. 32. */
static u32 start_state(const struct weir_model_config *c, const struct weir_chain *chain)
{
	double scale = c->beta * (1 - 0x1p-51), start;

	if (c->start == WEIR_MODEL_INDEX)
		start = weir_model_ceil(scale * (double)chain->n) - 1;
	else
		start = weir_model_ceil(scale * (double)weir_model_window_packets(c)) -
			(double)c->min_window_packets;
	return start < 0 ? 0 : start < (double)chain->n ? (u32)start : chain->n - 1;
}

static double lambda_of(const struct run *r, double mean_packets)
{
	double gap = r->window_packets - mean_packets;

	return weir_model_lambda(r->c, gap, r->window_packets - r->c->beta * r->window_packets);
}

static void walk(struct run *r, double mean_packets, struct weir_model_result *out)
{
	double carried = 0, time_rtts = 0, losses = 0, lambda = lambda_of(r, mean_packets);

	out->steady_iterations = 1;
	for (u64 t = 1; t <= r->c->iterations; t++) {
		double loss;
		if (r->c->exposure == WEIR_MODEL_CYCLE) {
			weir_chain_lose(&r->chain, r->c, lambda);
			weir_march_gains(&r->march);
		}
		mean_packets = weir_march_step(&r->march, &loss);
		lambda = lambda_of(r, mean_packets);
		double counts = r->carried ? weir_march_mean(&r->march, r->carried) : mean_packets;
		if (r->c->floor_window)
			counts = weir_model_floor(counts);
		carried += counts / lambda;
		time_rtts += 1 / lambda;
		losses += loss;
		if (r->running) {
			r->mean_packets[t - 1] = mean_packets;
			r->running[t - 1] = carried / time_rtts / r->bdp_packets;
		}
		double off = mean_packets - r->stationary_packets;
		if (off > STEADY * r->stationary_packets || off < -STEADY * r->stationary_packets)
			out->steady_iterations = t + 1;
	}
	out->is_steady = out->steady_iterations <= r->c->iterations;
	out->iterations = r->c->iterations;
	out->mean_window_packets = carried / time_rtts;
	out->epoch_rtts = losses >= 1 ? time_rtts / losses : 0;
}

static int prepare(struct run *r)
{
	if (weir_chain_init(&r->chain, r->c) < 0)
		return -1;
	r->law = malloc(r->chain.n * sizeof *r->law);
	r->carried = r->c->cap ? malloc(r->chain.n * sizeof *r->carried) : NULL;
	if (!r->law || (r->c->cap && !r->carried)) {
		errno = ENOMEM;
		return -1;
	}
	weir_chain_lose(&r->chain, r->c, 1);
	if (weir_chain_stationary(&r->chain, r->law) < 0)
		return -1;
	for (u32 s = 0; s < r->chain.n; s++) {
		double w = (double)weir_chain_window_packets(&r->chain, s);
		r->stationary_packets += r->law[s] * w;
		if (r->carried)
			r->carried[s] = w < r->bdp_packets ? w : r->bdp_packets;
	}
	return weir_march_init(&r->march, &r->chain, start_state(r->c, &r->chain), r->c->iterations);
}

static int solve(const struct weir_model_config *c, bool distribution, double *mean_packets, double *running,
		 struct weir_model_result *out)
{
	struct run r = {.c = c,
			.window_packets = (double)weir_model_window_packets(c),
			.bdp_packets = weir_model_bdp_packets(c),
			.mean_packets = mean_packets,
			.running = running};
	int rc = prepare(&r);

	if (rc == 0) {
		u32 start = start_state(c, &r.chain);
		walk(&r, (double)weir_chain_window_packets(&r.chain, start), out);
	}
	if (rc == 0 && distribution) {
		/* lambda is the same in every state here, and so both laws are */
		out->n = r.chain.n;
		out->probability = r.law;
		out->time_share = malloc(r.chain.n * sizeof *out->time_share);
		r.law = NULL;
		rc = out->time_share ? 0 : -1;
		for (u64 s = 0; rc == 0 && s < out->n; s++)
			out->time_share[s] = out->probability[s];
	}
	int why = rc == 0 ? 0 : ENOMEM;
	weir_march_free(&r.march);
	weir_chain_free(&r.chain);
	free(r.carried);
	free(r.law);
	errno = why;
	return rc;
}

int weir_model_literal(const struct weir_model_config *c, bool distribution, struct weir_model_result *out)
{
	return solve(c, distribution, NULL, NULL, out);
}

int weir_model_iterations(const struct weir_model_config *c, double *mean_packets, double *running,
			  struct weir_model_result *out)
{
	*out = (struct weir_model_result){0};
	return solve(c, false, mean_packets, running, out);
}
