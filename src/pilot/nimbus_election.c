/* SPDX-License-Identifier: MIT */
#include "pilot/nimbus_state.h"

/* Of one draw: a report that was long in coming is no reason to be elected. */
#define DRAW_MOST_S .1
/* Where the receive rate has neither a wave nor twice its frequency. */
#define QUIET_LOW_HZ 6.9
#define QUIET_HIGH_HZ 9.7

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
	double quiet = weir_detector_receive_between(&s->detector, QUIET_LOW_HZ, QUIET_HIGH_HZ);
	double peak = competitive > delay ? competitive : delay;
	if (peak > nimbus_ratio(p->peak_presence) * quiet)
		return competitive > delay ? NIMBUS_COMPETITIVE : NIMBUS_DELAY;
	if (weir_rng_chance(&s->rng, weir_nimbus_election_chance(s, p, dt_s)))
		s->role = NIMBUS_PULSER;
	return mode;
}

/* Where z swings farther than our own rate of delivery, somebody else pulses, too. Alone neither does. */
static bool another_pulses(const struct nimbus *s)
{
	return s->seen.verdict != WEIR_NOT_APPLICABLE && s->seen.peak > s->seen.own_peak &&
	       s->seen.peak > 2 * s->seen.floor;
}

enum nimbus_mode weir_nimbus_elect(struct nimbus *s, const struct nimbus_params *p, double dt_s)
{
	if (s->starting)
		return (enum nimbus_mode)s->mode;
	if (s->role == NIMBUS_WATCHER)
		return watch(s, p, dt_s);
	if (weir_nimbus_share_is_small(s, p) ||
	    (another_pulses(s) && weir_rng_chance(&s->rng, nimbus_ratio(p->de_election)))) {
		s->role = NIMBUS_WATCHER;
		return (enum nimbus_mode)s->mode;
	}
	return weir_nimbus_choose(s, p);
}
