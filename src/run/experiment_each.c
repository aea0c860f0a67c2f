/* SPDX-License-Identifier: MIT */
/* One claim as written becomes one for each combination of the axes under `each`, with the known miss that
 * belongs to it. */
#include "run/experiment_read.h"

#include <stdio.h>

static struct weir_claim *next_claim(struct weir_experiment_reader *r)
{
	struct weir_experiment *e = r->experiment;

	if (e->n_claims == e->room_claims) {
		u32 room = e->room_claims ? e->room_claims * 2 : 16;
		struct weir_claim *longer = weir_arena_get(e->arena, room * sizeof *longer);
		if (!longer)
			return NULL;
		if (e->n_claims)
			memcpy(longer, e->claims, e->n_claims * sizeof *longer);
		e->claims = longer;
		e->room_claims = room;
	}
	return &e->claims[e->n_claims++];
}

static void choose_miss(struct weir_claim *c, const struct weir_claim_written *w, u32 n_axes)
{
	for (u32 i = 0; i < w->n_misses; i++) {
		const struct weir_known_miss *m = &w->miss[i];
		bool fits = true;
		for (u32 a = 0; a < n_axes; a++)
			fits = fits && (m->at.choice[a] == WEIR_EXPERIMENT_ANY ||
					m->at.choice[a] == c->operand[0].choice[a]);
		if (!fits)
			continue;
		c->has_known_miss = true;
		memcpy(c->miss_band, m->band, sizeof c->miss_band);
		c->miss_reason = m->reason;
		c->miss_evidence = m->evidence;
		return;
	}
}

/* "12 Mbit/s, 10 ms" */
static void name_part(const struct weir_experiment *e, const bool *each, const u32 *choice, char part[256])
{
	size_t used = 0;

	part[0] = 0;
	for (u32 a = 0; a < e->n_axes; a++) {
		if (!each[a] || used > 250)
			continue;
		int n = snprintf(part + used, 256 - used, "%s%.60s", used ? ", " : "",
				 e->axes[a].values[choice[a]].name);
		used += n > 0 ? (size_t)n : 0;
	}
}

static const char *join(struct weir_arena *arena, const char *text, const char *part)
{
	size_t n = strlen(text), m = strlen(part);
	char *joined = weir_arena_get(arena, n + m + 3);

	if (!joined)
		return text;
	memcpy(joined, text, n);
	memcpy(joined + n, ": ", 2);
	memcpy(joined + n + 2, part, m);
	return joined;
}

static void add_one(struct weir_experiment_reader *r, const struct weir_claim_written *w, const u32 *choice)
{
	struct weir_experiment *e = r->experiment;
	struct weir_claim c = w->claim;
	char part[256];

	c.group = c.id;
	for (u32 a = 0; a < e->n_axes; a++)
		if (w->each[a])
			c.operand[0].choice[a] = c.operand[1].choice[a] = choice[a];
	if (weir_experiment_skips(e, c.operand[0].choice) ||
	    (c.op && weir_experiment_skips(e, c.operand[1].choice)))
		return;
	name_part(e, w->each, choice, part);
	if (*part && c.id && c.text) {
		c.part = weir_arena_text(e->arena, part, strlen(part));
		c.id = join(e->arena, c.id, part);
		c.text = join(e->arena, c.text, part);
	}
	choose_miss(&c, w, e->n_axes);
	struct weir_claim *to = next_claim(r);
	if (to)
		*to = c;
}

void weir_experiment_add_claims(struct weir_experiment_reader *r, const struct weir_claim_written *w)
{
	const struct weir_experiment *e = r->experiment;
	u32 choice[WEIR_EXPERIMENT_MAX_AXES] = {0};
	u64 n = 1;

	for (u32 a = 0; a < e->n_axes; a++)
		n = weir_min(n * (w->each[a] ? e->axes[a].n : 1), WEIR_EXPERIMENT_MAX_JUDGED + 1);
	if (e->n_claims + n > WEIR_EXPERIMENT_MAX_JUDGED) {
		weir_experiment_say(r, w->claim.at, "that would be more than %d claims",
				    WEIR_EXPERIMENT_MAX_JUDGED);
		return;
	}
	for (u64 i = 0; i < n; i++) {
		u64 rest = i;
		for (u32 a = e->n_axes; a-- > 0;) {
			if (!w->each[a])
				continue;
			choice[a] = (u32)(rest % e->axes[a].n);
			rest /= e->axes[a].n;
		}
		add_one(r, w, choice);
	}
}
