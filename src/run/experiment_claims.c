/* SPDX-License-Identifier: MIT */
/* The claims of an experiment's file. */
#include "core/nearest.h"
#include "record/query.h"
#include "run/experiment_read.h"
#include "scenario/quantity.h"

#include <stdlib.h>

/* ---- which points ---- */

static void read_choice(struct weir_experiment_reader *r, const struct weir_yaml *node, bool quick,
			u32 choice[WEIR_EXPERIMENT_MAX_AXES])
{
	struct weir_experiment *e = r->experiment;
	struct weir_nearest near = weir_nearest_to(node->key);

	for (u32 a = 0; a < e->n_axes; a++) {
		struct weir_experiment_axis *axis = &e->axes[a];
		weir_nearest_try(&near, axis->name);
		if (strcmp(axis->name, node->key))
			continue;
		for (u32 v = 0; v < axis->n && node->kind == WEIR_YAML_TEXT; v++) {
			if (strcmp(axis->values[v].name, node->text))
				continue;
			axis->values[v].quick |= quick;
			choice[a] = v;
			return;
		}
		weir_experiment_say(r, node->at, "not one of the values of the axis `%.60s`", axis->name);
		return;
	}
	weir_experiment_say(r, node->key_at, "there is no axis `%.60s`%s%.60s%s", node->key,
			    near.name ? "; did you mean `" : "", near.name ? near.name : "",
			    near.name ? "`?" : "");
}

void weir_experiment_read_at(struct weir_experiment_reader *r, const struct weir_yaml *map, bool quick,
			     u32 choice[WEIR_EXPERIMENT_MAX_AXES])
{
	if (!map || !weir_experiment_is_map(r, map))
		return;
	for (const struct weir_yaml *node = map->first; node; node = node->next)
		read_choice(r, node, quick, choice);
}

/* `AXIS: PART*` below `against`: one of the values whose names begin so. True when that was one. */
static bool read_among(struct weir_experiment_reader *r, const struct weir_yaml *node, struct weir_operand *o)
{
	struct weir_experiment *e = r->experiment;
	size_t bytes = node->kind == WEIR_YAML_TEXT ? strlen(node->text) : 0;

	if (bytes < 2 || node->text[bytes - 1] != '*')
		return false;
	for (u32 a = 0; a < e->n_axes; a++)
		for (u32 v = 0; !strcmp(e->axes[a].name, node->key) && v < e->axes[a].n; v++) {
			if (strncmp(e->axes[a].values[v].name, node->text, bytes - 1) != 0)
				continue;
			if (o->among)
				weir_experiment_say(r, node->at, "PART* may stand for one axis only");
			o->among = weir_arena_text(e->arena, node->text, bytes - 1);
			o->among_axis = a;
			o->choice[a] = v;
			return true;
		}
	return false;
}

static void read_against(struct weir_experiment_reader *r, const struct weir_yaml *map,
			 struct weir_operand *o)
{
	if (!map || !weir_experiment_is_map(r, map))
		return;
	for (const struct weir_yaml *node = map->first; node; node = node->next)
		if (!read_among(r, node, o))
			read_choice(r, node, true, o->choice);
}

/* Two operands are paired run by run, so both must select as many values of each axis. */
static void check_pairs(struct weir_experiment_reader *r, const struct weir_claim *c)
{
	for (u32 a = 0; c->op && a < r->experiment->n_axes; a++) {
		bool first = c->operand[0].choice[a] == WEIR_EXPERIMENT_ANY;
		bool second = c->operand[1].choice[a] == WEIR_EXPERIMENT_ANY;
		if (first != second && r->experiment->axes[a].n > 1)
			weir_experiment_say(r, c->at, "`at` and `against` must name the same axes");
	}
}

/* ---- the metric ---- */

static void read_operand(struct weir_experiment_reader *r, const char *text, size_t bytes,
			 struct weir_operand *o, struct weir_scenario_place at)
{
	const char *name = weir_arena_text(r->experiment->arena, text, bytes);

