/* SPDX-License-Identifier: MIT */
/* From the tree to the plain data: inside of the room only. Each step reports every mistake that it finds
 * and goes on, so that one call shows them all. */
#ifndef WEIR_SCENARIO_CHECK_H
#define WEIR_SCENARIO_CHECK_H

#include "schema.h"
#include "yaml.h"

struct weir_scenario_tree {
	struct weir_arena arena; /* of the tree and of everything in the set */
	struct weir_yaml *root;
	const char *folder; /* of trace files: "" or ends with a slash */
	const char *const *sets;
	u32 n_sets;
	u32 nodes;
	const struct weir_scenario_catalog *catalog;
	u32 n_axes, axes_room;
	struct weir_axis_list {
		struct weir_yaml *list;
		struct weir_yaml **items;
	} * axes;
};

struct weir_checker {
	const struct weir_scenario_set *set;
	struct weir_scenario_tree *tree;
	struct weir_diag *diag;
	struct weir_arena *arena; /* of the scenario that is made */
	const u32 *choice;	  /* an item of each axis; NULL: the first, and axes are found and entered */
	bool in_axis;		  /* inside an item of an axis: no further axis may begin */
	bool out_of_memory;
	u32 mistakes;
};

/* Reports a mistake, once: the same one at the same place in another point of a sweep is no news. */
__attribute__((format(printf, 3, 4))) void
weir_check_mistake(struct weir_checker *c, struct weir_scenario_place at, const char *format, ...);
/* Zeroed memory of the scenario; NULL after reporting that there is none. */
void *weir_check_get(struct weir_checker *c, size_t n, size_t bytes_each);

/* The value that stands in `node`, which is the item of the current point where node is an axis. *was must
 * be given to weir_check_unpick afterwards. NULL: a mistake, reported. */
const struct weir_yaml *weir_check_pick(struct weir_checker *c, bool single, struct weir_yaml *node,
					bool *was);
void weir_check_unpick(struct weir_checker *c, bool was);

/* Fills the struct of a scope from a map, or from a single value where the scope has a primary key. `node`
 * NULL: only the defaults. `beside`: a map whose SHARED keys belong to this scope as well, or NULL. */
void weir_check_scope(struct weir_checker *c, enum weir_scope_id scope, const struct weir_yaml *node,
		      void *into, const struct weir_yaml *beside, bool defaults);

/* 1 to 64 letters, digits, - and _. */
bool weir_check_is_name(const char *text);

/* Reads one value by its row. False with a message that does not name the key. */
bool weir_check_value(struct weir_checker *c, const struct weir_schema_key *key, const char *text,
		      struct weir_scenario_place at, void *into, char error[240]);

void weir_check_controller(struct weir_checker *c, const struct weir_yaml *node,
			   struct weir_scenario_controller *into);
/* Hops and paths; returns the hops, which the flows write their packets' sizes into. */
struct weir_scenario_hop *weir_check_network(struct weir_checker *c, struct weir_scenario *s);
void weir_check_flows(struct weir_checker *c, struct weir_scenario *s, struct weir_scenario_hop *hops);

/* A key that makes no sense there: a mistake if it is given. */
void weir_check_refuse(struct weir_checker *c, const struct weir_yaml *node, const char *key,
		       const char *what);
/* Arrivals are many flows in one entry; a video's buffer holds two chunks. Nothing of any other application.
 */
void weir_check_content(struct weir_checker *c, const struct weir_yaml *node,
			const struct weir_scenario_flow *flow);
bool weir_check_ladder(const struct weir_schema_key *key, const char *text,
		       struct weir_scenario_ladder *ladder, char error[240]);

/* Puts one --set KEY=VALUE into the tree. */
void weir_tree_set(struct weir_checker *c, u32 number, const char *argument);

#endif
