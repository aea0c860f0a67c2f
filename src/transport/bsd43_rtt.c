/* SPDX-License-Identifier: MIT */
/* Round-trip time, timeout and backoff of the historic endpoint, in ticks of 500 ms. The integer logic is
 * that of the paper's appendix A with A scaled by 8 and V by 4: both shifts round down, which biases A up by
 * half a tick and 4 V by 1.75 ticks, and that is meant: it makes up for the clock's grain. */
#include "bsd43.h"

#define SAMPLE_MAX_TICKS 32767 /* four and a half hours */

/* Backoff as of 1986: twice the mean, so many times; the first timeout changes nothing. */
static const u8 gentle[WEIR_BSD43_TIMEOUTS_MAX] = {1, 2, 4, 6, 8, 10, 15, 20, 30, 30, 30, 30};
/* Exponential: doubled up to 64 times. */
static const u8 exponential[WEIR_BSD43_TIMEOUTS_MAX + 1] = {1, 2, 4, 8, 16, 32, 64, 64, 64, 64, 64, 64, 64};

void weir_bsd43_rtt_init(struct weir_bsd43 *s)
{
	i32 rto_ticks = 2 * WEIR_BSD43_SRTT_DEFAULT_TICKS;
	s->mean_8 = 0;
	s->mean_ticks = 0;
	s->deviation_4 = s->config.rtt_variance == WEIR_VARIANCE_4V ? rto_ticks : 2 * rto_ticks;
	s->rto_ticks = weir_bsd43_rtt_rto(s);
}

static i32 at_least_1(i32 scaled)
{
	return scaled < 1 ? 1 : scaled; /* 0 would mean that nothing has been measured */
}

static void sample_variance(struct weir_bsd43 *s, i32 ticks)
{
	if (s->mean_8 == 0) { /* the first: A = M, V = M / 2 */
		s->mean_8 = 8 * ticks;
		s->deviation_4 = 2 * ticks;
		return;
	}
	i32 error = ticks - 1 - (s->mean_8 >> 3);
	s->mean_8 = at_least_1(s->mean_8 + error);
	error = (error < 0 ? -error : error) - (s->deviation_4 >> 2);
	s->deviation_4 = at_least_1(s->deviation_4 + error);
}

void weir_bsd43_rtt_sample(struct weir_bsd43 *s, u64 ticks)
{
	s->sample_ticks = (u32)weir_clamp(ticks, 1, SAMPLE_MAX_TICKS);
	if (s->config.rtt_variance != WEIR_VARIANCE_NONE)
		sample_variance(s, (i32)s->sample_ticks);
	else if (s->mean_ticks > 0)
		s->mean_ticks = .9 * s->mean_ticks + .1 * s->sample_ticks;
	else
		s->mean_ticks = s->sample_ticks;
}

static u64 base_ticks(const struct weir_bsd43 *s, u32 times)
{
	switch (s->config.rtt_variance) {
	case WEIR_VARIANCE_2V: /* half of 2 A + 4 V: A keeps its half tick */
		return (u64)(((s->mean_8 >> 2) + s->deviation_4) >> 1) * times;
	case WEIR_VARIANCE_4V:
		return (u64)((s->mean_8 >> 3) + s->deviation_4) * times;
	case WEIR_VARIANCE_NONE:
		break;
	}
	double mean_ticks = s->mean_ticks > 0 ? s->mean_ticks : WEIR_BSD43_SRTT_DEFAULT_TICKS;
	return (u64)(2 * mean_ticks * times);
}

u32 weir_bsd43_rtt_rto(const struct weir_bsd43 *s)
{
	bool backs_off = s->config.exponential_backoff;
	u32 shift = s->shift; /* at most WEIR_BSD43_TIMEOUTS_MAX */
	u32 times = backs_off ? exponential[shift] : shift ? gentle[shift - 1] : 1;
	return (u32)weir_clamp(base_ticks(s, times), WEIR_BSD43_RTO_MIN_TICKS,
			       backs_off ? WEIR_BSD43_RTO_MAX_BACKED_TICKS : WEIR_BSD43_RTO_MAX_TICKS);
}

void weir_bsd43_rtt_doubt(struct weir_bsd43 *s)
{
	if (s->config.rtt_variance == WEIR_VARIANCE_NONE)
		return; /* there is no deviation that could take it */
	s->deviation_4 += s->config.rtt_variance == WEIR_VARIANCE_4V ? s->mean_8 >> 3 : s->mean_8 >> 2;
	s->mean_8 = 0;
}

u64 weir_bsd43_mean_ns(const struct weir_bsd43 *s)
{
	if (s->config.rtt_variance == WEIR_VARIANCE_NONE)
		return (u64)(s->mean_ticks * (double)WEIR_BSD43_TICK_NS);
	return (u64)s->mean_8 * (WEIR_BSD43_TICK_NS / 8);
}

u64 weir_bsd43_deviation_ns(const struct weir_bsd43 *s)
{
	if (s->config.rtt_variance == WEIR_VARIANCE_NONE)
		return 0;
	return (u64)s->deviation_4 * (WEIR_BSD43_TICK_NS / 4);
}