	if (!name)
		return;
	o->name = name;
	if (weir_experiment_parse_number(name, &o->constant)) {
		o->kind = WEIR_OPERAND_CONSTANT;
	} else if (!strncmp(name, "model.", 6)) {
		char why[WEIR_MODELLED_WHY];
		o->kind = WEIR_OPERAND_MODEL;
		o->name = name + 6;
		if (!weir_modelled_parse(o->name, &o->model, why))
			weir_experiment_say(r, at, "%s", why);
	} else if (strncmp(name, "series.", 7)) {
		o->kind = WEIR_OPERAND_SUMMARY;
		o->pattern = weir_query_is_pattern(name);
		if (!strchr(name, '.') || strchr(name, ' '))
			weir_experiment_say(r, at,
					    "`%.60s` is not a metric: write a dotted name of the summary, "
					    "series.FLOW.SIGNAL, model.READING.NUMBER, A / B or A - B",
					    name);
	} else {
		o->kind = WEIR_OPERAND_SERIES;
		o->name = name + 7;
		if (!strchr(o->name, '.'))
			weir_experiment_say(r, at, "a series is named series.FLOW.SIGNAL");
	}
}

static void read_metric(struct weir_experiment_reader *r, const struct weir_yaml *map, bool quick,
			struct weir_claim *c)
{
	const char *text = weir_experiment_text(r, map, "metric", true), *op;

	for (u32 a = 0; a < WEIR_EXPERIMENT_MAX_AXES; a++)
		c->operand[0].choice[a] = c->operand[1].choice[a] = WEIR_EXPERIMENT_ANY;
	if (!text)
		return;
	c->metric = text;
	c->metric_at = weir_yaml_find(map, "metric")->at;
	op = strstr(text, " / ");
	op = op ? op : strstr(text, " - ");
	read_operand(r, text, op ? (size_t)(op - text) : strlen(text), &c->operand[0], c->metric_at);
	if (op) {
		c->op = op[1];
		read_operand(r, op + 3, strlen(op + 3), &c->operand[1], c->metric_at);
	}
	if (c->operand[0].kind == WEIR_OPERAND_CONSTANT)
		weir_experiment_say(r, c->metric_at, "the metric begins with the name of a number");
	weir_experiment_read_at(r, weir_yaml_find(map, "at"), quick, c->operand[0].choice);
	const struct weir_yaml *against = weir_yaml_find(map, "against");
	memcpy(c->operand[1].choice, c->operand[0].choice, sizeof c->operand[1].choice);
	read_against(r, against, &c->operand[1]);
	if (against && !c->op)
		weir_experiment_say(r, against->key_at,
				    "`against` is where the second of A / B or A - B is "
				    "taken; this metric is only one");
	check_pairs(r, c);
}

/* The first word is the default. */
struct reduce_words {
	const char *key, *list;
	u32 n;
	struct {
		const char *word;
		enum weir_reduce reduce;
	} word[4];
};
static const struct reduce_words over_seeds = {"seeds",
					       "mean, min, max or median",
					       4,
					       {{"mean", WEIR_REDUCE_MEAN},
						{"min", WEIR_REDUCE_MIN},
						{"max", WEIR_REDUCE_MAX},
						{"median", WEIR_REDUCE_MEDIAN}}};
static const struct reduce_words over_flows = {"flows",
					       "sum, mean, min or max",
					       4,
					       {{"sum", WEIR_REDUCE_SUM},
						{"mean", WEIR_REDUCE_MEAN},
						{"min", WEIR_REDUCE_MIN},
						{"max", WEIR_REDUCE_MAX}}};

static const struct reduce_words over_among = {
    "best", "min or max", 2, {{"min", WEIR_REDUCE_MIN}, {"max", WEIR_REDUCE_MAX}}};

