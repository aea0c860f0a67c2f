/* SPDX-License-Identifier: MIT */
/* NimbusCC: low delay beside traffic that does not give way anyway, a fair share beside traffic that does. */
#include "pilot/nimbus_state.h"

#define WINDOW_NS (5 * WEIR_NS_PER_S)
#define SAMPLE_NS (10 * WEIR_NS_PER_MS)
#define ONE 1000000ULL /* ratios and frequencies are in millionths */
/* Of the average that a share is judged by: a trough is none, and a collapse is seen at once. */
#define SHARE_S .5

static const struct weir_param nimbus_param_table[] = {
    {"delay_mode", "basic-delay|copa|vegas", NIMBUS_BASIC_DELAY, 0, NIMBUS_VEGAS,
     "beside inelastic traffic: eq. 4 of the paper, or Copa's default mode or Vegas with a queue that stays"},
    {"competitive_mode", "cubic|reno", 0, 0, 1, "beside elastic traffic, and for the first window"},
    {"link_rate", "Bps", 0, 0, 10000000000000ULL, "mu, headers included; 0: the largest rate of delivery"},
    {"header", "bytes", 52, 0, 1000, "of each packet, that link_rate counts and goodput does not"},
    {"mu_window", "ns", 0, 0, 3600 * WEIR_NS_PER_S,
     "the largest rate of so long; 0: of all times (a window ends as our own share beside others)"},
    {"base_rtt", "ns", 0, 0, 10 * WEIR_NS_PER_S,
     "RTT of the path, if known; 0: the smallest seen, which a late comer takes too large"},
    {"pulse_size", "ratio", ONE / 4, 0, ONE, "height of the wave's first quarter, of mu"},
    {"pulse_frequency", "Hz", 5 * ONE, ONE, 7500000, "of the wave, where there is one flow"},
    {"minimum_share", "ratio", 0, 0, ONE,
     "of mu, below which no wave and competitive mode; 0: a third of pulse_size (mu / 12)"},
    {"threshold", "ratio", 2 * ONE, 1, 1000 * ONE, "eta from which on traffic is elastic"},
    {"window", "ns", WINDOW_NS, WEIR_NS_PER_S, 10 * WEIR_NS_PER_S, "of the spectrum"},
    {"sample", "ns", SAMPLE_NS, 5 * WEIR_NS_PER_MS, 50 * WEIR_NS_PER_MS, "of the spectrum; 1000 at most"},
    {"guard", "Hz", ONE / 2, 0, 5 * ONE, "eps of eq. 3: what counts as the wave's own frequency"},
    {"alpha", "ratio", 800000, 0, 10 * ONE, "of eq. 4: how fast spare rate is taken"},
    {"beta", "ratio", 500000, 0, 10 * ONE, "of eq. 4: how fast the target delay is restored"},
    {"delay_target", "ns", 12500000, 0, WEIR_NS_PER_S, "d_t of eq. 4: the queueing delay to keep"},
    {"multi", "flag", 0, 0, 1, "several flows: one pulses, the others watch it (section 4.2)"},
    {"competitive_frequency", "Hz", 5 * ONE, ONE, 7500000,
     "of the wave in competitive mode, of several flows"},
    {"delay_frequency", "Hz", 6 * ONE, ONE, 7500000, "of the wave in delay mode, of several flows"},
    {"low_pass", "ns", 200 * WEIR_NS_PER_MS, 0, 10 * WEIR_NS_PER_S,
     "time constant that mutes a watcher's answer to the wave"},
    {"kappa", "ratio", ONE, 0, 100 * ONE, "of eq. 5: pulsers elected in a window"},
    {"de_election", "ratio", 20000, 0, ONE, "chance in each report that one of several pulsers stops"},
    {"peak_presence", "ratio", 1500000, 0, 1000 * ONE,
     "there is a pulser where R at its frequencies is so many times the largest on both sides of them"},
    {"low_z", "ratio", 0, 0, ONE, "published code, .1: z below this share of mu is inelastic; 0: off"},
    {"high_z", "ratio", 0, 0, ONE, "published code, .9: z above this share of mu is elastic; 0: off"},
    {"weak_response", "ratio", 0, 0, 10 * ONE,
     "published code, .25: an answer below this share of our own wave takes eta down; 0: off"},
    {"smoothing", "ratio", 0, 0, ONE, "published code, .01: weight of the newest eta in an average; 0: off"},
    {"threshold_inelastic", "ratio", 0, 0, 1000 * ONE,
     "published code, 2 (with threshold 2.25): back to delay mode below it; 0: threshold"},
    {"dwell", "ns", 0, 0, 60 * WEIR_NS_PER_S, "published code, 5 s: no delay mode so soon after a change"},
    {"guard_above", "Hz", 0, 0, 5 * ONE, "published code, 1.5 Hz: guard above the wave; 0: guard"},
    {"two_frequencies", "flag", 0, 0, 1, "published code: the frequencies of several flows for one, too"},
    {"seed_receive_rate", "flag", 0, 0, 1, "published code: go back to the rate of delivery of 5 s ago"},
    {"rate_floor", "ratio", 0, 0, ONE, "published code, .05: least rate, of mu, instead of minimum_share"},
    {"startup_rate", "Bps", 0, 0, 10000000000ULL,
     "published code, 16 Mbit/s: rate of the first second; 0: off"},
    {"gentle_drain", "flag", 0, 0, 1,
     "published code: delay mode begins at the delay there is, and lowers it"},
    {"start_hold", "ns", 0, 0, 60 * WEIR_NS_PER_S, "published code, 15 s: no change of mode before"},
};

