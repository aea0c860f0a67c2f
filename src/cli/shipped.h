/* SPDX-License-Identifier: MIT */
/* Where the files are that Weir ships: scenarios/, experiments/. */
#ifndef WEIR_CLI_SHIPPED_H
#define WEIR_CLI_SHIPPED_H

#include "weir/types.h"

/* The folder of this name: in the current directory, else beside the program's build directory, else in
 * share/weir of its installation. Returns false where there is none. */
bool weir_shipped_folder(const char *name, char *path, size_t room);

struct weir_shipped_list {
	u32 n;
	char **paths; /* of regular files, sorted, with the folder in front */
};
/* Every *.yaml in the folder and in the folders directly in it. Returns 0, or -1 with errno; free the list
 * in any case. */
int weir_shipped_files(const char *folder, struct weir_shipped_list *list);
void weir_shipped_free(struct weir_shipped_list *list);

#endif
