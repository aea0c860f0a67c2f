/* SPDX-License-Identifier: MIT */
/* Any file as a table of flow sizes: refused with a reason, or read into one that can be drawn from. */
#include "app/sizes.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const u8 *data, size_t bytes);

int LLVMFuzzerTestOneInput(const u8 *data, size_t bytes)
{
	static struct weir_diag d;
	struct weir_sizes s;
	d.n = d.more = 0;
	int result = weir_sizes_parse((const char *)data, bytes, &s, &d);
	assert((result == 0) == (d.n == 0));
	assert((result == 0) == (s.n >= 2) && s.n <= WEIR_SIZES_MOST_POINTS);
	u64 before = 1;
	for (u32 i = 1; result == 0 && i < 1000; i++) {
		u64 size = weir_sizes_at(&s, i / 1000.);
		assert(size >= before && (double)size <= s.point[s.n - 1].bytes + 1);
		before = size;
	}
	assert(result < 0 || (s.mean_bytes > 0 && s.mean_bytes <= s.point[s.n - 1].bytes));
	weir_sizes_free(&s);
	return 0;
}
