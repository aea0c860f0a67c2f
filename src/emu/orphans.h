/* SPDX-License-Identifier: MIT */
/* Processes in namespaces that carry a token: an address 127.x.y.z of `lo`. */
#ifndef WEIR_EMU_ORPHANS_H
#define WEIR_EMU_ORPHANS_H

#include "netns.h"

#include <sys/types.h>

/* Field 22 of /proc/PID/stat, clock ticks since boot: with the pid it names a process for good. 0: no such
 * process, or a dead one that its parent has not waited for. */
u64 weir_process_start(pid_t pid);

/* Ends the processes in namespaces with this token (host order): SIGTERM, after 500 ms SIGKILL; waits at most
 * two seconds. Never the caller and its ancestors. How many there were; *remain: how many are still there. */
u32 weir_orphans_end(u32 token, u32 *remain);

#endif
