/* SPDX-License-Identifier: MIT */
#include "outdir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WHY_BYTES 512
#define OPEN_FILES 16

__attribute__((format(printf, 2, 3))) static int refuse(char *why, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	vsnprintf(why, WHY_BYTES, format, ap);
	va_end(ap);
	return -1;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

static void remove_tree(const char *path)
{
	nftw(path, remove_one, OPEN_FILES, FTW_DEPTH | FTW_PHYS);
}

static bool is_empty(const char *path)
{
	DIR *dir = opendir(path);
	bool empty = dir != NULL;
	for (struct dirent *e; empty && (e = readdir(dir)) != NULL;)
		empty = strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0;
	if (dir)
		closedir(dir);
	return empty;
}

int weir_outdir_check(const char *path, char why[WHY_BYTES])
{
	struct stat st;
	char manifest[PATH_MAX];
	if (*path == 0)
		return refuse(why, "an output directory needs a name");
	if (strlen(path) + sizeof "/manifest.json" >= sizeof manifest)
		return refuse(why, "the name of the output directory is too long");
	if (stat(path, &st) != 0) {
		if (errno == ENOENT)
			return 0;
		return refuse(why, "%s: %s", path, strerror(errno));
	}
	if (!S_ISDIR(st.st_mode))
		return refuse(why, "%s is there and is not a directory", path);
	snprintf(manifest, sizeof manifest, "%s/manifest.json", path);
	if (access(manifest, F_OK) != 0 && !is_empty(path))
		return refuse(
		    why,
		    "%s is there and is not a result of weir (no manifest.json): not replaced; choose "
		    "another directory with -o",
		    path);
	return 0;
}

/* The parents, like mkdir -p; *why names the one that cannot be made. */
static int make_parents(const char *path, char why[WHY_BYTES])
{
	char part[PATH_MAX];
	snprintf(part, sizeof part, "%s", path);
	for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		if (mkdir(part, 0777) != 0 && errno != EEXIST)
			return refuse(why, "cannot make the directory %s: %s", part, strerror(errno));
		*slash = '/';
	}
	return 0;
}

/* Without trailing slashes; of an existing one the real place, so that a link stays a link. */
static int resolve(struct weir_outdir *d, const char *path, char why[WHY_BYTES])
{
	if (realpath(path, d->final))
		return strcmp(d->final, "/") == 0 ? refuse(why, "/ cannot be an output directory") : 0;
	snprintf(d->final, sizeof d->final, "%s", path);
	for (size_t n = strlen(d->final); n > 1 && d->final[n - 1] == '/'; n--)
		d->final[n - 1] = 0;
	return 0;
}

int weir_outdir_begin(struct weir_outdir *d, const char *path, char why[WHY_BYTES])
{
	memset(d, 0, sizeof *d);
	if (weir_outdir_check(path, why) < 0 || resolve(d, path, why) < 0 || make_parents(d->final, why) < 0)
		return -1;
	const char *slash = strrchr(d->final, '/'), *name = slash ? slash + 1 : d->final;
	int n = snprintf(d->temporary, sizeof d->temporary, "%.*s.%s.weir-XXXXXX", (int)(name - d->final),
			 d->final, name);
	if (n < 0 || (size_t)n >= sizeof d->temporary)
		return refuse(why, "the name of the output directory is too long");
	if (!mkdtemp(d->temporary))
		return refuse(why, "cannot write into %.*s: %s", slash ? (int)(slash - d->final + 1) : 1,
			      slash ? d->final : ".", strerror(errno));
	mode_t mask = umask(0);
	umask(mask);
	chmod(d->temporary, 0777 & ~mask);
	d->open = true;
	return 0;
}

bool weir_outdir_path(const struct weir_outdir *d, const char *name, char path[PATH_MAX])
{
	int n = snprintf(path, PATH_MAX, "%s/%s", d->temporary, name);
	return n > 0 && n < PATH_MAX;
}

/* One step where the file system can swap; elsewhere the old one goes aside first. */
static int swap(const char *temporary, const char *final)
{
	if (renameat2(AT_FDCWD, temporary, AT_FDCWD, final, RENAME_EXCHANGE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	char aside[PATH_MAX];
	int n = snprintf(aside, sizeof aside, "%s.old", temporary);
	if (n < 0 || (size_t)n >= sizeof aside || rename(final, aside) != 0)
		return -1;
	if (rename(temporary, final) != 0) {
		int error = errno;
		rename(aside, final);
		errno = error;
		return -1;
	}
	return rename(aside, temporary);
}

int weir_outdir_commit(struct weir_outdir *d, char why[WHY_BYTES])
{
	/* Checked again: the run may have taken hours. */
	if (weir_outdir_check(d->final, why) < 0) {
		weir_outdir_abandon(d);
		return -1;
	}
	if (rename(d->temporary, d->final) == 0) { /* nothing there, or an empty directory */
		d->open = false;
		return 0;
	}
	if ((errno != ENOTEMPTY && errno != EEXIST) || swap(d->temporary, d->final) != 0) {
		refuse(why, "cannot put the results into %s: %s", d->final, strerror(errno));
		weir_outdir_abandon(d);
		return -1;
	}
	weir_outdir_abandon(d); /* now holds the old results */
	return 0;
}

void weir_outdir_abandon(struct weir_outdir *d)
{
	if (d->open)
		remove_tree(d->temporary);
	d->open = false;
}
