/* SPDX-License-Identifier: MIT */
#include "check.h"

#include "core/nearest.h"
#include "quantity.h"

#include <stdio.h>

void weir_check_mistake(struct weir_checker *c, struct weir_scenario_place at, const char *format, ...)
{
	char text[240];
	va_list ap;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	c->mistakes++;
	struct weir_diag *d = c->diag;
	for (u32 i = 0; i < d->n; i++) {
		const struct weir_diag_entry *e = &d->entry[i];
		if (e->column == at.column && e->line == (at.set ? at.set : at.line) &&
		    (e->option[0] != 0) == (at.set != 0) && !strcmp(e->text, text))
			return;
	}
	if (c->choice && d->n == WEIR_DIAG_MAX)
		return; /* the first pass has counted what was more; repeats would only inflate that */
	weir_scenario_mistake(c->set, d, at, "%s", text);
}

void *weir_check_get(struct weir_checker *c, size_t n, size_t bytes_each)
{
	void *p = weir_arena_get(c->arena, n * bytes_each);
	if (!p && !c->out_of_memory) {
		c->out_of_memory = true;
		weir_check_mistake(c, (struct weir_scenario_place){0}, "not enough memory");
	}
	return p;
}

bool weir_check_is_name(const char *text)
{
	size_t n = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");
	return n > 0 && n <= 64 && !text[n];
}

/* ---- sweep axes ---- */

static bool enter_axis(struct weir_checker *c, struct weir_yaml *list)
{
	struct weir_scenario_tree *t = c->tree;
	if (t->n_axes == t->axes_room) {
		u32 room = t->axes_room ? 2 * t->axes_room : 8;
		struct weir_axis_list *more = weir_arena_get(&t->arena, room * sizeof *more);
		if (!more)
			return false;
		if (t->n_axes)
			memcpy(more, t->axes, t->n_axes * sizeof *more);
		t->axes = more;
		t->axes_room = room;
	}
	struct weir_yaml **items = weir_arena_get(&t->arena, list->n * sizeof(struct weir_yaml *));
	if (!items)
		return false;
	u32 n = 0;
	for (struct weir_yaml *item = list->first; item; item = item->next)
		items[n++] = item;
	t->axes[t->n_axes++] = (struct weir_axis_list){.list = list, .items = items};
	list->axis = t->n_axes;
	return true;
}

const struct weir_yaml *weir_check_pick(struct weir_checker *c, bool single, struct weir_yaml *node,
					bool *was)
{
	*was = c->in_axis;
	if (node->bad)
		return NULL;
	if (node->kind != WEIR_YAML_LIST)
		return node;
	if (single || c->in_axis || (c->choice && !node->axis)) {
		weir_check_mistake(c, node->at, "one value is expected here, not a list");
		return NULL;
	}
	if (node->n == 0) {
		weir_check_mistake(c, node->at, "an empty list: at least one value is needed");
		return NULL;
	}
	if (!node->axis && !enter_axis(c, node)) {
		weir_check_mistake(c, (struct weir_scenario_place){0}, "not enough memory");
		return NULL;
	}
	u32 axis = node->axis - 1;
	const struct weir_yaml *item = c->tree->axes[axis].items[c->choice ? c->choice[axis] : 0];
	c->in_axis = true;
	if (!item || item->bad)
		return NULL;
	if (item->kind == WEIR_YAML_LIST) {
		weir_check_mistake(c, item->at, "a list in a list: one value is expected here");
		return NULL;
	}
	return item;
}

void weir_check_unpick(struct weir_checker *c, bool was)
{
	c->in_axis = was;
}

/* ---- single values ---- */

static bool out_of_range(const struct weir_schema_key *key, enum weir_quantity unit, u64 value,
			 const char *text, char error[240])
{
	char border[48];
	if (key->max == 0 || (value >= key->min && value <= key->max))
		return false;
	weir_quantity_print(unit, value < key->min ? key->min : key->max, border);
	snprintf(error, 240, "%.60s is %s than %s", text, value < key->min ? "less" : "more", border);
	return true;
}

static bool read_word(const struct weir_schema_key *key, const char *text, u32 *into, char error[240])
{
	struct weir_nearest near = weir_nearest_to(text);
	char word[32], best[32] = "";
	for (u32 i = 0; weir_schema_word(key->words, i, word); i++) {
		if (!strcmp(word, text)) {
			*into = i;
			return true;
		}
		u32 edits = near.edits;
		weir_nearest_try(&near, word);
		if (near.edits < edits)
			memcpy(best, word, sizeof best);
	}
	for (u32 i = 0; key->later && weir_schema_word(key->later, i, word); i++)
		if (!strcmp(word, text)) {
			snprintf(error, 240, "\"%s\" is not built yet", word);
			return false;
		}
	if (*best)
		snprintf(error, 240, "unknown word \"%.60s\"; did you mean %s?", text, best);
	else
		snprintf(error, 240, "unknown word \"%.60s\": it is one of %.120s", text, key->words);
	for (char *bar = error; !*best && (bar = strchr(bar, '|'));)
		*bar = ' ';
	return false;
}

static bool read_fraction(const struct weir_schema_key *key, const char *text, double *into, char error[240])
{
	if (!weir_quantity_fraction(text, into, error))
		return false;
	/* The borders are whole millionths; ratios are compared as written so that 1e-6 is not lost. */
	if (*into > (double)key->max / 1e6)
		return !out_of_range(key, WEIR_QUANTITY_RATIO, key->max + 1, text, error);
	if (*into < (double)key->min / 1e6)
		return !out_of_range(key, WEIR_QUANTITY_RATIO, key->min - 1, text, error);
	return true;
}

