/* SPDX-License-Identifier: MIT */
#include "own.h"

#include <string.h>

#define SIGNALS_MAX 64
#define CHOICES_MAX 32
#define WORDS_MAX 32

static const char *const kinds[WEIR_DIMENSIONS] = {
    [WEIR_PLAIN] = "plain numbers", [WEIR_RATE] = "rates",	  [WEIR_BYTES] = "bytes",
    [WEIR_TIME] = "times",	    [WEIR_SHARE] = "shares",	  [WEIR_COUNT] = "counts",
    [WEIR_PACKETS] = "packets",	    [WEIR_OFTEN] = "frequencies",
};

static bool is_of_controller(const char *signal)
{
	return !strncmp(signal, "cc.", 3);
}

/* ---- choices ---- */

/* What the values of a signal stand for; NULL: they are numbers. */
static const json_t *words_of(const json_t *signal)
{
	const json_t *words = json_object_get(signal, "words");
	size_t n = json_array_size(words);
	return n > 0 && n <= WORDS_MAX ? words : NULL;
}

static const json_t *words_of_flow(const struct weir_entity *flow, const char *signal)
{
	const json_t *signals = json_object_get(flow->summary, "signals");
	return is_of_controller(signal) ? words_of(json_object_get(signals, signal + 3)) : NULL;
}

struct choice {
	char signal[WEIR_LABEL_BYTES];
	const json_t *words;
};

static u32 add_choice(struct choice *all, u32 n, const char *name, const json_t *words)
{
	for (u32 i = 0; i < n; i++)
		if (!strcmp(all[i].signal + 3, name) && json_equal(all[i].words, words))
			return n;
	if (n == CHOICES_MAX || !words)
		return n;
	snprintf(all[n].signal, sizeof all[n].signal, "cc.%.100s", name);
	all[n].words = words;
	return n + 1;
}

/* Each once, in the order in which they first appear. Two of one name are one where their words are. */
static u32 list_choices(const struct weir_entities *e, struct choice all[CHOICES_MAX])
{
	u32 n = 0;
	for (u32 i = 0; i < e->n_flows; i++) {
		const char *name;
		json_t *signal;
		json_object_foreach(json_object_get(e->flow[i].summary, "signals"), name, signal)
		{
			n = add_choice(all, n, name, words_of(signal));
		}
	}
	return n;
}

static bool is_for_all(const struct choice *choice)
{
	return !strcmp(choice->signal, "cc.mode") || !strcmp(choice->signal, "cc.verdict");
}

static int make_choice(const struct weir_line_source *s, struct weir_charts *c, const struct choice *choice)
{
	struct weir_chart *chart = weir_charts_add(c);
	if (!chart)
		return -1;
	snprintf(chart->id, sizeof chart->id, "choice-%u", c->n);
	snprintf(chart->heading, sizeof chart->heading, "%s",
		 is_for_all(choice) ? "" : "Controllers: choices");
	weir_signal_words(choice->signal + 3, chart->title, sizeof chart->title);
	if (is_for_all(choice)) /* as the titles beside it */
		*chart->title = (char)(*chart->title - 'a' + 'A');
	chart->words = choice->words;
	chart->from_zero = true;
	for (u32 i = 0; i < s->entities->n_flows; i++)
		if (json_equal(words_of_flow(&s->entities->flow[i], choice->signal), choice->words) &&
		    weir_line_of_flow(s, chart, i, choice->signal, WEIR_LINE, ""))
			return -1;
	weir_charts_settle(c);
	return 0;
}

static int make_choices(const struct weir_line_source *s, struct weir_charts *c, bool open)
{
	struct choice all[CHOICES_MAX];
	u32 n = list_choices(s->entities, all);
	for (u32 i = 0; i < n; i++)
		if (is_for_all(&all[i]) == open && make_choice(s, c, &all[i]))
			return -1;
	return 0;
}

int weir_own_charts_open(const struct weir_line_source *s, struct weir_charts *c)
{
	return make_choices(s, c, true);
}

/* ---- numbers ---- */

static int make_own(const struct weir_line_source *s, struct weir_charts *c, const char *signal)
{
	struct weir_chart *chart = weir_charts_add(c);
	if (!chart)
		return -1;
	chart->dimension = weir_unit_of(signal).dimension;
	snprintf(chart->id, sizeof chart->id, "signal-%u", c->n);
	bool of_controller = is_of_controller(signal);
	snprintf(chart->heading, sizeof chart->heading, of_controller ? "Controllers: %s" : "Other: %s",
		 kinds[chart->dimension]);
	weir_signal_words(signal + (of_controller ? 3 : 0), chart->title, sizeof chart->title);
	for (u32 i = 0; i < s->entities->n_flows; i++)
		if (!words_of_flow(&s->entities->flow[i], signal) &&
		    weir_line_of_flow(s, chart, i, signal, WEIR_LINE, ""))
			return -1;
	weir_charts_settle(c);
	return 0;
}

/* Of the three that say how a group's flows are spread, drawn as one band. */
static bool is_quantile(const char *signal)
{
	return strstr(signal, "_p10_") || strstr(signal, "_p50_") || strstr(signal, "_p90_");
}

/* The controllers' own signals (cc.NAME_UNIT) and whatever else has no chart, each once, in order of first
 * appearance. */
static u32 own_signals(const struct weir_report_data *data, bool (*has_chart)(const char *signal),
		       const char *own[SIGNALS_MAX])
{
	u32 n = 0;
	for (u32 r = 0; r < data->n_runs; r++) {
		const struct weir_tracks *t = &data->run[r].tracks;
		for (u32 i = 0; i < t->n && n < SIGNALS_MAX; i++) {
			const char *signal = t->track[i].signal;
			if (!strncmp(t->track[i].flow, "link:", 5) || has_chart(signal) ||
			    is_quantile(signal))
				continue;
			u32 k = 0;
			while (k < n && strcmp(own[k], signal))
				k++;
			if (k == n)
				own[n++] = signal;
		}
	}
	return n;
}

int weir_own_charts(const struct weir_line_source *s, struct weir_charts *c,
		    bool (*has_chart)(const char *signal))
{
	const char *own[SIGNALS_MAX];
	u32 n = own_signals(s->data, has_chart, own);
	if (make_choices(s, c, false))
		return -1;
	for (u32 k = 0; k < 2 * WEIR_DIMENSIONS; k++)
		for (u32 i = 0; i < n; i++)
			if (weir_unit_of(own[i]).dimension == (enum weir_dimension)(k % WEIR_DIMENSIONS) &&
			    is_of_controller(own[i]) == (k < WEIR_DIMENSIONS) && make_own(s, c, own[i]))
				return -1;
	return 0;
}
