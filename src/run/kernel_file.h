/* SPDX-License-Identifier: MIT */
/* Files of what was watched in the kernel, and the sentence when one cannot be written. */
#ifndef WEIR_RUN_KERNEL_FILE_H
#define WEIR_RUN_KERNEL_FILE_H

#include "kernel_trace.h"

#include <stdio.h>

/* Always -1. `error`: an errno. */
int weir_kernel_file_failed(char why[WEIR_KERNEL_TRACE_WHY_BYTES], const char *path, int error);
/* A new file, or NULL with a sentence. */
FILE *weir_kernel_file_create(char why[WEIR_KERNEL_TRACE_WHY_BYTES], const char *path);

#endif
