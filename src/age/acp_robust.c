/* SPDX-License-Identifier: MIT */
/* acp-robust, Weir's own age controller and the default of `weir source`. docs/acp-robust.md tells the rule
 * on a page and what each weakness of ACP+ is answered with; the numbers below were measured there.
 *
 * The mean age is half a period (more with losses) plus the delay of the way there. The rate grows as long as
 * fewer than a quarter of an update waits, since then nothing can be won by sending less. Where more waits,
 * two phases, a little slower and a little faster, tell whether what waits is ours: the better one shows the
 * direction, by as much as the difference stands out of what such differences scatter by anyway, and in doubt
 * it goes down. A queue that grows in step with sending tells the capacity. What lies far out, a surge of the
 * queue or silence, is let drain by a lone update first. */
#include "acp_robust_state.h"
#include "table.h"

static const struct weir_param acp_robust_param_table[] = {
    {"in_flight", "", 10, 1, 1000, "most updates under way in one RTT: more would hardly make the age less"},
    {"samples", "", 8, 4, 1000, "acknowledged updates that a phase is judged by"},
    {"waiting", "ratio", 250000, 10000, 10000000, "updates that may wait in queues without a doubt"},
    {"doubt", "ratio", 600000, 0, 2000000, "how much a doubtful comparison leans to sending less"},
    {"window", "ns", 10000000000ULL, 100000000, 1000000000000ULL, "of the smallest RTT, at least 20 RTTs"},
};
static const struct weir_signal acp_robust_signal_table[] = {
    {"base_rtt", "ns"}, {"queue", "ns"},   {"waiting", ""}, {"target", "Hz"},
    {"limit", "Hz"},	{"loss", "ratio"}, {"dither", ""},  {"mode", ""}};

static void robust_compare(struct acp_robust *s, const struct acp_robust_params *p, double now_s,
			   struct weir_age_out *o)
{
	s->second = 0;
	s->waits = 0;
	s->faster_first = robust_random(s) & 1;
	robust_begin(s, p, now_s, s->faster_first ? ROBUST_FASTER : ROBUST_SLOWER, o);
}

static void acp_robust_init(void *state, const void *params, double now_s, double rtt_s,
			    struct weir_age_out *o)
{
	struct acp_robust *s = (struct acp_robust *)state;
	robust_path_begin(&s->path, now_s, rtt_s);
	s->rtt_s = s->path.srtt_s;
	s->rate_hz = 1 / s->rtt_s;
	s->limit_hz = ROBUST_UNLIMITED;
	s->dither = 1.2;
	s->hold = 1;
	s->quiet_s = now_s;
	s->random = 2463534242U;
	robust_begin(s, ROBUST_PARAMS(params), now_s, ROBUST_STARTING, o);
}

/* ---- decisions at the end of a phase ---- */

/* Nothing waits: more. */
static void robust_up(struct acp_robust *s, const struct acp_robust_params *p, double now_s,
		      struct weir_age_out *o)
{
	if (s->rate_hz > .99 * robust_most_hz(s, p)) {
		s->held = 0;
		robust_begin(s, p, now_s, ROBUST_CLIMBING, o);
	} else if (s->mode == ROBUST_STARTING) {
		s->rate_hz *= ROBUST_START;
		robust_begin(s, p, now_s, ROBUST_STARTING, o);
	} else if (s->rate_hz < ROBUST_NEAR * s->limit_hz) {
		double factor = 1;
		for (u32 i = 0; i <= s->streak / 2 && factor < ROBUST_START; i++)
			factor *= ROBUST_STEP;
		s->streak = s->streak < 16 ? s->streak + 1 : 16;
		s->rate_hz = robust_smaller(s->rate_hz * robust_smaller(factor, ROBUST_START),
					    ROBUST_NEAR * s->limit_hz * 1.0001);
		robust_begin(s, p, now_s, ROBUST_CLIMBING, o);
	} else if (++s->held < s->hold) {
		robust_begin(s, p, now_s, ROBUST_CLIMBING, o);
	} else {
		s->held = 0;
		s->kept = s->phase[0];
		s->before_hz = s->rate_hz;
		s->rate_hz *= ROBUST_STEP;
		robust_begin(s, p, now_s, ROBUST_PROBING, o);
	}
}

/* The capacity, or our share of it, is known. */
static void robust_limit(struct acp_robust *s, const struct acp_robust_params *p, double now_s,
			 double limit_hz, struct weir_age_out *o)
{
	s->limit_hz = limit_hz;
	s->streak = 0;
	s->rate_hz = robust_smaller(s->rate_hz, ROBUST_NEAR * limit_hz);
	robust_begin(s, p, now_s, ROBUST_CLIMBING, o);
}

