/* SPDX-License-Identifier: MIT */
/* Fills a struct from a map by the rows of its scope. */
#include "check.h"

#include "core/nearest.h"

#include <stdio.h>

/* One map that is being read. */
struct filling {
	const struct weir_schema_scope *scope;
	const struct weir_yaml *node, *beside;
	void *into;
	bool selector_known;
	u32 selector;
	u32 inherited; /* bit of the selector's word that the struct came with; 0: it came with nothing */
	u64 given;     /* bits of the rows that were found in the file */
};

static bool applies(const struct filling *f, const struct weir_schema_key *key)
{
	return !key->only || !f->selector_known || (key->only & (1u << f->selector));
}

static bool is_selector(const struct filling *f, const struct weir_schema_key *key)
{
	return f->scope->selector && !strcmp(key->name, f->scope->selector);
}

/* NULL: there is none. The row may still not apply. */
static const struct weir_schema_key *find_row(const struct filling *f, const char *name)
{
	const struct weir_schema_key *found = NULL;
	for (u32 i = 0; i < f->scope->n; i++) {
		const struct weir_schema_key *key = &f->scope->keys[i];
		if (!strcmp(key->name, name) && (!found || applies(f, key)))
			found = key;
	}
	return found;
}

static void fill_map(struct weir_checker *c, const struct filling *f, const struct weir_schema_key *key,
		     const struct weir_yaml *value)
{
	bool shares = key->of == WEIR_SCOPE_APPLICATION;
	weir_check_scope(c, (enum weir_scope_id)key->of, value, (char *)f->into + key->at,
			 shares ? f->node : NULL, !(key->flags & WEIR_KEY_INHERITS));
}

static void fill_key(struct weir_checker *c, const struct filling *f, const struct weir_schema_key *key,
		     struct weir_yaml *node)
{
	bool was;
	char error[240];
	if (key->kind == WEIR_KEY_LIST || key->kind == WEIR_KEY_NAMED || (key->flags & WEIR_KEY_OWN_CODE))
		return;
	const struct weir_yaml *value = weir_check_pick(c, key->flags & WEIR_KEY_SINGLE, node, &was);
	if (value && value->kind == WEIR_YAML_TEXT && !*value->text && key->kind != WEIR_KEY_TEXT)
		weir_check_mistake(c, value->at.set ? value->at : node->key_at, "%s: a value is missing",
				   key->name);
	else if (value && key->kind == WEIR_KEY_MAP)
		fill_map(c, f, key, value);
	else if (value && key->kind == WEIR_KEY_CONTROLLER)
		weir_check_controller(c, value, (void *)((char *)f->into + key->at));
	else if (value && value->kind != WEIR_YAML_TEXT)
		weir_check_mistake(c, value->at, "%s: one value is expected here, not a map", key->name);
	else if (value && !weir_check_value(c, key, value->text, value->at, f->into, error))
		weir_check_mistake(c, value->at, "%s: %s", key->name, error);
	weir_check_unpick(c, was);
}

/* Which of the other rows apply depends on this key, wherever in the map it stands. */
static void fill_selector(struct weir_checker *c, struct filling *f, bool defaults)
{
	const struct weir_schema_key *key = find_row(f, f->scope->selector);
	struct weir_yaml *node = weir_yaml_find(f->node, key->name);
	u32 *word = (u32 *)(void *)((char *)f->into + key->at);
	u32 before = c->mistakes;
	char error[240];
	f->inherited = defaults ? 0 : 1U << *word;
	if (node) {
		fill_key(c, f, key, node);
		f->given |= 1ULL << (key - f->scope->keys);
		f->selector_known = c->mistakes == before && !node->bad;
	} else if (f->node && f->node->kind == WEIR_YAML_TEXT && f->scope->primary &&
		   !strcmp(f->scope->primary, key->name)) {
		f->selector_known = weir_check_value(c, key, f->node->text, f->node->at, f->into, error);
		f->given |= 1ULL << (key - f->scope->keys);
		if (!f->selector_known)
			weir_check_mistake(c, f->node->at, "%s: %s", f->node->key ? f->node->key : key->name,
					   error);
	} else if (!defaults) {
		f->selector_known = true;
	} else if (key->default_text) {
		f->selector_known = weir_check_value(c, key, key->default_text,
						     (struct weir_scenario_place){0}, f->into, error);
	}
	f->selector = *word;
}

static void unknown_key(struct weir_checker *c, const struct filling *f, const struct weir_yaml *node)
{
	struct weir_nearest near = weir_nearest_to(node->key);
	for (u32 i = 0; i < f->scope->n; i++)
		if (applies(f, &f->scope->keys[i]))
			weir_nearest_try(&near, f->scope->keys[i].name);
	if (near.name)
		weir_check_mistake(c, node->key_at, "unknown key \"%.60s\" in %s; did you mean %s?",
				   node->key, f->scope->name, near.name);
	else
		weir_check_mistake(c, node->key_at, "unknown key \"%.60s\" in %s", node->key, f->scope->name);
}

