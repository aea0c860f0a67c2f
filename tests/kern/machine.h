/* SPDX-License-Identifier: MIT */
/* Whether tests can load BPF programs here, and nobody else has: names of congestion controls are the whole
 * machine's. If not, the test is skipped by name. */
#ifndef WEIR_TESTS_KERN_MACHINE_H
#define WEIR_TESTS_KERN_MACHINE_H

#include "cc/table.h"
#include "core/exit_code.h"
#include "kern/preflight.h"
#include "kern/registered.h"

#include <stdio.h>
#include <stdlib.h>

static inline void machine_say(void *context, const char *line)
{
	(void)context;
	puts(line);
}

static inline void machine_or_skip(void)
{
	u32 missing = weir_kern_preflight(machine_say, NULL);
	for (u32 i = 0; i < weir_cc_count(); i++) {
		char name[WEIR_KERN_NAME_BYTES];
		if (weir_kern_name(weir_cc_at(i)->name, name) && weir_kern_is_registered(name)) {
			printf("%s is in use on this machine\n", name);
			missing++;
		}
	}
	fflush(stdout);
	if (missing)
		exit(WEIR_EXIT_SKIPPED);
}

#endif
