/* SPDX-License-Identifier: MIT */
#include "video.h"

void weir_video_start(struct weir_video *v, u64 now_ns)
{
	*v = (struct weir_video){.at_ns = now_ns, .startup_ns = WEIR_NEVER};
}

static void count_level(struct weir_video *v, u64 ns, u64 before_ns, u64 after_ns)
{
	v->totals.time_s += (double)ns / 1e9;
	v->totals.buffer_area_s2 += (double)ns / 1e9 * ((double)before_ns + (double)after_ns) / 2e9;
}

void weir_video_advance(struct weir_video *v, u64 now_ns)
{
	u64 ns = weir_sub(now_ns, v->at_ns), played_ns = v->playing ? weir_min(ns, v->buffer_ns) : 0;
	count_level(v, played_ns, v->buffer_ns, v->buffer_ns - played_ns);
	count_level(v, ns - played_ns, v->buffer_ns - played_ns, v->buffer_ns - played_ns);
	v->buffer_ns -= played_ns;
	v->totals.played_ns += played_ns;
	if (v->playing && ns > played_ns) {
		v->playing = false;
		v->totals.rebuffers++;
	}
	if (v->begun)
		v->totals.rebuffer_ns += ns - played_ns;
	v->at_ns = weir_max(v->at_ns, now_ns);
}

void weir_video_arrived(struct weir_video *v, const struct weir_video_config *c, u64 start_ns, u64 now_ns)
{
	weir_video_advance(v, now_ns);
	v->totals.switches += v->begun && v->rung != v->arrived;
	v->totals.chunks++;
	v->totals.chunk_bps += (double)c->ladder_bps[v->rung];
	v->arrived = v->rung;
	v->buffer_ns += c->chunk_ns;
	if (!v->begun)
		v->startup_ns = weir_sub(now_ns, start_ns);
	v->begun = v->playing = true;
}

static u64 reservoir_ns(const struct weir_video_config *c)
{
	return c->buffer_ns / 8 * WEIR_VIDEO_RESERVOIR_EIGHTHS;
}

static u64 cushion_ns(const struct weir_video_config *c)
{
	return weir_min(c->buffer_ns / 10 * WEIR_VIDEO_CUSHION_TENTHS, weir_sub(c->buffer_ns, c->chunk_ns));
}

/* f(B) of the paper, between the two. */
static u64 line_bps(const struct weir_video_config *c, u64 level_ns)
{
	u64 low_bps = c->ladder_bps[0], high_bps = c->ladder_bps[c->rungs - 1];
	return low_bps +
	       weir_muldiv(high_bps - low_bps, level_ns - reservoir_ns(c), cushion_ns(c) - reservoir_ns(c));
}

static u32 rung_for(const struct weir_video *v, const struct weir_video_config *c, u64 level_ns)
{
	u32 top = c->rungs - 1, rung = v->rung;
	if (level_ns <= reservoir_ns(c))
		return 0;
	if (level_ns >= cushion_ns(c))
		return top;
	u64 bps = line_bps(c, level_ns);
	if (rung < top && bps >= c->ladder_bps[rung + 1])
		while (rung < top && c->ladder_bps[rung + 1] <= bps)
			rung++;
	else if (rung > 0 && bps <= c->ladder_bps[rung - 1])
		while (rung > 0 && c->ladder_bps[rung - 1] >= bps)
			rung--;
	return rung;
}

u64 weir_video_choose(struct weir_video *v, const struct weir_video_config *c, u64 now_ns)
{
	u64 most_ns = weir_sub(c->buffer_ns, c->chunk_ns), level_ns = weir_min(v->buffer_ns, most_ns);
	v->rung = rung_for(v, c, level_ns);
	return weir_add(now_ns, v->buffer_ns - level_ns);
}