static void does_not_apply(struct weir_checker *c, const struct filling *f, const struct weir_yaml *node)
{
	char word[32] = "";
	weir_schema_word(find_row(f, f->scope->selector)->words, f->selector, word);
	weir_check_mistake(c, node->key_at, "\"%s\" does not apply to %s", node->key, word);
}

static void fill_child(struct weir_checker *c, struct filling *f, struct weir_yaml *child)
{
	const struct weir_schema_key *key = find_row(f, child->key);
	if (!key) {
		unknown_key(c, f, child);
		return;
	}
	u64 bit = 1ULL << (key - f->scope->keys);
	f->given |= bit;
	if (!applies(f, key))
		does_not_apply(c, f, child);
	else if (!is_selector(f, key) && !(key->flags & WEIR_KEY_SHARED))
		fill_key(c, f, key, child);
}

/* Keys of the application that stand in the flow itself. */
static void fill_beside(struct weir_checker *c, struct filling *f)
{
	const struct weir_schema_scope *flow = &weir_schema[WEIR_SCOPE_FLOW];
	bool in_axis = c->in_axis;
	c->in_axis = false; /* they stand outside of a list of applications */
	for (u32 i = 0; i < flow->n; i++) {
		struct weir_yaml *child = weir_yaml_find(f->beside, flow->keys[i].name);
		if (!child || !(flow->keys[i].flags & WEIR_KEY_SHARED))
			continue;
		if (weir_yaml_find(f->node, child->key))
			weir_check_mistake(c, child->key_at,
					   "\"%s\" is given twice: here and in the application", child->key);
		else
			fill_child(c, f, child);
	}
	c->in_axis = in_axis;
}

/* A row that did not apply to the inherited choice has inherited nothing. */
static bool newly_applies(const struct filling *f, const struct weir_schema_key *key)
{
	return key->only && f->inherited && !(key->only & f->inherited);
}

static void fill_absent(struct weir_checker *c, struct filling *f, bool defaults)
{
	struct weir_scenario_place at = f->node ? f->node->at : (struct weir_scenario_place){0};
	for (u32 i = 0; i < f->scope->n; i++) {
		const struct weir_schema_key *key = &f->scope->keys[i];
		char error[240];
		if ((f->given & (1ULL << i)) || (key->only && !f->selector_known) || !applies(f, key))
			continue;
		if (key->flags & WEIR_KEY_REQUIRED)
			weir_check_mistake(c, at, "%s needs \"%s\"", f->scope->name, key->name);
		else if (!(defaults || newly_applies(f, key)) || (is_selector(f, key) && f->selector_known))
			continue;
		else if (key->kind == WEIR_KEY_MAP && (key->default_text || (key->flags & WEIR_KEY_ALWAYS))) {
			struct weir_yaml word = {.kind = WEIR_YAML_TEXT, .text = key->default_text, .at = at};
			fill_map(c, f, key, key->default_text ? &word : NULL);
		} else if (key->default_text)
			weir_check_value(c, key, key->default_text, (struct weir_scenario_place){0}, f->into,
					 error);
	}
}

void weir_check_scope(struct weir_checker *c, enum weir_scope_id id, const struct weir_yaml *node, void *into,
		      const struct weir_yaml *beside, bool defaults)
{
	struct filling f = {.scope = &weir_schema[id], .node = node, .beside = beside, .into = into};
	if (node && node->bad)
		return;
	if (node && (node->kind == WEIR_YAML_LIST || (node->kind == WEIR_YAML_TEXT && !f.scope->primary))) {
		weir_check_mistake(c, node->at, "%s is a map of keys, such as {%s: ...}", f.scope->name,
				   f.scope->keys[0].name);
		return;
	}
	if (f.scope->selector)
		fill_selector(c, &f, defaults);
	if (node && node->kind == WEIR_YAML_TEXT) {
		const struct weir_schema_key *key = find_row(&f, f.scope->primary);
		char error[240];
		f.given |= 1ULL << (key - f.scope->keys);
		if (!is_selector(&f, key) && !weir_check_value(c, key, node->text, node->at, into, error))
			weir_check_mistake(c, node->at, "%s: %s", node->key ? node->key : key->name, error);
	}
	for (struct weir_yaml *child = node ? node->first : NULL; child; child = child->next)
		fill_child(c, &f, child);
	if (beside)
		fill_beside(c, &f);
	fill_absent(c, &f, defaults);
}
