/* SPDX-License-Identifier: MIT */
/* What all readings share: lambda, the probability of a loss, and the terms of eq. 33. */
#ifndef WEIR_MODEL_LAW_H
#define WEIR_MODEL_LAW_H

#include "core/fmath.h"
#include "model.h"

/* For x >= 0, below 2^53. */
static inline double weir_model_floor(double x)
{
	return x < 0x1p53 ? (double)(u64)x : x;
}

static inline double weir_model_ceil(double x)
{
	double below = weir_model_floor(x);
	return below < x ? below + 1 : below;
}

/* floor(beta x), where 0.29 x 100 is 29 though the nearest double of .29 lies below it. */
static inline u64 weir_model_share(double beta, u64 x)
{
	return (u64)(beta * (double)x * (1 + 0x1p-51));
}

/* Eq. 5: `gap_packets` is w_k - w, `whole_packets` w_k - w_0; with W instead of w_k eq. 34. */
static inline double weir_model_lambda(const struct weir_model_config *c, double gap_packets,
				       double whole_packets)
{
	double lambda =
	    gap_packets > 0 && whole_packets > 0 ? c->lambda_max * (gap_packets / whole_packets) : 0;
	if (c->clamp_lambda && lambda > c->lambda_max)
		lambda = c->lambda_max;
	return lambda > c->lambda_min ? lambda : c->lambda_min;
}

/* R of one packet. */
static inline double weir_model_packet_errors(const struct weir_model_config *c)
{
	return c->per_bit ? c->per * 8 * (double)c->packet_bytes : c->per;
}

/* Eq. 12 for x expected errors. */
static inline double weir_model_loss_probability(enum weir_model_loss form, double x)
{
	switch (form) {
	case WEIR_MODEL_ONE:
		return x * weir_exp(-x);
	case WEIR_MODEL_LINEAR:
		return x < 1 ? x : 1;
	default:
		/* the series where 1 - e^-x would cancel; its rest is below x^6 / 720 */
		if (x < 1e-3)
			return x * (1 - x / 2 * (1 - x / 3 * (1 - x / 4 * (1 - x / 5))));
		return 1 - weir_exp(-x);
	}
}

/* What a window of w counts in the numerator of eq. 33. */
static inline double weir_model_carried(const struct weir_model_config *c, double w, double bdp)
{
	if (c->floor_window)
		w = weir_model_floor(w);
	return c->cap && w > bdp ? bdp : w;
}

/* The readings; each fills what it knows of *out. 0, or -1 with errno. */
int weir_model_literal(const struct weir_model_config *c, bool distribution, struct weir_model_result *out);
int weir_model_renewal(const struct weir_model_config *c, bool distribution, struct weir_model_result *out);
int weir_model_two_state(const struct weir_model_config *c, bool distribution, struct weir_model_result *out);
int weir_model_epoch(const struct weir_model_config *c, bool distribution, struct weir_model_result *out);

/* The sum of 1 / lambda in eq. 7. */
double weir_model_loss_free_epoch_rtts(const struct weir_model_config *c);

#endif