static enum weir_reduce read_reduce(struct weir_experiment_reader *r, const struct weir_yaml *map,
				    const struct reduce_words *w)
{
	const char *text = weir_experiment_text(r, map, w->key, false);

	for (u32 i = 0; text && i < w->n; i++)
		if (!strcmp(text, w->word[i].word))
			return w->word[i].reduce;
	if (text)
		weir_experiment_say(r, weir_yaml_find(map, w->key)->at, "%s is expected", w->list);
	return w->word[0].reduce;
}

/* ---- one claim ---- */

static void read_miss(struct weir_experiment_reader *r, const struct weir_yaml *map,
		      struct weir_claim_written *w)
{
	static const char *const keys[] = {"at", "band", "reason", "evidence", NULL};
	struct weir_known_miss *m = &w->miss[w->n_misses];

	if (!weir_experiment_is_map(r, map))
		return;
	weir_experiment_keys(r, map, keys);
	memset(&m->at, 0xff, sizeof m->at);
	weir_experiment_read_at(r, weir_yaml_find(map, "at"), false, m->at.choice);
	const struct weir_yaml *band = weir_yaml_find(map, "band");
	bool good = band && weir_experiment_band(r, band, m->band);
	if (!band)
		weir_experiment_say(r, map->at, "`band` is missing");
	m->reason = weir_experiment_text(r, map, "reason", true);
	m->evidence = weir_experiment_text(r, map, "evidence", true);
	w->n_misses += good && m->reason && m->evidence;
}

/* One for all points of the claim, or a list of which the first that fits counts. */
static void read_known_miss(struct weir_experiment_reader *r, const struct weir_yaml *node,
			    struct weir_claim_written *w)
{
	if (!node)
		return;
	if (node->kind != WEIR_YAML_LIST) {
		read_miss(r, node, w);
		return;
	}
	if (node->n > WEIR_KNOWN_MISSES_MAX) {
		weir_experiment_say(r, node->at, "at most %d known misses are expected",
				    WEIR_KNOWN_MISSES_MAX);
		return;
	}
	for (const struct weir_yaml *map = node->first; map; map = map->next)
		read_miss(r, map, w);
}

static void read_each(struct weir_experiment_reader *r, const struct weir_yaml *list,
		      struct weir_claim_written *w)
{
	const struct weir_experiment *e = r->experiment;

	if (!list)
		return;
	if (list->kind != WEIR_YAML_LIST || list->n == 0) {
		weir_experiment_say(r, list->at, "a list of axes is expected");
		return;
	}
	for (const struct weir_yaml *node = list->first; node; node = node->next) {
		u32 a = 0;
		while (a < e->n_axes &&
		       (node->kind != WEIR_YAML_TEXT || strcmp(e->axes[a].name, node->text) != 0))
			a++;
		if (a == e->n_axes)
			weir_experiment_say(r, node->at, "the name of an axis is expected");
		else if (w->claim.operand[0].choice[a] != WEIR_EXPERIMENT_ANY ||
			 w->claim.operand[1].choice[a] != WEIR_EXPERIMENT_ANY)
			weir_experiment_say(r, node->at, "`at` and `against` name this axis already");
		else
			w->each[a] = true;
	}
}

static void read_or_within(struct weir_experiment_reader *r, const struct weir_yaml *map,
			   struct weir_claim *c)
{
	const struct weir_yaml *node = weir_yaml_find(map, "or_within");
	char error[WEIR_QUANTITY_ERROR] = "a fraction is expected";
	u64 millionths;

	if (!node)
		return;
	if (c->op != '-')
		weir_experiment_say(r, node->key_at, "`or_within` needs a metric A - B");
	if (node->kind == WEIR_YAML_TEXT &&
	    weir_quantity(node->text, WEIR_QUANTITY_RATIO, &millionths, error))
		c->or_within = (double)millionths / 1e6;
	else
		weir_experiment_say(r, node->at, "%s", error);
}

static void read_claim(struct weir_experiment_reader *r, const struct weir_yaml *map,
		       struct weir_claim_written *w)
{
	static const char *const keys[] = {"id",	"text",	 "metric",     "at",	"against", "each",
					   "window",	"time",	 "while",      "above", "below",   "compare",
					   "seeds",	"flows", "best",       "unit",	"paper",   "band",
					   "or_within", "where", "known_miss", NULL};
	struct weir_claim *c = &w->claim;

