/* SPDX-License-Identifier: MIT */
/* Another name in a compiled controller: everywhere it stands, and nowhere else; no file can make it read or
 * write beyond. */
#include "kern/rename.h"

#include "cc/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static u8 *copy_of(const char *name, struct weir_kern_object *object)
{
	assert_true(weir_kern_object_find(name, object));
	u8 *copy = malloc(object->bytes);
	assert_non_null(copy);
	memcpy(copy, object->data, object->bytes);
	return copy;
}

static u32 count(const u8 *data, size_t bytes, const char *name)
{
	char padded[WEIR_KERN_NAME_BYTES] = "";
	u32 n = 0;
	memcpy(padded, name, strlen(name));
	for (size_t at = 0; at + sizeof padded <= bytes; at++)
		n += !memcmp(data + at, padded, sizeof padded);
	return n;
}

/* Twice in the tables of hooks (before and since Linux 6.10), once where a watcher looks. */
static void every_shipped_controller_takes_another_name(void **state)
{
	(void)state;
	for (u32 i = 0; i < weir_cc_count(); i++) {
		struct weir_kern_object object;
		char own[WEIR_KERN_NAME_BYTES];
		u8 *copy = copy_of(weir_cc_at(i)->name, &object);
		assert_true(weir_kern_name(weir_cc_at(i)->name, own));
		u32 before = count(copy, object.bytes, own);
		assert_int_equal(weir_kern_rename(copy, object.bytes, "weir_another.42"), 0);
		assert_int_equal(count(copy, object.bytes, "weir_another.42"), 3);
		assert_int_equal(count(copy, object.bytes, own), before - 3);
		/* And back: nothing else was touched. */
		assert_int_equal(weir_kern_rename(copy, object.bytes, own), 0);
		assert_memory_equal(copy, object.data, object.bytes);
		free(copy);
	}
}

static void what_is_no_such_object_stays_as_it_is(void **state)
{
	(void)state;
	struct weir_kern_object object;
	u8 *copy = copy_of("reno", &object);
	for (size_t bytes = 0; bytes < object.bytes; bytes += 1 + bytes / 16) {
		u8 *cut = malloc(bytes + 1); /* its own size, so that a checker sees what lies beyond */
		assert_non_null(cut);
		memcpy(cut, copy, bytes);
		if (weir_kern_rename(cut, bytes, "weir_x") < 0)
			assert_memory_equal(cut, copy, bytes);
		free(cut);
	}
	for (u32 k = 0; k < 64; k++) { /* each byte of the ELF header, wrong */
		memcpy(copy, object.data, object.bytes);
		copy[k] ^= 0xff;
		weir_kern_rename(copy, object.bytes, "weir_x");
	}
	free(copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_shipped_controller_takes_another_name),
	    cmocka_unit_test(what_is_no_such_object_stays_as_it_is),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
