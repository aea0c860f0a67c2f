/* SPDX-License-Identifier: MIT */
/* Asks whether the traffic beside us is elastic, and does nothing about it: an inner controller or a set
 * rate, the wave over it, the detector, and the strawmen for comparison ("Elasticity Detection: A Building
 * Block for Internet Congestion Control", sections 3 and 3.4). For `weir probe` and for experiments.
 *
 * The wave is pulse_size of the link's rate for the first quarter of a period, and stops where less of the
 * link is ours than a third of that: then the rest of the period would be below 0 (section 6: mu / 12).
 * Measured, mu is the largest rate of delivery of ten seconds, and beside others only a part of the link:
 * then z is too small. Give the link's rate where it is known. */
#include "weir/pilot.h"

#include "core/fmath.h"
#include "core/window.h"
#include "pilot/detector_state.h"
#include "pilot/mu.h"
#include "pilot/strawmen.h"

#define REPORT_NS (10 * WEIR_NS_PER_MS)
#define EXPIRY_NS WEIR_NS_PER_S
#define MU_WINDOW_NS (10 * WEIR_NS_PER_S)

enum elasticity_inner { ELASTICITY_CUBIC, ELASTICITY_RENO, ELASTICITY_RATE };

struct elasticity_params {
	u64 inner; /* enum elasticity_inner */
	u64 rate_Bps, link_rate_Bps, header_bytes;
	u64 pulse_hz, pulse_size, threshold; /* millionths */
};
static const struct weir_param elasticity_param_table[] = {
    {"inner", "cubic|reno|rate", ELASTICITY_CUBIC, 0, ELASTICITY_RATE,
     "what the wave is laid over; rate: the parameter of that name"},
    {"rate", "Bps", 0, 0, 1250000000000,
     "payload, with inner rate; 0: half of the link's, cubic until that is known"},
    {"link_rate", "Bps", 0, 0, 1250000000000, "of the bottleneck, headers included; 0: measured"},
    {"header", "bytes", 52, 0, 1000, "of each packet, that link_rate counts and goodput does not"},
    {"pulse_frequency", "Hz", 5 * WEIR_RATIO_ONE, WEIR_RATIO_ONE, 7 * WEIR_RATIO_ONE, "of the wave"},
    {"pulse_size", "ratio", WEIR_RATIO_ONE / 4, 0, WEIR_RATIO_ONE, "of the link's rate; 0: no wave"},
    {"threshold", "ratio", 2 * WEIR_RATIO_ONE, 1, 1000 * WEIR_RATIO_ONE, "elastic from this eta on"},
};
static const struct weir_signal elasticity_signal_table[] = {
    {"eta", ""},
    {"z", "Bps"},
    {"send", "Bps"},
    {"receive", "Bps"},
    {"mu", "Bps"},
    {"verdict", WEIR_ANSWER_WORDS},
    {"reason", WEIR_ANSWER_REASON_WORDS},
    {"confidence", ""},
    {"self_inflicted", "ns"},
    {"queue", "ns"},
    {"own_share", "ratio"},  /* of the queueing delay */
    {"rate_share", "ratio"}, /* of the link */
    {"correlation", "ratio"},
    {"strongest_correlation", "ratio"},
    {"strongest_lag", "ns"},
};

struct elasticity {
	struct weir_detector detector;
	struct weir_mu mu;
	struct weir_self_inflicted self;
	double mu_Bps;
};

static u32 elasticity_inners(const void *unused, struct weir_pilot_inner inner[WEIR_PILOT_INNERS_MAX])
{
	(void)unused;
	inner[ELASTICITY_CUBIC] = (struct weir_pilot_inner){.name = "cubic"};
	inner[ELASTICITY_RENO] = (struct weir_pilot_inner){.name = "reno"};
	return 2;
}

static double hertz(const struct elasticity_params *p)
{
	return (double)p->pulse_hz / WEIR_RATIO_ONE;
}

