/* SPDX-License-Identifier: MIT */
#include "pilot/detector_state.h"

#include "core/fmath.h"

#define LOW_HZ 1.
#define HIGH_HZ 15.
#define GAP_SAMPLES 5
#define RTT_MAX_NS (WEIR_NS_PER_S / 2)
/* Amplitude of the wave's first harmonic as a share of its height, by Fourier series of a half sine over a
 * quarter of the period and one of a third of the height below, over the rest. */
#define FIRST_HARMONIC .48
/* Of a wave, so much of which is left by averaging over one round trip, nothing can be said. */
#define LEFT_AT_LEAST .1
#define VISIBLE_AT_LEAST .25
#define PULSE_PACKETS 4
/* Swings of z below this share of mu are rounding, not traffic: quotients of nothing mean nothing. */
#define NOISE_FLOOR 1e-4
/* By eq. 6 of the paper an error of mu lets as large a share of our own wave into z. Up to 6.25 % must do no
 * harm: what is below a sixteenth of our wave is no answer at threshold 2. */
#define OWN_WAVE_FLOOR (1. / 32)
#define ETA_MAX 1e6

const char *weir_answer_reason_word(enum weir_answer_reason reason)
{
	switch (reason) {
	case WEIR_REASON_WARMING_UP:
		return "warming-up";
	case WEIR_REASON_NO_WAVE:
		return "no-wave";
	case WEIR_REASON_NO_RATE:
		return "no-rate";
	case WEIR_REASON_LONG_RTT:
		return "long-rtt";
	case WEIR_REASON_SMALL_PULSE:
		return "small-pulse";
	case WEIR_REASON_INVISIBLE_PULSE:
		return "invisible-pulse";
	case WEIR_REASON_EMPTY_QUEUE:
		return "empty-queue";
	case WEIR_REASON_APP_LIMITED:
		return "app-limited";
	case WEIR_REASON_ISOLATED_QUEUE:
		return "isolated-queue";
	case WEIR_REASON_PATH_CYCLE:
		return "path-cycle";
	case WEIR_REASON_NONE:
		break;
	}
	return "none";
}

void weir_detector_defaults(struct weir_detector_config *c)
{
	*c = (struct weir_detector_config){
	    .sample_ns = 10 * WEIR_NS_PER_MS, .samples = 500, .threshold = 2, .guard_hz = .5};
}

void weir_detector_init(struct weir_detector *d, const struct weir_detector_config *c)
{
	memset(d, 0, sizeof *d);
	d->config = *c;
	if (!d->config.sample_ns)
		d->config.sample_ns = 10 * WEIR_NS_PER_MS;
	weir_spectrum_frame_init(&d->frame, c->samples, d->config.sample_ns, LOW_HZ, HIGH_HZ);
	d->average_eta = 1;
	d->now = (struct weir_elasticity){.reason = WEIR_REASON_WARMING_UP, .eta = WEIR_NAN};
}

static void begin(struct weir_detector *d, u64 now_ns)
{
	weir_spectrum_frame_clear(&d->frame);
	weir_spectrum_clear(&d->z);
	weir_spectrum_clear(&d->receive);
	weir_spectrum_clear(&d->send);
	memset(d->used, 0, sizeof d->used);
	d->average_eta = 1;
	d->begun = true;
	d->grid_ns = now_ns;
	d->heard_ns = now_ns;
	d->wave_since_ns = now_ns;
}

static void push(struct weir_detector *d, enum weir_cross_use use)
{
	u32 place = d->frame.place;
	if (d->frame.count == d->frame.n)
		d->used[d->use[place]]--;
	d->use[place] = (u8)use;
	d->used[use]++;
	weir_spectrum_put(&d->z, &d->frame, d->held.z_Bps);
	weir_spectrum_put(&d->receive, &d->frame, d->held.receive_Bps);
	weir_spectrum_put(&d->send, &d->frame, d->held.send_Bps);
	weir_spectrum_frame_advance(&d->frame);
}

/* What a report brings stands until the next one; what it does not bring is held. */
static void take(struct weir_detector *d, const struct weir_cross *c)
{
	if (c->use <= WEIR_CROSS_REPAIR)
		return;
	d->held.send_Bps = c->send_Bps;
	d->held.receive_Bps = c->receive_Bps;
	if (c->use == WEIR_CROSS_GOOD)
		d->held.z_Bps = c->z_Bps;
	d->span_s += (d->span_s > 0 ? .05 : 1) * (c->span_s - d->span_s);
}

static u64 gap_ns(const struct weir_detector *d)
{
	u64 rtt_ns = d->srtt_ns < RTT_MAX_NS ? d->srtt_ns : RTT_MAX_NS,
	    least_ns = GAP_SAMPLES * d->config.sample_ns;
	u64 most_ns = d->frame.n / 2 * d->config.sample_ns;
	u64 gap = rtt_ns > least_ns ? rtt_ns : least_ns;
	return gap < most_ns ? gap : most_ns;
}

