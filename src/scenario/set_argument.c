/* SPDX-License-Identifier: MIT */
/* --set KEY=VALUE, put into the tree before it is checked: the checker then judges it like the file, and
 * its mistakes point into the argument. */
#include "check.h"

#include "core/nearest.h"

#define ARGUMENT_MAX 65536
#define WORDS_MAX 16 /* of a key; the longest that means something has six */

/* Where we are in the tree, and what the schema says about it. */
struct descent {
	struct weir_checker *c;
	const char *argument;
	u32 number;
	struct weir_yaml *node;
	const struct weir_schema_key *row; /* of the node; NULL: of the root, an item or unknown */
	i32 scope;			   /* of the keys inside the node; -1: unknown */
	bool collection;		   /* the next word names an item, not a key */
};

static struct weir_scenario_place place(const struct descent *d, const char *at)
{
	u32 column = 1;
	for (const char *s = d->argument; s < at; s++)
		column += ((u8)*s & 0xc0) != 0x80;
	return (struct weir_scenario_place){.line = 1, .column = column, .set = d->number};
}

static const struct weir_schema_key *find_row(const struct descent *d, const char *word)
{
	const struct weir_schema_scope *scope = d->scope < 0 ? NULL : &weir_schema[d->scope];
	for (u32 i = 0; scope && i < scope->n; i++)
		if (!strcmp(scope->keys[i].name, word))
			return &scope->keys[i];
	return NULL;
}

/* After the word that leads to d->node. */
static void follow_schema(struct descent *d, const char *word)
{
	if (d->collection) {
		d->collection = false;
		d->row = NULL;
		return;
	}
	d->row = find_row(d, word);
	u32 kind = d->row ? d->row->kind : WEIR_KEY_TEXT;
	d->collection = kind == WEIR_KEY_LIST || kind == WEIR_KEY_NAMED;
	d->scope = d->collection || kind == WEIR_KEY_MAP ? d->row->of : -1;
}

/* `cubic` becomes {name: cubic} where the schema lets a single value stand for a map. */
static bool open_text(struct descent *d, const char *word)
{
	struct weir_yaml *node = d->node;
	const char *primary = NULL;
	if (d->row && d->row->kind == WEIR_KEY_CONTROLLER)
		primary = "name";
	if (d->row && d->row->kind == WEIR_KEY_MAP)
		primary = weir_schema[d->row->of].primary;
	if (!primary && *node->text) {
		weir_check_mistake(d->c, place(d, word),
				   "\"%.60s\" is a single value: nothing can stand below it",
				   node->key ? node->key : node->text);
		return false;
	}
	node->kind = WEIR_YAML_MAP;
	if (!primary || !*node->text)
		return true;
	struct weir_yaml *child = weir_yaml_new(&d->c->tree->arena, WEIR_YAML_TEXT, node->at);
	if (!child)
		return false;
	child->text = node->text;
	weir_yaml_add(node, child, primary, node->at);
	return true;
}

static const char *item_name(const struct weir_yaml *item)
{
	const struct weir_yaml *name = weir_yaml_find(item, "name");
	if (item->kind == WEIR_YAML_TEXT)
		return item->text;
	return name && name->kind == WEIR_YAML_TEXT ? name->text : "";
}

static struct weir_yaml *find_item(struct descent *d, const char *word, const char *at)
{
	struct weir_nearest near = weir_nearest_to(word);
	u32 index = 0;
	char *end;
	unsigned long wanted = strtoul(word, &end, 10);
	bool numeric = word[0] >= '0' && word[0] <= '9' && !*end;
	for (struct weir_yaml *item = d->node->first; item; item = item->next)
		if (!strcmp(item_name(item), word))
			return item;
	for (struct weir_yaml *item = d->node->first; item; item = item->next, index++) {
		if (numeric && wanted == index)
			return item;
		weir_nearest_try(&near, item_name(item));
	}
	if (near.name)
		weir_check_mistake(d->c, place(d, at),
				   "nothing in this list is called \"%.60s\"; did you mean %s?", word,
				   near.name);
	else
		weir_check_mistake(d->c, place(d, at), "nothing in this list is called \"%.60s\"", word);
	return NULL;
}

static struct weir_yaml *find_named(struct descent *d, const char *word, const char *at)
{
	struct weir_yaml *child = weir_yaml_find(d->node, word);
	struct weir_nearest near = weir_nearest_to(word);
	for (struct weir_yaml *other = d->node->first; other && !child; other = other->next)
		weir_nearest_try(&near, other->key);
	if (!child && near.name)
		weir_check_mistake(d->c, place(d, at), "no path is called \"%.60s\"; did you mean %s?", word,
				   near.name);
	else if (!child)
		weir_check_mistake(d->c, place(d, at), "no path is called \"%.60s\"", word);
	return child;
}

