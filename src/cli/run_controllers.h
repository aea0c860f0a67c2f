/* SPDX-License-Identifier: MIT */
/* What --controller names: controllers of Weir's, headers of one's own, and (in an emulation) the kernel's.
 */
#ifndef WEIR_CLI_RUN_CONTROLLERS_H
#define WEIR_CLI_RUN_CONTROLLERS_H

#include "command.h"
#include "run/plan.h"
#include "run/plugin.h"
#include "run/plugin_kernel.h"

#define WEIR_RUN_CONTROLLERS_MAX 64

struct weir_run_controllers {
	u32 n, n_plugins;
	struct weir_plan_controller controller[WEIR_RUN_CONTROLLERS_MAX];
	struct weir_plugin plugin[WEIR_RUN_CONTROLLERS_MAX];
	struct weir_plugin_kernel compiled[WEIR_RUN_CONTROLLERS_MAX]; /* of the same, in an emulation */
	char *header[WEIR_RUN_CONTROLLERS_MAX];
};

/* Takes all of the command line, and adds headers to the registry. 0, or the first mistake's exit code; all
 * mistakes are told. Free in both cases, after the registry. */
int weir_run_controllers_take(struct weir_run_controllers *c, const struct weir_invocation *call,
			      bool emulated, struct weir_registry *registry);
void weir_run_controllers_free(struct weir_run_controllers *c);

#endif