/* Puts the report on the grid; false: nothing new is on it. */
static bool follow(struct weir_detector *d, const struct weir_cross *c, u64 now_ns)
{
	bool heard = c->use != WEIR_CROSS_MISSING;
	if (!d->begun || now_ns < d->grid_ns || now_ns < d->heard_ns || now_ns - d->heard_ns > gap_ns(d)) {
		if (!heard) {
			d->begun = false;
			weir_spectrum_frame_clear(&d->frame);
			return true;
		}
		begin(d, now_ns);
		take(d, c);
		push(d, c->use);
		return true;
	}
	take(d, c);
	if (heard)
		d->heard_ns = now_ns;
	u64 steps = (now_ns - d->grid_ns) / d->config.sample_ns;
	for (u64 i = 0; i < steps && i < d->frame.n; i++)
		push(d, c->use);
	d->grid_ns += steps * d->config.sample_ns;
	return steps > 0;
}

static void follow_wave(struct weir_detector *d, u64 now_ns, double wave_hz, double wave_Bps)
{
	wave_Bps = weir_cross_rate(wave_Bps);
	if (!(wave_hz >= LOW_HZ && wave_hz <= HIGH_HZ / 2) || wave_Bps <= 0)
		wave_hz = wave_Bps = 0;
	if (wave_hz < d->wave_hz || wave_hz > d->wave_hz)
		d->wave_since_ns = now_ns;
	d->wave_hz = wave_hz;
	d->wave_Bps = wave_Bps;
}

/* What averaging over the time of a rate sample leaves of a wave: |sin x / x|, x = pi f W. */
static double left_of_wave(const struct weir_detector *d)
{
	double x = WEIR_TWO_PI / 2 * d->wave_hz * d->span_s;
	if (!(x > 1e-6))
		return 1;
	double left = weir_sin(x) / x;
	return left < 0 ? -left : left;
}

static enum weir_answer_reason not_applicable(const struct weir_detector *d)
{
	if (d->wave_hz <= 0)
		return WEIR_REASON_NO_WAVE;
	if (d->mu_Bps <= 0)
		return WEIR_REASON_NO_RATE;
	double left = left_of_wave(d);
	if (d->srtt_ns >= RTT_MAX_NS || d->span_s >= .5 || left < LEFT_AT_LEAST)
		return WEIR_REASON_LONG_RTT;
	/* a half sine over a quarter of the period */
	if (4 / WEIR_TWO_PI * d->wave_Bps / (4 * d->wave_hz) < PULSE_PACKETS * (double)d->mss_bytes)
		return WEIR_REASON_SMALL_PULSE;
	u32 n = d->frame.n;
	if (d->frame.count < n || d->grid_ns < d->wave_since_ns ||
	    d->grid_ns - d->wave_since_ns < (n - 1) * d->config.sample_ns)
		return WEIR_REASON_WARMING_UP;
	if (d->used[WEIR_CROSS_REPAIR] > n / 2)
		return WEIR_REASON_WARMING_UP;
	if (d->used[WEIR_CROSS_APP_LIMITED] > n / 2)
		return WEIR_REASON_APP_LIMITED;
	if (d->used[WEIR_CROSS_EMPTY_QUEUE] > n / 2)
		return WEIR_REASON_EMPTY_QUEUE;
	u32 at = weir_spectrum_index(&d->frame, d->wave_hz);
	double sent = weir_spectrum_amplitude(&d->send, &d->frame, at);
	if (sent < VISIBLE_AT_LEAST * FIRST_HARMONIC * left * d->wave_Bps)
		return WEIR_REASON_INVISIBLE_PULSE;
	return WEIR_REASON_NONE;
}

/* Our own wave is in S. Elastic traffic answers late and less than we ask, so that R shows the rest. In a
 * queue of our own R is the scheduler's: z = (mu / R - 1) S is in phase with S, and R stands still. And what
 * swings much farther than we do is no answer at all. */
static enum weir_answer_reason doubt(const struct weir_detector *d)
{
	u32 at = weir_spectrum_index(&d->frame, d->wave_hz);
	double sent = weir_spectrum_amplitude(&d->send, &d->frame, at);
	double power = d->send.re[at] * d->send.re[at] + d->send.im[at] * d->send.im[at];
	if (d->now.peak > 2 * sent)
		return WEIR_REASON_PATH_CYCLE;
	double mean_Bps = weir_spectrum_mean(&d->send, &d->frame, d->frame.n);
	if (!(power > 0) || !(mean_Bps > 0) || d->now.own_peak > .15 * sent)
		return WEIR_REASON_NONE;
	double gain = (d->z.re[at] * d->send.re[at] + d->z.im[at] * d->send.im[at]) / power;
	double across = (d->z.im[at] * d->send.re[at] - d->z.re[at] * d->send.im[at]) / power;
	double expected = weir_spectrum_mean(&d->z, &d->frame, d->frame.n) / mean_Bps;
	bool in_phase = gain > 0 && across < .2 * gain && across > -.2 * gain;
	return in_phase && gain > .75 * expected && gain < 1.25 * expected ? WEIR_REASON_ISOLATED_QUEUE
									   : WEIR_REASON_NONE;
}