static void robust_look_less_often(struct acp_robust *s)
{
	s->hold = s->hold * 2 < ROBUST_HOLD_MAX ? (u8)(s->hold * 2) : ROBUST_HOLD_MAX;
}

static double robust_age(const struct acp_robust *s, const struct robust_phase *f)
{
	return f->mean_s + robust_half_period(&s->path, f->period_s);
}

static bool robust_probe_failed(const struct acp_robust *s)
{
	const struct robust_phase *f = &s->phase[0];
	double more_s = robust_age(s, f) - robust_age(s, &s->kept);
	double error_s = .01 * f->period_s;
	return more_s > 0 && more_s * more_s > robust_phase_variance(f) + robust_phase_variance(&s->kept) +
						   error_s * error_s;
}

static void robust_single(struct acp_robust *s, const struct acp_robust_params *p, double now_s,
			  struct weir_age_out *o)
{
	const struct robust_phase *f = &s->phase[0];
	double trend = robust_phase_trend(f);
	bool probe = s->mode == ROBUST_PROBING;
	if (robust_phase_waiting(f) <= (double)p->waiting * 1e-6 && !(probe && trend > ROBUST_PROBE_GROWS)) {
		if (probe) {
			s->hold = 1;
			s->limit_hz = ROBUST_UNLIMITED;
			s->streak++;
		}
		robust_up(s, p, now_s, o);
	} else if (trend > (probe ? ROBUST_PROBE_GROWS : ROBUST_GROWS)) {
		robust_look_less_often(s);
		robust_limit(s, p, now_s, s->now_hz / (1 + trend), o);
	} else if (s->mode == ROBUST_STARTING) {
		s->rate_hz /= ROBUST_STRIDE;
		robust_begin(s, p, now_s, ROBUST_CLIMBING, o);
	} else if (probe && robust_probe_failed(s)) {
		robust_look_less_often(s);
		s->rate_hz = s->before_hz;
		robust_limit(s, p, now_s, s->rate_hz / ROBUST_NEAR, o);
	} else if (trend < -.02 && ++s->waits < 4) {
		robust_begin(s, p, now_s, ROBUST_CLIMBING, o); /* it drains */
	} else {
		robust_compare(s, p, now_s, o);
	}
}

/* Signed square of the difference over its error, within -1 to 1: 1 from twice the error on. */
static double robust_verdict(struct acp_robust *s, const struct robust_phase *slower,
			     const struct robust_phase *faster)
{
	double d_s = robust_age(s, slower) - robust_age(s, faster), change_s = d_s - s->difference_s;
	double error_s = .01 * faster->period_s;
	double variance = robust_phase_variance(slower) + robust_phase_variance(faster) + error_s * error_s;
	if (s->comparisons++)
		s->scatter_s2 += (s->comparisons < 6 ? .5 : .25) * (change_s * change_s / 2 - s->scatter_s2);
	s->difference_s = d_s;
	double square = d_s * d_s / robust_larger(variance, s->scatter_s2);
	if (square < 1)
		s->dither = robust_smaller(s->dither * 1.1, ROBUST_DITHER_MAX);
	else if (square > 4)
		s->dither = robust_larger(s->dither / 1.1, ROBUST_DITHER_MIN);
	square = robust_smaller(square / 4, 1);
	return d_s < 0 ? -square : square;
}

static void robust_pair(struct acp_robust *s, const struct acp_robust_params *p, double now_s,
			struct weir_age_out *o)
{
	const struct robust_phase *slower = &s->phase[0], *faster = &s->phase[1];
	double slow = robust_phase_trend(slower), fast = robust_phase_trend(faster);
	double fast_hz = 1 / faster->period_s / (1 + fast);
	if (fast > ROBUST_GROWS && slow > ROBUST_GROWS / 2) { /* both are too much */
		robust_limit(s, p, now_s, fast_hz, o);
		return;
	}
	if (fast > ROBUST_GROWS && slow < 0) { /* the capacity lies between */
		robust_limit(s, p, now_s, robust_smaller(fast_hz, 1 / slower->period_s / (1 + slow)), o);
		return;
	}
	double least = (double)p->waiting * 1e-6;
	double waiting = (robust_phase_waiting(slower) + robust_phase_waiting(faster)) / 2;
	double verdict = robust_verdict(s, slower, faster);
	if (waiting > least)
		verdict = robust_larger(verdict - (double)p->doubt * 1e-6 * (1 - least / waiting), -1);
	if (verdict < 0)
		s->rate_hz /= 1 - verdict * (ROBUST_STEP - 1 + robust_smaller(waiting / 6, 1) * .9);
	else
		s->rate_hz *= 1 + verdict * (ROBUST_STRIDE - 1);
	if (s->rate_hz > s->limit_hz)
		s->limit_hz = ROBUST_UNLIMITED;
	if (robust_phase_waiting(slower) <= least)
		robust_begin(s, p, now_s, ROBUST_CLIMBING, o);
	else
		robust_compare(s, p, now_s, o);
}

