/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Words to choose from, as one string: "auto|default|mvfst". A parameter whose unit is such a string holds
 * the index of its word. */
#ifndef WEIR_CORE_WORDS_H
#define WEIR_CORE_WORDS_H

#include "weir/num.h"

#include <string.h>

static inline bool weir_words_are(const char *unit)
{
	return strchr(unit, '|') != NULL;
}

/* The index-th word, which is not terminated; NULL past the last. */
static inline const char *weir_words_at(const char *words, u64 index, size_t *bytes)
{
	while (index > 0 && (words = strchr(words, '|')) != NULL) {
		words++;
		index--;
	}
	*bytes = words ? strcspn(words, "|") : 0;
	return words;
}

static inline bool weir_words_find(const char *words, const char *word, u64 *index)
{
	size_t bytes;
	const char *at;
	for (u64 i = 0; (at = weir_words_at(words, i, &bytes)) != NULL; i++)
		if (strlen(word) == bytes && memcmp(at, word, bytes) == 0) {
			*index = i;
			return true;
		}
	return false;
}

#endif
