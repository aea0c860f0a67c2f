/* SPDX-License-Identifier: MIT */
#include "tracks.h"

#include "core/decimal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_BYTES 4096
#define TIME_MAX_S 1e9

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

/* Cuts one line into its fields in place; returns how many, at most max + 1 to tell "too many", 0 for a
 * quote that does not end. */
static u32 split(char *line, char **field, u32 max)
{
	u32 n = 0;
	for (char *in = line;; in++) {
		char *out = in, *start = in;
		if (*in == '"') {
			for (in++; *in && !(*in == '"' && in[1] != '"'); in++) {
				in += *in == '"';
				*out++ = *in;
			}
			if (*in != '"' || (in[1] && in[1] != ','))
				return 0;
			in++;
		} else {
			in += strcspn(in, ",");
			out = in;
		}
		bool last = !*in;
		*out = 0;
		if (n < max)
			field[n] = start;
		n++;
		if (last || n > max)
			return n;
	}
}

/* A finite number that fills the whole field. */
static bool number(const char *text, double *x)
{
	if (weir_decimal_plain(text, x))
		return true;
	if (strspn(text, "+-.0123456789eE") != strlen(text) || !*text)
		return false;
	char *end;
	*x = strtod(text, &end);
	return !*end && isfinite(*x);
}

struct reader {
	struct weir_tracks *set;
	struct weir_diag *d;
	u32 line;
	double time_s;
	char text[LINE_MAX_BYTES];
};

/* About the row being read; `field` is where in it, NULL for the whole of it. */
static int complain(struct reader *r, const char *what, const char *field)
{
	u32 column = field ? (u32)(field - r->text) + 1 : 1;
	if (field && *field)
		weir_diag_add(r->d, r->line, column, "%s: '%.80s'", what, field);
	else
		weir_diag_add(r->d, r->line, column, "%s", what);
	return -1;
}

static int complain_of_file(struct reader *r, const char *what)
{
	weir_diag_add(r->d, 0, 0, "%s", what);
	return -1;
}

static int read_row(struct reader *r)
{
	char *field[4];
	double time_s, value = (double)NAN;
	if (split(r->text, field, 4) != 4)
		return complain(r, "a row is time_s,flow,signal,value", NULL);
	if (!number(field[0], &time_s) || time_s < 0 || time_s > TIME_MAX_S)
		return complain(r, "not a time in seconds", field[0]);
	if (time_s < r->time_s)
		return complain(r, "time goes back", field[0]);
	r->time_s = time_s;
	if (!*field[1])
		return complain(r, "the name of the flow is empty", field[1]);
	if (!*field[2])
		return complain(r, "the name of the signal is empty", field[2]);
	if (*field[3] && !number(field[3], &value))
		return complain(r, "not a number", field[3]);

	if (r->set->n == WEIR_TRACKS_MAX && !weir_tracks_find(r->set, field[1], field[2]))
		return complain(r, "more than 65536 pairs of flow and signal", NULL);
	struct weir_track *s = find_or_add(r->set, field[1], field[2]);
	if (!s || make_room(r->set, s))
		return complain_of_file(r, "out of memory");
	s->point[s->n++] = (struct weir_point){time_s, value};
	r->set->points++;
	sample(s, value);
	return 0;
}

/* Cuts the end of line off; false when there is none although the buffer is full. */
static bool end_line(char *text, size_t room)
{
	size_t n = strlen(text);
	if (n + 1 == room && text[n - 1] != '\n')
		return false;
	if (n && text[n - 1] == '\n')
		text[--n] = 0;
	if (n && text[n - 1] == '\r')
		text[--n] = 0;
	return true;
}

int weir_tracks_read(FILE *f, struct weir_tracks *set, struct weir_diag *d)
{
	struct reader r = {.set = set, .d = d};
	set->points_max = WEIR_TRACK_POINTS;
	while (fgets(r.text, sizeof r.text, f)) {
		r.line++;
		if (!end_line(r.text, sizeof r.text))
			return complain(&r, "the line is longer than 4094 bytes", NULL);
		if (r.line > 1 && read_row(&r))
			return -1;
		if (r.line == 1 && strcmp(r.text, "time_s,flow,signal,value"))
			return complain(&r, "the first line is not time_s,flow,signal,value", NULL);
	}
	if (ferror(f))
		return complain_of_file(&r, strerror(errno));
	if (!r.line)
		return complain_of_file(&r, "the file is empty");
	return 0;
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
