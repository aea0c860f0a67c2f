/* SPDX-License-Identifier: MIT */
#include "orphans.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define TABLE_BYTES 32768 /* of a namespace's addresses: those of ours are few */
#define ROUND_MAX 256	  /* processes ended at once; another round takes more */
#define ROUNDS_MAX 64
#define TERM_NS (500 * WEIR_NS_PER_MS)
#define KILL_NS (2 * WEIR_NS_PER_S)

/* The whole of a small file, or its beginning; bytes, or -1. Always terminated. */
static ssize_t read_file(const char *path, char *text, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t got = 0;
	if (fd < 0)
		return -1;
	while (got < room - 1) {
		ssize_t n = read(fd, text + got, room - 1 - got);
		if (n <= 0)
			break;
		got += (size_t)n;
	}
	close(fd);
	text[got] = 0;
	return (ssize_t)got;
}

/* The fields after the name, which may itself hold blanks and brackets. */
static const char *read_stat(pid_t pid, char text[1024])
{
	char path[32];
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	if (read_file(path, text, 1024) <= 0)
		return NULL;
	const char *end = strrchr(text, ')');
	return end ? end + 1 : NULL;
}

u64 weir_process_start(pid_t pid)
{
	char text[1024];
	const char *at = read_stat(pid, text);
	/* a zombie has died, even when nobody has asked for its status yet */
	if (at && strchr("ZXx", at[1]))
		return 0;
	for (int field = 2; at && field < 22; field++) {
		at = strchr(at, ' ');
		at = at ? at + 1 : NULL;
	}
	return at ? strtoull(at, NULL, 10) : 0;
}

static pid_t parent(pid_t pid)
{
	char text[1024];
	const char *at = read_stat(pid, text);
	int ppid = 0;
	return at && sscanf(at, " %*c %d", &ppid) == 1 ? (pid_t)ppid : 0;
}

static bool is_ancestor_of_mine(pid_t pid)
{
	/* a chain longer than this is a loop of pids that died while it was followed */
	pid_t at = getpid();
	for (u32 i = 0; at > 0 && i < 1024; i++, at = parent(at))
		if (at == pid)
			return true;
	return false;
}

static bool has_token(pid_t pid, u32 token)
{
	char text[TABLE_BYTES], path[48], line[32];
	snprintf(path, sizeof path, "/proc/%d/net/fib_trie", (int)pid);
	if (read_file(path, text, sizeof text) <= 0)
		return false;
	snprintf(line, sizeof line, "|-- %u.%u.%u.%u\n", token >> 24, token >> 16 & 255, token >> 8 & 255,
		 token & 255);
	return strstr(text, line) != NULL;
}

static void signal_by(int pidfd, int number)
{
	if (syscall(SYS_pidfd_send_signal, pidfd, number, NULL, 0))
		errno = 0; /* gone already, or not ours: it is counted among the remaining */
}

/* Descriptors of processes with the token. Opened before the look at the token, so that a number that is used
 * again in between is a descriptor of a dead process, and signals go nowhere. */
static u32 find(u32 token, int pidfd[ROUND_MAX])
{
	u32 n = 0;
	DIR *proc = opendir("/proc");
	for (struct dirent *entry; proc && n < ROUND_MAX && (entry = readdir(proc));) {
		char *rest;
		long pid = strtol(entry->d_name, &rest, 10);
		if (pid <= 1 || *rest)
			continue;
		int fd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
		if (fd < 0)
			continue;
		if (has_token((pid_t)pid, token) && !is_ancestor_of_mine((pid_t)pid))
			pidfd[n++] = fd;
		else
			close(fd);
	}
	if (proc)
		closedir(proc);
	return n;
}

static u64 now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * WEIR_NS_PER_S + (u64)t.tv_nsec;
}

/* Until all have exited or the time is over; how many have. */
static u32 wait_for(const int *pidfd, u32 n, u64 until_ns)
{
	u32 exited = 0;
	for (u32 i = 0; i < n; i++) {
		u64 now = now_ns();
		struct pollfd p = {.fd = pidfd[i], .events = POLLIN};
		int left_ms = now < until_ns ? (int)((until_ns - now) / WEIR_NS_PER_MS + 1) : 0;
		exited += poll(&p, 1, left_ms) == 1;
	}
	return exited;
}

u32 weir_orphans_end(u32 token, u32 *remain)
{
	int pidfd[ROUND_MAX];
	u32 ended = 0, n;
	u64 begin_ns = now_ns();
	*remain = 0;
	/* What forks while it is looked for is found in the next round. */
	for (u32 round = 0; round < ROUNDS_MAX && (n = find(token, pidfd)); round++) {
		for (u32 i = 0; i < n; i++)
			signal_by(pidfd[i], SIGTERM);
		u32 exited = wait_for(pidfd, n, begin_ns + TERM_NS);
		if (exited < n) {
			for (u32 i = 0; i < n; i++)
				signal_by(pidfd[i], SIGKILL);
			exited = wait_for(pidfd, n, begin_ns + KILL_NS);
		}
		for (u32 i = 0; i < n; i++)
			close(pidfd[i]);
		ended += exited;
		*remain = n - exited;
		if (*remain)
			break;
	}
	return ended;
}
