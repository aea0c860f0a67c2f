/* SPDX-License-Identifier: MIT */
/* Something that one thread or process writes and others read as a whole, in shared memory: the writer never
 * waits, a reader copies again what changed under it. A writer that died in between stops nobody. */
#ifndef WEIR_RUN_PUBLISHED_H
#define WEIR_RUN_PUBLISHED_H

#include "weir/types.h"

#include <stddef.h>

#define WEIR_PUBLISHED_WORDS(type) ((sizeof(type) + 7) / 8)

/* `version` odd: it changes. `word` has room for `bytes`. */
void weir_publish(u32 *version, u64 *word, const void *from, size_t bytes);
/* false, and *to as it was: nothing whole could be had. */
bool weir_published(const u32 *version, const u64 *word, void *to, size_t bytes);

#endif
