/* SPDX-License-Identifier: MIT */
#include "runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Of this user outside of all user namespaces that it may be in: root within is not root. */
static u32 outer_uid(void)
{
	u32 uid = geteuid(), inside, outside, count;
	FILE *f = fopen("/proc/self/uid_map", "re");
	while (f && fscanf(f, "%u %u %u", &inside, &outside, &count) == 3)
		if (uid >= inside && uid - inside < count) {
			uid = outside + (uid - inside);
			break;
		}
	if (f)
		fclose(f);
	return uid;
}

/* /tmp is everybody's: no symbolic links, and nobody's folder but ours. */
static int open_folder(const char *path, char why[WEIR_WHY_BYTES])
{
	struct stat s;
	int made = mkdir(path, 0700);
	if (made && errno != EEXIST) {
		snprintf(why, WEIR_WHY_BYTES, "cannot make the folder %.150s: %s", path, strerror(errno));
		return -1;
	}
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0) {
		snprintf(why, WEIR_WHY_BYTES, "cannot open the folder %.150s: %s", path, strerror(errno));
		return -1;
	}
	if (fstat(fd, &s) || s.st_uid != geteuid() || s.st_mode & (S_IWGRP | S_IWOTH)) {
		snprintf(why, WEIR_WHY_BYTES,
			 "others can write to the folder %.120s: set WEIR_RUNTIME_DIR to one of your own",
			 path);
		close(fd);
		return -1;
	}
	return fd;
}

static int open_some_folder(char why[WEIR_WHY_BYTES])
{
	char path[PATH_MAX];
	const char *chosen = getenv("WEIR_RUNTIME_DIR"), *session = getenv("XDG_RUNTIME_DIR");
	u32 uid = outer_uid();
	if (chosen && *chosen)
		return open_folder(chosen, why);
	int fd = uid == 0 ? open_folder("/run/weir", why) : -1;
	if (fd < 0 && session && *session == '/') {
		snprintf(path, sizeof path, "%s/weir", session);
		fd = open_folder(path, why);
	}
	if (fd < 0) {
		snprintf(path, sizeof path, "/tmp/weir-%u", uid);
		fd = open_folder(path, why);
	}
	return fd;
}

int weir_runtime_lock(char why[WEIR_WHY_BYTES])
{
	const struct timespec moment = {.tv_nsec = 10 * (long)WEIR_NS_PER_MS};
	int fd = open_some_folder(why);
	for (u32 tries = 0; fd >= 0 && flock(fd, LOCK_EX | LOCK_NB); tries++) {
		if ((errno != EWOULDBLOCK && errno != EINTR) || tries == 2000) {
			snprintf(why, WEIR_WHY_BYTES, "cannot lock the folder of records: %s",
				 strerror(errno));
			close(fd);
			return -1;
		}
		nanosleep(&moment, NULL);
	}
	return fd;
}
