/* SPDX-License-Identifier: MIT */
#include "model.h"

#include "law.h"
#include "weir/num.h"

#include <stdio.h>
#include <stdlib.h>

const char *const weir_model_reading_names[WEIR_MODEL_READINGS + 1] = {
    [WEIR_MODEL_LITERAL] = "literal",
    [WEIR_MODEL_RENEWAL] = "renewal",
    [WEIR_MODEL_TWO_STATE] = "two-state",
    [WEIR_MODEL_EPOCH] = "epoch",
};

struct weir_model_config weir_model_defaults(enum weir_model_reading reading)
{
	bool literal = reading == WEIR_MODEL_LITERAL;

	return (struct weir_model_config){
	    .reading = reading,
	    .lambda_max = 5,
	    .lambda_min = 1,
	    .beta = .5,
	    .min_window_packets = 2,
	    .per = 1e-8,
	    .rate_bps = 1000000000,
	    .rtt_ns = 10 * WEIR_NS_PER_MS,
	    .packet_bytes = 1000,
	    .buffer_packets = 4,
	    .loss = literal ? WEIR_MODEL_ONE : WEIR_MODEL_AT_LEAST_ONE,
	    .down = literal ? WEIR_MODEL_INDEX : WEIR_MODEL_WINDOW,
	    .start = WEIR_MODEL_INDEX,
	    .exposure = literal ? WEIR_MODEL_WHOLE_WINDOW : WEIR_MODEL_CYCLE,
	    .clamp_lambda = true,
	    .floor_window = reading == WEIR_MODEL_EPOCH,
	    .iterations = WEIR_MODEL_ITERATIONS,
	};
}

u32 weir_model_choices(enum weir_model_reading reading)
{
	u32 stochastic =
	    WEIR_MODEL_HAS_LOSS | WEIR_MODEL_HAS_EXPOSURE | WEIR_MODEL_HAS_PER | WEIR_MODEL_HAS_CAP;

	switch (reading) {
	case WEIR_MODEL_LITERAL:
		return stochastic | WEIR_MODEL_HAS_DOWN | WEIR_MODEL_HAS_START | WEIR_MODEL_HAS_CLAMP |
		       WEIR_MODEL_HAS_FLOOR | WEIR_MODEL_HAS_ITERATIONS;
	case WEIR_MODEL_RENEWAL:
		return stochastic | WEIR_MODEL_HAS_DOWN | WEIR_MODEL_HAS_CLAMP;
	case WEIR_MODEL_TWO_STATE:
		return stochastic;
	default:
		return WEIR_MODEL_HAS_CAP | WEIR_MODEL_HAS_FLOOR;
	}
}

/* ---- what is defined ---- */

static bool between(double x, double low, double high)
{
	return x >= low && x <= high; /* false for NaN */
}

static bool check_controller(const struct weir_model_config *c, char why[WEIR_MODEL_WHY])
{
	if (!between(c->beta, 1e-6, 1 - 1e-6))
		snprintf(why, WEIR_MODEL_WHY,
			 "beta %g: it is the part of the window that stays after a loss, above 0 and below 1",
			 c->beta);
	else if (!between(c->lambda_min, 1e-3, 1e6))
		snprintf(why, WEIR_MODEL_WHY, "lambda_min %g: from .001 to 1000000", c->lambda_min);
	else if (!between(c->lambda_max, c->lambda_min, 1e6))
		snprintf(why, WEIR_MODEL_WHY, "lambda_max %g: from lambda_min, %g here, to 1000000",
			 c->lambda_max, c->lambda_min);
	else if (c->min_window_packets < 1 || c->min_window_packets > WEIR_MODEL_STATES_MAX)
		snprintf(why, WEIR_MODEL_WHY, "min_window %llu: from 1 to %u packets", c->min_window_packets,
			 WEIR_MODEL_STATES_MAX);
	else
		return true;
	return false;
}

