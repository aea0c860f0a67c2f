/* SPDX-License-Identifier: MIT */
/* A directory of results appears whole or not at all: it is written beside its place under a temporary
 * name and then takes the place of what was there. What is not a result of Weir is never replaced. */
#ifndef WEIR_RECORD_OUTDIR_H
#define WEIR_RECORD_OUTDIR_H

#include "weir/types.h"

#include <limits.h>
#include <stdio.h>

struct weir_outdir {
	char final[PATH_MAX]; /* where it will be */
	char temporary[PATH_MAX];
	bool open;
};

/* Makes the temporary directory, and the parents of the final one. 0, or -1 with a sentence in *why: the
 * place is taken by something that is not a weir result (no manifest.json and not empty), no permission,
 * no room. Nothing is left then. */
int weir_outdir_begin(struct weir_outdir *d, const char *path, char why[512]);
/* Whether weir_outdir_begin would refuse the place; the same sentence. Touches nothing. */
int weir_outdir_check(const char *path, char why[512]);
/* "temporary/name"; false when that is too long. */
bool weir_outdir_path(const struct weir_outdir *d, const char *name, char path[PATH_MAX]);
/* Puts it in its place. 0, or -1 with a sentence; the temporary directory is then removed. */
int weir_outdir_commit(struct weir_outdir *d, char why[512]);
/* Removes what was written so far; harmless after commit. */
void weir_outdir_abandon(struct weir_outdir *d);

#endif
