/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012): the hash for tables whose
 * keys an attacker chooses. With a secret key nobody can make entries that fall into one bucket. */
#ifndef WEIR_CORE_SIPHASH_H
#define WEIR_CORE_SIPHASH_H

#include "weir/types.h"

struct weir_siphash_key {
	u64 k0, k1;
};

struct weir_siphash_state {
	u64 v0, v1, v2, v3;
};

static inline u64 weir_siphash_turn(u64 x, u32 bits)
{
	return x << bits | x >> (64 - bits);
}

static inline void weir_siphash_rounds(struct weir_siphash_state *s, u32 rounds)
{
	while (rounds--) {
		s->v0 += s->v1;
		s->v2 += s->v3;
		s->v1 = weir_siphash_turn(s->v1, 13) ^ s->v0;
		s->v3 = weir_siphash_turn(s->v3, 16) ^ s->v2;
		s->v0 = weir_siphash_turn(s->v0, 32);
		s->v2 += s->v1;
		s->v0 += s->v3;
		s->v1 = weir_siphash_turn(s->v1, 17) ^ s->v2;
		s->v3 = weir_siphash_turn(s->v3, 21) ^ s->v0;
		s->v2 = weir_siphash_turn(s->v2, 32);
	}
}

static inline void weir_siphash_word(struct weir_siphash_state *s, u64 word)
{
	s->v3 ^= word;
	weir_siphash_rounds(s, 2);
	s->v0 ^= word;
}

static inline u64 weir_siphash(const struct weir_siphash_key *key, const void *data, size_t bytes)
{
	const u8 *at = (const u8 *)data;
	struct weir_siphash_state s = {key->k0 ^ 0x736f6d6570736575ULL, key->k1 ^ 0x646f72616e646f6dULL,
				       key->k0 ^ 0x6c7967656e657261ULL, key->k1 ^ 0x7465646279746573ULL};
	u64 word = 0;
	for (size_t i = 0; i < bytes; i++) {
		word |= (u64)at[i] << 8 * (i % 8);
		if (i % 8 == 7) {
			weir_siphash_word(&s, word);
			word = 0;
		}
	}
	weir_siphash_word(&s, word | (u64)(bytes & 0xff) << 56);
	s.v2 ^= 0xff;
	weir_siphash_rounds(&s, 4);
	return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}

#endif
