/* SPDX-License-Identifier: MIT */
#include "values.h"

#include "core/nearest.h"

#include <stdio.h>
#include <string.h>

void weir_option_quantity(const struct weir_invocation *call, const char *name, enum weir_quantity kind,
			  u64 *value, int *code)
{
	const char *text = weir_option(call, name);
	char error[WEIR_QUANTITY_ERROR];
	if (text && !weir_quantity(text, kind, value, error))
		*code = weir_usage_error(call, "--%s: %s", name, error);
}

void weir_option_positive(const struct weir_invocation *call, const char *name, enum weir_quantity kind,
			  u64 *value, int *code)
{
	int before = *code;
	weir_option_quantity(call, name, kind, value, code);
	if (*code == before && weir_option(call, name) && *value == 0)
		*code = weir_usage_error(call, "--%s must be above 0", name);
}

/* "weir, mahimahi or csv" */
static void list(char *text, size_t room, const char *const *words)
{
	size_t used = 0;
	text[0] = 0;
	for (u32 i = 0; words[i] && used < room; i++)
		used += (size_t)snprintf(text + used, room - used, "%s%s",
					 i == 0		? ""
					 : words[i + 1] ? ", "
							: " or ",
					 words[i]);
}

u32 weir_one_of(const struct weir_invocation *call, const char *what, const char *word,
		const char *const *words)
{
	struct weir_nearest near = weir_nearest_to(word);
	char all[256];
	for (u32 i = 0; words[i]; i++) {
		if (!strcmp(words[i], word))
			return i;
		weir_nearest_try(&near, words[i]);
	}
	list(all, sizeof all, words);
	if (near.name)
		weir_usage_error(call, "%s%s: not %s; did you mean %s?", what, word, all, near.name);
	else
		weir_usage_error(call, "%s%s: not %s", what, word, all);
	return WEIR_NO_WORD;
}

static int unknown_param(const struct weir_invocation *call, const char *owner,
			 const struct weir_param *param, u32 n_params, const char *name)
{
	struct weir_nearest near = weir_nearest_to(name);
	for (u32 i = 0; i < n_params; i++)
		weir_nearest_try(&near, param[i].name);
	if (near.name)
		return weir_usage_error(call, "--set %.60s: %s has no such parameter; did you mean %s?", name,
					owner, near.name);
	return weir_usage_error(call, "--set %.60s: %s has no such parameter", name, owner);
}

int weir_set_param(const struct weir_invocation *call, const char *argument, const char *owner,
		   const struct weir_param *param, u32 n_params, u64 *values)
{
	char name[64], error[WEIR_QUANTITY_ERROR];
	const char *equals = strchr(argument, '=');
	size_t n = equals ? (size_t)(equals - argument) : 0;
	if (n == 0 || n >= sizeof name)
		return weir_usage_error(call, "--set %.60s: NAME=VALUE is expected", argument);
	memcpy(name, argument, n);
	name[n] = 0;
	for (u32 i = 0; i < n_params; i++) {
		if (strcmp(param[i].name, name))
			continue;
		if (weir_scenario_param(&param[i], equals + 1, &values[i], error))
			return 0;
		return weir_usage_error(call, "--set %s: %s", name, error);
	}
	return unknown_param(call, owner, param, n_params, name);
}
