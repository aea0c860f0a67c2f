/* SPDX-License-Identifier: MIT */
#include "command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	int code = weir_dispatch(argc, argv);
	/* A full disk or a closed pipe shows only now: half a document must not look like success. */
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "weir: cannot write to standard output: %s\n", strerror(errno));
		return code == WEIR_EXIT_OK ? WEIR_EXIT_FAILED : code;
	}
	return code;
}