	weir_experiment_keys(r, map, keys);
	c->at = map->at;
	c->id = weir_experiment_text(r, map, "id", true);
	c->text = weir_experiment_text(r, map, "text", true);
	c->unit = weir_experiment_text(r, map, "unit", true);
	c->where = weir_experiment_text(r, map, "where", true);
	read_metric(r, map, true, c);
	weir_experiment_read_time(r, map, c);
	c->over_seeds = read_reduce(r, map, &over_seeds);
	c->over_flows = read_reduce(r, map, &over_flows);
	c->over_among = read_reduce(r, map, &over_among);
	const struct weir_yaml *best = weir_yaml_find(map, "best");
	if (best && !c->operand[1].among)
		weir_experiment_say(r, best->key_at, "`best` needs `against` with a value PART*");
	const struct weir_yaml *flows = weir_yaml_find(map, "flows");
	if (flows && !c->operand[0].pattern && !c->operand[1].pattern)
		weir_experiment_say(r, flows->key_at, "`flows` needs a metric flows.PART*.NUMBER");
	if (weir_experiment_text(r, map, "paper", false))
		c->has_paper = weir_experiment_number(r, weir_yaml_find(map, "paper"), &c->paper);
	const struct weir_yaml *band = weir_yaml_find(map, "band");
	if (band)
		weir_experiment_band(r, band, c->band);
	else
		weir_experiment_say(r, map->at, "`band` is missing: [lowest, highest]");
	read_or_within(r, map, c);
	read_each(r, weir_yaml_find(map, "each"), w);
	read_known_miss(r, weir_yaml_find(map, "known_miss"), w);
}

void weir_experiment_read_claims(struct weir_experiment_reader *r, const struct weir_yaml *list)
{
	struct weir_experiment *e = r->experiment;

	if (list->kind != WEIR_YAML_LIST || list->n == 0 || list->n > WEIR_EXPERIMENT_MAX_CLAIMS) {
		weir_experiment_say(r, list->at, "a list of 1 to %u claims is expected",
				    WEIR_EXPERIMENT_MAX_CLAIMS);
		return;
	}
	struct weir_claim_written *w = malloc(sizeof *w);
	for (const struct weir_yaml *map = list->first; w && map; map = map->next) {
		memset(w, 0, sizeof *w);
		if (!weir_experiment_is_map(r, map))
			continue;
		read_claim(r, map, w);
		for (u32 i = 0; w->claim.id && i < e->n_claims; i++)
			if (e->claims[i].group && !strcmp(e->claims[i].group, w->claim.id)) {
				weir_experiment_say(r, map->at, "the id `%.60s` is given twice", w->claim.id);
				break;
			}
		weir_experiment_add_claims(r, w);
	}
	free(w);
}

u32 weir_experiment_read_curve(struct weir_experiment_reader *r, const struct weir_yaml *map,
			       const char *label, u32 over)
{
	struct weir_claim_written *w = calloc(1, sizeof *w);
	u32 claim = r->experiment->n_claims;

	if (!w)
		return claim;
	struct weir_claim *c = &w->claim;
	c->at = map->at;
	c->id = c->text = label;
	c->unit = c->where = "";
	c->curve = true;
	read_metric(r, map, false, c);
	weir_experiment_read_time(r, map, c);
	c->over_flows = read_reduce(r, map, &over_flows);
	for (u32 a = 0; a < r->experiment->n_axes; a++)
		if (a != over && c->operand[0].choice[a] == WEIR_EXPERIMENT_ANY)
			c->operand[0].choice[a] = c->operand[1].choice[a] = 0;
	weir_experiment_add_claims(r, w);
	if (r->experiment->n_claims == claim)
		weir_experiment_say(r, map->at, "no point of this line is ever run");
	free(w);
	return claim;
}
