/* SPDX-License-Identifier: MIT */
/* The pilots that Weir ships, by number and by word. */
#ifndef WEIR_PILOT_TABLE_H
#define WEIR_PILOT_TABLE_H

#include "weir/pilot.h"

/* The pilot of this name; NULL if there is none. */
const struct weir_pilot_ops *weir_pilot_find(const char *name);

/* In the order of list.def. weir_pilot_at returns NULL past the end. */
u32 weir_pilot_count(void);
const struct weir_pilot_ops *weir_pilot_at(u32 i);

/* Writes the default of each of ops->n_params parameters. */
void weir_pilot_defaults(const struct weir_pilot_ops *ops, u64 *params);

#endif
