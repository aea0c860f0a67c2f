/* SPDX-License-Identifier: MIT */
/* A controller that the user wrote: a header, compiled while Weir starts and loaded as a shared object. */
#ifndef WEIR_RUN_PLUGIN_H
#define WEIR_RUN_PLUGIN_H

#include "weir/cc.h"

struct weir_plugin {
	void *handle;
	struct weir_cc_ops ops; /* checked; .about and .source are never NULL */
};

/* Compiles the header with ${CC:-cc} and checks what it declares.
 *   0   *out is ready; *message is NULL, or the compiler's warnings
 *   2   the header is at fault: *message says what, with the compiler's words and the user's lines
 *   3   this machine cannot do it (no compiler, no room for temporary files): *message says what is missing
 *   1   interrupted or out of memory
 * Free *message. Nothing is left on disk. */
int weir_plugin_open(const char *header_path, struct weir_plugin *out, char **message);

/* No world that uses out->ops may live on. */
void weir_plugin_close(struct weir_plugin *p);

/* True for an argument that means a file, not a controller's name: it holds a '/' or ends in ".h". */
bool weir_plugin_is_path(const char *argument);

#endif
