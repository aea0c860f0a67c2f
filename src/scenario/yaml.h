/* SPDX-License-Identifier: MIT */
/* The part of YAML that scenarios use, as a tree that remembers where everything stands: maps, lists and
 * text. Anchors, aliases, tags, several documents and keys given twice are mistakes; all scalars are text,
 * quoted or not. */
#ifndef WEIR_SCENARIO_YAML_H
#define WEIR_SCENARIO_YAML_H

#include "arena.h"
#include "scenario.h"

#define WEIR_YAML_MAX_BYTES (4u << 20)
#define WEIR_YAML_MAX_DEPTH 32
#define WEIR_YAML_MAX_NODES 100000
#define WEIR_YAML_MAX_KEYS 2000 /* of one map */

enum weir_yaml_kind { WEIR_YAML_TEXT, WEIR_YAML_MAP, WEIR_YAML_LIST };

struct weir_yaml {
	u32 kind; /* enum weir_yaml_kind */
	u32 n;	  /* children of a map or list */
	struct weir_yaml *parent, *first, *last, *next;
	const char *key;  /* in a map */
	const char *text; /* of a scalar */
	u32 key_hash;
	u32 axis; /* 1 + number of the sweep axis that this list is; 0: none */
	bool bad; /* a mistake about it is already reported: look no further */
	struct weir_scenario_place at, key_at;
};

/* NULL when there is no usable tree; then, and for smaller mistakes, *diag says why. `set`: 0 for a file, or
 * the number of the --set argument that the text is part of, `column` then being where it begins. */
struct weir_yaml *weir_yaml_parse(struct weir_arena *arena, const char *text, size_t bytes, u32 set,
				  u32 column, const struct weir_scenario_set *owner, struct weir_diag *diag);

struct weir_yaml *weir_yaml_new(struct weir_arena *arena, enum weir_yaml_kind kind,
				struct weir_scenario_place at);
/* Appends a child; `key` NULL in a list. */
void weir_yaml_add(struct weir_yaml *parent, struct weir_yaml *child, const char *key,
		   struct weir_scenario_place key_at);
/* The value of a key, NULL when absent or when `map` is not a map. */
struct weir_yaml *weir_yaml_find(const struct weir_yaml *map, const char *key);

#endif
