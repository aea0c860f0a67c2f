/* SPDX-License-Identifier: MIT */
#include "reproduce.h"

#include "core/exit_code.h"
#include "scenario/arena.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The figures of one experiment at most: every metric along every axis would be a wall. */
#define SWEEPS_MAX 12
#define PAIRS_MAX 12

static const char *text_or_empty(const char *text)
{
	return text ? text : "";
}

/* Its text without the point. */
static const char *group_of(struct weir_arena *arena, const struct weir_claim *c)
{
	size_t whole = strlen(c->text), part = strlen(c->part) + 2;
	return weir_arena_text(arena, c->text, whole > part ? whole - part : whole);
}

static struct weir_report_claim claim_of(struct weir_arena *arena, const struct weir_claim *c,
					 const struct weir_claim_result *r)
{
	return (struct weir_report_claim){
	    .id = c->id,
	    .text = c->text,
	    .unit = c->unit,
	    .where = c->where,
	    .paper = c->has_paper ? c->paper : (double)NAN,
	    .measured = r->known ? r->measured : (double)NAN,
	    .band = {r->band[0], r->band[1]},
	    .ci95 = {r->has_ci ? r->ci_low : (double)NAN, r->has_ci ? r->ci_high : (double)NAN},
	    .n = r->n,
	    .verdict = weir_verdict_words[r->verdict],
	    .reason = r->reason,
	    .group = c->part ? group_of(arena, c) : NULL,
	    .part = c->part,
	};
}

/* Claims that differ only in their point would draw the same line. */
static bool drawn_before(const struct weir_experiment *e, u32 claim)
{
	for (u32 i = 0; i < claim; i++)
		if (!strcmp(e->claims[i].metric, e->claims[claim].metric))
			return true;
	return false;
}

/* One line with one point for each value of the axis. False: nothing to draw, or no memory. */
static bool sweep_of(struct weir_arena *arena, const struct weir_reproduced *item, u32 claim, u32 axis,
		     struct weir_report_sweep *out)
{
	const struct weir_experiment *e = &item->experiment;
	const struct weir_claim *c = &e->claims[claim];
	u32 n = item->result.plan.used[axis];
	struct weir_experiment_sweep *at = weir_arena_get(arena, e->axes[axis].n * sizeof *at);
	struct weir_report_sweep_point *point = weir_arena_get(arena, n * sizeof *point);
	struct weir_report_sweep_line *line = weir_arena_get(arena, sizeof *line);
	const char *unit = "";

	if (!at || !point || !line || !weir_experiment_scale(&item->result.plan, axis, &unit, at) ||
	    !weir_experiment_sweep(&item->result, claim, axis, at))
		return false;
	for (u32 i = 0; i < n; i++)
		point[i] = (struct weir_report_sweep_point){
		    .x = at[i].x, .y = at[i].y, .ci95 = {at[i].ci_low, at[i].ci_high}};
	*line = (struct weir_report_sweep_line){.label = e->name, .point = point, .n = n};
	*out =
	    (struct weir_report_sweep){.title = c->metric,
				       .where = "",
				       .note = "",
				       .x_log = weir_reproduce_is_log(at, n),
				       .x_title = weir_reproduce_axis_title(arena, e->axes[axis].name, unit),
				       .y_title = c->unit,
				       .line = line,
				       .n = 1};
	return out->x_title != NULL;
}

/* "host: sim", of the axis on which the operands differ. */
static const char *side_of(struct weir_arena *arena, const struct weir_experiment *e,
			   const struct weir_claim *c, u32 operand)
{
	char text[160];
	for (u32 a = 0; a < e->n_axes; a++) {
		u32 value = c->operand[operand].choice[a];
		if (c->operand[0].choice[a] == c->operand[1].choice[a] || value == WEIR_EXPERIMENT_ANY)
			continue;
		const char *among = a == c->operand[operand].among_axis ? c->operand[operand].among : NULL;
		int n = snprintf(text, sizeof text, "%.70s: %s%.60s, %.10s", e->axes[a].name,
				 among ? "best " : "", among ? among : e->axes[a].values[value].name,
				 c->op == '-' ? c->unit : "");
		text[n > 2 && c->op != '-' ? n - 2 : n] = 0;
		return weir_arena_text(arena, text, strlen(text));
	}
	return "";
}

/* The claims that were written as one, from number `from` on, both of whose operands can be drawn. */
static u32 pairs_of(struct weir_arena *arena, const struct weir_reproduced *item, u32 from,
		    struct weir_report_pairs *out)
{
	const struct weir_experiment *e = &item->experiment;
	const struct weir_claim *c = &e->claims[from];
	u32 n = 0;
	struct weir_report_pair *pair = weir_arena_get(arena, e->n_claims * sizeof *pair);

