/* SPDX-License-Identifier: MIT */
/* A cgroup (version 2) of our own, below the one that this process is in. */
#ifndef WEIR_KERN_CGROUP_H
#define WEIR_KERN_CGROUP_H

#include "weir/types.h"

#include <limits.h>
#include <sys/types.h>

/* Makes it. Where no cgroup2 is mounted, it is mounted for this process and its children alone. 0, or -1 with
 * errno. */
int weir_cgroup_make(char path[PATH_MAX]);
/* 0, or -1 with errno. */
int weir_cgroup_add(const char *path, pid_t pid);
/* Moves all processes that are in it to its parent, and removes it. */
void weir_cgroup_dissolve(const char *path);
/* Ends all processes that are in it, and removes it; gives up after two seconds. */
void weir_cgroup_kill(const char *path);

#endif