static bool check_path(const struct weir_model_config *c, char why[WEIR_MODEL_WHY])
{
	if (!between(c->per, 0, 1))
		snprintf(why, WEIR_MODEL_WHY, "PER %g: a probability, from 0 to 1", c->per);
	else if (c->rtt_ns == 0 || c->rate_bps == 0 || c->packet_bytes == 0)
		snprintf(why, WEIR_MODEL_WHY, "RTT, rate and packet size must be above 0");
	else if (c->packet_bytes > 1000000)
		snprintf(why, WEIR_MODEL_WHY, "packets of %llu bytes: at most 1 MB", c->packet_bytes);
	else if (weir_model_bdp_packets(c) + (double)c->buffer_packets > WEIR_MODEL_STATES_MAX)
		snprintf(why, WEIR_MODEL_WHY,
			 "a full window of %.4g packets (BDP and buffer): the chain has room for %u; take a "
			 "lower rate, a shorter RTT or larger packets",
			 weir_model_bdp_packets(c) + (double)c->buffer_packets, WEIR_MODEL_STATES_MAX);
	else
		return true;
	return false;
}

bool weir_model_check(const struct weir_model_config *c, char why[WEIR_MODEL_WHY])
{
	if (!check_controller(c, why) || !check_path(c, why))
		return false;
	u64 full = weir_model_window_packets(c);
	if (full <= c->min_window_packets) {
		snprintf(why, WEIR_MODEL_WHY,
			 "BDP and buffer hold %llu packets: not more than the smallest window, %llu", full,
			 c->min_window_packets);
		return false;
	}
	/* losses that follow lambda are worked out anew for each iteration */
	u64 work = weir_model_states(c) * (c->exposure == WEIR_MODEL_CYCLE ? 10 : 1);
	u64 most = weir_min(WEIR_MODEL_STATES_MAX, WEIR_MODEL_WORK_MAX / work);
	if (c->reading == WEIR_MODEL_LITERAL && (c->iterations == 0 || c->iterations > most)) {
		snprintf(why, WEIR_MODEL_WHY, "%llu iterations of %llu states: from 1 to %llu", c->iterations,
			 weir_model_states(c), most);
		return false;
	}
	return true;
}

double weir_model_bdp_packets(const struct weir_model_config *c)
{
	return (double)c->rate_bps * (double)c->rtt_ns / (8e9 * (double)c->packet_bytes);
}

u64 weir_model_window_packets(const struct weir_model_config *c)
{
	return weir_muldiv(c->rate_bps, c->rtt_ns, 8 * c->packet_bytes * WEIR_NS_PER_S) + c->buffer_packets;
}

u64 weir_model_states(const struct weir_model_config *c)
{
	return weir_model_window_packets(c) - c->min_window_packets + 1;
}

/* ---- the figure ---- */

int weir_model_throughput(const struct weir_model_config *c, bool distribution, struct weir_model_result *out)
{
	static int (*const readings[])(const struct weir_model_config *, bool, struct weir_model_result *) = {
	    [WEIR_MODEL_LITERAL] = weir_model_literal,
	    [WEIR_MODEL_RENEWAL] = weir_model_renewal,
	    [WEIR_MODEL_TWO_STATE] = weir_model_two_state,
	    [WEIR_MODEL_EPOCH] = weir_model_epoch,
	};

	*out = (struct weir_model_result){.window_packets = weir_model_window_packets(c),
					  .first_packets = c->min_window_packets,
					  .step_packets = 1};
	if (readings[c->reading](c, distribution, out) < 0)
		return -1;
	out->loss_free_epoch_rtts = weir_model_loss_free_epoch_rtts(c);
	out->normalized_throughput = out->mean_window_packets / weir_model_bdp_packets(c);
	return 0;
}

void weir_model_result_free(struct weir_model_result *r)
{
	free(r->probability);
	free(r->time_share);
	*r = (struct weir_model_result){0};
}

double weir_model_eq36(double beta)
{
	return weir_model_ceil(8.91 - 7 * beta - 1e-9);
}
