/* SPDX-License-Identifier: MIT */
/* The age controllers that Weir ships, by number and by word. */
#ifndef WEIR_AGE_TABLE_H
#define WEIR_AGE_TABLE_H

#include "weir/age.h"

#define WEIR_AGE(id) extern const struct weir_age_ops weir_age_##id;
#include "list.def"
#undef WEIR_AGE

/* The controller of this name; NULL if there is none. */
const struct weir_age_ops *weir_age_find(const char *name);

/* In the order of list.def. weir_age_at returns NULL past the end. */
u32 weir_age_count(void);
const struct weir_age_ops *weir_age_at(u32 i);

/* Writes the default of each of ops->n_params parameters. */
void weir_age_defaults(const struct weir_age_ops *ops, u64 *params);

#endif
