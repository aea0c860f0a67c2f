/* SPDX-License-Identifier: MIT */
/* Pre-shared keys, one a line, in a file that nobody else may read:
 *
 *     # what and where
 *     greenhouse-7:2b7e151628aed2a6abf7158809cf4f3c762e7160f38b4da56a784d9045190cfe
 *
 * IDENTITY:KEY, the key in hexadecimal, 16 to 64 bytes of it. An identity is 1 to 64 printable bytes without
 * ':', '#' and blanks. Keys are wiped from memory when they are freed, kept out of core dumps, and never
 * printed but by weir_keys_make. */
#ifndef WEIR_NET_KEYS_H
#define WEIR_NET_KEYS_H

#include "core/diag.h"

#define WEIR_KEY_LEAST_BYTES 16
#define WEIR_KEY_MOST_BYTES 64
#define WEIR_KEY_MADE_BYTES 32
#define WEIR_IDENTITY_BYTES 65 /* with its zero */
#define WEIR_KEYS_MOST 100000

struct weir_key {
	char identity[WEIR_IDENTITY_BYTES];
	u32 line; /* of the file */
	u8 bytes; /* of the key */
	u8 key[WEIR_KEY_MOST_BYTES];
};

struct weir_keys;

/* Reads a file. NULL: the mistakes are in *d, with line and column and without a digit of a key; print them
 * without the file's text. `only`: the key of this identity alone is kept, and must be there; or NULL. */
struct weir_keys *weir_keys_read(const char *path, const char *only, struct weir_diag *d);
/* The same from memory: `text` is overwritten. */
struct weir_keys *weir_keys_parse(char *text, size_t bytes, const char *only, struct weir_diag *d);

u32 weir_keys_count(const struct weir_keys *k);
const struct weir_key *weir_keys_at(const struct weir_keys *k, u32 i);
/* `identity` need not end with a zero. NULL: unknown. */
const struct weir_key *weir_keys_find(const struct weir_keys *k, const void *identity, size_t bytes);
/* Wipes. NULL is fine. */
void weir_keys_free(struct weir_keys *k);

bool weir_identity_valid(const char *identity, size_t bytes);
/* A line of such a file with a new random key, with its newline. false: no random numbers (errno). The caller
 * wipes the line. */
#define WEIR_KEY_LINE_BYTES (WEIR_IDENTITY_BYTES + 2 * WEIR_KEY_MADE_BYTES + 2)
bool weir_keys_make(const char *identity, char line[WEIR_KEY_LINE_BYTES]);

/* Whether a file that holds a secret is safe: a regular file of this user or of root that nobody else can
 * read or write. false: *why says what is wrong and what to do. -1 as `fd`: the file of that name. */
bool weir_secret_file_check(const char *path, int fd, char *why, size_t room);

#endif
