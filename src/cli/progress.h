/* SPDX-License-Identifier: MIT */
/* A progress bar on stderr with the time that is left: only on a terminal, only for what takes over two
 * seconds, and wiped at the end.
 *
 *	struct weir_progress bar;
 *	weir_progress_start(&bar, "two-cubic");
 *	... weir_progress_update(&bar, done, total);   as often as convenient: it looks at the clock itself
 *	weir_progress_end(&bar);
 */
#ifndef WEIR_CLI_PROGRESS_H
#define WEIR_CLI_PROGRESS_H

#include "weir/types.h"

struct weir_progress {
	const char *label; /* kept by the caller */
	bool enabled, shown;
	u64 started_ns, drawn_ns; /* monotonic */
};

void weir_progress_start(struct weir_progress *bar, const char *label);
/* `done` of `total`, in any unit; a total of 0 means that nobody knows: only the elapsed time is drawn. */
void weir_progress_update(struct weir_progress *bar, double done, double total);
void weir_progress_end(struct weir_progress *bar);

/* Whether to colour what goes to this file descriptor: a terminal, NO_COLOR unset or empty, TERM not dumb. */
bool weir_terminal_colour(int fd);

#endif
