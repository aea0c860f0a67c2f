/* SPDX-License-Identifier: MIT */
/* One registry for controllers of all kinds: what the scenario room sees and what the hosts get, by one
 * index. */
#include "age/table.h"
#include "cc/table.h"
#include "pilot/table.h"
#include "run/registry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

static void each_kind_is_found_by_its_name(void **unused)
{
	struct weir_registry r;
	(void)unused;
	assert_int_equal(weir_registry_init(&r), 0);
	assert_ptr_equal(weir_registry_find(&r, "cubic")->cc, weir_cc_find("cubic"));
	assert_ptr_equal(weir_registry_find(&r, "newreno")->cc, weir_cc_find("reno"));
	assert_ptr_equal(weir_registry_find(&r, "nimbus")->pilot, weir_pilot_find("nimbus"));
	assert_ptr_equal(weir_registry_find(&r, "acp-robust")->age, weir_age_find("acp-robust"));
	assert_null(weir_registry_find(&r, "nimbuss"));
	assert_string_equal(weir_registry_nearest(&r, "nimbuss"), "nimbus");
	assert_int_equal(r.catalog.n, weir_cc_count() + weir_pilot_count() + weir_age_count() + 1);
	weir_registry_free(&r);
}

/* Exactly one of the three is set, and all say the same of themselves. */
static void catalog_and_operations_are_in_step(void **unused)
{
	struct weir_registry r;
	(void)unused;
	assert_int_equal(weir_registry_init(&r), 0);
	for (u32 i = 0; i < r.catalog.n; i++) {
		const struct weir_scenario_catalog_entry *entry = &r.catalog.controllers[i];
		const struct weir_controller *c = weir_registry_find(&r, entry->name);
		const struct weir_controller_about about = weir_controller_about(c);
		u64 params[128];
		assert_ptr_equal(c, &r.ops[i]);
		assert_int_equal(!c->cc + !c->age + !c->pilot, 2);
		assert_int_equal(entry->age, !strcmp(about.kind, "age"));
		assert_int_equal(!!c->pilot, !strcmp(about.kind, "pilot"));
		assert_ptr_equal(entry->params, about.params);
		assert_int_equal(entry->n_params, about.n_params);
		assert_in_range(about.n_params, 0, 128);
		weir_controller_defaults(c, params);
		for (u32 k = 0; k < about.n_params; k++)
			assert_int_equal(params[k], about.params[k].default_value);
	}
	weir_registry_free(&r);
}

static void a_header_takes_the_place_of_one_of_its_name(void **unused)
{
	struct weir_registry r;
	(void)unused;
	assert_int_equal(weir_registry_init(&r), 0);
	u32 n = r.catalog.n;
	const struct weir_controller vegas = {.cc = weir_cc_find("vegas")};
	assert_int_equal(weir_registry_add(&r, "nimbus", &vegas), 0);
	assert_int_equal(r.catalog.n, n);
	assert_ptr_equal(weir_registry_find(&r, "nimbus")->cc, vegas.cc);
	assert_null(weir_registry_find(&r, "nimbus")->pilot);
	weir_registry_free(&r);
}

static void none_is_none(void **unused)
{
	const struct weir_controller none = {0};
	(void)unused;
	assert_true(weir_controller_is_none(&none));
	assert_null(weir_controller_about(&none).name);
	assert_int_equal(weir_controller_about(&none).n_signals, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_kind_is_found_by_its_name),
	    cmocka_unit_test(catalog_and_operations_are_in_step),
	    cmocka_unit_test(a_header_takes_the_place_of_one_of_its_name),
	    cmocka_unit_test(none_is_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
