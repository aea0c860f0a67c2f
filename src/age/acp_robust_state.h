/* SPDX-License-Identifier: MIT */
/* acp-robust's state, and how a phase of sending at one rate begins. Only acp_robust.c includes it. */
#ifndef WEIR_AGE_ACP_ROBUST_STATE_H
#define WEIR_AGE_ACP_ROBUST_STATE_H

#include "acp_robust_path.h"

#include <string.h>

#define ROBUST_STEP 1.1	  /* of the search near a known limit */
#define ROBUST_STRIDE 1.4 /* far from one */
#define ROBUST_START 2.0  /* before the first queue */
#define ROBUST_NEAR .93	  /* of a capacity: the rate kept */
#define ROBUST_FLUSHED .8 /* of what a surge left at: the rate after it */
#define ROBUST_GROWS .06  /* trend of the delay that is overload */
#define ROBUST_PROBE_GROWS .01
#define ROBUST_DITHER_MIN 1.1 /* slower and faster by this factor */
#define ROBUST_DITHER_MAX 1.5
#define ROBUST_HOLD_MAX 8 /* phases between two looks beyond the limit */
#define ROBUST_SILENCE 8  /* while nothing comes back, one update in each eighth of the silence */
#define ROBUST_FLOOR .2	  /* updates under way */
#define ROBUST_UNLIMITED 1e18
#define ROBUST_BEAT_MIN_S 1e-3
#define ROBUST_BEAT_MAX_S 3.0

enum robust_mode {
	ROBUST_STARTING, /* doubles each phase */
	ROBUST_CLIMBING, /* at the rate, or growing */
	ROBUST_PROBING,	 /* one step beyond the limit */
	ROBUST_SLOWER,	 /* two phases of a comparison */
	ROBUST_FASTER,
	ROBUST_DRAINING, /* a lone update behind a surge */
	ROBUST_SILENT	 /* nothing comes back */
};

struct acp_robust {
	struct robust_path path;
	struct robust_phase phase[2]; /* [1]: of the faster one, [0]: of all others */
	struct robust_phase kept;     /* before a probe */
	double rate_hz, now_hz;	      /* the one searched for, the one in force */
	double before_hz;	      /* before a probe or a surge */
	double limit_hz;	      /* known capacity; ROBUST_UNLIMITED: none */
	double rtt_s, queue_s;	      /* means of the last phase */
	double dither;
	double difference_s, scatter_s2; /* of comparisons: the last one, variance among them */
	double brake_s, quiet_s; /* when the surge was noticed; silence counts from here at the earliest */
	double first_s, last_s, flushed; /* ACKs of what was under way at the surge */
	double surge_s;			 /* most queueing seen since */
	double lone_s;			 /* period of lone updates */
	u64 sent, sent_before;		 /* S now and when the phase began */
	double phase_s;
	u32 random, comparisons, unanswered, marked;
	u8 mode; /* enum robust_mode */
	u8 streak, hold, held, second, faster_first, waits;
};

struct acp_robust_params {
	u64 in_flight, samples, waiting, doubt, window_ns;
};

#define ROBUST_PARAMS(p) ((const struct acp_robust_params *)(p))

static inline u32 robust_random(struct acp_robust *s)
{
	s->random ^= s->random << 13;
	s->random ^= s->random >> 17;
	s->random ^= s->random << 5;
	return s->random;
}

/* More than so many under way is of no use; and of a path that loses much we take less, for what is lost may
 * be our doing. */
static inline double robust_most_hz(const struct acp_robust *s, const struct acp_robust_params *p)
{
	double arrive = 1 - s->path.loss;
	return (double)p->in_flight * arrive * arrive / s->path.srtt_s;
}

/* The controller looks at silence this often. */
static inline void robust_beat(const struct acp_robust *s, struct weir_age_out *o)
{
	double period_s = 1 / s->now_hz;
	double beat_s = robust_larger(3 * period_s, s->path.srtt_s / 4);
	if (s->mode == ROBUST_SILENT)
		beat_s = robust_larger(period_s, s->rtt_s / 4);
	o->rate_hz = s->now_hz;
	o->epoch_s = robust_between(beat_s, ROBUST_BEAT_MIN_S, ROBUST_BEAT_MAX_S);
}

static inline void robust_begin(struct acp_robust *s, const struct acp_robust_params *p, double now_s,
				enum robust_mode mode, struct weir_age_out *o)
{
	double most_hz = robust_most_hz(s, p);
	double factor = mode == ROBUST_FASTER ? s->dither : mode == ROBUST_SLOWER ? 1 / s->dither : 1;
	s->mode = (u8)mode;
	s->rate_hz =
	    robust_between(s->rate_hz, robust_smaller(ROBUST_FLOOR / s->path.srtt_s, most_hz), most_hz);
	s->now_hz = s->rate_hz * factor;
	s->phase_s = now_s;
	s->sent_before = s->sent;
	s->marked = 0;
	struct robust_phase *f = &s->phase[mode == ROBUST_FASTER];
	double length_s = (double)p->samples / s->now_hz;
	memset(f, 0, sizeof *f);
	f->begin_s = now_s + length_s / 3;
	f->end_s = now_s + length_s * 4 / 3;
	f->period_s = 1 / s->now_hz;
	robust_beat(s, o);
}

#endif
