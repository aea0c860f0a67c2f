/* SPDX-License-Identifier: MIT */
#include "shipped.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_folder(const char *path)
{
	struct stat s;
	return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

bool weir_shipped_folder(const char *name, char *path, size_t room)
{
	snprintf(path, room, "%s", name);
	if (is_folder(path))
		return true;
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	if (n <= 0)
		return false;
	self[n] = 0;
	*strrchr(self, '/') = 0;
	static const char *const beside[] = {"..", "../share/weir"};
	for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++) {
		int length = snprintf(path, room, "%s/%s/%s", self, beside[i], name);
		if (length > 0 && (size_t)length < room && is_folder(path))
			return true;
	}
	return false;
}

static bool append(struct weir_shipped_list *list, const char *path)
{
	char **longer = realloc(list->paths, (list->n + 1) * sizeof *longer);
	if (!longer)
		return false;
	list->paths = longer;
	list->paths[list->n] = strdup(path);
	return list->paths[list->n] && ++list->n;
}

static bool ends_in_yaml(const char *name)
{
	size_t length = strlen(name);
	return name[0] != '.' && length > 5 && !strcmp(name + length - 5, ".yaml");
}

/* One folder, and with `levels` left the folders in it. */
static int collect(const char *folder, int levels, struct weir_shipped_list *list)
{
	struct dirent **entry;
	int n = scandir(folder, &entry, NULL, alphasort);
	if (n < 0)
		return -1;
	int rc = 0;
	for (int i = 0; i < n; i++) {
		char path[PATH_MAX];
		const char *name = entry[i]->d_name;
		int length = snprintf(path, sizeof path, "%s/%s", folder, name);
		if (rc || name[0] == '.' || length < 0 || (size_t)length >= sizeof path)
			continue;
		if (is_folder(path))
			rc = levels ? collect(path, levels - 1, list) : 0;
		else if (ends_in_yaml(name) && !append(list, path))
			rc = -1;
	}
	for (int i = 0; i < n; i++)
		free(entry[i]);
	free(entry);
	return rc;
}

int weir_shipped_files(const char *folder, struct weir_shipped_list *list)
{
	*list = (struct weir_shipped_list){0};
	return collect(folder, 1, list);
}

void weir_shipped_free(struct weir_shipped_list *list)
{
	for (u32 i = 0; i < list->n; i++)
		free(list->paths[i]);
	free(list->paths);
	*list = (struct weir_shipped_list){0};
}
