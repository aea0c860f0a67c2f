/* SPDX-License-Identifier: MIT */
/* Files that are part of the program, so that it needs no path of the machine it was built on. */
#ifndef WEIR_RUN_EMBEDDED_H
#define WEIR_RUN_EMBEDDED_H

#include <stddef.h>

struct weir_embedded {
	const char *name; /* NULL ends an array */
	const unsigned char *data;
	size_t bytes;
};

/* include/weir/: what a controller may include. */
extern const struct weir_embedded weir_public_headers[];
/* src/kern/: what makes a BPF program of a controller. */
extern const struct weir_embedded weir_kernel_headers[];

#endif
