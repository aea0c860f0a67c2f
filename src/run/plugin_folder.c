/* SPDX-License-Identifier: MIT */
#include "plugin_folder.h"

#include "weir/types.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int write_file(const char *path, const unsigned char *data, size_t bytes)
{
	FILE *f = fopen(path, "wbe");
	if (!f)
		return -1;
	bool written = fwrite(data, 1, bytes, f) == bytes;
	return fclose(f) == 0 && written ? 0 : -1;
}

int weir_plugin_folder_make(char *path)
{
	const char *base = getenv("TMPDIR");
	snprintf(path, PATH_MAX, "%s/weir-XXXXXX", base && base[0] == '/' ? base : "/tmp");
	if (strlen(path) > PATH_MAX - 64 || !mkdtemp(path)) {
		path[0] = 0;
		return -1;
	}
	return 0;
}

int weir_plugin_folder_fill(const char *path, const char *room, const struct weir_embedded *files)
{
	char file[PATH_MAX + 300];
	snprintf(file, sizeof file, "%s/include", path);
	if (mkdir(file, 0700) < 0 && errno != EEXIST)
		return -1;
	snprintf(file, sizeof file, "%s/include/%s", path, room);
	if (mkdir(file, 0700) < 0 && errno != EEXIST)
		return -1;
	for (const struct weir_embedded *e = files; e->name; e++) {
		snprintf(file, sizeof file, "%s/include/%s/%s", path, room, e->name);
		if (write_file(file, e->data, e->bytes) < 0)
			return -1;
	}
	return 0;
}

/* Levels are bounded: nothing but the compiler's files and our own lie in it. */
static void remove_folder(const char *path, int levels)
{
	DIR *d = opendir(path);
	if (!d)
		return;
	for (struct dirent *e; (e = readdir(d)) != NULL;) {
		char file[PATH_MAX + 300];
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		int length = snprintf(file, sizeof file, "%s/%s", path, e->d_name);
		if (length < 0 || (size_t)length >= PATH_MAX)
			continue;
		if (unlink(file) < 0 && levels > 0)
			remove_folder(file, levels - 1);
	}
	closedir(d);
	rmdir(path);
}

void weir_plugin_folder_remove(const char *path)
{
	remove_folder(path, 4);
}

void weir_plugin_hold_signals(sigset_t *before)
{
	sigset_t block;
	sigemptyset(&block);
	sigaddset(&block, SIGINT);
	sigaddset(&block, SIGTERM);
	sigaddset(&block, SIGHUP);
	sigprocmask(SIG_BLOCK, &block, before);
}
