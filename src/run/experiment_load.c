/* SPDX-License-Identifier: MIT */
/* An experiment's file becomes checked plain data: everything but its claims and axes. */
#include "run/experiment_read.h"

#include <errno.h>
#include <stdlib.h>

static bool read_text(struct weir_experiment_reader *r)
{
	struct weir_experiment *e = r->experiment;
	FILE *f = fopen(e->path, "rb");
	char *text = f ? weir_arena_get(e->arena, WEIR_YAML_MAX_BYTES + 1) : NULL;

	if (text)
		e->bytes = fread(text, 1, WEIR_YAML_MAX_BYTES + 1, f);
	if (!text || ferror(f))
		weir_diag_add(&r->diag, 0, 0, "cannot be read: %s", strerror(errno));
	else if (e->bytes > WEIR_YAML_MAX_BYTES)
		weir_diag_add(&r->diag, 0, 0, "is too large: at most 4 MiB");
	else
		e->text = text;
	if (e->text)
		text[e->bytes] = 0;
	if (f)
		fclose(f);
	return e->text != NULL;
}

/* `PAPER/NAME` of `.../PAPER/NAME.yaml`. */
static const char *name_of(struct weir_arena *arena, const char *path)
{
	const char *end = path + strlen(path), *slash = strrchr(path, '/'), *start = path;

	for (const char *c = path; slash && c < slash; c++)
		start = *c == '/' ? c + 1 : start;
	const char *stem = slash ? slash + 1 : path;
	if (end - stem > 5 && !strcmp(end - 5, ".yaml"))
		end -= 5;
	if (start[0] == '.')
		start = stem;
	return weir_arena_text(arena, start, (size_t)(end - start));
}

/* ---- the scenario ---- */

/* A name relative to the folder of the experiment's file. */
static const char *beside(struct weir_experiment *e, const char *name)
{
	const char *slash = strrchr(e->path, '/');
	size_t folder = slash && name[0] != '/' ? (size_t)(slash - e->path) + 1 : 0;
	char *path = weir_arena_get(e->arena, folder + strlen(name) + 1);

	if (path) {
		memcpy(path, e->path, folder);
		memcpy(path + folder, name, strlen(name));
	}
	return path;
}

static size_t offset_of(const struct weir_experiment *e, struct weir_scenario_place at)
{
	size_t i = 0;

	for (u32 line = 1; line < at.line && i < e->bytes; i++)
		line += e->text[i] == '\n';
	for (u32 column = 1; column < at.column && i < e->bytes; column++)
		for (i++; i < e->bytes && ((u8)e->text[i] & 0xc0) == 0x80;)
			i++;
	return i;
}

/* The scenario that stands in this file is handed on as this file with everything else blanked, so that
 * its mistakes are reported at their own line and column. */
static void scenario_here(struct weir_experiment_reader *r, const struct weir_yaml *node)
{
	struct weir_experiment *e = r->experiment;
	size_t from = offset_of(e, node->at), to = node->next ? offset_of(e, node->next->key_at) : e->bytes;
	char *text = weir_arena_text(e->arena, e->text, e->bytes);

	for (size_t i = 0; text && i < e->bytes; i++)
		if ((i < from || i >= to) && text[i] != '\n')
			text[i] = ' ';
	e->scenario_text = text;
	e->scenario_path = e->path;
}

static void read_scenario(struct weir_experiment_reader *r, const struct weir_yaml *root)
{
	const struct weir_yaml *node = weir_yaml_find(root, "scenario");

	if (!node) {
		weir_experiment_say(r, root->at, "`scenario` is missing: a file's name or a scenario");
	} else if (node->kind == WEIR_YAML_MAP) {
		scenario_here(r, node);
	} else if (node->kind == WEIR_YAML_TEXT && *node->text) {
		r->experiment->scenario_path = beside(r->experiment, node->text);
	} else {
		weir_experiment_say(r, node->at, "a file's name or a scenario is expected");
	}
}

/* ---- seeds ---- */

static void read_seed_list(struct weir_experiment_reader *r, const struct weir_yaml *list)
{
	struct weir_experiment *e = r->experiment;

	if (list->n == 0 || list->n > WEIR_EXPERIMENT_MAX_SEEDS) {
		weir_experiment_say(r, list->at, "1 to %u seeds are expected", WEIR_EXPERIMENT_MAX_SEEDS);
		return;
	}
	for (const struct weir_yaml *seed = list->first; seed; seed = seed->next) {
		u64 value = 0;
		weir_experiment_count(r, seed, 0, ~0ULL, &value);
		for (u32 i = 0; i < e->n_seeds; i++)
			if (e->seeds[i] == value)
				weir_experiment_say(r, seed->at, "seed %llu is given twice", value);
		e->seeds[e->n_seeds++] = value;
	}
}

static void read_seeds(struct weir_experiment_reader *r, const struct weir_yaml *root)
{
	struct weir_experiment *e = r->experiment;
	const struct weir_yaml *node = weir_yaml_find(root, "seeds");
	u64 n = 1, quick;

	if (node && node->kind == WEIR_YAML_LIST) {
		read_seed_list(r, node);
	} else {
		if (node)
			weir_experiment_count(r, node, 1, WEIR_EXPERIMENT_MAX_SEEDS, &n);
		for (e->n_seeds = 0; e->n_seeds < n; e->n_seeds++)
			e->seeds[e->n_seeds] = e->n_seeds + 1;
	}
	quick = weir_min(e->n_seeds, WEIR_EXPERIMENT_QUICK_SEEDS);
	node = weir_yaml_find(root, "quick_seeds");
	if (node)
		weir_experiment_count(r, node, 1, e->n_seeds, &quick);
	e->quick_seeds = (u32)quick;
}

