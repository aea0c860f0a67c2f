/* SPDX-License-Identifier: MIT */
/* What a fuzz target makes of its input: a stream of bytes that ends in zeros. */
#ifndef WEIR_TESTS_FUZZ_BYTES_H
#define WEIR_TESTS_FUZZ_BYTES_H

#include "weir/types.h"

struct reader {
	const u8 *data;
	size_t left;
};

static inline u8 byte(struct reader *r)
{
	if (!r->left)
		return 0;
	r->left--;
	return *r->data++;
}

/* A size from two bytes: any power of two below 2^(9 + shifts), and what lies near it. */
static inline u64 size_up_to(struct reader *r, u32 shifts)
{
	u32 shift = byte(r);
	u64 low = byte(r);
	return shift & 0x80 ? low : (low | 0x100) << (shift % shifts);
}

#endif