/* What drives, and the wave over it, at a link of that rate. */
static void choose(const struct elasticity_params *p, double mu_Bps, const struct weir_report *r,
		   struct weir_setpoint *io)
{
	double size = (double)p->pulse_size / WEIR_RATIO_ONE;
	u64 rate_Bps = p->rate_Bps ? p->rate_Bps : (u64)(mu_Bps / 2);
	bool set = p->inner == ELASTICITY_RATE && rate_Bps;
	io->inner = set				  ? WEIR_SETPOINT_RATE
		    : p->inner == ELASTICITY_RENO ? ELASTICITY_RENO
						  : ELASTICITY_CUBIC;
	io->rate_Bps = set ? rate_Bps : 0;
	double base_Bps = set ? (double)rate_Bps : r ? (double)r->base_Bps : 0;
	bool wave = mu_Bps > 0 && size > 0 && base_Bps >= size / 3 * mu_Bps;
	io->wave_period_ns = wave ? (u64)(1e9 / hertz(p)) : 0;
	io->wave_amplitude_Bps = wave ? (u64)(size * mu_Bps) : 0;
}

static void elasticity_init(void *state, const void *params, u64 seed, struct weir_setpoint *out)
{
	struct elasticity *s = state;
	const struct elasticity_params *p = params;
	struct weir_detector_config c;
	(void)seed;
	weir_detector_defaults(&c);
	c.threshold = (double)p->threshold / WEIR_RATIO_ONE;
	weir_detector_init(&s->detector, &c);
	weir_mu_init(&s->mu, MU_WINDOW_NS);
	s->mu_Bps = weir_mu_given_Bps(p->link_rate_Bps, p->header_bytes, 0);
	choose(p, s->mu_Bps, NULL, out);
	out->report_ns = REPORT_NS;
	out->expiry_ns = EXPIRY_NS;
	out->paced = 1;
}

static void elasticity_on_report(void *state, const void *params, const struct weir_report *r,
				 struct weir_setpoint *io)
{
	struct elasticity *s = state;
	const struct elasticity_params *p = params;
	weir_mu_report(&s->mu, r);
	s->mu_Bps = p->link_rate_Bps ? weir_mu_given_Bps(p->link_rate_Bps, p->header_bytes, r->mss_bytes)
				     : weir_cross_rate(weir_mu_Bps(&s->mu));
	weir_detector_report(&s->detector, r, s->mu_Bps, io->wave_period_ns ? hertz(p) : 0,
			     (double)io->wave_amplitude_Bps);
	weir_self_inflicted_report(&s->self, r, s->mu_Bps);
	choose(p, s->mu_Bps, r, io);
}

/* A ratio in a signal's millionths. */
static double ratio(double x)
{
	return x * WEIR_RATIO_ONE;
}

static double or_none(double x)
{
	return x > 0 ? x : WEIR_NAN;
}

static void elasticity_probe(const void *state, double value[WEIR_PILOT_SIGNALS_MAX])
{
	const struct elasticity *s = state;
	struct weir_elasticity e;
	struct weir_correlation c;
	weir_detector_read(&s->detector, &e);
	weir_correlation_read(&s->detector, &c);
	bool heard = e.receive_Bps > 0;
	const double values[WEIR_PILOT_COUNT(elasticity_signal_table)] = {
	    e.eta,
	    heard && s->mu_Bps > 0 ? e.z_Bps : WEIR_NAN,
	    or_none(e.send_Bps),
	    or_none(e.receive_Bps),
	    or_none(s->mu_Bps),
	    (double)e.verdict,
	    (double)e.reason,
	    e.confidence,
	    s->self.known ? s->self.own_ns : WEIR_NAN,
	    s->self.known ? s->self.queue_ns : WEIR_NAN,
	    ratio(weir_self_inflicted_share(&s->self)),
	    s->self.known ? ratio(s->self.rate_share) : WEIR_NAN,
	    ratio(c.at_our_lag),
	    ratio(c.strongest),
	    c.strongest * c.strongest >= 0 ? (double)c.strongest_lag_ns : WEIR_NAN,
	};
	memcpy(value, values, sizeof values);
}

WEIR_PILOT(
    elasticity, "elasticity",
    "Only asks whether the traffic beside it is elastic: a wave over another controller, or over a set rate",
    "Goyal et al., Elasticity Detection, section 3");
