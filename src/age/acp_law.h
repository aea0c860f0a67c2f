/* SPDX-License-Identifier: MIT */
/* Algorithm 1 and equations 6 to 8 of "ACP+: An Age Control Protocol For the Internet" (arXiv 2210.12539), in
 * the form that the paper's line references imply, and as its authors' program has them. What the paper does
 * not say: the clamp (l.160-166 of client_acp.cpp), ties, the resets of gamma:
 * docs/decisions/024-fresh-telemetry.md. */
#ifndef WEIR_AGE_ACP_LAW_H
#define WEIR_AGE_ACP_LAW_H

#include "weir/age.h"
#include "weir/num.h"

#define WEIR_ACP_RTT_MIN_S 1e-6 /* nothing is divided by less: a clock may be that coarse */
#define WEIR_ACP_GAP_MIN_S 1e-7
#define WEIR_ACP_STALLED_HZ                                                                                  \
	1e-3 /* what is left of a rate that eq. 8 makes 0 or negative, with the clamp off */
#define WEIR_ACP_GAMMA_MAX 30

enum weir_acp_action { WEIR_ACP_NONE, WEIR_ACP_INC, WEIR_ACP_DEC, WEIR_ACP_MDEC };

struct weir_acp_law {
	double rtt_s, gap_s;	       /* RTTbar, Zbar: eq. 6 */
	double rate_hz;		       /* lambda */
	double age_s, backlog_updates; /* averages of the epoch before; valid when `seen` */
	double target;		       /* b* of the last decision */
	u32 gamma;
	u32 action;   /* enum weir_acp_action, the last */
	u8 flag;      /* of Algorithm 1 */
	u8 code_case; /* of the authors' program: its current_action */
	u8 seen;
};

struct weir_acp_constants {
	double kappa;
	bool clamp, code_form;
};

static inline double weir_acp_larger(double a, double b)
{
	return a > b ? a : b;
}

/* Eq. 6. */
static inline double weir_acp_smooth(double mean, double sample, double alpha)
{
	return (1 - alpha) * mean + alpha * sample;
}

static inline void weir_acp_begin(struct weir_acp_law *l, double rtt_s)
{
	l->rtt_s = l->gap_s = weir_acp_larger(rtt_s, WEIR_ACP_RTT_MIN_S);
	l->rate_hz = 1 / l->rtt_s;
}

/* After an outage or on another path: what was learnt of the gaps is void, the rate is no more than one a
 * RTT. */
static inline void weir_acp_resume(struct weir_acp_law *l, double rtt_s)
{
	rtt_s = weir_acp_larger(rtt_s, WEIR_ACP_RTT_MIN_S);
	l->rtt_s = rtt_s;
	l->rate_hz = l->rate_hz < 1 / rtt_s ? l->rate_hz : 1 / rtt_s;
	l->gap_s = 1 / l->rate_hz;
	l->gamma = 0;
	l->flag = l->code_case = l->seen = 0;
}

static inline void weir_acp_sample(struct weir_acp_law *l, double alpha, const struct weir_age_ack *a)
{
	if (a->rtt_s > 0)
		l->rtt_s = weir_acp_larger(weir_acp_smooth(l->rtt_s, a->rtt_s, alpha), WEIR_ACP_RTT_MIN_S);
	if (a->gap_s > 0)
		l->gap_s = weir_acp_larger(weir_acp_smooth(l->gap_s, a->gap_s, alpha), WEIR_ACP_GAP_MIN_S);
}

static inline enum weir_acp_action weir_acp_mdec(struct weir_acp_law *l)
{
	l->gamma = l->gamma < WEIR_ACP_GAMMA_MAX ? l->gamma : WEIR_ACP_GAMMA_MAX;
	return WEIR_ACP_MDEC;
}

/* Algorithm 1, lines 4 to 22. Signs: b > 0 is a grown backlog. No change of the age counts as growth, none of
 * the backlog as none (ties as in the authors' program). */
