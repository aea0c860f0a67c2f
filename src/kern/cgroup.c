/* SPDX-License-Identifier: MIT */
#include "cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define KILL_TRIES 200
#define KILL_STEP_MS 10

/* The first mount of type cgroup2 in this namespace. */
static bool find_mount(char path[PATH_MAX])
{
	char line[2 * PATH_MAX], type[32], where[PATH_MAX];
	bool found = false;
	FILE *f = fopen("/proc/self/mountinfo", "re");
	while (f && !found && fgets(line, sizeof line, f)) {
		const char *dash = strstr(line, " - ");
		found = dash && sscanf(dash, " - %31s", type) == 1 && !strcmp(type, "cgroup2") &&
			sscanf(line, "%*s %*s %*s %*s %4095s", where) == 1;
	}
	if (f)
		fclose(f);
	if (found)
		snprintf(path, PATH_MAX, "%s", where);
	return found;
}

/* Seen by us and our children only; gone with the last of us. */
static int mount_our_own(char path[PATH_MAX])
{
	char folder[] = "/tmp/weir-cgroup-XXXXXX";
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) || !mkdtemp(folder))
		return -1;
	/* On a file system of our own, so that nothing is left of the folder either. */
	int error = 0;
	if (mount("none", folder, "cgroup2", 0, NULL))
		error = errno;
	if (error)
		rmdir(folder);
	snprintf(path, PATH_MAX, "%s", folder);
	errno = error;
	return error ? -1 : 0;
}

/* Where this process is in the tree: the line "0::/PATH". */
static void find_own(char own[PATH_MAX])
{
	char line[PATH_MAX];
	own[0] = 0;
	FILE *f = fopen("/proc/self/cgroup", "re");
	while (f && fgets(line, sizeof line, f))
		if (!strncmp(line, "0::/", 4)) {
			line[strcspn(line, "\n")] = 0;
			snprintf(own, PATH_MAX, "%s", line + 4);
		}
	if (f)
		fclose(f);
}

int weir_cgroup_make(char path[PATH_MAX])
{
	char mounted[PATH_MAX], own[PATH_MAX];
	path[0] = 0;
	if (!find_mount(mounted) && mount_our_own(mounted))
		return -1;
	find_own(own);
	size_t room = PATH_MAX - 32;
	if (strlen(mounted) + strlen(own) + 1 >= room) {
		errno = ENAMETOOLONG;
		return -1;
	}
	char made[PATH_MAX];
	int n = snprintf(made, sizeof made, "%s%s%s", mounted, own[0] ? "/" : "", own);
	snprintf(made + n, sizeof made - (size_t)n, "/weir-%d", (int)getpid());
	if (mkdir(made, 0755))
		return -1;
	snprintf(path, PATH_MAX, "%s", made);
	return 0;
}

static int write_word(const char *path, const char *file, const char *word)
{
	char name[PATH_MAX + 32];
	snprintf(name, sizeof name, "%s/%s", path, file);
	int fd = open(name, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	ssize_t n = write(fd, word, strlen(word));
	int error = errno;
	close(fd);
	errno = error;
	return n < 0 ? -1 : 0;
}

int weir_cgroup_add(const char *path, pid_t pid)
{
	char word[16];
	snprintf(word, sizeof word, "%d", (int)pid);
	return write_word(path, "cgroup.procs", word);
}

/* Calls `what` for each process in it; how many. */
static u32 each_process(const char *path, void (*what)(const char *path, pid_t pid))
{
	char name[PATH_MAX + 32];
	int pid;
	u32 n = 0;
	snprintf(name, sizeof name, "%s/cgroup.procs", path);
	FILE *f = fopen(name, "re");
	for (; f && fscanf(f, "%d", &pid) == 1; n++)
		what(path, pid);
	if (f)
		fclose(f);
	return n;
}

static void move_up(const char *path, pid_t pid)
{
	char parent[PATH_MAX];
	snprintf(parent, sizeof parent, "%s", path);
	char *slash = strrchr(parent, '/');
	if (slash)
		*slash = 0;
	/* One that has just ended cannot be moved, and need not. */
	weir_cgroup_add(parent, pid);
}

static void end(const char *path, pid_t pid)
{
	(void)path;
	kill(pid, SIGKILL);
}

/* Until it is empty: what is forked meanwhile is seen the next time. */
static void empty(const char *path, void (*what)(const char *path, pid_t pid))
{
	const struct timespec step = {.tv_nsec = KILL_STEP_MS * (long)WEIR_NS_PER_MS};
	for (u32 i = 0; i < KILL_TRIES && rmdir(path) && errno != ENOENT; i++) {
		each_process(path, what);
		if (!rmdir(path) || errno == ENOENT)
			return;
		nanosleep(&step, NULL);
	}
}

void weir_cgroup_dissolve(const char *path)
{
	if (path[0])
		empty(path, move_up);
}

void weir_cgroup_kill(const char *path)
{
	if (!path[0])
		return;
	write_word(path, "cgroup.kill", "1"); /* since Linux 5.14 */
	empty(path, end);
}