static double floor_of(const struct weir_detector *d)
{
	u32 at = weir_spectrum_index(&d->frame, d->wave_hz);
	double own = OWN_WAVE_FLOOR * weir_spectrum_amplitude(&d->send, &d->frame, at);
	double floor = NOISE_FLOOR * d->mu_Bps;
	return own > floor ? own : floor;
}

static double eta_of(const struct weir_detector *d)
{
	const struct weir_detector_config *c = &d->config;
	double other = d->now.other > d->now.floor ? d->now.other : d->now.floor;
	double eta = d->now.peak / other;
	if (c->weak_response > 0 && d->now.own_peak > 0) {
		double share = d->now.peak / d->now.own_peak / c->weak_response;
		if (share < 1)
			eta = (eta < 3 ? eta : 3) * share;
	}
	double z_Bps = weir_detector_z_mean(d, .25);
	if (c->low_z_fraction > 0 && z_Bps < c->low_z_fraction * d->mu_Bps)
		eta = 0;
	if (c->high_z_fraction > 0 && z_Bps > c->high_z_fraction * d->mu_Bps)
		eta = 3 * c->threshold;
	return eta < ETA_MAX ? eta : ETA_MAX;
}

static void judge(struct weir_detector *d)
{
	const struct weir_detector_config *c = &d->config;
	struct weir_elasticity *e = &d->now;
	*e = (struct weir_elasticity){.verdict = WEIR_NOT_APPLICABLE,
				      .reason = not_applicable(d),
				      .eta = WEIR_NAN,
				      .z_Bps = d->held.z_Bps,
				      .send_Bps = d->held.send_Bps,
				      .receive_Bps = d->held.receive_Bps};
	if (e->reason != WEIR_REASON_NONE) {
		d->elastic = false;
		return;
	}
	double above_hz = c->guard_above_hz > 0 ? c->guard_above_hz : c->guard_hz;
	e->peak = weir_detector_z_at(d, d->wave_hz);
	e->own_peak = weir_detector_receive_at(d, d->wave_hz);
	e->other =
	    weir_spectrum_between(&d->z, &d->frame, d->wave_hz + above_hz, 2 * d->wave_hz - c->guard_hz);
	e->floor = floor_of(d);
	double eta = eta_of(d);
	if (c->smoothing > 0) {
		d->average_eta += (c->smoothing < 1 ? c->smoothing : 1) * (eta - d->average_eta);
		eta = d->average_eta;
	}
	e->eta = eta;
	double bar = d->elastic && c->threshold_inelastic > 0 ? c->threshold_inelastic : c->threshold;
	d->elastic = eta >= bar;
	e->verdict = d->elastic ? WEIR_ELASTIC : WEIR_INELASTIC;
	double from = eta > bar ? eta - bar : bar - eta, sum = eta + bar;
	e->confidence = sum > 0 ? from / sum * d->used[WEIR_CROSS_GOOD] / d->frame.n : 0;
	if (d->elastic)
		e->reason = doubt(d);
	if (e->reason != WEIR_REASON_NONE)
		e->confidence /= 4;
}

void weir_detector_report(struct weir_detector *d, const struct weir_report *r, double mu_Bps, double wave_hz,
			  double wave_Bps)
{
	struct weir_cross c;
	d->mu_Bps = weir_cross_rate(mu_Bps);
	weir_cross_read(r, d->mu_Bps, &c);
	if (r->srtt_ns)
		d->srtt_ns = r->srtt_ns;
	if (r->mss_bytes)
		d->mss_bytes = r->mss_bytes;
	bool moved = follow(d, &c, r->now_ns);
	follow_wave(d, r->now_ns, wave_hz, wave_Bps);
	if (moved)
		judge(d);
}

void weir_detector_read(const struct weir_detector *d, struct weir_elasticity *out)
{
	*out = d->now;
}

static bool full(const struct weir_detector *d)
{
	return d->frame.n && d->frame.count == d->frame.n;
}

double weir_detector_receive_at(const struct weir_detector *d, double hz)
{
	return full(d) ? weir_spectrum_amplitude(&d->receive, &d->frame, weir_spectrum_index(&d->frame, hz))
		       : WEIR_NAN;
}

double weir_detector_z_at(const struct weir_detector *d, double hz)
{
	return full(d) ? weir_spectrum_amplitude(&d->z, &d->frame, weir_spectrum_index(&d->frame, hz))
		       : WEIR_NAN;
}

double weir_detector_receive_between(const struct weir_detector *d, double low_hz, double high_hz)
{
	return full(d) ? weir_spectrum_between(&d->receive, &d->frame, low_hz, high_hz) : WEIR_NAN;
}

double weir_detector_filled(const struct weir_detector *d)
{
	return d->frame.n ? (double)d->frame.count / d->frame.n : 0;
}

double weir_detector_z_mean(const struct weir_detector *d, double share)
{
	double samples = share > 0 ? (share < 1 ? share : 1) * d->frame.n : 0;
	return weir_spectrum_mean(&d->z, &d->frame, samples >= 1 ? (u32)samples : 1);
}
