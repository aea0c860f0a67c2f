/* SPDX-License-Identifier: MIT */
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Where a standard stream was closed, the next socket would get its number, and our output. In its place
 * stands one that cannot be used the way it is meant, so that whoever needs it hears so. */
static void hold_standard_streams(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv)
{
	hold_standard_streams();
	int code = weir_dispatch(argc, argv);
	/* A full disk or a closed pipe shows only now: half a document must not look like success. */
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "weir: cannot write to standard output: %s\n", strerror(errno));
		return code == WEIR_EXIT_OK ? WEIR_EXIT_FAILED : code;
	}
	return code;
}
