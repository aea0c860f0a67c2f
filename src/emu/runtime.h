/* SPDX-License-Identifier: MIT */
/* The folder of records of what is running: where it is, see lease.h. */
#ifndef WEIR_EMU_RUNTIME_H
#define WEIR_EMU_RUNTIME_H

#include "netns.h"

/* Opens it, made where it is missing, and takes its lock: waits for other starts and ends, at most 20 s.
 * Closing the descriptor gives the lock back. -1 with a sentence. */
int weir_runtime_lock(char why[WEIR_WHY_BYTES]);

#endif