static inline enum weir_acp_action weir_acp_decide_flag(struct weir_acp_law *l, double b, double delta)
{
	if (delta >= 0 && b > 0) { /* lines 4-11 */
		bool again = l->flag;
		l->flag = 1;
		if (!again)
			return WEIR_ACP_DEC;
		l->gamma++;
		return weir_acp_mdec(l);
	}
	if (delta < 0 && b < 0 && l->flag && l->gamma > 0) /* lines 17-19 */
		return weir_acp_mdec(l);
	l->flag = 0;
	l->gamma = 0;
	return delta < 0 && b < 0 ? WEIR_ACP_DEC : WEIR_ACP_INC; /* lines 20-22; 12-16 */
}

/* The authors' program, l.340-393: after an MDEC in case D (5) another A begins with DEC again. */
static inline enum weir_acp_action weir_acp_decide_code(struct weir_acp_law *l, double b, double delta)
{
	u8 before = l->code_case;
	if (delta >= 0 && b > 0) { /* A */
		l->code_case = 1;
		l->gamma = before == 1 ? l->gamma + 1 : 0;
		return before == 1 ? weir_acp_mdec(l) : WEIR_ACP_DEC;
	}
	if (delta < 0 && b < 0) { /* D */
		if ((before == 1 || before == 5) && l->gamma > 0) {
			l->code_case = 5;
			return weir_acp_mdec(l);
		}
		l->code_case = 4;
		l->gamma = 0;
		return WEIR_ACP_DEC;
	}
	l->code_case = delta >= 0 ? 2 : 3; /* B, C */
	l->gamma = 0;
	return WEIR_ACP_INC;
}

/* Eq. 7. */
static inline double weir_acp_target(const struct weir_acp_law *l, double kappa, double backlog_updates)
{
	switch (l->action) {
	case WEIR_ACP_INC:
		return kappa;
	case WEIR_ACP_DEC:
		return -kappa;
	default:
		return -(1 - 1 / (double)(1ULL << l->gamma)) * backlog_updates;
	}
}

/* Eq. 8 with `divisor_s` for RTTbar, and the clamp. */
static inline void weir_acp_rate(struct weir_acp_law *l, const struct weir_acp_constants *c, double divisor_s)
{
	/* the program divides integers there, 1 / Z = 0 */
	double served_hz = c->code_form && l->action == WEIR_ACP_MDEC ? 0 : 1 / l->gap_s;
	double rate_hz = served_hz + l->target / divisor_s;
	if (c->clamp) {
		rate_hz = weir_acp_larger(rate_hz, .75 * l->rate_hz);
		rate_hz = rate_hz < 1.25 * l->rate_hz ? rate_hz : 1.25 * l->rate_hz;
	}
	l->rate_hz = weir_acp_larger(rate_hz, c->clamp ? 1e-6 : WEIR_ACP_STALLED_HZ);
}

/* The end of an epoch. No decision where the epoch says nothing of the path: the application had too little
 * to send, the host slept, or no ACK came; and none before two epochs can be compared. */
static inline void weir_acp_epoch(struct weir_acp_law *l, const struct weir_acp_constants *c,
				  double divisor_s, const struct weir_age_epoch *e)
{
	l->action = WEIR_ACP_NONE;
	if (e->flags & (WEIR_AGE_APP_LIMITED | WEIR_AGE_STALLED | WEIR_AGE_SILENT))
		return;
	if (l->seen) {
		double b = e->backlog_mean - l->backlog_updates, delta = e->age_mean_s - l->age_s;
		l->action =
		    c->code_form ? weir_acp_decide_code(l, b, delta) : weir_acp_decide_flag(l, b, delta);
		l->target = weir_acp_target(l, c->kappa, e->backlog_mean);
		weir_acp_rate(l, c, divisor_s);
	}
	l->seen = 1;
	l->age_s = e->age_mean_s;
	l->backlog_updates = e->backlog_mean;
}

/* mean_rtt, mean_gap, target, action, gamma. */
static inline void weir_acp_signals(const struct weir_acp_law *l, double value[WEIR_AGE_SIGNALS_MAX])
{
	value[0] = l->rtt_s * 1e9;
	value[1] = l->gap_s * 1e9;
	value[2] = l->target;
	value[3] = l->action;
	value[4] = l->gamma;
}

#endif
