/* SPDX-License-Identifier: MIT */
/* What acp-robust knows of a path: the least of RTT and of the way there, how much of the latter is queueing,
 * how much is lost, how regular answers come; and one phase of sending at one rate. No libm, nothing divides
 * by a number that can be 0. */
#ifndef WEIR_AGE_ACP_ROBUST_PATH_H
#define WEIR_AGE_ACP_ROBUST_PATH_H

#include "weir/age.h"

#define ROBUST_RTT_MIN_S 1e-6 /* a clock may be that coarse */
#define ROBUST_RTT_MAX_S 1e3
#define ROBUST_DRIFT 50e-6 /* of two clocks against each other: the way there may seem to grow by it */
#define ROBUST_LOSS_MAX .9

static inline double robust_larger(double a, double b)
{
	return a > b ? a : b;
}

static inline double robust_smaller(double a, double b)
{
	return a < b ? a : b;
}

static inline double robust_between(double x, double low, double high)
{
	return robust_smaller(robust_larger(x, low), high);
}

/* Minimum over the last one to two windows. */
struct robust_base {
	double now_s, before_s; /* minima of the running window and of the one before */
	double at_s;		/* when the smaller one was seen */
};

static inline double robust_base(const struct robust_base *b)
{
	return robust_smaller(b->now_s, b->before_s);
}

static inline void robust_base_take(struct robust_base *b, double x_s, double now_s)
{
	if (x_s <= robust_base(b))
		b->at_s = now_s;
	b->now_s = robust_smaller(b->now_s, x_s);
}

static inline void robust_base_turn(struct robust_base *b, double x_s)
{
	b->before_s = b->now_s;
	b->now_s = x_s;
}

struct robust_path {
	struct robust_base rtt, forward;
	double window_s; /* when the running window began */
	double srtt_s;	 /* smoothed */
	double loss;	 /* of updates on the way there; those of ACKs are no loss */
	double queue_s;	 /* newest sample: queueing of the way there, at most that of the RTT */
	double step_s;	 /* mean of |difference| of queueing between neighbours: jitter, not a slow queue */
	double gap_s;	 /* long gaps between ACKs, as they are usual here */
	double last_ack_s;
	bool seen; /* a sample of the way there */
};

static inline void robust_path_begin(struct robust_path *p, double now_s, double rtt_s)
{
	p->srtt_s = robust_between(rtt_s, ROBUST_RTT_MIN_S, ROBUST_RTT_MAX_S);
	p->rtt.now_s = p->rtt.before_s = p->srtt_s;
	p->window_s = p->last_ack_s = now_s;
	p->seen = false;
	p->loss = p->queue_s = p->step_s = p->gap_s = 0;
}

static inline void robust_path_windows(struct robust_path *p, double now_s, double rtt_s, double forward_s,
				       double window_s)
{
	if (!p->seen) {
		p->forward.now_s = p->forward.before_s = forward_s;
		p->seen = true;
	}
	if (now_s - p->window_s > robust_larger(window_s, 20 * p->srtt_s)) {
		robust_base_turn(&p->rtt, rtt_s);
		robust_base_turn(&p->forward, forward_s);
		p->window_s = now_s;
	}
	robust_base_take(&p->rtt, rtt_s, now_s);
	robust_base_take(&p->forward, forward_s, now_s);
}

/* What is queued on the way there. The RTT's excess bounds it; between that and the one-way excess only drift
 * of the clocks can lie. */
static inline double robust_path_queue(const struct robust_path *p, double now_s, double rtt_s,
				       double forward_s)
{
	double there_s = forward_s - robust_base(&p->forward) + ROBUST_DRIFT * (now_s - p->forward.at_s);
	return robust_larger(robust_smaller(rtt_s - robust_base(&p->rtt), there_s), 0);
}

static inline void robust_path_ack(struct robust_path *p, const struct weir_age_ack *a, double window_s)
{
	double n = robust_larger(a->newly_acked, 1), lost = robust_larger(n - a->newly_arrived, 0);
	double weight = robust_smaller(.01 * n, .2);
	p->loss = robust_smaller(p->loss + weight * (lost / n - p->loss), ROBUST_LOSS_MAX);
	p->last_ack_s = a->now_s;
	if (a->gap_s > 0)
		p->gap_s += (a->gap_s > p->gap_s ? .3 : .02) * (a->gap_s - p->gap_s);
	if (!(a->rtt_s > 0))
		return;
	double rtt_s = robust_between(a->rtt_s, ROBUST_RTT_MIN_S, ROBUST_RTT_MAX_S);
	robust_path_windows(p, a->now_s, rtt_s, a->forward_s, window_s);
	p->srtt_s += .1 * (rtt_s - p->srtt_s);
	double queue_s = robust_path_queue(p, a->now_s, rtt_s, a->forward_s), step_s = queue_s - p->queue_s;
	p->step_s += .05 * ((step_s < 0 ? -step_s : step_s) - p->step_s);
	p->queue_s = queue_s;
}

/* Mean age between updates is half a period where none is lost; with losses that do not know of each other it
 * is (1 + p) / (1 - p) times that. */
static inline double robust_half_period(const struct robust_path *p, double period_s)
{
	return period_s / 2 * (1 + p->loss) / (1 - p->loss);
}

/* So many updates in a row may be missing before one in a thousand such rows is no accident. */
static inline double robust_missing(const struct robust_path *p)
{
	double n = 3;
	for (double q = p->loss; q > 1e-3 && n < 60; q *= p->loss)
		n++;
	return n;
}

/* ---- a phase ---- */

/* Updates sent at one rate from begin_s on, in so far as they have been acknowledged: delay of the way there,
 * its spread, its line over send time, queueing, RTT. */
struct robust_phase {
	double begin_s, end_s; /* by send time */
	double period_s;
	double n, mean_s, squares;   /* of forward_s; squares of the differences from its mean */
	double time_s, times, cross; /* mean send time after begin_s; sums for the line */
	double queue_s, rtt_s;	     /* sums */
};

static inline void robust_phase_take(struct robust_phase *f, double sent_s, double forward_s, double queue_s,
				     double rtt_s)
{
	double off_s = forward_s - f->mean_s, late_s = sent_s - f->begin_s - f->time_s;
	f->n++;
	f->mean_s += off_s / f->n;
	f->squares += off_s * (forward_s - f->mean_s);
	f->time_s += late_s / f->n;
	f->times += late_s * (sent_s - f->begin_s - f->time_s);
	f->cross += late_s * (forward_s - f->mean_s);
	f->queue_s += queue_s;
	f->rtt_s += rtt_s;
}

/* Mean number of updates of ours that wait. */
static inline double robust_phase_waiting(const struct robust_phase *f)
{
	return f->queue_s / f->n / f->period_s;
}

/* Variance of the mean, by the spread within the phase. */
static inline double robust_phase_variance(const struct robust_phase *f)
{
	return f->squares / (f->n * f->n);
}

/* How fast the delay grows with send time, where that is more than three standard errors; else 0. A queue
 * that we overload grows by rate / capacity - 1. */
static inline double robust_phase_trend(const struct robust_phase *f)
{
	if (f->n < 3 || !(f->times > 0))
		return 0;
	double slope = f->cross / f->times;
	double rest = robust_larger(f->squares - slope * f->cross, 0) / (f->n - 2);
	return slope * slope > 9 * (rest / f->times + 1e-8) ? slope : 0;
}

#endif
