/* SPDX-License-Identifier: MIT */
#include "pilot/vivace_law.h"

#include "core/fmath.h"
#include "weir/num.h"

#define KERNEL_AMPLIFIER 2
#define KERNEL_SWING_MAX 2
#define KERNEL_LEAST_STEP .022
#define KERNEL_LEAST_DISTANCE .02
#define PAPER_LEAST_STEP_MBPS .5
#define PAPER_LEAST_DISTANCE .001
#define START_LOSS .1
#define COUNT_MAX 1000000U
#define UP_MAX 1. /* no step more than doubles the rate, or halves it */
#define DOWN_MAX .5
#define SLOPE_MAX 10.

static double clamp(double x, double low, double high)
{
	return x < low ? low : x < high ? x : high;
}

static double size(double x)
{
	return x < 0 ? -x : x;
}

double vivace_utility(const struct vivace_rules *v, double rate_Bps, double rtt_gradient, double loss)
{
	double x = rate_Bps / VIVACE_Bps_PER_MBPS;
	double gain = v->exponent == 1 ? x : weir_pow(x, v->exponent);
	return gain - v->rtt_weight * x * rtt_gradient - v->loss_weight * x * loss;
}

/* The interval's slope must be more than what RTTs differ by anyway within a report, an eighth of it: noise
 * of the hosts, which on short paths is more than any queue (field case F7). */
static bool is_noise(const struct vivace_rules *v, const struct vivace_interval *i, double change_s)
{
	if (!v->noise_filter || i->reports < 2)
		return false;
	return size(change_s) < i->spread_ns / i->reports * 1e-9;
}

double vivace_rtt_gradient(const struct vivace_rules *v, const struct vivace_interval *i, u32 mss_bytes,
			   bool starting)
{
	double length_s = vivace_interval_s(i), slope = vivace_line_slope(&i->line);
	if (v->kernel) {
		double change_s = ((double)i->last_srtt_ns - (double)i->first_srtt_ns) * 1e-9;
		double heard_s = (double)weir_sub(i->last_heard_ns, i->first_heard_ns) * 1e-9;
		slope = change_s / length_s;
		if (size(change_s) * i->acked_bytes < 2. * mss_bytes * heard_s)
			slope = 0;
	}
	if (size(slope) < v->filter || is_noise(v, i, slope * length_s))
		return 0;
	if (v->kernel && starting && slope < 0)
		return 0;
	return clamp(slope, -1, SLOPE_MAX);
}

double vivace_loss(const struct vivace_rules *v, const struct vivace_interval *i, bool starting)
{
	double loss = vivace_interval_loss(i);
	return v->kernel && starting && loss < START_LOSS ? 0 : loss;
}

double vivace_gradient(const struct vivace_rules *v, double rate_Bps, double utility, double from_Bps,
		       double from_utility)
{
	double distance = rate_Bps - from_Bps;
	double least = v->kernel ? KERNEL_LEAST_DISTANCE : PAPER_LEAST_DISTANCE;
	if (!(size(distance) >= least * rate_Bps) || distance == 0)
		return 0;
	return (utility - from_utility) / (distance / VIVACE_Bps_PER_MBPS);
}

double vivace_amplifier(u32 same)
{
	double x = same;
	if (same <= 3)
		return x + 1;
	if (same <= 6)
		return 2 * x - 2;
	return same <= 9 ? 4 * x - 14 : 8 * x - 50;
}

static double kernel_amplifier(struct vivace_gait *g, bool turned)
{
	if (!g->amplifier)
		g->amplifier = KERNEL_AMPLIFIER;
	if (turned) {
		g->swing = g->swing < KERNEL_SWING_MAX ? g->swing + 1 : KERNEL_SWING_MAX;
		g->amplifier = KERNEL_AMPLIFIER;
	} else if (g->swing) {
		g->swing--;
	} else if (g->amplifier < COUNT_MAX) {
		g->amplifier++;
	}
	return g->amplifier;
}

/* How much of a rate a step may be; k counts on. */
static double bound_of(const struct vivace_rules *v, struct vivace_gait *g, double part)
{
	double bound = v->bound + g->cut * v->bound_more;
	if (part > bound) {
		if (bound < UP_MAX)
			g->cut++;
		return clamp(bound, 0, UP_MAX);
	}
	if (v->kernel || !(v->bound_more > 0)) {
		g->cut = 0;
	} else {
		while (g->cut && part <= v->bound + (g->cut - 1) * v->bound_more)
			g->cut--;
	}
	return part;
}

double vivace_step_Bps(const struct vivace_rules *v, struct vivace_gait *g, double rate_Bps, double gradient)
{
	int way = gradient < 0 ? -1 : 1;
	bool turned = g->way && way != g->way;
	if (turned)
		g->same = g->cut = 0;
	double amplifier = v->kernel ? kernel_amplifier(g, turned) : vivace_amplifier(g->same);
	g->way = way;
	if (g->same < COUNT_MAX)
		g->same++;
	double step_Bps = amplifier * v->theta * size(gradient) * VIVACE_Bps_PER_MBPS;
	double part = bound_of(v, g, clamp(step_Bps / rate_Bps, 0, 1e6));
	double least = v->kernel ? KERNEL_LEAST_STEP : PAPER_LEAST_STEP_MBPS * VIVACE_Bps_PER_MBPS / rate_Bps;
	part = clamp(part, clamp(least, 0, v->bound), way > 0 ? UP_MAX : DOWN_MAX);
	return way * rate_Bps * part;
}
