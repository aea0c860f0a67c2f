/* SPDX-License-Identifier: MIT */
/* A player of video over a stream, as DASH has it: the video is cut into chunks of equal length, each there
 * at every bitrate of a ladder; the receiver asks for one after the other and says which bitrate, and waits
 * while its buffer has no room. Which: by the buffer alone, rule BBA-0 of Huang et al., "A Buffer-Based
 * Approach to Rate Adaptation", SIGCOMM 2014: below a reservoir the lowest, above a cushion the highest,
 * linear in between, and a change only when that line has reached the next rung. Chunks are of constant
 * bitrate. Inside app/ and for those who read. */
#ifndef WEIR_APP_VIDEO_H
#define WEIR_APP_VIDEO_H

#include "weir/num.h"

/* Of the buffer, in eighths and tenths: 90 s and 216 s of their 240 s. Where a chunk is more than the last
 * tenth, the line ends at the fullest buffer that still has room for one. */
#define WEIR_VIDEO_RESERVOIR_EIGHTHS 3
#define WEIR_VIDEO_CUSHION_TENTHS 9

struct weir_video_config {
	const u64 *ladder_bps;	 /* rising; the caller's, outlives the application */
	u32 rungs;		 /* 0: nobody ever asks */
	u64 chunk_ns, buffer_ns; /* in time of video; the buffer holds at least two chunks */
};

/* Since the start; subtract two readings for an interval. */
struct weir_video_totals {
	u64 chunks, switches; /* arrived; of another bitrate than the one before */
	double chunk_bps;     /* sum of their bitrates */
	u64 played_ns, rebuffer_ns, rebuffers;
	double buffer_area_s2, time_s; /* integral of the buffer's level over this time */
};

struct weir_video {
	u64 at_ns;	   /* the account goes up to here */
	u64 buffer_ns;	   /* what is there and not played yet */
	u64 startup_ns;	   /* from the start until it played; WEIR_NEVER before */
	u32 rung, arrived; /* of the chunk asked for, and of the last that came */
	bool begun, playing;
	struct weir_video_totals totals;
};

static inline u64 weir_video_chunk_bytes(const struct weir_video_config *c, u32 rung)
{
	return weir_max(weir_muldiv(c->ladder_bps[rung], c->chunk_ns, 8 * WEIR_NS_PER_S), 1);
}

void weir_video_start(struct weir_video *v, u64 now_ns);
/* Plays on until now. */
void weir_video_advance(struct weir_video *v, u64 now_ns);
/* The chunk that was asked for is there. */
void weir_video_arrived(struct weir_video *v, const struct weir_video_config *c, u64 start_ns, u64 now_ns);
/* Chooses the next chunk: v->rung. Returns when to ask for it, now_ns or later. */
u64 weir_video_choose(struct weir_video *v, const struct weir_video_config *c, u64 now_ns);

#endif
