/* SPDX-License-Identifier: MIT */
#include "yaml.h"

#include <yaml.h>

struct reader {
	yaml_parser_t parser;
	struct weir_arena *arena;
	const struct weir_scenario_set *owner;
	struct weir_diag *diag;
	u32 set, column, characters; /* where the text stands, if in an argument, and how long it is */
	u32 nodes;
	struct weir_yaml *root;
	struct weir_yaml *open; /* the innermost map or list that has not ended */
	u32 depth;
	const char *key; /* in a map: read, and its value is next */
	struct weir_scenario_place key_at;
};

static u32 hash(const char *s)
{
	u32 h = 2166136261U;
	for (; *s; s++)
		h = (h ^ (u8)*s) * 16777619U;
	return h;
}

struct weir_yaml *weir_yaml_new(struct weir_arena *arena, enum weir_yaml_kind kind,
				struct weir_scenario_place at)
{
	struct weir_yaml *node = weir_arena_get(arena, sizeof *node);
	if (node) {
		node->kind = kind;
		node->at = at;
	}
	return node;
}

void weir_yaml_add(struct weir_yaml *parent, struct weir_yaml *child, const char *key,
		   struct weir_scenario_place key_at)
{
	child->parent = parent;
	child->key = key;
	child->key_at = key_at;
	child->key_hash = key ? hash(key) : 0;
	if (parent->last)
		parent->last->next = child;
	else
		parent->first = child;
	parent->last = child;
	parent->n++;
}

struct weir_yaml *weir_yaml_find(const struct weir_yaml *map, const char *key)
{
	if (!map || map->kind != WEIR_YAML_MAP)
		return NULL;
	u32 h = hash(key);
	for (struct weir_yaml *child = map->first; child; child = child->next)
		if (child->key_hash == h && !strcmp(child->key, key))
			return child;
	return NULL;
}

static struct weir_scenario_place place(const struct reader *r, yaml_mark_t mark)
{
	u32 line = (u32)weir_min(mark.line, 0xfffffffeU) + 1,
	    column = (u32)weir_min(mark.column, 0xfffffU) + 1;
	/* An argument is one line; libyaml puts its end into a second one. */
	if (r->set)
		column = line > 1 ? r->column + r->characters : r->column + column - 1;
	return (struct weir_scenario_place){.line = r->set ? 1 : line, .column = column, .set = r->set};
}

/* A mistake after which reading on makes no sense. */
static bool stop(struct reader *r, yaml_mark_t mark, const char *message)
{
	weir_scenario_mistake(r->owner, r->diag, place(r, mark), "%s", message);
	return false;
}

static bool no_memory(struct reader *r)
{
	weir_diag_add(r->diag, 0, 0, "not enough memory");
	return false;
}

static bool add(struct reader *r, struct weir_yaml *node, yaml_mark_t mark)
{
	if (!node)
		return no_memory(r);
	if (++r->nodes > WEIR_YAML_MAX_NODES)
		return stop(r, mark, "too many values: at most 100000");
	if (!r->open) {
		r->root = node;
		return true;
	}
	if (r->open->kind == WEIR_YAML_LIST) {
		weir_yaml_add(r->open, node, NULL, node->at);
		return true;
	}
	const struct weir_yaml *twin = weir_yaml_find(r->open, r->key);
	if (twin)
		weir_scenario_mistake(r->owner, r->diag, r->key_at, "\"%.60s\" was given already in line %u",
				      r->key, twin->key_at.line);
	else if (r->open->n == WEIR_YAML_MAX_KEYS)
		return stop(r, mark, "too many keys in one map: at most 2000");
	else
		weir_yaml_add(r->open, node, r->key, r->key_at);
	if (twin)
		node->parent = r->open; /* read to its end, but not looked at */
	r->key = NULL;
	return true;
}

/* Refuses what is not needed and would only make files hard to read. */
static bool plain(struct reader *r, yaml_mark_t mark, const yaml_char_t *anchor, const yaml_char_t *tag)
{
	if (anchor)
		weir_scenario_mistake(r->owner, r->diag, place(r, mark),
				      "an anchor (&%.40s) is not allowed here", (const char *)anchor);
	if (tag)
		weir_scenario_mistake(r->owner, r->diag, place(r, mark), "a tag (%.40s) is not allowed here",
				      (const char *)tag);
	return !anchor && !tag;
}

static bool on_scalar(struct reader *r, const yaml_event_t *e)
{
	const char *text = (const char *)e->data.scalar.value;
	size_t bytes = e->data.scalar.length;
	bool good = plain(r, e->start_mark, e->data.scalar.anchor, e->data.scalar.tag);
	if (memchr(text, 0, bytes)) {
		weir_scenario_mistake(r->owner, r->diag, place(r, e->start_mark),
				      "a zero character is not allowed");
		good = false;
	}
	char *copy = weir_arena_text(r->arena, text, bytes);
	if (!copy)
		return no_memory(r);
	if (r->open && r->open->kind == WEIR_YAML_MAP && !r->key) {
		r->key = copy;
		r->key_at = place(r, e->start_mark);
		return true;
	}
	struct weir_yaml *node = weir_yaml_new(r->arena, WEIR_YAML_TEXT, place(r, e->start_mark));
	if (node) {
		node->text = copy;
		node->bad = !good;
	}
	return add(r, node, e->start_mark);
}

