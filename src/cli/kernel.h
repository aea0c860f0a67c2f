/* SPDX-License-Identifier: MIT */
/* What the verbs of `weir kernel` share. */
#ifndef WEIR_CLI_KERNEL_H
#define WEIR_CLI_KERNEL_H

#include "command.h"
#include "kern/pilots.h"
#include "run/plugin.h"
#include "run/plugin_kernel.h"

#define WEIR_KERNEL_PARAMS_MAX 64

/* A controller of the command line, or a pilot, with its parameters. */
struct weir_kernel_choice {
	struct weir_kern_object object;
	const struct weir_pilot_ops *pilot; /* `object` is the governor for it then; else NULL */
	struct weir_kern_governor governor;
	u64 params[WEIR_KERNEL_PARAMS_MAX];
	bool verbose;
	/* where the operand is a header: what was made of it, and what `object` points to */
	struct weir_plugin plugin;
	struct weir_plugin_kernel compiled;
};

/* The first operand, --set and --verbose; and what this machine lacks, one line each. 0, or an enum weir_exit
 * after saying what is wrong. */
int weir_kernel_choose(const struct weir_invocation *call, struct weir_kernel_choice *choice);
/* After nothing that was made of it is in use; also after a failure. */
void weir_kernel_choice_free(struct weir_kernel_choice *choice);

/* weir_NAME of a controller's word; of weir_NAME itself the same. */
void weir_kernel_name_of(const char *word, char name[WEIR_KERN_NAME_BYTES]);

/* The record under /run/weir of what `load` left in the kernel. The first two: 0, or -1 with a sentence. */
int weir_kernel_record_write(const char *name, u32 map_id, char why[WEIR_KERN_WHY_BYTES]);
int weir_kernel_record_read(const char *name, u32 *map_id, char why[WEIR_KERN_WHY_BYTES]);
void weir_kernel_record_remove(const char *name);

int weir_kernel_run(struct weir_invocation *call);
int weir_kernel_watch(struct weir_invocation *call);
int weir_kernel_replay(struct weir_invocation *call);

#endif
