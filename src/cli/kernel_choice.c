/* SPDX-License-Identifier: MIT */
#include "cc/table.h"
#include "core/nearest.h"
#include "kern/preflight.h"
#include "kernel.h"
#include "pilot/table.h"
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
	for (u32 i = 0; i < weir_pilot_count(); i++)
		weir_nearest_try(&near, weir_pilot_at(i)->name);
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
	choice->object = (struct weir_kern_object){&choice->plugin.ops, choice->compiled.data,
						   choice->compiled.bytes, NULL};
	if (code)
		choice->object = (struct weir_kern_object){0};
	return code;
}

void weir_kernel_choice_free(struct weir_kernel_choice *choice)
{
	weir_plugin_kernel_close(&choice->compiled);
	weir_plugin_close(&choice->plugin);
}

/* --set, over the defaults, which are there. */
static int set_params(const struct weir_invocation *call, const char *name, const struct weir_param *table,
		      u32 n, u64 *params)
{
	const char *argument;
	int wrong = 0;
	for (u32 i = 0; (argument = weir_option_at(call, "set", i)) != NULL; i++) {
		int code = weir_set_param(call, argument, name, table, n, params);
		wrong = code ? code : wrong;
	}
	return wrong;
}

static int choose_pilot(const struct weir_invocation *call, struct weir_kernel_choice *choice)
{
	const struct weir_pilot_ops *pilot = choice->pilot;
	char why[200];
	weir_pilot_defaults(pilot, choice->params);
	int code = set_params(call, pilot->name, pilot->params, pilot->n_params, choice->params);
	if (!code &&
	    weir_kern_object_governor(pilot, choice->params, &choice->governor, &choice->object, why))
		code = weir_error(call, WEIR_EXIT_USAGE, "%s", why);
	return code;
}

static int choose_controller(const struct weir_invocation *call, struct weir_kernel_choice *choice)
{
	const char *name = call->operands[0];
	int code = weir_plugin_is_path(name) ? compile(call, name, choice) : 0;
	if (code)
		return code;
	if (!choice->object.ops && !weir_kern_object_find(name, &choice->object))
		return unknown(call, name);
	const struct weir_cc_ops *ops = choice->object.ops;
	weir_cc_defaults(ops, choice->params);
	return set_params(call, ops->name, ops->params, ops->n_params, choice->params);
}

int weir_kernel_choose(const struct weir_invocation *call, struct weir_kernel_choice *choice)
{
	memset(choice, 0, sizeof *choice);
	choice->pilot = weir_pilot_find(call->operands[0]);
	int code = choice->pilot ? choose_pilot(call, choice) : choose_controller(call, choice);
	if (code)
		return code;
	choice->verbose = weir_option(call, "verbose");
	return weir_kern_preflight(say_missing, (void *)(size_t)call) ? WEIR_EXIT_MACHINE : 0;
}
