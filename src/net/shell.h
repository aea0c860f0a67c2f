/* SPDX-License-Identifier: MIT */
/* A shell command beside a loop: its input is given at once, its output taken as it comes, its time bounded.
 * It has a process group of its own, which ends with it, and it ends when this process does. */
#ifndef WEIR_NET_SHELL_H
#define WEIR_NET_SHELL_H

#include "net/loop.h"

#include <sys/types.h>

#define WEIR_SHELL_INPUT_BYTES 4096 /* what a pipe takes at once */

struct weir_shell {
	struct weir_loop *loop;
	struct weir_watch end, out; /* fd -1: none */
	pid_t pid;		    /* 0: none runs */
	u64 started_ns;
	int code; /* as a shell tells it: 128 + signal */
	u8 *output;
	size_t bytes, room;
	bool overflowed; /* there was more than room: cut off */
	/* It has ended: output and code stand until the next start. */
	void (*ended)(void *owner, struct weir_shell *s);
	void *owner;
};

/* Set loop, ended, owner and, for one whose output is wanted, output and room before. `envp` NULL: ours. 0,
 * or -1 with errno. */
int weir_shell_start(struct weir_shell *s, u64 now_ns, const char *command, char *const *envp,
		     const void *input, size_t bytes);
/* Ends it and all of its group now; `ended` is not called. */
void weir_shell_kill(struct weir_shell *s);

#endif
