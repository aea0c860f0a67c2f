/* SPDX-License-Identifier: MIT */
/* A private folder for a compile on the fly. */
#ifndef WEIR_RUN_PLUGIN_FOLDER_H
#define WEIR_RUN_PLUGIN_FOLDER_H

#include "embedded.h"

#include <limits.h>
#include <signal.h>

/* A new folder below ${TMPDIR:-/tmp} that only we can read. `path` has PATH_MAX bytes, and is empty if there
 * is no folder to remove. 0, or -1 with errno. */
int weir_plugin_folder_make(char *path);
/* Writes the files (an array that ends with no name) into path/include/ROOM/. 0, or -1 with errno. */
int weir_plugin_folder_fill(const char *path, const char *room, const struct weir_embedded *files);
void weir_plugin_folder_remove(const char *path);

/* Whoever interrupts us wants the temporary files gone as well: SIGINT, SIGTERM and SIGHUP wait until the
 * caller restores `before`. */
void weir_plugin_hold_signals(sigset_t *before);

#endif
