/* SPDX-License-Identifier: MIT */
/* Runs a compiler: bounded in time and in output, killed with all its children, interruptible. */
#ifndef WEIR_RUN_COMPILE_H
#define WEIR_RUN_COMPILE_H

#include "weir/types.h"

enum weir_compile_result {
	WEIR_COMPILE_OK,
	WEIR_COMPILE_FAILED,	  /* the compiler said no; its output tells why */
	WEIR_COMPILE_MISSING,	  /* there is no such program */
	WEIR_COMPILE_TIMEOUT,	  /* killed */
	WEIR_COMPILE_INTERRUPTED, /* killed, because SIGINT, SIGTERM or SIGHUP waits */
	WEIR_COMPILE_ERROR,	  /* the machine could not run it; errno tells why */
};

#define WEIR_COMPILE_OUTPUT_MAX 65536

/* argv[0] is looked up in PATH. TMPDIR of the compiler is `temp_folder`, its messages are in plain English
 * without colour. An interrupt is seen here only if the caller blocks it, so that the caller can tidy up
 * before it strikes. *output becomes what it wrote to stdout and stderr, at most WEIR_COMPILE_OUTPUT_MAX
 * bytes and a note where more was cut; free it. NULL only with WEIR_COMPILE_ERROR. */
enum weir_compile_result weir_compile(char *const argv[], const char *temp_folder, u32 timeout_ms,
				      char **output);

#endif