/* One word down. A key that is not there yet is made: the checker judges it. */
static bool descend(struct descent *d, const char *word, const char *at)
{
	struct weir_yaml *child = NULL;
	if (d->node->kind == WEIR_YAML_TEXT && !open_text(d, at))
		return false;
	if (d->node->kind == WEIR_YAML_LIST) {
		child = find_item(d, word, at);
	} else if (d->collection) {
		child = find_named(d, word, at);
	} else if (!(child = weir_yaml_find(d->node, word))) {
		child = weir_yaml_new(&d->c->tree->arena, WEIR_YAML_TEXT, place(d, at));
		if (child) {
			child->text = "";
			weir_yaml_add(d->node, child, word, place(d, at));
		}
	}
	if (!child)
		return false;
	follow_schema(d, word);
	d->node = child;
	return true;
}

static struct weir_yaml *read_value(struct descent *d, const char *value)
{
	struct weir_arena *arena = &d->c->tree->arena;
	while (*value == ' ')
		value++;
	struct weir_scenario_place at = place(d, value);
	if (*value == '[' || *value == '{')
		return weir_yaml_parse(arena, value, strlen(value), d->number, at.column, d->c->set,
				       d->c->diag);
	size_t bytes = strlen(value);
	while (bytes && value[bytes - 1] == ' ')
		bytes--;
	struct weir_yaml *node = weir_yaml_new(arena, WEIR_YAML_TEXT, at);
	if (node)
		node->text = weir_arena_text(arena, value, bytes);
	return node && node->text ? node : NULL;
}

/* The place in the parent stays, everything else changes. */
static void replace(struct weir_yaml *old, const struct weir_yaml *value)
{
	struct weir_yaml kept = *old;
	*old = *value;
	old->parent = kept.parent;
	old->next = kept.next;
	old->key = kept.key;
	old->key_hash = kept.key_hash;
	old->key_at = kept.key_at;
	for (struct weir_yaml *child = old->first; child; child = child->next)
		child->parent = old;
}

static void take_out(struct weir_yaml *map, const struct weir_yaml *child)
{
	struct weir_yaml *before = NULL;
	for (struct weir_yaml *other = map->first; other != child; other = other->next)
		before = other;
	if (before)
		before->next = child->next;
	else
		map->first = child->next;
	if (map->last == child)
		map->last = before;
	map->n--;
}

/* Of keys that exclude each other the one in the argument is meant: `trace` takes the place of `rate`. */
static void give_way(const struct descent *d)
{
	static const char *const rates[] = {"rate", "trace", "walk"};
	const struct weir_schema_scope *hop = &weir_schema[WEIR_SCOPE_HOP];
	const struct weir_yaml *node = d->node;
	bool in_hop = false, is_rate = false;
	for (u32 i = 0; i < hop->n; i++)
		in_hop |= d->row == &hop->keys[i];
	for (u32 i = 0; in_hop && i < 3; i++)
		is_rate |= !strcmp(rates[i], node->key);
	for (u32 i = 0; is_rate && i < 3; i++) {
		const struct weir_yaml *other = weir_yaml_find(node->parent, rates[i]);
		if (other && other != node)
			take_out(node->parent, other);
	}
}

void weir_tree_set(struct weir_checker *c, u32 number, const char *argument)
{
	struct descent d = {.c = c, .argument = argument, .number = number, .node = c->tree->root};
	const char *equals = strchr(argument, '=');
	if (!equals || equals == argument || strlen(argument) > ARGUMENT_MAX) {
		weir_check_mistake(c, place(&d, argument),
				   equals && equals > argument ? "too long"
							       : "write KEY=VALUE, such as duration=5s");
		return;
	}
	u32 words = 0;
	for (const char *at = argument; at <= equals; words++) {
		if (words == WORDS_MAX) {
			weir_check_mistake(c, place(&d, at), "too many words in this key");
			return;
		}
		size_t bytes = strcspn(at, ".="), letters = bytes;
		while (letters && at[letters - 1] == ' ')
			letters--;
		char *word = weir_arena_text(&c->tree->arena, at, letters);
		if (!letters)
			weir_check_mistake(c, place(&d, at), "a name is missing here");
		if (!word || !letters || !descend(&d, word, at))
			return;
		at += bytes + 1;
	}
	/* The reader of the value has its own mistakes: they count here as well. */
	const struct weir_yaml *value = read_value(&d, equals + 1);
	if (value) {
		replace(d.node, value);
		give_way(&d);
	} else {
		c->mistakes++;
	}
}
