/* SPDX-License-Identifier: MIT */
#include "pilot/nimbus_state.h"

/* Of a path that shows no queue, more loss than this comes from a queue too short to be seen that we
 * overfill. */
#define OVERFILLS .02

double weir_nimbus_least_share(const struct nimbus_params *p)
{
	if (p->rate_floor)
		return 0;
	return p->minimum_share ? nimbus_ratio(p->minimum_share) : nimbus_ratio(p->pulse_height_ratio) / 3;
}

bool weir_nimbus_drains(const struct nimbus *s)
{
	return s->mode == NIMBUS_DELAY && s->drains;
}

bool weir_nimbus_share_is_small(const struct nimbus *s, const struct nimbus_params *p)
{
	return !weir_nimbus_drains(s) && s->share_Bps < weir_nimbus_least_share(p) * s->mu_Bps;
}

/* A window mostly without a queue has no eta. But a queue that is empty most of the time does not hide
 * elastic traffic either, which would fill it: delay mode has nothing to lose there. It is different where
 * losses say that somebody fills a queue too short to be seen in round trips: competitive mode stays then,
 * and delay mode, that does not heed losses, gives way when it overfills such a queue itself. */
static enum nimbus_mode without_queue(const struct nimbus *s, const struct nimbus_params *p)
{
	if (s->mode == NIMBUS_DELAY)
		return s->lost_bytes > OVERFILLS * (s->lost_bytes + s->acked_bytes) ? NIMBUS_COMPETITIVE
										    : NIMBUS_DELAY;
	return s->lost_ns && s->now_ns - s->lost_ns < p->window_ns ? NIMBUS_COMPETITIVE : NIMBUS_DELAY;
}

enum nimbus_mode weir_nimbus_choose(const struct nimbus *s, const struct nimbus_params *p)
{
	enum nimbus_mode mode = (enum nimbus_mode)s->mode;
	if (s->starting || s->now_ns - s->begun_ns < p->start_hold_ns)
		return mode;
	if (weir_nimbus_share_is_small(s, p))
		return NIMBUS_COMPETITIVE;
	enum nimbus_mode next = mode;
	if (s->seen.verdict == WEIR_ELASTIC)
		next = NIMBUS_COMPETITIVE;
	else if (s->seen.verdict == WEIR_INELASTIC)
		next = NIMBUS_DELAY;
	else if (s->seen.reason == WEIR_REASON_EMPTY_QUEUE)
		next = without_queue(s, p);
	bool dwells = s->switched_ns && s->now_ns - s->switched_ns < p->dwell_ns;
	return next == NIMBUS_DELAY && dwells ? mode : next;
}
