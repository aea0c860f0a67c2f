/* SPDX-License-Identifier: MIT */
/* Any bytes of any length: nothing beyond the length is read, and no value depends on it. The buffer is of
 * exactly that length, so that the sanitizers see a byte too much. */
#include "core/rng.h"
#include "ktcp/info.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH_MAX 300

static const u64 *values(const struct weir_ktcp_info *i)
{
	return &i->srtt_ns;
}
#define VALUES (offsetof(struct weir_ktcp_info, state) / sizeof(u64))

static void fill(struct weir_rng *rng, u8 *bytes, u32 n)
{
	static const u8 likely[] = {0, 0xff, 0x7f, 1, 10};
	u64 habit = weir_rng_u64(rng) % 3; /* anything, mostly extremes, one byte throughout */
	u8 one = likely[weir_rng_u64(rng) % sizeof likely];
	for (u32 i = 0; i < n; i++) {
		u64 draw = weir_rng_u64(rng);
		bytes[i] = habit == 0 ? (u8)draw : habit == 1 ? likely[draw % sizeof likely] : one;
	}
}

static void any_bytes_any_length(void **state)
{
	(void)state;
	struct weir_rng rng;
	weir_rng_init(&rng, 1, weir_rng_point("tcp_info"), 0);
	for (u32 round = 0; round < 20000; round++) {
		u32 length = (u32)(weir_rng_u64(&rng) % (LENGTH_MAX + 1));
		u8 *bytes = malloc(length ? length : 1), longer[LENGTH_MAX * 2];
		assert_non_null(bytes);
		fill(&rng, longer, sizeof longer);
		memcpy(bytes, longer, length);
		struct weir_ktcp_info cut, whole;
		weir_ktcp_info_parse(bytes, length, &cut);
		weir_ktcp_info_parse(longer, sizeof longer, &whole);
		free(bytes);
		bool all = length >= 242; /* all that we know of is there */
		for (size_t i = 0; i < VALUES; i++)
			assert_true(values(&cut)[i] == values(&whole)[i] ||
				    (!all && values(&cut)[i] == WEIR_KTCP_UNKNOWN));
		assert_true(cut.state <= 0xff && cut.ca_state <= 0xff);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(any_bytes_any_length)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
