/* SPDX-License-Identifier: MIT */
/* A synthetic radio link. Three things multiply in each slot of 10 ms: the level at which the cell serves
 * us (a Markov chain over five levels, moving to a neighbour every few seconds), fading (log-normal, with
 * a memory of 200 ms), and service at all (on and off, exponential, a third of a second without). Our
 * own choice of numbers, in the range of the published cellular traces; no recorded trace is in it. */
#include "core/draw.h"
#include "trace_rates.h"

#include <stdlib.h>

#define SLOT_NS (10 * WEIR_NS_PER_MS)
#define MOST_SLOTS (1ULL << 22)
#define LEVELS 5
#define LEVEL_SLOTS 300.
#define FADING_SLOTS 20.
#define FADING_DB 3.
#define OUTAGE_SLOTS 33.
#define LN10_TENTH .23025850929940457

struct radio {
	struct weir_rng level_rng, fading_rng, outage_rng;
	u32 level;
	double fading; /* standard deviations */
	bool out;
};

static double next_weight(struct radio *r, double outages)
{
	static const double factor[LEVELS] = {.2, .5, 1, 1.6, 2.4};
	if (weir_rng_chance(&r->level_rng, 1 / LEVEL_SLOTS)) {
		bool up = weir_rng_chance(&r->level_rng, .5);
		r->level = up ? r->level + 1 : r->level - 1; /* reflected at both ends */
		r->level = r->level == LEVELS ? LEVELS - 2 : r->level > LEVELS ? 1 : r->level;
	}
	double memory = weir_exp(-1 / FADING_SLOTS);
	r->fading = memory * r->fading + weir_sqrt(1 - memory * memory) * weir_draw_normal(&r->fading_rng);

	/* in the long run outages / (1 - outages) slots without service for each one with it */
	double end = 1 / OUTAGE_SLOTS, begin = end * outages / (1 - outages);
	r->out = weir_rng_chance(&r->outage_rng, r->out ? 1 - end : begin);
	return r->out ? 0 : factor[r->level] * weir_exp(LN10_TENTH * FADING_DB * r->fading);
}

/* Slots with the rates that the model gives, scaled to the mean. */
static bool make_steps(const struct weir_lte *lte, struct weir_rate_step *steps, u64 n)
{
	struct radio r = {.level = LEVELS / 2};
	weir_rng_init(&r.level_rng, lte->seed, weir_rng_point("trace.level"), 0);
	weir_rng_init(&r.fading_rng, lte->seed, weir_rng_point("trace.fading"), 0);
	weir_rng_init(&r.outage_rng, lte->seed, weir_rng_point("trace.outage"), 0);
	double *weight = malloc(n * sizeof *weight), sum = 0;
	if (!weight)
		return false;
	for (u64 i = 0; i < n; i++) {
		weight[i] = next_weight(&r, lte->outages);
		u64 slot_ns = weir_min(SLOT_NS, lte->duration_ns - i * SLOT_NS);
		sum += weight[i] * (double)slot_ns;
	}
	double scale = sum > 0 ? (double)lte->mean_bps * (double)lte->duration_ns / sum : 0;
	for (u64 i = 0; i < n; i++)
		steps[i] = (struct weir_rate_step){i * SLOT_NS, (u64)(weight[i] * scale + .5)};
	free(weight);
	return true;
}

int weir_trace_make_lte(const struct weir_lte *lte, struct weir_trace *t, struct weir_diag *d)
{
	u64 n = (lte->duration_ns + SLOT_NS - 1) / SLOT_NS;
	*t = (struct weir_trace){0};
	if (n == 0 || n > MOST_SLOTS) {
		weir_diag_add(d, 0, 0, "the duration must be above 0 and at most %llu s",
			      MOST_SLOTS * SLOT_NS / WEIR_NS_PER_S);
		return -1;
	}
	struct weir_rate_step *steps = calloc(n, sizeof *steps);
	int result = -1;
	if (!steps || !make_steps(lte, steps, n))
		weir_diag_add(d, 0, 0, "out of memory");
	else
		result = weir_trace_from_steps(steps, n, lte->duration_ns, t, d);
	free(steps);
	for (u64 i = 0; i < t->n; i++) {
		u64 ms = (t->at_ns[i] + WEIR_NS_PER_MS - 1) / WEIR_NS_PER_MS;
		t->at_ns[i] = weir_min(ms * WEIR_NS_PER_MS, t->period_ns);
	}
	return result;
}
