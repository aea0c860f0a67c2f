/* SPDX-License-Identifier: MIT */
/* Network namespaces without names: each is held open by a file descriptor, so that it goes when the last
 * process in it and the last descriptor go, whatever kills its owner. Nothing here survives SIGKILL. */
#ifndef WEIR_EMU_NETNS_H
#define WEIR_EMU_NETNS_H

#include "weir/types.h"

#define WEIR_WHY_BYTES 256 /* one sentence that says what failed, where, and what to do next */

struct weir_netns {
	int fd;	   /* -1: none */
	u64 inode; /* as in /proc/PID/ns/net: tells namespaces apart */
};

/* Makes sure that this process may make namespaces and TUN devices: as it is (CAP_NET_ADMIN), or in a user
 * namespace of its own (single-threaded callers only; *rootless becomes true). 0, or -1 with the one line of
 * what to grant. */
int weir_netns_prepare(bool *rootless, char why[WEIR_WHY_BYTES]);

/* A new namespace with `lo` up; the calling thread stays where it is. 0, or -1. */
int weir_netns_new(struct weir_netns *ns, char why[WEIR_WHY_BYTES]);
/* The namespace of the calling thread. 0, or -1. */
int weir_netns_here(struct weir_netns *ns, char why[WEIR_WHY_BYTES]);
/* The calling thread moves into it. 0, or -1 with errno set. */
int weir_netns_enter(const struct weir_netns *ns);
void weir_netns_close(struct weir_netns *ns);

#endif
