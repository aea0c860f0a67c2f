/* SPDX-License-Identifier: MIT */
/* Commands that live in the namespaces of a link: forked while the program has one thread, held at a gate
 * until the link carries packets, and killed by the kernel when the program dies, however that happens. */
#ifndef WEIR_CLI_LINK_CHILD_H
#define WEIR_CLI_LINK_CHILD_H

#include "emu/netns.h"

#include <signal.h>
#include <sys/types.h>

#define WEIR_EXIT_LINK 125 /* of `weir link`'s own failures, as of env and timeout */
#define WEIR_EXIT_NOT_EXECUTABLE 126
#define WEIR_EXIT_NOT_FOUND 127

struct weir_link_child {
	pid_t pid;		 /* 0: none */
	int gate_fd;		 /* a byte opens it */
	int told_fd;		 /* errno of a failed exec comes out; the end of file: it runs */
	bool ended, group_ended; /* the latter of a background one: nobody is left in its process group */
	int code; /* exit status as a shell says it: 128 + the signal; WEIR_EXIT_NOT_FOUND ... */
};

struct weir_link_spawn {
	const struct weir_netns *ns;
	char *const *argv, *const *envp;
	/* Not the terminal's: a process group of its own, nothing to read, stdout goes to stderr. */
	bool background;
	const sigset_t *mask; /* of signals, as the program was started with */
};

/* 0, or -1 with errno set. */
int weir_link_child_fork(struct weir_link_child *c, const struct weir_link_spawn *s);
/* Opens the gate and waits until the command runs. 0, or errno of what kept it from running: `ended` and
 * `code` are then set. */
int weir_link_child_release(struct weir_link_child *c);
/* Notes how it ended; status as from waitpid. */
void weir_link_child_reaped(struct weir_link_child *c, int status);
/* Notes whether its group is still there, after others were reaped: the number may be another's soon. */
void weir_link_child_look(struct weir_link_child *c);
/* One that is still behind its gate goes away. Harmless for one that ended or never was. */
void weir_link_child_abandon(struct weir_link_child *c);
/* A background one and its process group: SIGTERM, after 500 ms SIGKILL; reaped. Harmless for one that ended
 * or never was. */
void weir_link_child_end(struct weir_link_child *c);

/* Waits, at most 500 ms, until a socket listens in the process's network namespace that did not before: a TCP
 * socket in LISTEN, or a bound UDP socket. `before`: weir_link_listening of then. */
u32 weir_link_listening(pid_t pid);
void weir_link_child_await(const struct weir_link_child *c, u32 before);

#endif
