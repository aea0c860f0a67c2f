/* SPDX-License-Identifier: MIT */
/* From the options of `weir link` to a checked path. The options become keys of a small scenario, so that the
 * scenario room's one schema checks them; its messages are then told under the name of the option. */
#ifndef WEIR_CLI_LINK_SCENARIO_H
#define WEIR_CLI_LINK_SCENARIO_H

#include "command.h"
#include "run/link_path.h"
#include "run/registry.h"

#define WEIR_LINK_MTU_BYTES 1500

struct weir_link_scenario {
	struct weir_registry registry;
	struct weir_scenario_set set;
	struct weir_scenario scenario;
	struct weir_traces traces;
	struct weir_link_path path;
	char label[96]; /* "96 Mbit/s 25 ms": for a prompt */
};

/* WEIR_EXIT_OK, or another code after telling everything that is wrong on stderr. Free in both cases. */
int weir_link_scenario_read(const struct weir_invocation *call, struct weir_link_scenario *out);
void weir_link_scenario_free(struct weir_link_scenario *s);

#endif
