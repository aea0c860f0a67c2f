/* SPDX-License-Identifier: MIT */
#include "table.h"

#include <string.h>

static const struct weir_age_ops *const age_controllers[] = {
#define WEIR_AGE(id) &weir_age_##id,
#include "list.def"
#undef WEIR_AGE
};

u32 weir_age_count(void)
{
	return (u32)WEIR_AGE_COUNT(age_controllers);
}

const struct weir_age_ops *weir_age_at(u32 i)
{
	return i < weir_age_count() ? age_controllers[i] : NULL;
}

const struct weir_age_ops *weir_age_find(const char *name)
{
	for (u32 i = 0; i < weir_age_count(); i++)
		if (strcmp(age_controllers[i]->name, name) == 0)
			return age_controllers[i];
	return NULL;
}

void weir_age_defaults(const struct weir_age_ops *ops, u64 *params)
{
	for (u32 i = 0; i < ops->n_params; i++)
		params[i] = ops->params[i].default_value;
}