static void robust_decide(struct acp_robust *s, const struct acp_robust_params *p, double now_s,
			  struct weir_age_out *o)
{
	const struct robust_phase *f = &s->phase[s->mode == ROBUST_FASTER];
	double sent_hz = (double)(s->sent - s->sent_before) / robust_larger(now_s - s->phase_s, 1e-9);
	s->rtt_s = f->rtt_s / f->n;
	s->queue_s = f->queue_s / f->n;
	if (sent_hz < .7 * s->now_hz && robust_phase_trend(f) <= ROBUST_GROWS) {
		/* the application, or the host, sent less: nothing is known of more */
		s->rate_hz = robust_smaller(s->rate_hz, robust_larger(sent_hz * ROBUST_STRIDE, 1 / s->rtt_s));
		robust_begin(s, p, now_s, ROBUST_CLIMBING, o);
	} else if (s->marked) { /* ECN: as if the queue had grown */
		robust_limit(s, p, now_s, s->now_hz, o);
	} else if (s->mode != ROBUST_SLOWER && s->mode != ROBUST_FASTER) {
		robust_single(s, p, now_s, o);
	} else if (!s->second) {
		s->second = 1;
		robust_begin(s, p, now_s, s->faster_first ? ROBUST_SLOWER : ROBUST_FASTER, o);
	} else {
		robust_pair(s, p, now_s, o);
	}
}

/* ---- surges and silence ---- */

static void robust_brake(struct acp_robust *s, double now_s, enum robust_mode mode, struct weir_age_out *o)
{
	double silence_s = now_s - s->path.last_ack_s;
	s->mode = (u8)mode;
	s->before_hz = s->rate_hz;
	s->brake_s = now_s;
	s->flushed = s->surge_s = 0;
	s->first_s = s->last_s = -1;
	s->sent_before = s->sent;
	s->lone_s = robust_larger(s->rtt_s, silence_s);
	s->now_hz = 1 / s->lone_s;
	if (mode == ROBUST_SILENT)
		s->now_hz = robust_smaller(s->rate_hz / 2,
					   ROBUST_SILENCE / robust_larger(silence_s, ROBUST_RTT_MIN_S));
	robust_beat(s, o);
}

/* An update that left after the surge was noticed is there: what was under way has gone, and told at what
 * rate it could go. If it had hardly to wait, there was no surge but losses. */
static void robust_drained(struct acp_robust *s, const struct acp_robust_params *p, double now_s,
			   double rtt_s, struct weir_age_out *o)
{
	double served_hz =
	    s->flushed >= 3 && s->last_s > s->first_s ? s->flushed / (s->last_s - s->first_s) : 0;
	s->rate_hz = s->before_hz;
	if (s->surge_s > s->queue_s + 2 / s->before_hz + 2 * s->path.step_s) {
		s->limit_hz = served_hz > 0 ? robust_smaller(served_hz, s->before_hz) : s->before_hz;
		s->rate_hz = served_hz > 0 ? robust_smaller(ROBUST_FLUSHED * served_hz, s->before_hz)
					   : s->before_hz / 2;
		s->hold = 1;
		s->streak = 0;
	}
	s->path.srtt_s = robust_between(robust_smaller(rtt_s, s->rtt_s), ROBUST_RTT_MIN_S, ROBUST_RTT_MAX_S);
	s->quiet_s = now_s + robust_smaller(rtt_s, s->rtt_s);
	robust_begin(s, p, now_s, ROBUST_CLIMBING, o);
}

/* Counts what leaves the queue. A gap out of all proportion is the path's rest, after which it begins. */
static void robust_flush(struct acp_robust *s, const struct weir_age_ack *a)
{
	double usual_s = s->flushed > 0 ? (s->last_s - s->first_s) / s->flushed : 2 / s->before_hz;
	if (s->first_s < 0 || a->now_s - s->last_s > 8 * usual_s) {
		s->first_s = a->now_s;
		s->flushed = 0;
	} else {
		s->flushed += a->newly_acked;
	}
	s->last_s = a->now_s;
}

