/* SPDX-License-Identifier: MIT */
/* PCC Vivace: tries rates, and follows the gradient of a utility that likes rate and dislikes rising round
 * trips and losses.
 *
 * Reference: M. Dong, T. Meng, D. Zarchy, E. Arslan, Y. Gilad, P. B. Godfrey, M. Schapira, "PCC Vivace:
 * Online-Learning Congestion Control", NSDI 2018. Constants: vivace_law.h; decisions and deviations:
 * docs/decisions/033-vivace.md. Not copied: in the published kernel variant the first interval after probing
 * is sent at the old rate, so that its gradient is 0 and it goes up whatever was learnt. */
#include "core/fmath.h"
#include "pilot/vivace_state.h"
#include "weir/num.h"

#define ONE 1000000ULL /* ratios are in millionths */
#define REPORTS 8      /* in an interval of a round trip */
#define REPORT_LEAST_NS WEIR_NS_PER_MS
#define REPORT_FIRST_NS (5 * WEIR_NS_PER_MS)
#define REPORT_MOST_NS (100 * WEIR_NS_PER_MS)
#define EXPIRY_NS WEIR_NS_PER_S
#define EXPIRY_RTTS 4
#define MSS_BYTES 1448
#define FIRST_RATE_KERNEL_Bps (512 << 10)
#define FIRST_PACKETS_PAPER 10 /* in a round trip, and in 100 ms before one is known */

static const struct weir_param vivace_param_table[] = {
    {"constants", "kernel|paper", 0, 0, 1,
     "those of the published variant for the Linux kernel, or the paper's"},
    {"latency_coefficient", "ratio", 900 * ONE, 0, ONE *ONE, "b, of dRTT/dT; 0: loss alone (Vivace-loss)"},
    {"loss_coefficient", "ratio", 0, 0, ONE *ONE, "c, of the share lost; 0: 11 (kernel), 11.35 (paper)"},
    {"exponent", "ratio", 0, 0, ONE, "t, of the rate; 0: 1 (kernel), .9 (paper)"},
    {"epsilon", "ratio", ONE / 20, ONE / 1000, ONE / 2, "how far from the rate it is probed"},
    {"step", "Bps", 0, 0, ONE *ONE, "theta0: for a gradient of 1; 0: 25 kB/s (kernel), 125 kB/s (paper)"},
    {"latency_filter", "ratio", 0, 0, ONE, "smaller dRTT/dT do not count; 0: .03 (kernel), .01 (paper)"},
    {"noise_filter", "flag", 1, 0, 1, "nor do those within what RTTs differ by in an eighth of an interval"},
    {"published_slip", "flag", 0, 0, 1,
     "the published kernel variant's slip: what follows probing is sent at the old rate, then a step up"},
    {"bound", "ratio", 0, 0, ONE,
     "omega0: a step is at most this part of the rate; 0: .1 (kernel), .05 (paper)"},
    {"bound_step", "ratio", 0, 0, ONE, "delta: and so much more after it was; 0: .07 (kernel), .1 (paper)"},
    {"start_gain", "ratio", 0, 0, 10 * ONE, "while starting; 0: 1.5 (kernel), 2 (paper)"},
    {"interval_packets", "packets", 0, 0, ONE, "at least in an interval; 0: 50 (kernel), 5 (paper)"},
    {"interval_floor", "ns", 10 * WEIR_NS_PER_MS, 0, 10 * WEIR_NS_PER_S,
     "an interval is a round trip, and not shorter than this"},
    {"initial_rate", "Bps", 0, 0, ONE *ONE, "0: 512 KiB/s (kernel), 10 packets a round trip (paper)"},
    {"min_rate", "Bps", 0, 0, ONE *ONE, "never slower; two packets a round trip in any case"},
    {"max_rate", "Bps", 125000 * ONE, 1000, ONE *ONE, "never faster"},
};

static const struct weir_signal vivace_signal_table[] = {
    {"rate", "Bps"},
    {"utility", ""},  /* rates in Mbit/s */
    {"gradient", ""}, /* of the utility over the rate */
    {"state", "starting|probing|moving"},
    {"rtt_gradient", "ratio"},
    {"loss", "ratio"},
    {"limited", "flag"}, /* the application or the host is slower than the rate: nothing is learnt */
};

static u32 vivace_inners(const void *params, struct weir_pilot_inner inner[WEIR_PILOT_INNERS_MAX])
{
	(void)params;
	(void)inner;
	return 0;
}

static double ratio(u64 given, double usual)
{
	return given ? (double)given / (double)ONE : usual;
}

