/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* "Did you mean ...?": the valid name nearest to what somebody wrote.
 *
 *   struct weir_nearest near = weir_nearest_to("dela");
 *   for each valid name: weir_nearest_try(&near, name);
 *   if (near.name) ... near.name is the suggestion
 */
#ifndef WEIR_CORE_NEAREST_H
#define WEIR_CORE_NEAREST_H

#include "weir/num.h"

#include <string.h>

#define WEIR_NEAREST_LETTERS 48 /* longer words get no suggestion */

struct weir_nearest {
	const char *word;
	const char *name; /* the best so far; NULL while none is near enough to propose */
	u32 edits;	  /* how far it is */
};

static inline struct weir_nearest weir_nearest_to(const char *word)
{
	return (struct weir_nearest){.word = word, .edits = ~0U};
}

static inline char weir_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* Insertions, deletions, replacements and swaps of neighbours that turn a into b, upper and lower case
 * being the same; the largest u32 when a word is longer than WEIR_NEAREST_LETTERS. */
static inline u32 weir_edits(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);
	if (n > WEIR_NEAREST_LETTERS || m > WEIR_NEAREST_LETTERS)
		return ~0U;
	u32 rows[3][WEIR_NEAREST_LETTERS + 1]; /* row i of the table stands in rows[i % 3] */
	for (size_t j = 0; j <= m; j++)
		rows[0][j] = (u32)j;
	for (size_t i = 1; i <= n; i++) {
		u32 *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
		row[0] = (u32)i;
		for (size_t j = 1; j <= m; j++) {
			char x = weir_lower(a[i - 1]), y = weir_lower(b[j - 1]);
			u64 best = weir_min(above[j], row[j - 1]) + 1;
			best = weir_min(best, above[j - 1] + (x != y));
			if (i > 1 && j > 1 && x == weir_lower(b[j - 2]) && weir_lower(a[i - 2]) == y)
				best = weir_min(best, two_above[j - 2] + 1);
			row[j] = (u32)best;
		}
	}
	return rows[n % 3][m];
}

/* Considers one valid name; of equally near ones the first stays. A third of the letters plus one may be
 * wrong; the beginning of a name counts as one mistake. */
static inline void weir_nearest_try(struct weir_nearest *near, const char *name)
{
	size_t word_letters = strlen(near->word), name_letters = strlen(name);
	u32 edits = weir_edits(near->word, name);
	if (word_letters >= 2 && word_letters < name_letters && !strncmp(near->word, name, word_letters))
		edits = 1;
	u64 limit = weir_max(word_letters, name_letters) / 3 + 1;
	if (edits > limit || edits >= near->edits || edits >= name_letters)
		return;
	near->name = name;
	near->edits = edits;
}

#endif
