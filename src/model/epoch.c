/* SPDX-License-Identifier: MIT */
/* Eqs. 6-8: from w_0 = beta W one packet a cycle up to W, then down again; nothing is lost but at the top. */
#include "law.h"

#include <errno.h>
#include <stdlib.h>

struct epoch {
	const struct weir_model_config *c;
	double full, first, bdp; /* packets: W, w_0, BDP */
	u64 cycles;		 /* k + 1 */
};

static struct epoch epoch_of(const struct weir_model_config *c)
{
	struct epoch e = {
	    .c = c, .full = (double)weir_model_window_packets(c), .bdp = weir_model_bdp_packets(c)};
	double least = (double)c->min_window_packets;

	e.first = c->beta * e.full > least ? c->beta * e.full : least;
	e.cycles = (u64)((e.full - e.first) * (1 + 0x1p-51)) + 1;
	return e;
}

static double lambda_at(const struct epoch *e, u64 i)
{
	return weir_model_lambda(e->c, e->full - (e->first + (double)i), e->full - e->first);
}

double weir_model_loss_free_epoch_rtts(const struct weir_model_config *c)
{
	struct epoch e = epoch_of(c);
	double rtts = 0;

	for (u64 i = 0; i < e.cycles; i++)
		rtts += 1 / lambda_at(&e, i);
	return rtts;
}

/* Every window of the epoch is visited once; what lies between two packets counts for the lower one. */
static int keep(const struct epoch *e, double rtts, struct weir_model_result *out)
{
	u64 n = (u64)e->full - e->c->min_window_packets + 1;

	out->probability = calloc(n, sizeof *out->probability);
	out->time_share = calloc(n, sizeof *out->time_share);
	if (!out->probability || !out->time_share) {
		errno = ENOMEM;
		return -1;
	}
	out->n = n;
	for (u64 i = 0; i < e->cycles; i++) {
		u64 state = (u64)(e->first + (double)i) - e->c->min_window_packets;
		state = state < n ? state : n - 1;
		out->probability[state] += 1 / (double)e->cycles;
		out->time_share[state] += 1 / lambda_at(e, i) / rtts;
	}
	return 0;
}

int weir_model_epoch(const struct weir_model_config *c, bool distribution, struct weir_model_result *out)
{
	struct epoch e = epoch_of(c);
	double carried = 0, rtts = 0;

	for (u64 i = 0; i < e.cycles; i++) {
		double lambda = lambda_at(&e, i);
		carried += weir_model_carried(c, e.first + (double)i, e.bdp) / lambda;
		rtts += 1 / lambda;
	}
	out->mean_window_packets = carried / rtts;
	out->epoch_rtts = rtts;
	return distribution ? keep(&e, rtts, out) : 0;
}
