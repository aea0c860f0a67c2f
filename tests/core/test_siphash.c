/* SPDX-License-Identifier: MIT */
/* The test vector of the paper (appendix A), and that length and key count. */
#include "core/siphash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void the_paper_s_vector(void **state)
{
	(void)state;
	const struct weir_siphash_key key = {0x0706050403020100ULL, 0x0f0e0d0c0b0a0908ULL};
	u8 message[15];
	for (u8 i = 0; i < 15; i++)
		message[i] = i;
	assert_true(weir_siphash(&key, message, 15) == 0xa129ca6149be45e5ULL);
}

static void length_and_key_count(void **state)
{
	(void)state;
	const struct weir_siphash_key key = {1, 2}, other = {1, 3};
	const u8 zeros[16] = {0};
	for (size_t a = 0; a <= 16; a++) {
		assert_true(weir_siphash(&key, zeros, a) != weir_siphash(&other, zeros, a));
		for (size_t b = 0; b < a; b++)
			assert_true(weir_siphash(&key, zeros, a) != weir_siphash(&key, zeros, b));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_paper_s_vector),
	    cmocka_unit_test(length_and_key_count),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
