/* SPDX-License-Identifier: MIT */
/* What two summaries say about themselves and each other that a reader of their numbers must know. */
#ifndef WEIR_RUN_COMPARE_NOTES_H
#define WEIR_RUN_COMPARE_NOTES_H

#include "run/compare.h"

/* Adds notes, and marks the comparison invalid where an emulator's own verdict is. */
void weir_compare_notes(struct weir_comparison *c, const struct weir_compare_result *a,
			const struct weir_compare_result *b);

#endif