static bool read_buffer(const struct weir_schema_key *key, const char *text, struct weir_scenario_place at,
			struct weir_scenario_buffer *into, char error[240])
{
	static const u32 kinds = WEIR_QUANTITY_BIT(WEIR_QUANTITY_BYTES) |
				 WEIR_QUANTITY_BIT(WEIR_QUANTITY_PACKETS) |
				 WEIR_QUANTITY_BIT(WEIR_QUANTITY_TIME) | WEIR_QUANTITY_BIT(WEIR_QUANTITY_BDP);
	static const struct weir_schema_key ranges[] = {
	    [WEIR_SCENARIO_BYTES] = {.min = 1, .max = 1ULL << 40},
	    [WEIR_SCENARIO_PACKETS] = {.min = 1, .max = 1ULL << 32},
	    [WEIR_SCENARIO_NS] = {.min = 1, .max = 3600 * WEIR_NS_PER_S},
	    [WEIR_SCENARIO_BDP] = {.min = 1, .max = 10000 * 1000000ULL},
	};
	enum weir_quantity unit;
	*into = (struct weir_scenario_buffer){.kind = WEIR_SCENARIO_UNLIMITED, .at = at};
	if ((key->flags & WEIR_KEY_UNLIMITED) && !strcmp(text, "unlimited"))
		return true;
	if (!weir_quantity_any(text, kinds, &unit, &into->value, error))
		return false;
	into->kind = unit == WEIR_QUANTITY_BYTES     ? WEIR_SCENARIO_BYTES
		     : unit == WEIR_QUANTITY_PACKETS ? WEIR_SCENARIO_PACKETS
		     : unit == WEIR_QUANTITY_TIME    ? WEIR_SCENARIO_NS
						     : WEIR_SCENARIO_BDP;
	return !out_of_range(&ranges[into->kind], unit, into->value, text, error);
}

static bool read_flag(const char *text, bool *into, char error[240])
{
	*into = !strcmp(text, "true");
	if (*into || !strcmp(text, "false"))
		return true;
	snprintf(error, 240, "\"%.60s\" is neither true nor false", text);
	return false;
}

static bool read_file(struct weir_checker *c, const struct weir_schema_key *key, const char *text,
		      const char **into)
{
	char word[32];
	*into = text;
	for (u32 i = 0; key->words && weir_schema_word(key->words, i, word); i++)
		if (!strcmp(word, text))
			return true;
	const char *folder = text[0] == '/' ? "" : c->tree->folder;
	size_t n = strlen(folder), m = strlen(text);
	char *path = weir_check_get(c, 1, n + m + 1);
	if (path) {
		memcpy(path, folder, n);
		memcpy(path + n, text, m);
	}
	*into = path;
	return true;
}

static bool read_text(const struct weir_schema_key *key, const char *text, const char **into, char error[240])
{
	*into = text;
	if (key->kind == WEIR_KEY_NAME && !weir_check_is_name(text)) {
		snprintf(error, 240, "\"%.64s\" must be 1 to 64 letters, digits, - or _", text);
		return false;
	}
	if (strlen(text) > 1000) {
		snprintf(error, 240, "longer than 1000 bytes");
		return false;
	}
	return true;
}

static bool read_number(const struct weir_schema_key *key, const char *text, u64 *into, char error[240])
{
	static const u8 units[] = {
	    [WEIR_KEY_COUNT] = WEIR_QUANTITY_COUNT,	[WEIR_KEY_RATE] = WEIR_QUANTITY_RATE,
	    [WEIR_KEY_TIME] = WEIR_QUANTITY_TIME,	[WEIR_KEY_BYTES] = WEIR_QUANTITY_BYTES,
	    [WEIR_KEY_PACKETS] = WEIR_QUANTITY_PACKETS, [WEIR_KEY_FREQUENCY] = WEIR_QUANTITY_FREQUENCY,
	};
	enum weir_quantity unit = (enum weir_quantity)units[key->kind];
	if ((key->flags & WEIR_KEY_UNLIMITED) && !strcmp(text, "unlimited")) {
		*into = 0;
		return true;
	}
	u64 value;
	if (!weir_quantity(text, unit, &value, error) || out_of_range(key, unit, value, text, error))
		return false;
	*into = value;
	return true;
}

bool weir_check_value(struct weir_checker *c, const struct weir_schema_key *key, const char *text,
		      struct weir_scenario_place at, void *into, char error[240])
{
	char *field = (char *)into + key->at;
	switch (key->kind) {
	case WEIR_KEY_TEXT:
	case WEIR_KEY_NAME:
	case WEIR_KEY_FILE:
		if (key->place_at)
			*(struct weir_scenario_place *)(void *)((char *)into + key->place_at) = at;
		if (!read_text(key, text, (const char **)(void *)field, error))
			return false;
		return key->kind != WEIR_KEY_FILE || read_file(c, key, text, (const char **)(void *)field);
	case WEIR_KEY_WORD:
		return read_word(key, text, (u32 *)(void *)field, error);
	case WEIR_KEY_LADDER:
		return weir_check_ladder(key, text, (struct weir_scenario_ladder *)(void *)field, error);
	case WEIR_KEY_FLAG:
		return read_flag(text, (bool *)(void *)field, error);
	case WEIR_KEY_FRACTION:
		return read_fraction(key, text, (double *)(void *)field, error);
	case WEIR_KEY_BUFFER:
		return read_buffer(key, text, at, (struct weir_scenario_buffer *)(void *)field, error);
	default:
		return read_number(key, text, (u64 *)(void *)field, error);
	}
}
