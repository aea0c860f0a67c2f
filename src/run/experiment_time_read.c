/* SPDX-License-Identifier: MIT */
/* `window`, `time`, `while` and `compare` of a claim. */
#include "run/experiment_read.h"
#include "scenario/quantity.h"

#include <math.h>
#include <stdlib.h>

bool weir_experiment_time(struct weir_experiment_reader *r, const struct weir_yaml *node, u64 *ns)
{
	char error[WEIR_QUANTITY_ERROR] = "a time is expected";

	if (node->kind == WEIR_YAML_TEXT && weir_quantity(node->text, WEIR_QUANTITY_TIME, ns, error))
		return true;
	weir_experiment_say(r, node->at, "%s", error);
	return false;
}

/* ---- which samples ---- */

static void read_one_window(struct weir_experiment_reader *r, const struct weir_yaml *node,
			    struct weir_time_rule *t)
{
	u64 from_ns, to_ns;

	if (node->kind != WEIR_YAML_LIST || node->n != 2) {
		weir_experiment_say(r, node->at, "a window is [from, to]");
		return;
	}
	if (!weir_experiment_time(r, node->first, &from_ns) || !weir_experiment_time(r, node->last, &to_ns))
		return;
	if (from_ns >= to_ns) {
		weir_experiment_say(r, node->at, "the window ends before it begins");
		return;
	}
	t->window[t->n_windows].from_ns = from_ns;
	t->window[t->n_windows++].to_ns = to_ns;
}

/* One window, or a list of them. */
static void read_windows(struct weir_experiment_reader *r, const struct weir_yaml *node,
			 struct weir_time_rule *t)
{
	if (node->kind != WEIR_YAML_LIST || !node->first || node->first->kind != WEIR_YAML_LIST) {
		read_one_window(r, node, t);
		return;
	}
	if (node->n > WEIR_TIME_WINDOWS_MAX) {
		weir_experiment_say(r, node->at, "at most %d windows are expected", WEIR_TIME_WINDOWS_MAX);
		return;
	}
	for (const struct weir_yaml *each = node->first; each; each = each->next)
		read_one_window(r, each, t);
}

static bool read_bound(struct weir_experiment_reader *r, const struct weir_yaml *map, const char *key,
		       double *bound)
{
	const struct weir_yaml *node = weir_yaml_find(map, key);

	return node && weir_experiment_number(r, node, bound);
}

static void read_range(struct weir_experiment_reader *r, const struct weir_yaml *map,
		       struct weir_time_range *range)
{
	*range = (struct weir_time_range){-HUGE_VAL, HUGE_VAL};
	bool above = read_bound(r, map, "above", &range->above);
	if (!read_bound(r, map, "below", &range->below) && !above)
		weir_experiment_say(r, map->at, "`above` or `below` is missing");
}

static const char *read_series(struct weir_experiment_reader *r, const struct weir_yaml *map)
{
	const char *text = weir_experiment_text(r, map, "series", true);

	if (text && !strchr(text, '.'))
		weir_experiment_say(r, weir_yaml_find(map, "series")->at, "a series is named FLOW.SIGNAL");
	return text;
}

static void read_while(struct weir_experiment_reader *r, const struct weir_yaml *map,
		       struct weir_time_rule *t)
{
	static const char *const keys[] = {"series", "above", "below", NULL};

	if (!weir_experiment_is_map(r, map))
		return;
	weir_experiment_keys(r, map, keys);
	t->while_series = read_series(r, map);
	read_range(r, map, &t->while_range);
}

/* ---- what a sample is ---- */

static void read_length(struct weir_experiment_reader *r, const struct weir_yaml *map,
			struct weir_time_rule *t)
{
	const struct weir_yaml *mean_over = weir_yaml_find(map, "mean_over"),
			       *lag = weir_yaml_find(map, "lag");

	if (mean_over && weir_experiment_time(r, mean_over, &t->mean_over_ns) && !t->mean_over_ns)
		weir_experiment_say(r, mean_over->at, "a stretch of time is expected");
	if (lag && weir_experiment_time(r, lag, &t->lag_ns) && t->lag_ns > t->mean_over_ns)
		weir_experiment_say(r, lag->at, "at most `mean_over` is expected");
}

