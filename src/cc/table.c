/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#include "cc/table.h"

#include "cc/controllers.h"

#include <string.h>

static const struct weir_cc_ops *const controllers[] = {
#define WEIR_CC(name) &weir_cc_##name,
#define WEIR_CC_ALIAS(word, name)
#include "cc/list.def"
#undef WEIR_CC
#undef WEIR_CC_ALIAS
};

static const struct {
	const char *word;
	const struct weir_cc_ops *ops;
} aliases[] = {
#define WEIR_CC(name)
#define WEIR_CC_ALIAS(word, name) {word, &weir_cc_##name},
#include "cc/list.def"
#undef WEIR_CC
#undef WEIR_CC_ALIAS
};

u32 weir_cc_count(void)
{
	return sizeof controllers / sizeof controllers[0];
}

const struct weir_cc_ops *weir_cc_at(u32 i)
{
	return i < weir_cc_count() ? controllers[i] : NULL;
}

const struct weir_cc_ops *weir_cc_alias_at(u32 i, const char **alias)
{
	if (i >= sizeof aliases / sizeof aliases[0])
		return NULL;
	*alias = aliases[i].word;
	return aliases[i].ops;
}

const struct weir_cc_ops *weir_cc_find(const char *name)
{
	for (u32 i = 0; i < weir_cc_count(); i++)
		if (strcmp(controllers[i]->name, name) == 0)
			return controllers[i];
	const char *word;
	const struct weir_cc_ops *ops;
	for (u32 i = 0; (ops = weir_cc_alias_at(i, &word)) != NULL; i++)
		if (strcmp(word, name) == 0)
			return ops;
	return NULL;
}

void weir_cc_defaults(const struct weir_cc_ops *ops, u64 *params)
{
	for (u32 i = 0; i < ops->n_params; i++)
		params[i] = ops->params[i].default_value;
}

bool weir_cc_inner_params(const struct weir_cc_ops *ops, const struct weir_pilot_inner *inner, u64 *params)
{
	weir_cc_defaults(ops, params);
	for (u32 k = 0; k < inner->n_settings && k < WEIR_PILOT_SETTINGS_MAX; k++) {
		u32 i = 0;
		while (i < ops->n_params && strcmp(ops->params[i].name, inner->setting[k].param) != 0)
			i++;
		if (i == ops->n_params)
			return false;
		params[i] = inner->setting[k].value;
	}
	return true;
}
