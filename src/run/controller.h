/* SPDX-License-Identifier: MIT */
/* A controller of any kind, and what all kinds tell of themselves. */
#ifndef WEIR_RUN_CONTROLLER_H
#define WEIR_RUN_CONTROLLER_H

#include "kern/load.h"
#include "weir/age.h"
#include "weir/cc.h"
#include "weir/pilot.h"

/* At most one is set; none: the kernel's own, or nobody. */
struct weir_controller {
	const struct weir_cc_ops *cc;	    /* of a stream: a window */
	const struct weir_age_ops *age;	    /* of an acp flow: how often it tells something */
	const struct weir_pilot_ops *pilot; /* of a stream, by the governor */
};

struct weir_controller_about {
	const char *name, *kind, *about, *source; /* kind: "cc", "age", "pilot" */
	const struct weir_param *params;
	const struct weir_signal *signals;
	u32 n_params, n_signals;
};

static inline bool weir_controller_is_none(const struct weir_controller *c)
{
	return !c->cc && !c->age && !c->pilot;
}

/* Of none: all zero. */
struct weir_controller_about weir_controller_about(const struct weir_controller *c);

/* Whether kernel TCP can be its host at all, whatever this machine allows; false: why not, without its flow.
 */
bool weir_controller_kernel_takes(const struct weir_controller *c, char why[WEIR_KERN_WHY_BYTES]);

/* Writes the default of each of its parameters. */
void weir_controller_defaults(const struct weir_controller *c, u64 *params);

/* Those that Weir ships, kind by kind in the order of their lists, without other words for them. False past
 * the last. */
bool weir_controller_at(u32 i, struct weir_controller *c);

#endif