static void read_compare(struct weir_experiment_reader *r, const struct weir_yaml *map,
			 struct weir_time_rule *t)
{
	static const char *const keys[] = {"series", "as",	  "mean_over", "lag",
					   "above",  "own_above", "factor",    NULL};
	static const char *const words[] = {"", "error", "ratio", "difference", "agreement"};

	if (!weir_experiment_is_map(r, map))
		return;
	weir_experiment_keys(r, map, keys);
	t->beside_series = read_series(r, map);
	const char *as = weir_experiment_text(r, map, "as", true);
	for (u32 i = 1; as && i < sizeof words / sizeof *words; i++)
		if (!strcmp(as, words[i]))
			t->beside = (enum weir_beside)i;
	if (as && !t->beside)
		weir_experiment_say(r, weir_yaml_find(map, "as")->at,
				    "error, ratio, difference or agreement is expected");
	read_length(r, map, t);
	if (read_bound(r, map, "factor", &t->factor) && !(t->factor > 0))
		weir_experiment_say(r, weir_yaml_find(map, "factor")->at, "a number above 0 is expected");
	bool above = read_bound(r, map, "above", &t->beside_above);
	bool own = read_bound(r, map, "own_above", &t->own_above);
	if ((t->beside == WEIR_BESIDE_AGREEMENT) != (above && own) || above != own)
		weir_experiment_say(r, map->at, "`above` and `own_above` belong to an agreement, both");
}

/* ---- how they become one ---- */

static const struct {
	const char *word;
	enum weir_over_time over;
} words[] = {
    {"mean", WEIR_TIME_MEAN},		{"min", WEIR_TIME_MIN},		  {"max", WEIR_TIME_MAX},
    {"variation", WEIR_TIME_VARIATION}, {"fraction", WEIR_TIME_FRACTION},
};

static bool is_quantile(const char *text, double *quantile)
{
	double percent;

	if (*text != 'p' || !weir_experiment_parse_number(text + 1, &percent) || percent < 0 || percent > 100)
		return false;
	*quantile = percent / 100;
	return true;
}

static void read_over(struct weir_experiment_reader *r, const struct weir_yaml *map, struct weir_time_rule *t)
{
	const char *text = weir_experiment_text(r, map, "time", false);
	bool known = !text;

	for (u32 i = 0; text && i < sizeof words / sizeof *words; i++)
		if (!strcmp(text, words[i].word)) {
			t->over = words[i].over;
			known = true;
		}
	if (!known && is_quantile(text, &t->quantile)) {
		t->over = WEIR_TIME_QUANTILE;
		known = true;
	}
	if (!known)
		weir_experiment_say(
		    r, weir_yaml_find(map, "time")->at,
		    "mean, min, max, variation, fraction or a quantile such as p95 is expected");
	const struct weir_yaml *above = weir_yaml_find(map, "above"), *below = weir_yaml_find(map, "below");
	if (t->over == WEIR_TIME_FRACTION)
		read_range(r, map, &t->range);
	else if (above || below)
		weir_experiment_say(r, (above ? above : below)->key_at, "`%s` needs `time: fraction`",
				    above ? "above" : "below");
}

void weir_experiment_read_time(struct weir_experiment_reader *r, const struct weir_yaml *map,
			       struct weir_claim *c)
{
	static const char *const keys[] = {"window", "while", "compare"};
	bool series =
	    c->operand[0].kind == WEIR_OPERAND_SERIES || (c->op && c->operand[1].kind == WEIR_OPERAND_SERIES);
	const struct weir_yaml *node[3];

	for (u32 i = 0; i < 3; i++) {
		node[i] = weir_yaml_find(map, keys[i]);
		if (node[i] && !series)
			weir_experiment_say(r, node[i]->key_at, "`%s` needs a metric series.FLOW.SIGNAL",
					    keys[i]);
	}
	if (node[0])
		read_windows(r, node[0], &c->time);
	if (node[1])
		read_while(r, node[1], &c->time);
	if (node[2])
		read_compare(r, node[2], &c->time);
	read_over(r, map, &c->time);
}
