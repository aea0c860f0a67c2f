/* SPDX-License-Identifier: MIT */
/* For tests on real devices: who may not make them skips by name. */
#ifndef TESTS_EMU_GROUND_H
#define TESTS_EMU_GROUND_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "emu/site.h"

#define MS WEIR_NS_PER_MS

static inline void skip_without_ground(void)
{
	char why[WEIR_WHY_BYTES];
	bool rootless;
	if (geteuid() != 0) {
		puts("needs root");
		exit(77);
	}
	if (weir_netns_prepare(&rootless, why)) {
		puts(why);
		exit(77);
	}
}

static inline u64 now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * WEIR_NS_PER_S + (u64)t.tv_nsec;
}

/* Of what should not fail: its reason is seen. */
#define assert_done(call, why)                                                                               \
	do {                                                                                                 \
		if (call)                                                                                    \
			fail_msg("%s: %s", #call, why);                                                      \
	} while (0)

#endif
