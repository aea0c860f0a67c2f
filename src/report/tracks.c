/* SPDX-License-Identifier: MIT */
#include "tracks.h"

#include "record/series_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static u32 hash_of(const char *flow, const char *signal)
{
	u32 h = 2166136261U;
	for (const char *s = flow; *s; s++)
		h = (h ^ (u8)*s) * 16777619U;
	h = (h ^ 0xff) * 16777619U;
	for (const char *s = signal; *s; s++)
		h = (h ^ (u8)*s) * 16777619U;
	return h;
}

/* The slot that holds (flow, signal), or the free one where it would stand. */
static u32 slot_of(const struct weir_tracks *set, const char *flow, const char *signal)
{
	u32 i = hash_of(flow, signal) & (set->slots - 1);
	for (; set->slot[i]; i = (i + 1) & (set->slots - 1)) {
		const struct weir_track *s = &set->track[set->slot[i] - 1];
		if (!strcmp(s->flow, flow) && !strcmp(s->signal, signal))
			break;
	}
	return i;
}

const struct weir_track *weir_tracks_find(const struct weir_tracks *set, const char *flow, const char *signal)
{
	if (!set->slots)
		return NULL;
	u32 at = set->slot[slot_of(set, flow, signal)];
	return at ? &set->track[at - 1] : NULL;
}

static int grow(struct weir_tracks *set)
{
	u32 room = set->room ? 2 * set->room : 64, slots = 4 * room;
	struct weir_track *track = realloc(set->track, room * sizeof *track);
	if (!track)
		return -1;
	set->track = track;
	set->room = room;
	u32 *slot = calloc(slots, sizeof *slot);
	if (!slot)
		return -1;
	free(set->slot);
	set->slot = slot;
	set->slots = slots;
	for (u32 i = 0; i < set->n; i++)
		slot[slot_of(set, track[i].flow, track[i].signal)] = i + 1;
	return 0;
}

static bool is_delay(const char *signal)
{
	return !strcmp(signal, "rtt_ms") || !strcmp(signal, "queue_delay_ms") || !strcmp(signal, "age_ms");
}

static bool is_mean(const char *signal)
{
	return !strcmp(signal, "throughput_bps") || !strcmp(signal, "goodput_bps") ||
	       !strcmp(signal, "capacity_bps") || !strcmp(signal, "utilization");
}

static u32 thin(struct weir_track *s, u32 points)
{
	return s->mean ? weir_average(s->point, s->n, points) : weir_decimate(s->point, s->n, points / 2);
}

static struct weir_track *find_or_add(struct weir_tracks *set, const char *flow, const char *signal)
{
	if (set->n == set->room && grow(set))
		return NULL;
	u32 at = slot_of(set, flow, signal);
	if (!set->slot[at]) {
		struct weir_track *s = &set->track[set->n];
		*s = (struct weir_track){.flow = strdup(flow), .signal = strdup(signal), .stride = 1};
		s->mean = is_mean(signal);
		if (is_delay(signal))
			s->sample = malloc(WEIR_TRACK_SAMPLE * sizeof *s->sample);
		if (!s->flow || !s->signal || (is_delay(signal) && !s->sample)) {
			free(s->flow);
			free(s->signal);
			free(s->sample);
			return NULL;
		}
		set->slot[at] = ++set->n;
	}
	return &set->track[set->slot[at] - 1];
}

/* Makes room for one more point; the limit falls when all series together are too many points. */
static int make_room(struct weir_tracks *set, struct weir_track *s)
{
	while (set->points >= WEIR_TRACK_TOTAL && set->points_max > 64) {
		set->points_max /= 2;
		set->points = 0;
		for (u32 i = 0; i < set->n; i++) {
			struct weir_track *o = &set->track[i];
			o->n = thin(o, set->points_max / 2);
			set->points += o->n;
		}
	}
	if (s->n >= set->points_max) {
		u32 left = thin(s, set->points_max / 2);
		set->points -= s->n - left;
		s->n = left;
	}
	if (s->n < s->room)
		return 0;
	u32 room = s->room ? 2 * s->room : 64;
	struct weir_point *point = realloc(s->point, room * sizeof *point);
	if (!point)
		return -1;
	s->point = point;
	s->room = room;
	return 0;
}

static void sample(struct weir_track *s, double value)
{
	if (!s->sample || isnan(value) || s->seen++ % s->stride)
		return;
	if (s->n_sample == WEIR_TRACK_SAMPLE) {
		for (u32 i = 0; i < WEIR_TRACK_SAMPLE / 2; i++)
			s->sample[i] = s->sample[2 * i];
		s->n_sample /= 2;
		s->stride *= 2;
		if ((s->seen - 1) % s->stride)
			return;
	}
	s->sample[s->n_sample++] = value;
}

static const char *take_row(void *ctx, const struct weir_series_row *row)
{
	struct weir_tracks *set = ctx;
	if (set->n == WEIR_TRACKS_MAX && !weir_tracks_find(set, row->flow, row->signal))
		return "more than 65536 pairs of flow and signal";
	struct weir_track *s = find_or_add(set, row->flow, row->signal);
	if (!s || make_room(set, s))
		return "out of memory";
	s->point[s->n++] = (struct weir_point){row->time_s, row->value};
	set->points++;
	sample(s, row->value);
	return NULL;
}

int weir_tracks_read(FILE *f, struct weir_tracks *set, struct weir_diag *d)
{
	set->points_max = WEIR_TRACK_POINTS;
	return weir_series_read(f, take_row, set, d);
}

void weir_tracks_free(struct weir_tracks *set)
{
	for (u32 i = 0; i < set->n; i++) {
		free(set->track[i].flow);
		free(set->track[i].signal);
		free(set->track[i].point);
		free(set->track[i].sample);
	}
	free(set->track);
	free(set->slot);
	*set = (struct weir_tracks){0};
}
