/* SPDX-License-Identifier: MIT */
/* The one table of what a scenario may say. The checker, the key table of docs/formats.md and the
 * completions are made from it; a key is added here and in the struct that it fills, nowhere else. */
#ifndef WEIR_SCENARIO_SCHEMA_H
#define WEIR_SCENARIO_SCHEMA_H

#include "scenario.h"

enum weir_key_kind {
	WEIR_KEY_TEXT,	   /* any text; const char * */
	WEIR_KEY_NAME,	   /* letters, digits, - and _; const char * */
	WEIR_KEY_WORD,	   /* one of `words`; u32, its number */
	WEIR_KEY_FLAG,	   /* true or false; bool */
	WEIR_KEY_FILE,	   /* const char *, resolved from the scenario's folder, and a place; one of
			      `words`, if there are any, stays as it is */
	WEIR_KEY_FRACTION, /* 0 to 1 or in %; double */
	WEIR_KEY_COUNT,	   /* these six: u64 */
	WEIR_KEY_RATE,
	WEIR_KEY_TIME,
	WEIR_KEY_BYTES,
	WEIR_KEY_PACKETS,
	WEIR_KEY_FREQUENCY,
	WEIR_KEY_LADDER,     /* one of `words`, or rates with commas between; struct weir_scenario_ladder */
	WEIR_KEY_BUFFER,     /* struct weir_scenario_buffer */
	WEIR_KEY_MAP,	     /* a struct of its own: scope `of` */
	WEIR_KEY_CONTROLLER, /* struct weir_scenario_controller, checked against the catalog */
	WEIR_KEY_LIST,	     /* a list of maps of scope `of`: read by code of its own */
	WEIR_KEY_NAMED,	     /* a map from names to maps of scope `of`: likewise */
};

enum weir_scope_id {
	WEIR_SCOPE_SCENARIO,
	WEIR_SCOPE_PATH,
	WEIR_SCOPE_BACK,
	WEIR_SCOPE_HOP,
	WEIR_SCOPE_WALK,
	WEIR_SCOPE_AQM,
	WEIR_SCOPE_POLICER,
	WEIR_SCOPE_IMPAIR,
	WEIR_SCOPE_LOSS,
	WEIR_SCOPE_REORDER,
	WEIR_SCOPE_JITTER,
	WEIR_SCOPE_FLOW,
	WEIR_SCOPE_APPLICATION,
	WEIR_SCOPE_ENDPOINT,
	WEIR_SCOPE_RECORD,
	WEIR_SCOPES
};

/* Options of a key. */
enum weir_key_flag {
	WEIR_KEY_REQUIRED = 1 << 0,  /* for each value of the scope's selector that the key applies to */
	WEIR_KEY_SINGLE = 1 << 1,    /* no list of values: never a sweep axis */
	WEIR_KEY_UNLIMITED = 1 << 2, /* the word `unlimited` stands for 0 (a buffer: for no limit) */
	WEIR_KEY_SHARED = 1 << 3,    /* belongs to the application; may also stand beside it in the flow */
	WEIR_KEY_ALWAYS = 1 << 4,    /* a map whose defaults hold even where it is absent */
	WEIR_KEY_INHERITS = 1 << 5,  /* a map that begins with other values than the defaults */
	WEIR_KEY_OWN_CODE = 1 << 6,  /* a map that is not read by its row */
};

struct weir_schema_key {
	const char *name;
	u8 kind;   /* enum weir_key_kind */
	u8 flags;  /* enum weir_key_flag */
	u8 of;	   /* enum weir_scope_id */
	u32 only;  /* bits of the selector's values that it applies to; 0: all */
	size_t at; /* offset in the scope's struct */
	size_t place_at;
	const char *words;	  /* "one|two" */
	const char *later;	  /* words that are known but not built yet */
	const char *default_text; /* read like the user's own; NULL: the field stays as it is */
	u64 min, max;		  /* in the unit of the field, a fraction in millionths; max 0: no range */
	const char *help;
};

struct weir_schema_scope {
	const char *name;     /* with its article, for messages: "a hop" */
	const char *where;    /* for the docs: "paths.NAME.hops[]" */
	const char *primary;  /* the key that a single value in place of the map stands for; NULL: none */
	const char *selector; /* the WORD key that says which others apply; NULL: none */
	const struct weir_schema_key *keys;
	u32 n;
};
extern const struct weir_schema_scope weir_schema[WEIR_SCOPES];

/* What the rows of a flow and of a way back fill: names become indexes when all are known. */
struct weir_flow_input {
	struct weir_scenario_flow flow;
	const char *path;
	struct weir_scenario_place path_at;
};
struct weir_back_input {
	u64 delay_ns;
};

/* The words of an enum, one at a time: false when there is no n-th. */
bool weir_schema_word(const char *words, u32 n, char out[32]);

/* The key table of docs/formats.md, in Markdown. */
void weir_schema_print(FILE *to);

#endif