	if (!c->part || !c->op || c->operand[1].kind == WEIR_OPERAND_CONSTANT || !pair ||
	    (from && !strcmp(e->claims[from - 1].group, c->group)))
		return 0;
	for (u32 i = from; i < e->n_claims && !strcmp(e->claims[i].group, c->group); i++) {
		const struct weir_claim_result *r = &item->result.claim[i];
		if (r->judged && isfinite(r->first) && isfinite(r->second))
			pair[n++] = (struct weir_report_pair){r->second, r->first, e->claims[i].part,
							      weir_verdict_words[r->verdict]};
	}
	*out = (struct weir_report_pairs){.title = group_of(arena, c),
					  .x_title = side_of(arena, e, c, 1),
					  .y_title = side_of(arena, e, c, 0),
					  .pair = pair,
					  .n = n};
	return n > 0;
}

/* Every metric along every axis that has a scale. */
static bool sweeps_of(struct weir_arena *arena, const struct weir_reproduced *item,
		      struct weir_report_experiment *out)
{
	const struct weir_experiment *e = &item->experiment;
	struct weir_report_sweep *sweep = weir_arena_get(arena, SWEEPS_MAX * sizeof *sweep);
	u32 n = 0;

	for (u32 i = 0; sweep && i < e->n_claims; i++)
		for (u32 a = 0; a < e->n_axes && n < SWEEPS_MAX && !drawn_before(e, i); a++)
			n += sweep_of(arena, item, i, a, &sweep[n]);
	out->sweep = sweep;
	out->n_sweeps = n;
	return sweep != NULL;
}

/* As the file has them; where it has curves of its own, they stand for those of every metric, and
 * for the pairs. */
static const char *conclusion_of(struct weir_arena *arena, const struct weir_reproduced *item)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *to = open_memstream(&text, &bytes);
	const char *kept = "";

	if (to && weir_reproduce_conclusion(to, item) && fflush(to) == 0)
		kept = weir_arena_text(arena, text, bytes);
	if (to)
		fclose(to);
	free(text);
	return to ? kept : NULL;
}

static bool figures_of(struct weir_arena *arena, const struct weir_reproduced *item,
		       struct weir_report_experiment *out)
{
	out->sweep = weir_reproduce_curves(arena, item, &out->n_sweeps);
	out->heat = weir_reproduce_grids(arena, item, &out->n_heats);
	if (!out->sweep || !out->heat)
		return false;
	if (out->n_sweeps)
		out->n_pairs = 0;
	if (!out->n_sweeps && !out->n_heats && !sweeps_of(arena, item, out))
		return false;
	if (!item->figures)
		return true;
	out->drawing = weir_reproduce_drawings(arena, item, &out->n_drawings);
	out->tuning = weir_reproduce_tunings(arena, item, &out->n_tunings);
	return out->drawing && out->tuning;
}

static bool fill(struct weir_arena *arena, const struct weir_reproduced *item,
		 struct weir_report_experiment *out)
{
	const struct weir_experiment *e = &item->experiment;
	struct weir_report_claim *claim = weir_arena_get(arena, e->n_claims * sizeof *claim);
	struct weir_report_pairs *pairs = weir_arena_get(arena, PAIRS_MAX * sizeof *pairs);
	u32 n_pairs = 0;
	const char *conclusion = conclusion_of(arena, item);

	if (!claim || !pairs || !conclusion)
		return false;
	for (u32 i = 0; i < e->n_claims && n_pairs < PAIRS_MAX; i++)
		n_pairs += pairs_of(arena, item, i, &pairs[n_pairs]);
	u32 judged = 0;
	for (u32 i = 0; i < e->n_claims; i++)
		if (item->result.claim[i].judged)
			claim[judged++] = claim_of(arena, &e->claims[i], &item->result.claim[i]);
	*out = (struct weir_report_experiment){.name = e->name,
					       .title = e->title,
					       .source = text_or_empty(e->source),
					       .backend = weir_reproduced_backend(item),
					       .conclusion = conclusion,
					       .claim = claim,
					       .n_claims = judged,
					       .pairs = pairs,
					       .n_pairs = n_pairs};
	return figures_of(arena, item, out);
}

int weir_reproduce_page(const char *path, const struct weir_reproduced *items, u32 n, struct weir_diag *d)
{
	struct weir_arena arena = {0};
	struct weir_report_experiment *e = weir_arena_get(&arena, n * sizeof *e);
	bool ok = e != NULL;

	for (u32 i = 0; ok && i < n; i++)
		ok = fill(&arena, &items[i], &e[i]);
	int code = WEIR_EXIT_FAILED;
	if (ok)
		code = weir_report_experiments(path, e, n, d);
	else
		weir_diag_add(d, 0, 0, "out of memory");
	weir_arena_free(&arena);
	return code;
}
