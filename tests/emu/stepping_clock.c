/* SPDX-License-Identifier: MIT */
/* For LD_PRELOAD: a wall clock that somebody steps by -2 s and by +2 s, each tenth of a second, in this
 * process only. The monotonic clock is left alone. */
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define STEP_EACH_NS 100000000

int clock_gettime(clockid_t clock, struct timespec *t)
{
	static const long steps_s[] = {0, -2, 2};
	struct timespec monotonic;
	long failed = syscall(SYS_clock_gettime, clock, t);
	if (failed || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE))
		return (int)failed;
	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &monotonic);
	long long tenth = monotonic.tv_sec * 10LL + monotonic.tv_nsec / STEP_EACH_NS;
	t->tv_sec += steps_s[tenth % 3];
	return 0;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
	struct timespec now;
	(void)zone;
	int failed = clock_gettime(CLOCK_REALTIME, &now);
	if (!failed)
		*t = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
	return failed;
}

time_t time(time_t *t)
{
	struct timespec now = {0};
	clock_gettime(CLOCK_REALTIME, &now);
	if (t)
		*t = now.tv_sec;
	return now.tv_sec;
}
