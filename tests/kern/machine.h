/* SPDX-License-Identifier: MIT */
/* Whether tests can load BPF programs here: if not, the test is skipped by name. */
#ifndef WEIR_TESTS_KERN_MACHINE_H
#define WEIR_TESTS_KERN_MACHINE_H

#include "core/exit_code.h"
#include "kern/preflight.h"

#include <stdio.h>
#include <stdlib.h>

static inline void machine_say(void *context, const char *line)
{
	(void)context;
	puts(line);
}

static inline void machine_or_skip(void)
{
	if (weir_kern_preflight(machine_say, NULL) == 0)
		return;
	fflush(stdout);
	exit(WEIR_EXIT_SKIPPED);
}

#endif
