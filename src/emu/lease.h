/* SPDX-License-Identifier: MIT */
/* Records of live sites: one small file each, with the owner's pid and start time, its address range and a
 * token that is also in each of its namespaces, as an address 127.x.y.z of `lo`. A record whose owner is gone
 * (no such pid, or another start time: the number was used again) is stale: whoever opens a lease next ends
 * the processes that are left in its namespaces and removes it. Live ones are left alone.
 *
 * Why a token: the kernel gives inodes of namespaces and numbers of processes to others soon after, and who
 * goes by them alone ends a stranger's processes one day. /proc/PID/net shows addresses without any right
 * over the process, so that this also works across user namespaces.
 *
 * Folder: $WEIR_RUNTIME_DIR, else /run/weir for root, else $XDG_RUNTIME_DIR/weir, else /tmp/weir-UID (made
 * 0700; refused when somebody else owns it). It is under flock while it is looked through or changed, so that
 * two starts cannot take the same range. */
#ifndef WEIR_EMU_LEASE_H
#define WEIR_EMU_LEASE_H

#include "netns.h"

#define WEIR_RANGE_VARIABLE "WEIR_RANGE" /* "100.64.0.0/16": what is left for sites opened in here */
#define WEIR_RANGE_BITS_MAX 30		 /* the smallest range: four addresses */

/* Takes a free range: outside of other sites a /16 of 100.64.0.0/10, inside a left host of one (its range is
 * in the environment) the largest free of a half, a quarter, an eighth ... of that. *lease is for the calls
 * below. Cleans up what dead owners left first. 0, or -1. */
int weir_lease_open(int *lease, u32 *first, u32 *end, char why[WEIR_WHY_BYTES]);
/* Gives the namespace the record's token. 0, or -1. */
int weir_lease_add(int lease, const struct weir_netns *ns, char why[WEIR_WHY_BYTES]);
/* Ends the processes that are still in the namespaces of the record (SIGTERM, after 500 ms SIGKILL; never the
 * caller itself and its ancestors), removes it. How many were ended. */
u32 weir_lease_close(int lease);

#endif
