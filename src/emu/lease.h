/* SPDX-License-Identifier: MIT */
/* Records of live sites: one small file each, with the owner's pid and start time, the inodes of its
 * namespaces and its address range. A record whose owner is gone (no such pid, or another start time: the
 * number was used again) is stale: whoever opens a lease next ends the processes that are left in its
 * namespaces and removes it. Live ones are left alone. Held under flock, so that two starts cannot take the
 * same range.
 *
 * Folder: $WEIR_RUNTIME_DIR, else /run/weir for root, else $XDG_RUNTIME_DIR/weir, else /tmp/weir-UID (made
 * 0700; refused when somebody else owns it). */
#ifndef WEIR_EMU_LEASE_H
#define WEIR_EMU_LEASE_H

#include "netns.h"

/* Takes a free range; ranges nest: inside a left host of another site (its range in the environment,
 * WEIR_RANGE=FIRST/BITS) the range is a part of the host's. *lease is for the calls below. Cleans up what
 * dead owners left first. 0, or -1. */
int weir_lease_open(int *lease, u32 *first, u32 *end, char why[WEIR_WHY_BYTES]);
/* Adds a namespace to the record. 0, or -1. */
int weir_lease_add(int lease, const struct weir_netns *ns, char why[WEIR_WHY_BYTES]);
/* Ends the processes that are still in the namespaces of the record (SIGTERM, after 500 ms SIGKILL; never the
 * caller itself), removes it. How many were ended. */
u32 weir_lease_close(int lease);

#endif
