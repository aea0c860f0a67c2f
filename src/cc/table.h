/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The controllers that Weir ships, by number and by word. */
#ifndef WEIR_CC_TABLE_H
#define WEIR_CC_TABLE_H

#include "weir/cc.h"
#include "weir/pilot.h"

/* The controller of this name or alias; NULL if there is none. */
const struct weir_cc_ops *weir_cc_find(const char *name);

/* In the order of list.def, aliases not counted. weir_cc_at returns NULL past the end. */
u32 weir_cc_count(void);
const struct weir_cc_ops *weir_cc_at(u32 i);

/* Other words for a controller: the i-th one in *alias and its controller as result, or NULL. */
const struct weir_cc_ops *weir_cc_alias_at(u32 i, const char **alias);

/* Writes the default of each of ops->n_params parameters. */
void weir_cc_defaults(const struct weir_cc_ops *ops, u64 *params);

/* Likewise for a pilot's inner controller, with its settings; false: `ops` lacks one of them. */
bool weir_cc_inner_params(const struct weir_cc_ops *ops, const struct weir_pilot_inner *inner, u64 *params);

#endif
