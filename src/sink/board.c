/* SPDX-License-Identifier: MIT */
#include "board.h"

#include "text.h"
#include "weir/num.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WATCHED 512		       /* sources whose teeth are kept */
#define TEETH 256		       /* of each */
#define TOOTH_NS (20 * WEIR_NS_PER_MS) /* closer ones become one: the highest peak, the last foot */
#define VALUE_BYTES 80
#define NONE 0xffffu

struct tooth {
	u64 at_ns;
	float peak_s, foot_s; /* the age just before, just after */
};

struct watched {
	u32 place, n; /* n: teeth so far */
	u64 shown_ns;
	bool used;
	u8 value_bytes;
	u8 value[VALUE_BYTES];
	struct tooth tooth[TEETH];
};

struct weir_board {
	const struct weir_monitors *table;
	struct weir_told_names names;
	u16 *watch_of; /* by place */
	u32 top;       /* no source beyond this place */
	u64 delivered, delivered_before, rate_ns;
	double rate_hz;
	u32 n_watched;
	struct watched watched[WATCHED];
};

const char *const weir_board_sort_words[WEIR_BOARD_SORTS] = {"age", "id", "rate", "rtt", "backlog", "lost"};

struct weir_board *weir_board_new(const struct weir_monitors *table, const struct weir_told_names *names)
{
	struct weir_board *l = calloc(1, sizeof *l);
	u16 *watch_of = malloc(sizeof *watch_of * table->capacity);
	if (!l || !watch_of) {
		free(l);
		free(watch_of);
		return NULL;
	}
	l->table = table;
	l->names = *names;
	l->watch_of = watch_of;
	memset(watch_of, 0xff, sizeof *watch_of * table->capacity);
	return l;
}

void weir_board_free(struct weir_board *l)
{
	if (!l)
		return;
	free(l->watch_of);
	free(l);
}

/* ---- teeth ---- */

static struct watched *watch(struct weir_board *l, u32 slot, u32 place)
{
	struct watched *w = &l->watched[slot];
	if (w->used)
		l->watch_of[w->place] = NONE;
	w->used = true;
	w->place = place;
	w->n = 0;
	w->value_bytes = 0;
	w->shown_ns = 0;
	l->watch_of[place] = (u16)slot;
	return w;
}

/* A place for one that is to be shown: that of the one not shown for longest. */
static struct watched *steal(struct weir_board *l, u32 place)
{
	u32 best = 0;
	for (u32 i = 1; i < WATCHED; i++) {
		const struct watched *w = &l->watched[i], *b = &l->watched[best];
		if (b->used && (!w->used || w->shown_ns < b->shown_ns))
			best = i;
	}
	return watch(l, best, place);
}

static void add_tooth(struct watched *w, u64 now_ns, double age_s)
{
	float foot = (float)age_s, peak = foot;
	struct tooth *last = w->n ? &w->tooth[(w->n - 1) % TEETH] : NULL;
	if (last)
		peak = last->foot_s + (float)((double)weir_sub(now_ns, last->at_ns) / 1e9);
	if (w->n > 1 && now_ns < last->at_ns + TOOTH_NS) {
		last->peak_s = fmaxf(last->peak_s, peak);
		last->foot_s = foot - (float)((double)(now_ns - last->at_ns) / 1e9);
		return;
	}
	w->tooth[w->n++ % TEETH] = (struct tooth){now_ns, peak, foot};
}

void weir_board_value(struct weir_board *l, u64 now_ns, const struct weir_told *v)
{
	struct watched *w = l->watch_of[v->place] == NONE ? NULL : &l->watched[l->watch_of[v->place]];
	l->delivered++;
	if (!l->rate_ns) /* so that the first page does not begin with a rate of 0 */
		l->rate_ns = now_ns;
	if (v->place >= l->top)
		l->top = v->place + 1;
	if (!w && l->n_watched < WATCHED)
		w = watch(l, l->n_watched++, v->place);
	if (!w)
		return;
	w->value_bytes = (u8)weir_min(v->bytes, VALUE_BYTES);
	memcpy(w->value, v->data, w->value_bytes);
	if (v->age.known)
		add_tooth(w, now_ns, v->age.age_s);
}

void weir_board_gone(struct weir_board *l, u32 place)
{
	if (l->watch_of[place] == NONE)
		return;
	l->watched[l->watch_of[place]].used = false;
	l->watch_of[place] = NONE;
}

/* ---- which rows ---- */

struct row {
	u32 place;
	double key;
};

static bool matches(const char *id, const char *search)
{
	size_t n = strlen(search);
	for (; n && *id; id++) {
		size_t i = 0;
		while (i < n && tolower((u8)id[i]) == search[i])
			i++;
		if (i == n)
			return true;
	}
	return n == 0;
}

static double key_of(const struct weir_board *l, u32 place, u64 now_ns, enum weir_board_sort sort)
{
	const struct weir_monitor *m = weir_monitors_at(l->table, place);
	switch (sort) {
	case WEIR_BOARD_RATE:
		return m->gap_s > 0 ? 1 / m->gap_s : 0;
	case WEIR_BOARD_RTT:
		return m->rtt_us;
	case WEIR_BOARD_BACKLOG:
		return m->backlog_updates;
	case WEIR_BOARD_LOST:
		return (double)weir_monitor_lost(m);
	case WEIR_BOARD_AGE:
		return weir_monitor_age(m, now_ns).age_s;
	default:
		return 0;
	}
}