static void robust_drain(struct acp_robust *s, const struct acp_robust_params *p,
			 const struct weir_age_ack *a, struct weir_age_out *o)
{
	bool silent = s->mode == ROBUST_SILENT;
	s->surge_s = robust_larger(s->surge_s, s->path.queue_s);
	if (a->now_s - a->rtt_s >= s->brake_s - 1e-9) {
		robust_drained(s, p, a->now_s, a->rtt_s, o);
		return;
	}
	robust_flush(s, a);
	s->lone_s = robust_larger(s->lone_s, robust_smaller(a->rtt_s, ROBUST_RTT_MAX_S));
	if (silent || a->sent > s->sent_before)
		s->now_hz = 1 / (2 * s->lone_s);
	robust_beat(s, o);
}

static void acp_robust_on_ack(void *state, const void *params, const struct weir_age_ack *a,
			      struct weir_age_out *o)
{
	struct acp_robust *s = (struct acp_robust *)state;
	const struct acp_robust_params *p = ROBUST_PARAMS(params);
	robust_path_ack(&s->path, a, (double)p->window_ns * 1e-9);
	s->sent = a->sent;
	s->unanswered = 0;
	s->marked += a->newly_marked;
	if (!(a->rtt_s > 0))
		return;
	if (s->mode >= ROBUST_DRAINING) {
		robust_drain(s, p, a, o);
		return;
	}
	struct robust_phase *f = &s->phase[s->mode == ROBUST_FASTER];
	double sent_s = a->now_s - a->rtt_s;
	if (sent_s >= f->begin_s - 1e-12)
		robust_phase_take(f, sent_s, a->forward_s, s->path.queue_s, a->rtt_s);
	if (s->path.queue_s > s->queue_s + robust_missing(&s->path) / s->now_hz + 2 * s->path.step_s)
		robust_brake(s, a->now_s, ROBUST_DRAINING, o);
	else if (sent_s >= f->end_s && f->n >= 3)
		robust_decide(s, p, a->now_s, o);
}

static bool robust_is_silent(const struct acp_robust *s, double now_s)
{
	double quiet_s = now_s - robust_larger(s->path.last_ack_s, s->quiet_s);
	return quiet_s > .5 * s->rtt_s && quiet_s > 1.5 * s->path.gap_s && quiet_s > 2 * s->path.step_s &&
	       quiet_s * s->now_hz > 1 + robust_missing(&s->path);
}

static void acp_robust_on_epoch(void *state, const void *params, const struct weir_age_epoch *e,
				struct weir_age_out *o)
{
	struct acp_robust *s = (struct acp_robust *)state;
	double silence_s = e->now_s - s->path.last_ack_s;
	if (e->flags & WEIR_AGE_STALLED) { /* the host slept: what was under way says nothing */
		s->path.last_ack_s = s->quiet_s = e->now_s;
		robust_begin(s, ROBUST_PARAMS(params), e->now_s,
			     s->mode >= ROBUST_DRAINING ? ROBUST_CLIMBING : (enum robust_mode)s->mode, o);
		return;
	}
	s->unanswered = e->flags & WEIR_AGE_SILENT ? s->unanswered + e->sent : 0;
	if (s->mode == ROBUST_SILENT)
		s->now_hz = robust_smaller(s->before_hz / 2,
					   ROBUST_SILENCE / robust_larger(silence_s, ROBUST_RTT_MIN_S));
	else if (s->mode == ROBUST_DRAINING && silence_s > 2 * s->lone_s)
		s->now_hz = 1 / robust_larger(s->lone_s, silence_s / ROBUST_SILENCE);
	else if (s->mode < ROBUST_DRAINING && s->unanswered && robust_is_silent(s, e->now_s)) {
		robust_brake(s, e->now_s, ROBUST_SILENT, o);
		return;
	}
	robust_beat(s, o);
}

static void acp_robust_probe(const void *state, double value[WEIR_AGE_SIGNALS_MAX])
{
	const struct acp_robust *s = (const struct acp_robust *)state;
	value[0] = robust_base(&s->path.rtt) * 1e9;
	value[1] = s->queue_s * 1e9;
	value[2] = s->queue_s * s->rate_hz;
	value[3] = s->rate_hz * 1e6;
	value[4] = s->limit_hz < ROBUST_UNLIMITED ? s->limit_hz * 1e6 : 0;
	value[5] = s->path.loss * 1e6;
	value[6] = s->dither;
	value[7] = s->mode;
}

WEIR_AGE_CONTROLLER(acp_robust, "acp-robust",
		    "grows while nothing waits, compares slower with faster where something does",
		    "docs/acp-robust.md, after ACP+ (arXiv 2210.12539)", NULL);