/* ---- all of it ---- */

static void read_skips(struct weir_experiment_reader *r, const struct weir_yaml *list)
{
	struct weir_experiment *e = r->experiment;

	if (!list)
		return;
	if (list->kind != WEIR_YAML_LIST || list->n > WEIR_EXPERIMENT_MAX_SKIPS) {
		weir_experiment_say(r, list->at, "a list of at most %u maps from axes to values is expected",
				    WEIR_EXPERIMENT_MAX_SKIPS);
		return;
	}
	for (const struct weir_yaml *map = list->first; map; map = map->next) {
		struct weir_experiment_at *at = &e->skips[e->n_skips];
		memset(at, 0xff, sizeof *at);
		weir_experiment_read_at(r, map, false, at->choice);
		if (map->kind == WEIR_YAML_MAP && !map->n)
			weir_experiment_say(r, map->at, "that would skip everything");
		e->n_skips++;
	}
}

static const char *const keys[] = {"title", "source",	   "scenario", "set",	  "axes",	"skip",
				   "seeds", "quick_seeds", "claims",   "figures", "conclusion", NULL};

static void read_all(struct weir_experiment_reader *r, const struct weir_yaml *root)
{
	struct weir_experiment *e = r->experiment;

	if (root->kind != WEIR_YAML_MAP) {
		weir_experiment_say(r, root->at, "an experiment is a map of keys");
		return;
	}
	weir_experiment_keys(r, root, keys);
	e->title = weir_experiment_text(r, root, "title", true);
	e->source = weir_experiment_text(r, root, "source", false);
	e->conclusion = weir_experiment_text(r, root, "conclusion", false);
	read_scenario(r, root);
	const struct weir_yaml *set = weir_yaml_find(root, "set");
	if (set)
		e->sets = weir_experiment_sets(r, set, &e->n_sets);
	weir_experiment_read_axes(r, weir_yaml_find(root, "axes"));
	read_skips(r, weir_yaml_find(root, "skip"));
	read_seeds(r, root);
	const struct weir_yaml *claims = weir_yaml_find(root, "claims");
	if (claims)
		weir_experiment_read_claims(r, claims);
	else
		weir_experiment_say(r, root->at, "`claims` is missing");
	weir_experiment_read_figures(r, weir_yaml_find(root, "figures"));
}

/* Points x seeds, before anything is multiplied that does not fit. */
static void check_size(struct weir_experiment_reader *r, const struct weir_yaml *root)
{
	u64 runs = weir_max(r->experiment->n_seeds, 1);

	for (u32 i = 0; i < r->experiment->n_axes; i++)
		runs = weir_min(runs * r->experiment->axes[i].n, 1ULL << 32);
	if (runs > WEIR_EXPERIMENT_MAX_RUNS)
		weir_experiment_say(r, root->at, "that would be more than %u runs", WEIR_EXPERIMENT_MAX_RUNS);
	else if (runs * r->experiment->n_claims > WEIR_EXPERIMENT_MAX_NUMBERS)
		weir_experiment_say(r, root->at, "that would be more than %u numbers",
				    WEIR_EXPERIMENT_MAX_NUMBERS);
}

/* Every point's scenario, until the first one that is wrong: the others are most likely wrong in the same
 * way. */
static u32 check_points(const struct weir_experiment *e, const struct weir_registry *registry,
			FILE *complaints)
{
	struct weir_experiment_plan plan;
	u32 mistakes = 0;

	weir_experiment_plan(e, false, true, &plan);
	for (u32 point = 0; point < plan.n_points && !mistakes; point++) {
		struct weir_diag *diag = calloc(1, sizeof *diag);
		struct weir_scenario_set set = {0};
		struct weir_scenario scenario = {0};
		u32 choice[WEIR_EXPERIMENT_MAX_AXES];
		if (!diag)
			return 1;
		weir_experiment_choices(&plan, point, choice);
		if (!weir_experiment_skips(e, choice) &&
		    weir_experiment_scenario(&plan, point, registry, &set, &scenario, diag) < 0) {
			mistakes = diag->n + diag->more;
			weir_diag_print(diag, e->scenario_text ? e->text : set.text, complaints);
		}
		weir_scenario_free(&scenario);
		weir_scenario_set_free(&set);
		free(diag);
	}
	return mistakes;
}

u32 weir_experiment_load(const char *path, const struct weir_registry *registry, struct weir_experiment *e,
			 FILE *complaints)
{
	struct weir_experiment_reader *r = calloc(1, sizeof *r);
	u32 mistakes;

	*e = (struct weir_experiment){.arena = calloc(1, sizeof *e->arena)};
	if (!r || !e->arena) {
		fprintf(complaints, "%s: out of memory\n", path);
		free(r);
		return 1;
	}
	r->experiment = e;
	snprintf(r->diag.file, sizeof r->diag.file, "%s", path);
	e->path = weir_arena_text(e->arena, path, strlen(path));
	e->name = name_of(e->arena, path);
	if (e->path && e->name && read_text(r)) {
		const struct weir_yaml *root =
		    weir_yaml_parse(e->arena, e->text, e->bytes, 0, 0, &r->nobody, &r->diag);
		if (root) {
			read_all(r, root);
			check_size(r, root);
		}
	}
	weir_diag_print(&r->diag, e->text, complaints);
	mistakes = r->diag.n + r->diag.more;
	free(r);
	return mistakes ? mistakes : check_points(e, registry, complaints);
}

void weir_experiment_free(struct weir_experiment *e)
{
	if (e->arena)
		weir_arena_free(e->arena);
	free(e->arena);
	*e = (struct weir_experiment){0};
}
