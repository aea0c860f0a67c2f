/* SPDX-License-Identifier: MIT */
#include "pilot/nimbus_state.h"

/* Of one draw: a report that was long in coming is no reason to be elected. */
#define DRAW_MOST_S .1
/* Swings of z below this share of the height of our wave may be an error of mu. */
#define ANSWER_LEAST .03
/* A wave is a peak: R is smaller on both sides of the two frequencies. What comes and goes moves R at all
 * frequencies, the more the lower they are, and is none. */
#define BELOW_LOW_HZ 3.5
#define BELOW_HIGH_HZ 4.5
#define ABOVE_LOW_HZ 6.9
#define ABOVE_HIGH_HZ 9.7

double weir_nimbus_election_chance(const struct nimbus *s, const struct nimbus_params *p, double dt_s)
{
	if (!(s->mu_Bps > 0) || weir_nimbus_share_is_small(s, p))
		return 0;
	double share = nimbus_between(0, s->seen.receive_Bps / s->mu_Bps, 1);
	double window_s = (double)p->window_ns * 1e-9;
	return nimbus_ratio(p->kappa) * nimbus_between(0, dt_s, DRAW_MOST_S) / window_s * share;
}

static enum nimbus_mode watch(struct nimbus *s, const struct nimbus_params *p, double dt_s)
{
	enum nimbus_mode mode = (enum nimbus_mode)s->mode;
	if (weir_detector_filled(&s->detector) < 1)
		return mode;
	double competitive = weir_detector_receive_at(&s->detector, nimbus_ratio(p->competitive_uhz));
	double delay = weir_detector_receive_at(&s->detector, nimbus_ratio(p->delay_uhz));
	double below = weir_detector_receive_between(&s->detector, BELOW_LOW_HZ, BELOW_HIGH_HZ);
	double above = weir_detector_receive_between(&s->detector, ABOVE_LOW_HZ, ABOVE_HIGH_HZ);
	double quiet = below > above ? below : above;
	double peak = competitive > delay ? competitive : delay;
	if (peak > nimbus_ratio(p->peak_presence) * quiet)
		return competitive > delay ? NIMBUS_COMPETITIVE : NIMBUS_DELAY;
	if (weir_rng_chance(&s->rng, weir_nimbus_election_chance(s, p, dt_s))) {
		s->role = NIMBUS_PULSER;
		s->elected_ns = s->now_ns;
	}
	return mode;
}

/* Where z swings farther than our own rate of delivery, somebody else pulses, too; alone neither does. The
 * other one may be in the other mode. */
static bool another_pulses(const struct nimbus *s, const struct nimbus_params *p)
{
	const struct weir_detector *d = &s->detector;
	u64 since_ns = s->switched_ns > s->elected_ns ? s->switched_ns : s->elected_ns;
	if (s->wave_hz <= 0 || weir_detector_filled(d) < 1 || s->now_ns - since_ns < p->window_ns / 2)
		return false;
	double least = ANSWER_LEAST * s->wave_Bps,
	       hz[] = {nimbus_ratio(p->competitive_uhz), nimbus_ratio(p->delay_uhz)};
	for (u32 i = 0; i < 2; i++) {
		double z = weir_detector_z_at(d, hz[i]);
		if (z > least && z > weir_detector_receive_at(d, hz[i]))
			return true;
	}
	return false;
}

enum nimbus_mode weir_nimbus_elect(struct nimbus *s, const struct nimbus_params *p, double dt_s)
{
	if (s->starting)
		return (enum nimbus_mode)s->mode;
	if (s->role == NIMBUS_WATCHER)
		return watch(s, p, dt_s);
	if (weir_nimbus_share_is_small(s, p) ||
	    (another_pulses(s, p) && weir_rng_chance(&s->rng, nimbus_ratio(p->de_election)))) {
		s->role = NIMBUS_WATCHER;
		return (enum nimbus_mode)s->mode;
	}
	return weir_nimbus_choose(s, p);
}
