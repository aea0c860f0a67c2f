/* SPDX-License-Identifier: MIT */
/* What `weir list` calls a thing is what a scenario calls it. */
#include "app/app.h"
#include "app/sizes.h"
#include "link/table.h"
#include "scenario/schema.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char *words_of(enum weir_scope_id scope, const char *key)
{
	for (u32 i = 0; i < weir_schema[scope].n; i++)
		if (!strcmp(weir_schema[scope].keys[i].name, key) && weir_schema[scope].keys[i].words)
			return weir_schema[scope].keys[i].words;
	fail_msg("no words for %s", key);
	return "";
}

static void applications(void **state)
{
	(void)state;
	const char *words = words_of(WEIR_SCOPE_APPLICATION, "name");
	char word[32];
	for (u32 i = 0; i < WEIR_APP_KINDS; i++) {
		assert_true(weir_schema_word(words, i, word));
		assert_string_equal(word, weir_app_infos[i].name);
	}
	assert_false(weir_schema_word(words, WEIR_APP_KINDS, word));
}

/* Every word of the scenario but "none" has its row of this kind, and the rows are no more. */
static void elements_match(const char *kind, const char *words)
{
	u32 n_words = 0, n_rows = 0;
	char word[32];
	for (u32 i = 0; weir_schema_word(words, i, word); i++) {
		if (!strcmp(word, "none"))
			continue;
		n_words++;
		const struct weir_element_info *e = weir_element_infos;
		while (e->name && (strcmp(e->name, word) || strcmp(e->kind, kind)))
			e++;
		if (!e->name)
			fail_msg("%s %s is not in link/table.c", kind, word);
	}
	for (const struct weir_element_info *e = weir_element_infos; e->name; e++)
		n_rows += !strcmp(e->kind, kind);
	assert_int_equal(n_words, n_rows);
}

static void elements(void **state)
{
	(void)state;
	elements_match("queue", words_of(WEIR_SCOPE_AQM, "name"));
	elements_match("loss", words_of(WEIR_SCOPE_LOSS, "model"));
}

static void tables_of_sizes(void **state)
{
	(void)state;
	const char *words = words_of(WEIR_SCOPE_APPLICATION, "sizes");
	char word[32];
	for (u32 i = 0; i < weir_sizes_n_tables; i++) {
		assert_true(weir_schema_word(words, i, word));
		assert_string_equal(word, weir_sizes_tables[i].name);
	}
	assert_false(weir_schema_word(words, weir_sizes_n_tables, word));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(applications), cmocka_unit_test(elements),
					   cmocka_unit_test(tables_of_sizes)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
