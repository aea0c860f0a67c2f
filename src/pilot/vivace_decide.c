/* SPDX-License-Identifier: MIT */
/* Starting, probing and moving. */
#include "core/fmath.h"
#include "pilot/vivace_state.h"
#include "weir/num.h"

#define LEAST_PACKETS 2 /* in a round trip, and in 100 ms where there is none yet */
#define UNKNOWN_RTT_NS (100 * WEIR_NS_PER_MS)
#define JUDGED_LOSS .01 /* a limited sender that loses so much is judged all the same */

double vivace_bounded(const struct vivace *s, const struct vivace_params *p, double rate_Bps)
{
	double rtt_s = (double)(s->srtt_ns ? s->srtt_ns : UNKNOWN_RTT_NS) * 1e-9;
	double low = LEAST_PACKETS * (double)s->mss_bytes / rtt_s, high = (double)p->max_rate_Bps;
	if (low < (double)p->min_rate_Bps)
		low = (double)p->min_rate_Bps;
	if (!(rate_Bps >= low)) /* nor is a NaN */
		rate_Bps = low;
	rate_Bps = rate_Bps < high ? rate_Bps : high;
	return rate_Bps > 1 ? rate_Bps : 1;
}

static void begin(struct vivace *s, const struct vivace_params *p, const struct weir_report *r,
		  const double *rate_Bps, u32 n)
{
	vivace_batch_begin(&s->batch, r, rate_Bps, n, s->rules.packets, p->interval_floor_ns);
}

static void try_rate(struct vivace *s, const struct vivace_params *p, const struct weir_report *r,
		     enum vivace_state state, double rate_Bps)
{
	s->state = state;
	s->rate_Bps = vivace_bounded(s, p, rate_Bps);
	begin(s, p, r, &s->rate_Bps, 1);
}

/* Two pairs of a rate above and one below, each pair in an order of its own. */
static void probe_around(struct vivace *s, const struct vivace_params *p, const struct weir_report *r,
			 double rate_Bps)
{
	double rate[VIVACE_INTERVALS];
	s->state = VIVACE_PROBING;
	s->rate_Bps = vivace_bounded(s, p, rate_Bps);
	double above = vivace_bounded(s, p, s->rate_Bps * (1 + s->rules.epsilon));
	double below = vivace_bounded(s, p, s->rate_Bps * (1 - s->rules.epsilon));
	for (u32 i = 0; i < VIVACE_INTERVALS; i += 2) {
		bool first = weir_rng_below(&s->rng, 2);
		rate[i] = first ? above : below;
		rate[i + 1] = first ? below : above;
	}
	begin(s, p, r, rate, VIVACE_INTERVALS);
}

void vivace_again(struct vivace *s, const struct vivace_params *p, const struct weir_report *r)
{
	if (s->state == VIVACE_PROBING)
		probe_around(s, p, r, s->rate_Bps);
	else
		try_rate(s, p, r, s->state, s->rate_Bps);
}

static double utility_of(struct vivace *s, const struct vivace_interval *i)
{
	bool starting = s->state == VIVACE_STARTING;
	s->rtt_gradient = vivace_rtt_gradient(&s->rules, i, s->mss_bytes, starting);
	s->loss = vivace_loss(&s->rules, i, starting);
	s->utility = vivace_utility(&s->rules, i->rate_Bps, s->rtt_gradient, s->loss);
	return s->utility;
}

/* Faster while that pays; then back to the last rate that did. */
static void decide_starting(struct vivace *s, const struct vivace_params *p, const struct weir_report *r)
{
	double utility = utility_of(s, &s->batch.interval[0]);
	bool first = s->from_Bps == 0;
	if (first || utility > s->from_utility) {
		s->from_Bps = s->rate_Bps;
		s->from_utility = utility;
		try_rate(s, p, r, VIVACE_STARTING, s->rate_Bps * s->rules.start_gain);
		return;
	}
	probe_around(s, p, r, s->from_Bps);
}

