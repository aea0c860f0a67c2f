/* SPDX-License-Identifier: MIT */
/* The scenarios that Weir ships: each is right, short and has a title. shipped.sh runs them. */
#include "complain.h"

#include <dirent.h>

static void in_scenarios(char path[4096], const char *name)
{
	const char *root = getenv("SOURCE_ROOT");
	snprintf(path, 4096, "%s/scenarios/%s", root ? root : ".", name);
}

static void load(const char *path, const char *const *sets, u32 n_sets, struct weir_scenario_set *set,
		 struct weir_scenario *s)
{
	struct weir_diag diag = {0};
	if (weir_scenario_load(path, sets, n_sets, &catalog, set, &diag) < 0 ||
	    weir_scenario_point(set, 0, s, &diag) < 0) {
		weir_diag_print(&diag, set->text, stderr);
		fail();
	}
}

static void all_are_right_and_light(void **state)
{
	(void)state;
	static const char *const shortened[] = {"duration=5s"};
	char folder[4096], path[8192];
	u32 n = 0;
	in_scenarios(folder, "");
	DIR *d = opendir(folder);
	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d));) {
		if (!strstr(e->d_name, ".yaml"))
			continue;
		snprintf(path, sizeof path, "%s%s", folder, e->d_name);
		for (u32 n_sets = 0; n_sets < 2; n_sets++) {
			struct weir_scenario_set set;
			struct weir_scenario s;
			load(path, shortened, n_sets, &set, &s);
			assert_string_not_equal(s.title, s.name);
			assert_true(s.duration_ns <= 90 * WEIR_NS_PER_S);
			for (u32 i = 0; i < s.n_flows; i++)
				assert_false(s.flows[i].controller.subject);
			weir_scenario_free(&s);
			weir_scenario_set_free(&set);
		}
		n++;
	}
	closedir(d);
	assert_true(n >= 14);
}

/* 30 s, two `cubic` flows that start within one second, no warm-up, valid under --set duration=5s. */
static void two_cubic_is_what_was_agreed(void **state)
{
	(void)state;
	static const char *const sets[] = {"duration=5s"};
	for (u32 n_sets = 0; n_sets < 2; n_sets++) {
		struct weir_scenario_set set;
		struct weir_scenario s;
		char path[4096];
		in_scenarios(path, "two-cubic.yaml");
		load(path, sets, n_sets, &set, &s);
		assert_string_equal(s.name, "two-cubic");
		assert_int_equal(s.duration_ns, (n_sets ? 5 : 30) * WEIR_NS_PER_S);
		assert_int_equal(s.warmup_ns, 0);
		assert_int_equal(s.n_flows, 2);
		for (u32 i = 0; i < 2; i++) {
			assert_string_equal(s.flows[i].controller.name, "cubic");
			assert_true(s.flows[i].start_ns + s.flows[i].start_jitter_ns < WEIR_NS_PER_S);
			assert_int_equal(s.flows[i].stop_ns, WEIR_NEVER);
		}
		weir_scenario_free(&s);
		weir_scenario_set_free(&set);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(all_are_right_and_light),
	    cmocka_unit_test(two_cubic_is_what_was_agreed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
