/* SPDX-License-Identifier: MIT */
/* Which of Weir's controllers this kernel has, and who uses them. */
#ifndef WEIR_KERN_REGISTERED_H
#define WEIR_KERN_REGISTERED_H

#include "load.h"

struct weir_kern_registration {
	char name[WEIR_KERN_NAME_BYTES];
	u32 map_id;
	bool stays; /* until weir_kern_unregister; else a process holds it */
};

/* Fills in at most `room`, in the order of their ids; how many there are, or -1 with errno (EPERM: only root
 * may ask). */
int weir_kern_registrations(struct weir_kern_registration *r, u32 room);

/* By the kernel's own list of congestion controls. */
bool weir_kern_is_registered(const char *name);

/* TCP sockets of this network namespace that use it, listening ones too. 0, or -1 with errno. */
int weir_kern_sockets(const char *name, u64 *n);

#endif
