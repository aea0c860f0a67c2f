/* SPDX-License-Identifier: MIT */
/* UTF-8 by RFC 3629's table of well-formed bytes; base64 by the vectors of RFC 4648, section 10. */
#include "sink/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static bool good(const char *text)
{
	return weir_is_utf8((const u8 *)text, strlen(text));
}

static void test_utf8(void **state)
{
	(void)state;
	assert_true(good(""));
	assert_true(good("21.5 \302\260C \342\202\254 \360\237\214\261"));
	assert_true(good(
	    "\355\237\277 \356\200\200 \364\217\277\277")); /* the borders of surrogates and of Unicode */
	assert_true(weir_is_utf8((const u8 *)"a\0b", 3));
	static const char *const bad[] = {
	    "\200",
	    "\300\200",
	    "\301\277",
	    "\340\237\277",
	    "\355\240\200",
	    "\360\217\277\277",
	    "\364\220\200\200",
	    "\365\200\200\200",
	    "\377",
	    "\302",
	    "\342\202",
	    "\360\237\214",
	    "\342\202x",
	};
	for (u32 i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_false(good(bad[i]));
}

static void test_base64(void **state)
{
	static const char *const pair[][2] = {{"", ""},
					      {"f", "Zg=="},
					      {"fo", "Zm8="},
					      {"foo", "Zm9v"},
					      {"foob", "Zm9vYg=="},
					      {"fooba", "Zm9vYmE="},
					      {"foobar", "Zm9vYmFy"}};
	(void)state;
	for (u32 i = 0; i < sizeof pair / sizeof pair[0]; i++) {
		char out[WEIR_BASE64_BYTES(6)];
		memset(out, 'x', sizeof out);
		weir_base64((const u8 *)pair[i][0], strlen(pair[i][0]), out);
		assert_string_equal(out, pair[i][1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_utf8), cmocka_unit_test(test_base64)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
