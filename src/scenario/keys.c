/* SPDX-License-Identifier: MIT */
/* The key table of docs/formats.md, from the schema. */
#include "quantity.h"
#include "schema.h"

static const char *const kind_words[] = {
    [WEIR_KEY_TEXT] = "text",
    [WEIR_KEY_NAME] = "name",
    [WEIR_KEY_FLAG] = "`true`, `false`",
    [WEIR_KEY_FILE] = "file",
    [WEIR_KEY_FRACTION] = "fraction",
    [WEIR_KEY_COUNT] = "number",
    [WEIR_KEY_RATE] = "rate",
    [WEIR_KEY_TIME] = "time",
    [WEIR_KEY_BYTES] = "size",
    [WEIR_KEY_PACKETS] = "packets",
    [WEIR_KEY_BUFFER] = "buffer",
    [WEIR_KEY_CONTROLLER] = "controller",
    [WEIR_KEY_MAP] = "map",
    [WEIR_KEY_LIST] = "list",
    [WEIR_KEY_NAMED] = "map by name",
    [WEIR_KEY_FREQUENCY] = "frequency",
};

static void print_words(const char *words, u32 only, FILE *to)
{
	char word[32];
	const char *joint = "";
	for (u32 i = 0; weir_schema_word(words, i, word); i++) {
		if (!(only & (1u << i)))
			continue;
		fprintf(to, "%s`%s`", joint, word);
		joint = ", ";
	}
}

static void print_value(const struct weir_schema_key *key, FILE *to)
{
	if (key->words)
		print_words(key->words, ~0u, to);
	if (key->kind == WEIR_KEY_FILE && key->words)
		fputs(", or a file", to);
	else if (key->kind == WEIR_KEY_LADDER)
		fputs(", or rates", to);
	else if (!key->words)
		fputs(kind_words[key->kind], to);
	if (key->flags & WEIR_KEY_UNLIMITED)
		fputs(", `unlimited`", to);
}

static void print_range(const struct weir_schema_key *key, FILE *to)
{
	static const u8 quantities[] = {
	    [WEIR_KEY_FRACTION] = WEIR_QUANTITY_RATIO,	    [WEIR_KEY_COUNT] = WEIR_QUANTITY_COUNT,
	    [WEIR_KEY_FREQUENCY] = WEIR_QUANTITY_FREQUENCY, [WEIR_KEY_RATE] = WEIR_QUANTITY_RATE,
	    [WEIR_KEY_TIME] = WEIR_QUANTITY_TIME,	    [WEIR_KEY_BYTES] = WEIR_QUANTITY_BYTES,
	    [WEIR_KEY_PACKETS] = WEIR_QUANTITY_PACKETS,
	};
	char low[48], high[48];
	if (!key->max || key->kind == WEIR_KEY_LADDER)
		return;
	weir_quantity_print((enum weir_quantity)quantities[key->kind], key->min, low);
	weir_quantity_print((enum weir_quantity)quantities[key->kind], key->max, high);
	fprintf(to, "%s to %s", low, high);
}

static void print_key(const struct weir_schema_scope *scope, const struct weir_schema_key *key, FILE *to)
{
	fprintf(to, "| `%s` | ", key->name);
	print_value(key, to);
	fputs(" | ", to);
	if (key->flags & WEIR_KEY_REQUIRED)
		fputs("*needed*", to);
	else if (key->default_text && !(key->flags & WEIR_KEY_INHERITS))
		fprintf(to, "`%s`", key->default_text);
	fputs(" | ", to);
	print_range(key, to);
	fprintf(to, " | %s", key->help);
	if (key->only) {
		const struct weir_schema_key *selector = scope->keys;
		while (strcmp(selector->name, scope->selector))
			selector++;
		fputs(" (", to);
		print_words(selector->words, key->only, to);
		fputc(')', to);
	}
	fputs(" |\n", to);
}

void weir_schema_print(FILE *to)
{
	for (u32 i = 0; i < WEIR_SCOPES; i++) {
		const struct weir_schema_scope *scope = &weir_schema[i];
		fprintf(to, "#### %s: `%s`\n\n", scope->name, scope->where);
		if (scope->primary)
			fprintf(to, "A single value in place of the map stands for `%s`.\n\n",
				scope->primary);
		fputs("| key | value | default | range | meaning |\n|---|---|---|---|---|\n", to);
		for (u32 k = 0; k < scope->n; k++)
			print_key(scope, &scope->keys[k], to);
		fputc('\n', to);
	}
}
