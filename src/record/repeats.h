/* SPDX-License-Identifier: MIT */
/* Several runs of one scenario with different seeds, as one: each number of the summary becomes its mean
 * and 95 % confidence interval (Student's t over the seeds). */
#ifndef WEIR_RECORD_REPEATS_H
#define WEIR_RECORD_REPEATS_H

#include "json.h"

/* The value of "repeats": an object {"n", "seeds", and the measured parts of the summary in its own shape
 * with {"mean", "ci95": [low, high] or null, "n"} in place of each number}. `documents` are weir.summary/1
 * of seeds first_seed, first_seed + 1, ...; a number that is null in some of them counts where it is there.
 * 0, or -1 when a document cannot be read back (out of memory); nothing is written then. */
int weir_repeats_write(struct weir_json *j, const char *const *documents, u32 n, u64 first_seed);

#endif