static const struct weir_signal nimbus_signal_table[] = {
    {"mode", "delay|competitive"},
    {"role", "watcher|pulser"},
    {"eta", ""},
    {"confidence", ""},
    {"verdict", WEIR_ANSWER_WORDS},
    {"reason", WEIR_ANSWER_REASON_WORDS},
    {"z", "Bps"},
    {"mu", "Bps"},
    {"send", "Bps"},
    {"receive", "Bps"},
    {"base", "Bps"},
    {"pulse", "Bps"},
    {"queue_delay", "ns"},
};

static void set(struct weir_pilot_inner *i, const char *param, u64 value)
{
	i->setting[i->n_settings].param = param;
	i->setting[i->n_settings++].value = value;
}

/* Both delay modes leave a queue: without one eq. 1 says nothing (the published code: .2 of the round trip
 * for Copa, 30 to 40 packets for Vegas). */
static u32 nimbus_inners(const void *params, struct weir_pilot_inner inner[WEIR_PILOT_INNERS_MAX])
{
	const struct nimbus_params *p = params;
	struct weir_pilot_inner *delay = &inner[NIMBUS_INNER_DELAY];
	inner[NIMBUS_INNER_COMPETITIVE] =
	    (struct weir_pilot_inner){.name = p->competitive_mode ? "reno" : "cubic"};
	if (p->delay_mode == NIMBUS_BASIC_DELAY)
		return 1;
	*delay = (struct weir_pilot_inner){.name = p->delay_mode == NIMBUS_COPA ? "copa" : "vegas"};
	if (p->delay_mode == NIMBUS_COPA) {
		set(delay, "mode", 1);
		set(delay, "delta", 950000);
		set(delay, "dq_floor", 200000);
		set(delay, "pacing_gain", 0);
		set(delay, "min_rtt_window", 0);
		set(delay, "max_velocity", 32);
	} else {
		set(delay, "alpha", 30);
		set(delay, "beta", 40);
		set(delay, "gamma", 30);
		set(delay, "base_rtt", p->base_rtt_ns);
	}
	return 2;
}

static u32 samples_of(const struct nimbus_params *p)
{
	u64 samples = p->window_ns / p->sample_ns;
	return samples < WEIR_DETECTOR_SAMPLES_MAX ? (u32)samples : WEIR_DETECTOR_SAMPLES_MAX;
}

static void nimbus_init(void *state, const void *params, u64 seed, struct weir_setpoint *out)
{
	struct nimbus *s = state;
	const struct nimbus_params *p = params;
	struct weir_detector_config c;
	weir_detector_defaults(&c);
	c.sample_ns = p->sample_ns;
	c.samples = samples_of(p);
	c.threshold = nimbus_ratio(p->threshold);
	c.guard_hz = nimbus_ratio(p->guard);
	c.low_z_fraction = nimbus_ratio(p->low_z);
	c.high_z_fraction = nimbus_ratio(p->high_z);
	c.weak_response = nimbus_ratio(p->weak_response);
	c.smoothing = nimbus_ratio(p->smoothing);
	c.threshold_inelastic = nimbus_ratio(p->threshold_inelastic);
	c.guard_above_hz = nimbus_ratio(p->guard_above);
	weir_detector_init(&s->detector, &c);
	weir_detector_read(&s->detector, &s->seen);
	weir_mu_init(&s->mu, p->mu_window_ns);
	weir_rng_init(&s->rng, seed, weir_rng_point("nimbus.election"), 0);
	weir_nimbus_past_init(&s->past, samples_of(p));
	weir_nimbus_start(s, p, out);
}

static void take_mu(struct nimbus *s, const struct nimbus_params *p, const struct weir_report *r)
{
	weir_mu_report(&s->mu, r);
	s->mu_Bps = p->link_rate_Bps ? weir_mu_given_Bps(p->link_rate_Bps, p->header_bytes, r->mss_bytes)
				     : weir_cross_rate(weir_mu_Bps(&s->mu));
}

/* Weight of the newest value in an average over about tau_s. */
static double weight(double dt_s, double tau_s)
{
	return dt_s > 0 && tau_s > 0 ? dt_s / (dt_s + tau_s) : 0;
}

