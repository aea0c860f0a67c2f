/* SPDX-License-Identifier: MIT */
/* While the commands of a link run: signals and the terminal. The commands stay in the program's own process
 * group, so that a terminal's signals reach them as if there were no program around them; those that come
 * from elsewhere are passed on. */
#ifndef WEIR_CLI_LINK_WAIT_H
#define WEIR_CLI_LINK_WAIT_H

#include "link_child.h"

#include <termios.h>

struct weir_link_wait {
	sigset_t before; /* the mask as the program was started with: for children */
	sigset_t wanted;
	int failure;	 /* a signal to this thread that says: the link failed */
	int terminal_fd; /* -1: none, or the program is not in its foreground */
	pid_t group;
	struct termios modes;
	struct weir_link_child *command, *beyond; /* what is waited for, and what may end meanwhile */
	u32 n, n_beyond;
};

/* Blocks the signals that weir_link_wait_all takes; before any thread is started. Orphans of the commands
 * come to this process from here on. */
void weir_link_wait_begin(struct weir_link_wait *w);
/* Until all commands have ended. SIGTERM and SIGHUP are passed on; who still runs one second later gets
 * SIGHUP, and after another one SIGKILL. false: the link failed, and all were ended for it. */
bool weir_link_wait_all(struct weir_link_wait *w);
/* The terminal is the program's again, with its modes of before where a command was killed. */
void weir_link_wait_end(struct weir_link_wait *w);

#endif
