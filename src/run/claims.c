/* SPDX-License-Identifier: MIT */
/* The verdict on a claim. */
#include "core/stats.h"
#include "record/number.h"
#include "run/experiment.h"

#include <math.h>

const char *const weir_verdict_words[WEIR_VERDICTS] = {"holds", "misses", "explained", "invalid"};

static double reduce(const struct weir_claim *claim, double *values, u64 n, const struct weir_stats *stats)
{
	switch (claim->over_seeds) {
	case WEIR_REDUCE_MIN:
		return stats->min;
	case WEIR_REDUCE_MAX:
		return stats->max;
	case WEIR_REDUCE_MEDIAN:
		return weir_median(values, n);
	default:
		return stats->mean;
	}
}

static bool inside(const double band[2], double x)
{
	return x >= band[0] && x <= band[1];
}

static void widen(const struct weir_claim *claim, double second, double band[2])
{
	double reach = claim->or_within * fabs(second);

	band[0] = claim->band[0];
	band[1] = claim->band[1];
	if (!(reach > 0))
		return;
	band[0] = fmin(band[0], -reach);
	band[1] = fmax(band[1], reach);
}

void weir_claim_judge(const struct weir_claim *claim, double *values, u64 n, double second,
		      struct weir_claim_result *out)
{
	struct weir_stats stats = {0};
	char measured[WEIR_NUMBER_MAX], low[WEIR_NUMBER_MAX], high[WEIR_NUMBER_MAX];

	*out = (struct weir_claim_result){
	    .judged = true, .known = n > 0, .n = n, .verdict = WEIR_VERDICT_MISSES};
	widen(claim, second, out->band);
	if (n == 0) {
		snprintf(out->reason, sizeof out->reason, "no run gave this number");
		return;
	}
	for (u64 i = 0; i < n; i++)
		weir_stats_add(&stats, values[i]);
	out->measured = reduce(claim, values, n, &stats);
	out->has_ci =
	    claim->over_seeds == WEIR_REDUCE_MEAN && weir_stats_ci95(&stats, &out->ci_low, &out->ci_high);
	if (inside(out->band, out->measured)) {
		out->verdict = WEIR_VERDICT_HOLDS;
		return;
	}
	if (claim->has_known_miss && inside(claim->miss_band, out->measured)) {
		out->verdict = WEIR_VERDICT_EXPLAINED;
		snprintf(out->reason, sizeof out->reason, "%s", claim->miss_reason);
		return;
	}
	weir_number_format(measured, out->measured);
	weir_number_format(low, out->band[0]);
	weir_number_format(high, out->band[1]);
	snprintf(out->reason, sizeof out->reason, "%s is outside [%s, %s]%s", measured, low, high,
		 claim->has_known_miss ? " and outside the band of its known miss" : "");
}
