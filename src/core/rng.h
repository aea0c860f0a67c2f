/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Random streams that give the same numbers on every machine: xoshiro256++ (Blackman and Vigna),
 * seeded by splitmix64 from (seed, point, flow), so that adding a flow or an element never moves the
 * draws of another. */
#ifndef WEIR_CORE_RNG_H
#define WEIR_CORE_RNG_H

#include "weir/types.h"

struct weir_rng {
	u64 s[4];
};

static inline u64 weir_splitmix64(u64 *x)
{
	u64 z = (*x += 0x9e3779b97f4a7c15ULL);
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* FNV-1a of a name: the `point` of a stream, e.g. weir_rng_point("bottleneck.loss"). */
static inline u64 weir_rng_point(const char *name)
{
	u64 h = 0xcbf29ce484222325ULL;
	for (; *name; name++)
		h = (h ^ (u8)*name) * 0x100000001b3ULL;
	return h;
}

static inline void weir_rng_init(struct weir_rng *r, u64 seed, u64 point, u64 flow)
{
	u64 x = seed;
	x = weir_splitmix64(&x) ^ point;
	x = weir_splitmix64(&x) ^ flow;
	for (int i = 0; i < 4; i++)
		r->s[i] = weir_splitmix64(&x);
}

static inline u64 weir_rng_u64(struct weir_rng *r)
{
	u64 *s = r->s, sum = s[0] + s[3];
	u64 result = ((sum << 23) | (sum >> 41)) + s[0], t = s[1] << 17;
	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = (s[3] << 45) | (s[3] >> 19);
	return result;
}

/* Uniform in [0, n); 0 for n = 0. The bias is below n / 2^64. */
static inline u64 weir_rng_below(struct weir_rng *r, u64 n)
{
	__extension__ typedef unsigned __int128 u128;
	return (u64)((u128)weir_rng_u64(r) * n >> 64);
}

/* Uniform in (0, 1), never 0: safe under a logarithm. */
static inline double weir_rng_unit(struct weir_rng *r)
{
	return ((double)(weir_rng_u64(r) >> 12) + 0.5) * 0x1p-52;
}

/* True with probability p; p outside [0, 1] is taken as its nearer end. */
static inline bool weir_rng_chance(struct weir_rng *r, double p)
{
	return weir_rng_unit(r) < p;
}

#endif
