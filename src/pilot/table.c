/* SPDX-License-Identifier: MIT */
#include "table.h"

#include <string.h>

#define WEIR_PILOT_LISTED(id) extern const struct weir_pilot_ops weir_pilot_##id;
#include "list.def"
#undef WEIR_PILOT_LISTED

static const struct weir_pilot_ops *const pilots[] = {
#define WEIR_PILOT_LISTED(id) &weir_pilot_##id,
#include "list.def"
#undef WEIR_PILOT_LISTED
    NULL, /* an empty list is an array all the same */
};

u32 weir_pilot_count(void)
{
	return (u32)WEIR_PILOT_COUNT(pilots) - 1;
}

const struct weir_pilot_ops *weir_pilot_at(u32 i)
{
	return i < weir_pilot_count() ? pilots[i] : NULL;
}

const struct weir_pilot_ops *weir_pilot_find(const char *name)
{
	for (u32 i = 0; pilots[i]; i++)
		if (strcmp(pilots[i]->name, name) == 0)
			return pilots[i];
	return NULL;
}

void weir_pilot_defaults(const struct weir_pilot_ops *ops, u64 *params)
{
	for (u32 i = 0; i < ops->n_params; i++)
		params[i] = ops->params[i].default_value;
}
