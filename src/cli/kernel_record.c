/* SPDX-License-Identifier: MIT */
#include "emu/runtime.h"
#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME_BYTES (sizeof "kernel-" + WEIR_KERN_NAME_BYTES)

static void record_name(const char *name, char file[NAME_BYTES])
{
	snprintf(file, NAME_BYTES, "kernel-%s", name);
}

static int cannot(const char *file, const char *what, char why[WEIR_KERN_WHY_BYTES])
{
	snprintf(why, WEIR_KERN_WHY_BYTES, "cannot %s the record %s: %s", what, file, strerror(errno));
	return -1;
}

int weir_kernel_record_write(const char *name, u32 map_id, char why[WEIR_KERN_WHY_BYTES])
{
	char file[NAME_BYTES], text[16];
	int folder = weir_runtime_lock(why), result = -1;
	if (folder < 0)
		return -1;
	record_name(name, file);
	int fd = openat(folder, file, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	int n = snprintf(text, sizeof text, "%u\n", map_id);
	if (fd >= 0 && write(fd, text, (size_t)n) == n)
		result = 0;
	else
		cannot(file, "write", why);
	if (fd >= 0)
		close(fd);
	close(folder);
	return result;
}

int weir_kernel_record_read(const char *name, u32 *map_id, char why[WEIR_KERN_WHY_BYTES])
{
	char file[NAME_BYTES], text[16] = "", *end;
	int folder = weir_runtime_lock(why);
	if (folder < 0)
		return -1;
	record_name(name, file);
	int fd = openat(folder, file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	close(folder);
	if (n < 0)
		return cannot(file, "read", why);
	errno = EINVAL;
	unsigned long id = strtoul(text, &end, 10);
	if (*end != '\n' || id == 0 || id > 0xffffffffUL)
		return cannot(file, "understand", why);
	*map_id = (u32)id;
	return 0;
}

void weir_kernel_record_remove(const char *name)
{
	char file[NAME_BYTES], why[WEIR_WHY_BYTES];
	int folder = weir_runtime_lock(why);
	if (folder < 0)
		return;
	record_name(name, file);
	unlinkat(folder, file, 0);
	close(folder);
}
