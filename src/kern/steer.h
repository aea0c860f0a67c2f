/* SPDX-License-Identifier: MIT */
/* A cgroup in which each new TCP connection gets a congestion control, whatever namespace it is in. Sockets
 * of other processes are not touched. Nothing of it survives this process, whatever ends it: a small process
 * of its own watches, and then ends what runs in the cgroup and removes it. */
#ifndef WEIR_KERN_STEER_H
#define WEIR_KERN_STEER_H

#include "load.h"
#include "steer_format.h"

#include <limits.h>
#include <sys/types.h>

struct weir_steer {
	char path[PATH_MAX]; /* of the cgroup; "": none */
	struct bpf_object *object;
	int attached_fd; /* the program in the cgroup; -1: not */
	volatile struct weir_steer_counts *counts;
	int guard_fd; /* its end ends the guard */
	pid_t guard;
};

/* To be called before there are threads and before a controller is loaded: the guard is forked here, and must
 * not hold on to what this process has. 0, or 3 with a sentence. */
int weir_steer_open(struct weir_steer *s, char why[WEIR_KERN_WHY_BYTES]);
/* From now on connections that begin in it get `name`. 0, or 3 with a sentence. */
int weir_steer_to(struct weir_steer *s, const char *name, char why[WEIR_KERN_WHY_BYTES]);
/* The process and its later children belong to it. 0, or -1 with errno. */
int weir_steer_add(const struct weir_steer *s, pid_t pid);
/* Who is still in it goes back to where this process is; the cgroup is removed. */
void weir_steer_close(struct weir_steer *s);

#endif