/* The published variant's slip (issue 5 of its repository): the better probe's rate is taken, but its
 * interval is sent at the old one. Measured against itself it has no gradient, and the least step up follows.
 */
static void take_old_rate(struct vivace *s, const struct vivace_params *p, const struct weir_report *r,
			  double better_Bps)
{
	double old_Bps = s->rate_Bps;
	s->state = VIVACE_MOVING;
	s->rate_Bps = better_Bps;
	s->gait.way = 1;
	begin(s, p, r, &old_Bps, 1);
}

/* Both pairs must say the same. The first step goes from the better probe (kernel) or from the rate between
 * them (paper), along the mean of both gradients, and is measured against there. */
static void decide_probing(struct vivace *s, const struct vivace_params *p, const struct weir_report *r)
{
	double gradient[2], better_Bps = 0, better_utility = 0;
	for (u32 pair = 0; pair < 2; pair++) {
		const struct vivace_interval *i = &s->batch.interval[2 * pair];
		double first = utility_of(s, &i[0]), second = utility_of(s, &i[1]);
		gradient[pair] = vivace_gradient(&s->rules, i[1].rate_Bps, second, i[0].rate_Bps, first);
		better_Bps = second > first ? i[1].rate_Bps : i[0].rate_Bps;
		better_utility = second > first ? second : first;
	}
	s->gradient = (gradient[0] + gradient[1]) / 2;
	if (!(gradient[0] * gradient[1] > 0)) {
		probe_around(s, p, r, s->rate_Bps);
		return;
	}
	s->from_Bps = better_Bps;
	s->from_utility = better_utility;
	if (s->rules.published_slip) {
		take_old_rate(s, p, r, better_Bps);
		return;
	}
	double base_Bps = s->rules.kernel ? better_Bps : s->rate_Bps;
	double step_Bps = vivace_step_Bps(&s->rules, &s->gait, base_Bps, s->gradient);
	try_rate(s, p, r, VIVACE_MOVING, base_Bps + step_Bps);
}

/* On while it goes the same way. Else around the step back (kernel), or where it was better (paper). */
static void decide_moving(struct vivace *s, const struct vivace_params *p, const struct weir_report *r)
{
	double rate_Bps = s->rate_Bps, utility = utility_of(s, &s->batch.interval[0]);
	s->gradient = vivace_gradient(&s->rules, rate_Bps, utility, s->from_Bps, s->from_utility);
	int way = s->gait.way;
	bool turns = s->gradient < 0 ? way > 0 : s->gradient > 0 ? way < 0 : !s->rules.kernel;
	if (turns && !s->rules.kernel) {
		s->gait.same = s->gait.cut = 0;
		probe_around(s, p, r, s->from_Bps);
		return;
	}
	double step_Bps = vivace_step_Bps(&s->rules, &s->gait, rate_Bps, s->gradient);
	s->from_Bps = rate_Bps;
	s->from_utility = utility;
	if (s->gait.way != way)
		probe_around(s, p, r, rate_Bps + step_Bps);
	else
		try_rate(s, p, r, VIVACE_MOVING, rate_Bps + step_Bps);
}

static bool is_limited(const struct vivace *s)
{
	double lost = 0, all = 1;
	bool limited = false;
	for (u32 i = 0; i < s->batch.n; i++) {
		const struct vivace_interval *v = &s->batch.interval[i];
		limited |= vivace_interval_limited(v, s->mss_bytes);
		lost += v->lost_bytes;
		all += v->acked_bytes + v->lost_bytes;
	}
	return limited && lost < JUDGED_LOSS * all;
}

void vivace_decide(struct vivace *s, const struct vivace_params *p, const struct weir_report *r)
{
	s->limited = is_limited(s);
	if (s->limited)
		vivace_again(s, p, r);
	else if (s->state == VIVACE_STARTING)
		decide_starting(s, p, r);
	else if (s->state == VIVACE_PROBING)
		decide_probing(s, p, r);
	else
		decide_moving(s, p, r);
}