/* Whether a stands before b. What is equal stands by its name, so that rows do not jump. */
static bool before(const struct weir_board *l, const struct row *a, const struct row *b,
		   const struct weir_board_query *q)
{
	if (a->key != b->key)
		return q->descending ? a->key > b->key : a->key < b->key;
	int order = strcmp(l->names.id[a->place], l->names.id[b->place]);
	if (order == 0)
		return a->place < b->place;
	return q->sort == WEIR_BOARD_ID && q->descending ? order > 0 : order < 0;
}

/* The first rows in order; *matching: how many there are in all. */
static u32 select_rows(struct weir_board *l, u64 now_ns, const struct weir_board_query *q,
		       struct row row[WEIR_BOARD_ROWS_MAX], u32 *matching)
{
	u32 n = 0, room = (u32)weir_clamp(q->rows, 1, WEIR_BOARD_ROWS_MAX);
	*matching = 0;
	for (u32 place = 0; place < l->top; place++) {
		if (!weir_monitors_at(l->table, place) || !matches(l->names.id[place], q->search))
			continue;
		struct row r = {place, key_of(l, place, now_ns, q->sort)};
		(*matching)++;
		if (n == room && !before(l, &r, &row[n - 1], q))
			continue;
		u32 at = n < room ? n++ : n - 1;
		for (; at > 0 && before(l, &r, &row[at - 1], q); at--)
			row[at] = row[at - 1];
		row[at] = r;
	}
	return n;
}

/* ---- the event ---- */

static double rounded(double x)
{
	return round(x * 1e6) / 1e6;
}

static void put_teeth(struct weir_json *j, const struct watched *w, u64 since_ns)
{
	u32 first = w->n > TEETH ? w->n - TEETH : 0;
	weir_json_put_array(j, "teeth");
	for (u32 i = first; i < w->n; i++) {
		const struct tooth *t = &w->tooth[i % TEETH];
		if (t->at_ns <= since_ns)
			continue;
		weir_json_double(j, round((double)t->at_ns / 1e6) / 1e3);
		weir_json_double(j, rounded(t->peak_s));
		weir_json_double(j, rounded(t->foot_s));
	}
	weir_json_array_end(j);
	if (weir_is_utf8(w->value, w->value_bytes)) {
		weir_json_key(j, "value");
		weir_json_string_n(j, (const char *)w->value, w->value_bytes);
	} else {
		weir_json_put_null(j, "value");
	}
}

static void put_age(struct weir_json *j, const struct weir_monitor *m, u64 now_ns)
{
	struct weir_age_reading a = weir_monitor_age(m, now_ns);
	if (!a.known) {
		weir_json_put_null(j, "age_s");
		weir_json_put_null(j, "error_s");
		return;
	}
	weir_json_put_double(j, "age_s", rounded(a.age_s));
	if (a.high_s > 0)
		weir_json_put_double(j, "error_s", rounded(a.high_s - a.age_s));
	else
		weir_json_put_null(j, "error_s");
}

static void put_row(struct weir_board *l, struct weir_json *j, u32 place, u64 now_ns, u64 since_ns)
{
	const struct weir_monitor *m = weir_monitors_at(l->table, place);
	struct watched *w = l->watch_of[place] == NONE ? steal(l, place) : &l->watched[l->watch_of[place]];
	w->shown_ns = now_ns;
	weir_json_object(j);
	weir_json_put_u64(j, "place", place);
	weir_json_put_string(j, "id", l->names.id[place]);
	weir_json_put_string(j, "key", l->names.key[place][0] ? l->names.key[place] : NULL);
	put_age(j, m, now_ns);
	weir_json_put_double(j, "heard_s", rounded((double)weir_sub(now_ns, m->heard_ns) / 1e9));
	if (m->gap_s > 0)
		weir_json_put_double(j, "rate_hz", rounded(1 / m->gap_s));
	else
		weir_json_put_null(j, "rate_hz");
	if (m->rtt_us)
		weir_json_put_double(j, "rtt_s", (double)m->rtt_us / 1e6);
	else
		weir_json_put_null(j, "rtt_s");
	weir_json_put_u64(j, "backlog", m->backlog_updates);
	weir_json_put_u64(j, "fresh", m->fresh);
	weir_json_put_u64(j, "lost", weir_monitor_lost(m));
	put_teeth(j, w, since_ns);
	weir_json_object_end(j);
}

static void count_rate(struct weir_board *l, u64 now_ns)
{
	double span_s = (double)weir_sub(now_ns, l->rate_ns) / 1e9;
	if (span_s < 1)
		return;
	l->rate_hz = l->rate_ns ? (double)(l->delivered - l->delivered_before) / span_s : 0;
	l->delivered_before = l->delivered;
	l->rate_ns = now_ns;
}

void weir_board_event(struct weir_board *l, u64 now_ns, u64 since_ns, const struct weir_board_query *q,
		      struct weir_json *j)
{
	struct row row[WEIR_BOARD_ROWS_MAX];
	u32 matching, n = select_rows(l, now_ns, q, row, &matching);
	count_rate(l, now_ns);
	weir_json_line(j);
	weir_json_object(j);
	weir_json_put_double(j, "now_s", round((double)now_ns / 1e6) / 1e3);
	weir_json_put_u64(j, "sources", l->table->count);
	weir_json_put_u64(j, "matching", matching);
	weir_json_put_double(j, "fresh_hz", rounded(l->rate_hz));
	weir_json_put_u64(j, "refused", l->table->verdicts[WEIR_MONITOR_REFUSED]);
	weir_json_put_array(j, "rows");
	for (u32 i = 0; i < n; i++)
		put_row(l, j, row[i].place, now_ns, since_ns);
	weir_json_array_end(j);
	weir_json_object_end(j);
}
