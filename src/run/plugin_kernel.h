/* SPDX-License-Identifier: MIT */
/* A controller that the user wrote, as a BPF program for the kernel: the header that plugin.h compiles for
 * user space, compiled once more. */
#ifndef WEIR_RUN_PLUGIN_KERNEL_H
#define WEIR_RUN_PLUGIN_KERNEL_H

#include "weir/cc.h"

struct weir_plugin_kernel {
	void *data; /* an ELF file, for weir_kern_load */
	size_t bytes;
};

/* Compiles the header with clang. `ops` is what weir_plugin_open found in it. Results as there: 2 for what a
 * kernel cannot run (floating point, signed division, 128 bits, a name that is too long), with the user's
 * lines. */
int weir_plugin_kernel_open(const char *header_path, const struct weir_cc_ops *ops,
			    struct weir_plugin_kernel *out, char **message);
void weir_plugin_kernel_close(struct weir_plugin_kernel *p);

#endif
