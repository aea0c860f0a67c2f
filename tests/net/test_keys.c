/* SPDX-License-Identifier: MIT */
/* The key file: what is right, what is wrong and where, and that no message shows a digit of a key. */
#include "net/keys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define KEY32 "00112233445566778899aabbccddeeff"

static struct weir_diag d;

static struct weir_keys *parse(const char *text, const char *only)
{
	char copy[4096];
	size_t bytes = strlen(text);
	snprintf(copy, sizeof copy, "%s", text);
	d = (struct weir_diag){0};
	struct weir_keys *k = weir_keys_parse(copy, bytes, only, &d);
	for (size_t i = 0; i < bytes; i++)
		assert_int_equal(copy[i], 0);
	return k;
}

static void lines_become_keys(void **state)
{
	(void)state;
	struct weir_keys *k =
	    parse("# all of them\n\n  b:" KEY32 "\r\n\ta:" KEY32 KEY32 "  \nsensor/7@x:00FF" KEY32, NULL);
	assert_non_null(k);
	assert_int_equal(weir_keys_count(k), 3);
	assert_string_equal(weir_keys_at(k, 0)->identity, "b");
	const struct weir_key *a = weir_keys_find(k, "a", 1);
	assert_int_equal(a->bytes, 32);
	assert_int_equal(a->key[1], 0x11);
	assert_int_equal(a->key[31], 0xff);
	const struct weir_key *x = weir_keys_find(k, "sensor/7@x and more", 10);
	assert_int_equal(x->bytes, 18);
	assert_int_equal(x->key[1], 0xff);
	assert_null(weir_keys_find(k, "c", 1));
	assert_null(weir_keys_find(k, "", 0));
	assert_null(weir_keys_find(k, "a\0b", 3));
	weir_keys_free(k);
	k = parse("a:" KEY32 "\nb:" KEY32, "b");
	assert_int_equal(weir_keys_count(k), 1);
	weir_keys_free(k);
}

static void mistakes_name_line_and_column(void **state)
{
	(void)state;
	static const struct {
		const char *text, *says;
		u32 line, column;
	} wrong[] = {
	    {"a:" KEY32 "\n  b:0011223x" KEY32, "not a hexadecimal digit", 2, 12},
	    {"a:" KEY32 "0", "this one has 33", 1, 3},
	    {"a:0011", "this one has 4", 1, 3},
	    {"a:" KEY32 KEY32 KEY32 KEY32 "00", "32 to 128 hexadecimal digits", 1, 3},
	    {"\n\nlonely", "no ':'", 3, 1},
	    {" :" KEY32, "an identity is 1 to 64", 1, 2},
	    {"a b:" KEY32, "an identity is 1 to 64", 1, 1},
	    {"x:" KEY32 "\nb:" KEY32 "\nx:" KEY32, "has a key already, in line 1", 3, 1},
	    {"", "no key", 0, 0},
	    {"# nothing\n", "no key", 0, 0},
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		if (parse(wrong[i].text, NULL))
			fail_msg("accepted: %s", wrong[i].text);
		assert_int_equal(d.n, 1);
		assert_non_null(strstr(d.entry[0].text, wrong[i].says));
		assert_int_equal(d.entry[0].line, wrong[i].line);
		assert_int_equal(d.entry[0].column, wrong[i].column);
		assert_null(strstr(d.entry[0].text, "0011"));
	}
	assert_null(parse("a:" KEY32, "b"));
	assert_non_null(strstr(d.entry[0].text, "no line of identity 'b'"));
}

static void all_mistakes_at_once(void **state)
{
	(void)state;
	assert_null(parse("a:1\nb:2\nc:" KEY32 "\nd", NULL));
	assert_int_equal(d.n, 3);
}

static void a_made_key_is_a_line(void **state)
{
	(void)state;
	char one[WEIR_KEY_LINE_BYTES], two[WEIR_KEY_LINE_BYTES];
	char identity[WEIR_IDENTITY_BYTES] = "";
	memset(identity, 'i', sizeof identity - 1);
	assert_true(weir_keys_make(identity, one));
	assert_true(weir_keys_make("b", two));
	struct weir_keys *k = parse(one, identity);
	assert_non_null(k);
	assert_int_equal(weir_keys_at(k, 0)->bytes, WEIR_KEY_MADE_BYTES);
	weir_keys_free(k);
	assert_string_not_equal(one + WEIR_IDENTITY_BYTES, two + 2);
}

static void a_file_that_others_can_read_is_refused(void **state)
{
	(void)state;
	char path[] = "/tmp/weir-keys-XXXXXX";
	int fd = mkstemp(path);
	assert_true(write(fd, "a:" KEY32 "\n", 2 + 32 + 1) == 35);
	d = (struct weir_diag){0};
	struct weir_keys *k = weir_keys_read(path, NULL, &d);
	assert_non_null(k);
	weir_keys_free(k);
	for (u32 mode = 0604; mode <= 0640; mode += 034) {
		assert_int_equal(fchmod(fd, mode), 0);
		d = (struct weir_diag){0};
		assert_null(weir_keys_read(path, NULL, &d));
		assert_non_null(strstr(d.entry[0].text, "chmod 600"));
	}
	close(fd);
	unlink(path);
	d = (struct weir_diag){0};
	assert_null(weir_keys_read(path, NULL, &d));
	assert_non_null(strstr(d.entry[0].text, "No such file"));
	d = (struct weir_diag){0};
	assert_null(weir_keys_read("/dev/zero", NULL, &d));
	assert_non_null(strstr(d.entry[0].text, "no regular file"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lines_become_keys),
	    cmocka_unit_test(mistakes_name_line_and_column),
	    cmocka_unit_test(all_mistakes_at_once),
	    cmocka_unit_test(a_made_key_is_a_line),
	    cmocka_unit_test(a_file_that_others_can_read_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
