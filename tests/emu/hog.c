/* SPDX-License-Identifier: MIT */
/* hog N SECONDS: N busy loops beside an emulator, at normal priority, for a bounded time. They end with their
 * parent, however it dies. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HOGS_MAX = 64, SECONDS_MAX = 600 };

_Noreturn static void spin(pid_t parent, unsigned seconds)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	alarm(seconds); /* ends it by the default action */
	if (getppid() != parent)
		_exit(0);
	for (volatile unsigned long x = 1;; x = x * 31 + 7) {
	}
}

int main(int argc, char **argv)
{
	long hogs = argc == 3 ? strtol(argv[1], NULL, 10) : -1,
	     seconds = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
	if (hogs < 0 || hogs > HOGS_MAX || seconds < 1 || seconds > SECONDS_MAX) {
		fprintf(stderr, "usage: hog N SECONDS, N up to %d, SECONDS up to %d\n", HOGS_MAX,
			SECONDS_MAX);
		return 2;
	}
	/* The parent may be killed by its own parent's death, too. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	pid_t self = getpid();
	for (long i = 0; i < hogs; i++) {
		pid_t child = fork();
		if (child == 0)
			spin(self, (unsigned)seconds);
		if (child < 0) {
			fprintf(stderr, "hog: fork: %s\n", strerror(errno));
			return 1;
		}
	}
	while (wait(NULL) > 0) {
	}
	return 0;
}
