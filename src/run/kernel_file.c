/* SPDX-License-Identifier: MIT */
#include "kernel_file.h"

#include <errno.h>
#include <string.h>

int weir_kernel_file_failed(char why[WEIR_KERNEL_TRACE_WHY_BYTES], const char *path, int error)
{
	snprintf(why, WEIR_KERNEL_TRACE_WHY_BYTES, "cannot write %.400s: %s", path, strerror(error));
	return -1;
}

FILE *weir_kernel_file_create(char why[WEIR_KERNEL_TRACE_WHY_BYTES], const char *path)
{
	FILE *f = fopen(path, "we");
	if (!f)
		weir_kernel_file_failed(why, path, errno);
	return f;
}