static bool on_alias(struct reader *r, const yaml_event_t *e)
{
	weir_scenario_mistake(r->owner, r->diag, place(r, e->start_mark),
			      "an alias (*%.40s) is not allowed: write the value again",
			      (const char *)e->data.alias.anchor);
	if (r->open && r->open->kind == WEIR_YAML_MAP && !r->key)
		return false;
	struct weir_yaml *node = weir_yaml_new(r->arena, WEIR_YAML_TEXT, place(r, e->start_mark));
	if (node) {
		node->text = "";
		node->bad = true;
	}
	return add(r, node, e->start_mark);
}

static bool on_open(struct reader *r, const yaml_event_t *e, enum weir_yaml_kind kind, bool good)
{
	if (r->open && r->open->kind == WEIR_YAML_MAP && !r->key)
		return stop(r, e->start_mark, "a key must be a plain word");
	if (r->depth == WEIR_YAML_MAX_DEPTH)
		return stop(r, e->start_mark, "nested too deep: at most 32 levels");
	struct weir_yaml *node = weir_yaml_new(r->arena, kind, place(r, e->start_mark));
	if (!add(r, node, e->start_mark))
		return false;
	node->bad = !good;
	r->open = node;
	r->depth++;
	return true;
}

static bool on_event(struct reader *r, const yaml_event_t *e)
{
	switch (e->type) {
	case YAML_DOCUMENT_START_EVENT:
		if (r->root)
			return stop(r, e->start_mark, "a second document: one file holds one scenario");
		if (e->data.document_start.tag_directives.start != e->data.document_start.tag_directives.end)
			return stop(r, e->start_mark, "a %TAG directive is not allowed");
		return true;
	case YAML_ALIAS_EVENT:
		return on_alias(r, e);
	case YAML_SCALAR_EVENT:
		return on_scalar(r, e);
	case YAML_SEQUENCE_START_EVENT:
		return on_open(
		    r, e, WEIR_YAML_LIST,
		    plain(r, e->start_mark, e->data.sequence_start.anchor, e->data.sequence_start.tag));
	case YAML_MAPPING_START_EVENT:
		return on_open(
		    r, e, WEIR_YAML_MAP,
		    plain(r, e->start_mark, e->data.mapping_start.anchor, e->data.mapping_start.tag));
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		r->open = r->open->parent;
		r->depth--;
		return true;
	default:
		return true;
	}
}

/* Line and column of a byte offset: libyaml gives no mark for text that is not UTF-8. */
static yaml_mark_t mark_of(const char *text, size_t bytes, size_t offset)
{
	yaml_mark_t mark = {0};
	for (size_t i = 0; i < bytes && i < offset; i++) {
		bool newline = text[i] == '\n';
		mark.line += newline;
		mark.column = newline ? 0 : mark.column + (((u8)text[i] & 0xc0) != 0x80);
	}
	return mark;
}

static void on_error(struct reader *r, const char *text, size_t bytes)
{
	const yaml_parser_t *p = &r->parser;
	yaml_mark_t mark = p->problem_mark;
	if (p->error == YAML_MEMORY_ERROR) {
		no_memory(r);
		return;
	}
	if (p->error == YAML_READER_ERROR)
		mark = mark_of(text, bytes, p->problem_offset);
	weir_scenario_mistake(r->owner, r->diag, place(r, mark), "not YAML: %s%s%s", p->problem,
			      p->context ? " " : "", p->context ? p->context : "");
}

struct weir_yaml *weir_yaml_parse(struct weir_arena *arena, const char *text, size_t bytes, u32 set,
				  u32 column, const struct weir_scenario_set *owner, struct weir_diag *diag)
{
	struct reader r = {.arena = arena, .owner = owner, .diag = diag, .set = set, .column = column};
	if (!yaml_parser_initialize(&r.parser)) {
		no_memory(&r);
		return NULL;
	}
	r.characters = (u32)mark_of(text, bytes, bytes).column;
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, bytes);
	bool good = true, end = false;
	while (good && !end) {
		yaml_event_t event;
		if (!yaml_parser_parse(&r.parser, &event)) {
			on_error(&r, text, bytes);
			good = false;
			break;
		}
		end = event.type == YAML_STREAM_END_EVENT;
		good = on_event(&r, &event);
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&r.parser);
	if (good && !r.root)
		weir_scenario_mistake(owner, diag, (struct weir_scenario_place){.set = set},
				      "nothing is in it");
	return good ? r.root : NULL;
}
