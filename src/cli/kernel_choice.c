/* SPDX-License-Identifier: MIT */
#include "cc/table.h"
#include "core/nearest.h"
#include "kern/preflight.h"
#include "kernel.h"
#include "values.h"

#include <stdlib.h>
#include <string.h>

static void say_missing(void *context, const char *line)
{
	weir_error(context, WEIR_EXIT_MACHINE, "%s", line);
}

static int unknown(const struct weir_invocation *call, const char *name)
{
	struct weir_nearest near = weir_nearest_to(name);
	for (u32 i = 0; i < weir_cc_count(); i++)
		weir_nearest_try(&near, weir_cc_at(i)->name);
	if (near.name)
		return weir_usage_error(call, "unknown controller \"%.60s\"; did you mean %s?", name,
					near.name);
	return weir_usage_error(call, "unknown controller \"%.60s\"; weir list controllers names them", name);
}

/* The user's header, for its tables and for the kernel. */
static int compile(const struct weir_invocation *call, const char *path, struct weir_kernel_choice *choice)
{
	char *message;
	int code = weir_plugin_open(path, &choice->plugin, &message);
	if (!code) {
		free(message); /* warnings are said once more */
		code = weir_plugin_kernel_open(path, &choice->plugin.ops, &choice->compiled, &message);
	}
	if (code)
		weir_error(call, (enum weir_exit)code, "%s", message ? message : "out of memory");
	free(message);
	choice->object =
	    (struct weir_kern_object){&choice->plugin.ops, choice->compiled.data, choice->compiled.bytes};
	if (code)
		choice->object = (struct weir_kern_object){0};
	return code;
}

void weir_kernel_choice_free(struct weir_kernel_choice *choice)
{
	weir_plugin_kernel_close(&choice->compiled);
	weir_plugin_close(&choice->plugin);
}

int weir_kernel_choose(const struct weir_invocation *call, struct weir_kernel_choice *choice)
{
	const char *name = call->operands[0], *argument;
	int wrong = 0;
	memset(choice, 0, sizeof *choice);
	int code = weir_plugin_is_path(name) ? compile(call, name, choice) : 0;
	if (code)
		return code;
	if (!choice->object.ops && !weir_kern_object_find(name, &choice->object))
		return unknown(call, name);
	weir_cc_defaults(choice->object.ops, choice->params);
	for (u32 i = 0; (argument = weir_option_at(call, "set", i)) != NULL; i++) {
		code = weir_set_param(call, argument, choice->object.ops->name, choice->object.ops->params,
				      choice->object.ops->n_params, choice->params);
		wrong = code ? code : wrong;
	}
	if (wrong)
		return wrong;
	choice->verbose = weir_option(call, "verbose");
	return weir_kern_preflight(say_missing, (void *)(size_t)call) ? WEIR_EXIT_MACHINE : 0;
}
