/* SPDX-License-Identifier: MIT */
/* How much of a link one Agile-SD or NewReno connection gets, by the Markov chain of "Modeling the Throughput
 *of the Linux-based Agile-SD Transmission Control Protocol" (IEEE Access 4, 2016; arXiv 1702.04861). Numbers
 *of equations are that paper's. It leaves room for several readings, which differ by up to a factor of two:
 * docs/model.md tells which printed number comes out of which.
 *
 *	struct weir_model_config c = weir_model_defaults(WEIR_MODEL_LITERAL);
 *	c.buffer_packets = 32;
 *	if (!weir_model_check(&c, why)) ...
 *	weir_model_throughput(&c, false, &result);
 *	weir_model_result_free(&result);
 */
#ifndef WEIR_MODEL_MODEL_H
#define WEIR_MODEL_MODEL_H

#include "weir/types.h"

/* States of the chain, at most: some 400 MB. */
#define WEIR_MODEL_STATES_MAX 10000000U
/* Iterations x states, at most: minutes. */
#define WEIR_MODEL_WORK_MAX 100000000000ULL
#define WEIR_MODEL_ITERATIONS 10000 /* the paper's */

enum weir_model_reading {
	/* Eqs. 12-34 as printed: the chain is iterated, lambda follows the mean window. */
	WEIR_MODEL_LITERAL,
	/* Each state has its own lambda, measured from the full window; a cycle sends w / lambda packets; the
	 * stationary law. */
	WEIR_MODEL_RENEWAL,
	/* The state is the window and the window at the last loss, as eq. 5 needs it; the stationary law. */
	WEIR_MODEL_TWO_STATE,
	/* Eqs. 6-8: one epoch from overflow to overflow, without any other loss. */
	WEIR_MODEL_EPOCH,
};
#define WEIR_MODEL_READINGS (WEIR_MODEL_EPOCH + 1)
extern const char *const weir_model_reading_names[WEIR_MODEL_READINGS + 1]; /* ends with NULL */

/* P_x(w) of eq. 12 for which x? With R w expected errors: */
enum weir_model_loss {
	WEIR_MODEL_ONE,		 /* exactly one: R w e^(-R w) */
	WEIR_MODEL_AT_LEAST_ONE, /* 1 - e^(-R w) */
	WEIR_MODEL_LINEAR,	 /* R w, at most 1 */
};
/* floor(beta .) of eq. 25: of the number of the state, or of the window that it stands for? */
enum weir_model_of { WEIR_MODEL_INDEX, WEIR_MODEL_WINDOW };
/* What is sent while a state lasts, and can be lost: a window, or what fits into RTT / lambda. */
enum weir_model_exposure { WEIR_MODEL_WHOLE_WINDOW, WEIR_MODEL_CYCLE };

struct weir_model_config {
	enum weir_model_reading reading;
	/* the controller; NewReno is lambda_max = lambda_min = 1 */
	double lambda_max, lambda_min, beta;
	u64 min_window_packets;
	/* the path */
	double per; /* R: the probability that a packet is lost by error */
	u64 rate_bps, rtt_ns, packet_bytes, buffer_packets;
	/* where the paper can be read in several ways */
	enum weir_model_loss loss;
	enum weir_model_of down;  /* where a loss leads, eq. 25 */
	enum weir_model_of start; /* eq. 32: state ceil(beta N), or the one of window ceil(beta W) */
	enum weir_model_exposure exposure;
	bool clamp_lambda; /* eq. 34: never above lambda_max */
	bool per_bit;	   /* R is the error rate of a bit */
	bool cap;	   /* a window carries at most what the link does, eq. 33's bound */
	bool floor_window; /* floor(w) as in eqs. 6-8 */
	u64 iterations;	   /* I of eq. 33; the literal reading only */
};

/* Table I with the defaults of Agile-SD, and what the reading takes the paper to say. */
struct weir_model_config weir_model_defaults(enum weir_model_reading reading);

/* Which of the choices above mean something to a reading. */
enum weir_model_choice {
	WEIR_MODEL_HAS_LOSS = 1 << 0,
	WEIR_MODEL_HAS_DOWN = 1 << 1,
	WEIR_MODEL_HAS_START = 1 << 2,
	WEIR_MODEL_HAS_EXPOSURE = 1 << 3,
	WEIR_MODEL_HAS_CLAMP = 1 << 4,
	WEIR_MODEL_HAS_PER = 1 << 5,
	WEIR_MODEL_HAS_CAP = 1 << 6,
	WEIR_MODEL_HAS_FLOOR = 1 << 7,
	WEIR_MODEL_HAS_ITERATIONS = 1 << 8,
};
u32 weir_model_choices(enum weir_model_reading reading);

#define WEIR_MODEL_WHY 200
/* Whether every number is one that the model is defined for; else `why` says which is not, and how it could
 * be. */
bool weir_model_check(const struct weir_model_config *c, char why[WEIR_MODEL_WHY]);

/* BDP in packets; W of eq. 2, BDP and buffer in whole packets; N of eq. 13. After weir_model_check. */
double weir_model_bdp_packets(const struct weir_model_config *c);
u64 weir_model_window_packets(const struct weir_model_config *c);
u64 weir_model_states(const struct weir_model_config *c);

struct weir_model_result {
	double normalized_throughput; /* mean window over BDP, ATh / C */
	double mean_window_packets;
	/* Mean time between two reductions, losses by error included; 0: fewer than one in all iterations. */
	double epoch_rtts;
	double loss_free_epoch_rtts; /* the same from overflow to overflow: the sum of 1 / lambda in eq. 7 */
	/* How often a distribution was advanced; 0 where the law was solved for. */
	u64 iterations;
	/* Literal: the mean window stays within 1 % of its stationary value from here on. */
	bool is_steady;
	u64 steady_iterations;
	u64 window_packets; /* W */
	/* The stationary law, where it was asked for: of the states as they follow each other, and the share
	 * of the time in each. State i stands for a window of first_packets + i * step_packets. */
	u64 n, first_packets, step_packets;
	double *probability, *time_share; /* NULL: not asked for */
};

/* 0, or -1 with errno ENOMEM; *out is to be freed in any case. The configuration has passed weir_model_check.
 */
int weir_model_throughput(const struct weir_model_config *c, bool distribution,
			  struct weir_model_result *out);
/* The literal reading as it goes: mean_packets[t - 1] is E[w_t] after t transitions, running[t - 1] the
 * normalised throughput by eq. 33 so far. Both have room for c->iterations. */
int weir_model_iterations(const struct weir_model_config *c, double *mean_packets, double *running,
			  struct weir_model_result *out);
void weir_model_result_free(struct weir_model_result *r);

/* Eq. 36: the lambda_max that the paper recommends, ceil(8.91 - 7 beta). */
double weir_model_eq36(double beta);

#endif