static void take_rtt(struct nimbus *s, const struct nimbus_params *p, const struct weir_report *r,
		     double dt_s)
{
	u64 rtt_ns = weir_cross_rtt_ns(r);
	const u64 most_ns = 60 * WEIR_NS_PER_S;
	if (rtt_ns)
		s->rtt_s = (double)(rtt_ns < most_ns ? rtt_ns : most_ns) * 1e-9;
	s->min_rtt_s = (double)(r->min_rtt_ns < most_ns ? r->min_rtt_ns : most_ns) * 1e-9;
	double share = s->average_rtt_s > 0 ? weight(dt_s, (double)p->window_ns * .25e-9) : 1;
	s->average_rtt_s += share * (s->rtt_s - s->average_rtt_s);
}

static void take_rates(struct nimbus *s, const struct nimbus_params *p, const struct weir_report *r,
		       double dt_s)
{
	double base_Bps = weir_cross_rate((double)r->base_Bps), window_s = (double)p->window_ns * 1e-9;
	s->base_Bps = base_Bps > 0 ? base_Bps : s->seen.send_Bps;
	bool by_law = s->mode == NIMBUS_DELAY && p->delay_mode == NIMBUS_BASIC_DELAY && !s->starting;
	double asked_Bps = by_law ? s->wanted_Bps : s->base_Bps;
	double newest = s->share_Bps > 0 ? weight(dt_s, SHARE_S) : 1;
	if (weir_nimbus_drains(s))
		newest = 0;
	s->share_Bps += newest * (asked_Bps - s->share_Bps);
	if (weir_nimbus_share_is_small(s, p))
		s->share_since_ns = r->now_ns;
	weir_nimbus_past_add(&s->past, r->now_ns, p->sample_ns, s->base_Bps, s->seen.receive_Bps);
	double fades = 1 - weight(dt_s, window_s);
	s->lost_bytes = s->lost_bytes * fades + weir_cross_rate((double)r->lost_bytes);
	s->acked_bytes = s->acked_bytes * fades + weir_cross_rate((double)r->acked_bytes);
	if (r->lost_bytes)
		s->lost_ns = r->now_ns;
}

static double since_last_s(struct nimbus *s, u64 now_ns)
{
	bool known = s->begun && now_ns >= s->now_ns;
	double dt_s = known ? (double)(now_ns - s->now_ns) * 1e-9 : 0;
	if (!known) {
		/* the first report, or a clock that was set back: what was is of another time */
		s->begun_ns = now_ns;
		s->switched_ns = s->elected_ns = s->share_since_ns = s->lost_ns = s->heard_ns = 0;
	}
	s->begun = true;
	s->now_ns = now_ns;
	return dt_s;
}

static void nimbus_on_report(void *state, const void *params, const struct weir_report *report,
			     struct weir_setpoint *io)
{
	struct nimbus *s = state;
	const struct nimbus_params *p = params;
	struct weir_report known = *report;
	const struct weir_report *r = &known;
	if (p->base_rtt_ns && (!known.min_rtt_ns || known.min_rtt_ns > p->base_rtt_ns))
		known.min_rtt_ns = p->base_rtt_ns;
	double dt_s = since_last_s(s, r->now_ns);
	bool expired = r->flags & WEIR_REPORT_EXPIRED;
	take_mu(s, p, r);
	weir_detector_report(&s->detector, r, s->mu_Bps, expired ? 0 : s->wave_hz, expired ? 0 : s->wave_Bps);
	weir_detector_read(&s->detector, &s->seen);
	take_rtt(s, p, r, dt_s);
	take_rates(s, p, r, dt_s);
	enum nimbus_mode next = p->multi ? weir_nimbus_elect(s, p, dt_s) : weir_nimbus_choose(s, p);
	if (next != s->mode)
		weir_nimbus_enter(s, p, r, next, io);
	weir_nimbus_drive(s, p, r, dt_s, io);
	if (r->sample_bytes)
		s->heard_ns = r->now_ns;
}

static void nimbus_probe(const void *state, double value[WEIR_PILOT_SIGNALS_MAX])
{
	const struct nimbus *s = state;
	double queue_s = s->rtt_s > s->min_rtt_s ? s->rtt_s - s->min_rtt_s : 0;
	const double signals[] = {s->mode,
				  s->role,
				  s->seen.eta,
				  s->seen.confidence,
				  s->seen.verdict,
				  s->seen.reason,
				  s->seen.z_Bps,
				  s->mu_Bps > 0 ? s->mu_Bps : WEIR_NAN,
				  s->seen.send_Bps,
				  s->seen.receive_Bps,
				  s->base_Bps,
				  s->wave_Bps,
				  s->rtt_s > 0 && s->min_rtt_s > 0 ? queue_s * 1e9 : WEIR_NAN};
	_Static_assert(WEIR_PILOT_COUNT(signals) == WEIR_PILOT_COUNT(nimbus_signal_table), "one value each");
	memcpy(value, signals, sizeof signals);
}

WEIR_PILOT(
    nimbus, "nimbus",
    "finds out whether the traffic beside is elastic: low delay where it is not, a fair share where it is",
    "Elasticity Detection: A Building Block for Internet Congestion Control, SIGCOMM 2022");