static void take_rules(struct vivace_rules *v, const struct vivace_params *p)
{
	bool kernel = p->constants == 0;
	*v = (struct vivace_rules){
	    .kernel = kernel,
	    .exponent = ratio(p->exponent, kernel ? 1 : .9),
	    .rtt_weight = ratio(p->latency_coefficient, 0),
	    .loss_weight = ratio(p->loss_coefficient, kernel ? 11 : 11.35),
	    .epsilon = ratio(p->epsilon, .05),
	    .theta = p->step  ? (double)p->step / VIVACE_Bps_PER_MBPS
		     : kernel ? .2
			      : 1,
	    .filter = ratio(p->latency_filter, kernel ? .03 : .01),
	    .bound = ratio(p->bound, kernel ? .1 : .05),
	    .bound_more = ratio(p->bound_step, kernel ? .07 : .1),
	    .start_gain = ratio(p->start_gain, kernel ? 1.5 : 2),
	    .packets = p->interval_packets ? (double)p->interval_packets
		       : kernel		   ? 50
					   : 5,
	    .noise_filter = p->noise_filter != 0,
	    .published_slip = kernel && p->published_slip,
	};
}

static double first_rate_Bps(const struct vivace *s, const struct vivace_params *p)
{
	if (p->initial_rate_Bps)
		return (double)p->initial_rate_Bps;
	if (s->rules.kernel)
		return FIRST_RATE_KERNEL_Bps;
	return FIRST_PACKETS_PAPER * (double)s->mss_bytes / (s->srtt_ns ? (double)s->srtt_ns * 1e-9 : .1);
}

static void say(const struct vivace *s, const struct vivace_params *p, struct weir_setpoint *io)
{
	double rate_Bps = vivace_bounded(s, p, vivace_batch_rate(&s->batch, s->rate_Bps));
	u64 part_ns = s->srtt_ns / REPORTS;
	io->inner = WEIR_SETPOINT_RATE;
	io->rate_Bps = (u64)rate_Bps;
	io->floor_Bps = (u64)vivace_bounded(s, p, 0);
	io->report_ns = s->srtt_ns ? weir_clamp(part_ns, REPORT_LEAST_NS, REPORT_MOST_NS) : REPORT_FIRST_NS;
	io->expiry_ns = weir_max(EXPIRY_NS, weir_muldiv(s->srtt_ns, EXPIRY_RTTS, 1));
}

static void vivace_init(void *state, const void *params, u64 seed, struct weir_setpoint *out)
{
	struct vivace *s = (struct vivace *)state;
	const struct vivace_params *p = (const struct vivace_params *)params;
	take_rules(&s->rules, p);
	weir_rng_init(&s->rng, seed, weir_rng_point("vivace.pairs"), 0);
	s->mss_bytes = MSS_BYTES;
	s->rate_Bps = first_rate_Bps(s, p);
	s->utility = s->gradient = s->rtt_gradient = s->loss = WEIR_NAN;
	say(s, p, out);
}

/* From half of the rate as at the start; once a round trip. */
static void take_timeout(struct vivace *s, const struct weir_report *r)
{
	if (s->cut_ns && weir_sub(r->now_ns, s->cut_ns) < s->srtt_ns)
		return;
	s->cut_ns = weir_max(r->now_ns, 1);
	s->rate_Bps /= 2;
	s->from_Bps = 0;
	s->gait = (struct vivace_gait){0};
	s->state = VIVACE_STARTING;
}

static void vivace_on_report(void *state, const void *params, const struct weir_report *r,
			     struct weir_setpoint *io)
{
	struct vivace *s = (struct vivace *)state;
	const struct vivace_params *p = (const struct vivace_params *)params;
	bool lost = s->begun && (r->number != s->number + 1 || r->now_ns < s->now_ns);
	bool broken = lost || r->flags & (WEIR_REPORT_TIMEOUT | WEIR_REPORT_EXPIRED | WEIR_REPORT_IDLE);
	if (r->now_ns < s->now_ns)
		s->batch.front_ns = s->cut_ns = 0; /* another clock */
	s->now_ns = r->now_ns;
	s->number = r->number;
	s->srtt_ns = r->srtt_ns;
	s->mss_bytes = r->mss_bytes ? r->mss_bytes : MSS_BYTES;
	if (!s->begun) {
		s->begun = r->srtt_ns != 0;
		s->rate_Bps = first_rate_Bps(s, p);
		broken = true;
	}
	if (r->flags & WEIR_REPORT_TIMEOUT)
		take_timeout(s, r);
	if (!broken)
		vivace_batch_report(&s->batch, r);
	if (s->begun && broken)
		vivace_again(s, p, r);
	else if (vivace_batch_heard(&s->batch))
		vivace_decide(s, p, r);
	say(s, p, io);
}

static void vivace_probe(const void *state, double value[WEIR_PILOT_SIGNALS_MAX])
{
	const struct vivace *s = (const struct vivace *)state;
	value[0] = vivace_batch_rate(&s->batch, s->rate_Bps);
	value[1] = s->utility;
	value[2] = s->gradient;
	value[3] = s->state;
	value[4] = s->rtt_gradient * (double)ONE;
	value[5] = s->loss * (double)ONE;
	value[6] = s->limited;
}

WEIR_PILOT(vivace, "vivace",
	   "Tries rates; follows the gradient of a utility of rate, rising RTTs and losses.",
	   "Dong et al. 2018");
