/* SPDX-License-Identifier: MIT */
/* series.csv, read row by row into one list of points a (flow, signal). Memory is bounded whatever the
 * file: a series that grows too long is thinned by weir_decimate and goes on. */
#ifndef WEIR_REPORT_TRACKS_H
#define WEIR_REPORT_TRACKS_H

#include "core/diag.h"
#include "decimate.h"

#include <stdio.h>

#define WEIR_EMULATOR_TRACK "emulator:ferry" /* no flow's name: those have no colon */
#define WEIR_TRACKS_MAX 65536
#define WEIR_TRACK_POINTS 8192	 /* of one series before it is thinned */
#define WEIR_TRACK_TOTAL 8000000 /* of all; beyond, the limit of each is halved */
#define WEIR_TRACK_SAMPLE 1024

struct weir_track {
	char *flow, *signal;
	bool mean; /* a rate or a share: thinned by means, not by extremes */
	struct weir_point *point;
	u32 n, room;
	/* Every stride-th value as it came, gaps left out: a fair sample for distributions, which the
	 * extremes are not. Only of rtt_ms, queue_delay_ms and age_ms, NULL for others. */
	double *sample;
	u32 n_sample, stride;
	u64 seen;
};

struct weir_tracks {
	struct weir_track *track; /* in order of first appearance */
	u32 n, room;
	u32 *slot; /* hash table of 1 + index; 0 free */
	u32 slots;
	u64 points;
	u32 points_max;
};

/* Rows `time_s,flow,signal,value` after that header, in time order; fields may be quoted as in RFC 4180,
 * an empty value is a gap. 0, or -1 after adding what is wrong to `d` with its line. */
int weir_tracks_read(FILE *f, struct weir_tracks *set, struct weir_diag *d);
/* NULL if there is none. */
const struct weir_track *weir_tracks_find(const struct weir_tracks *set, const char *flow,
					  const char *signal);
void weir_tracks_free(struct weir_tracks *set);

#endif
