/* SPDX-License-Identifier: MIT */
#include "record/outdir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char base[] = "/tmp/weir-outdir-XXXXXX";
static char why[512];

static int set_up(void **state)
{
	(void)state;
	strcpy(base + strlen(base) - 6, "XXXXXX");
	return mkdtemp(base) && chdir(base) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	char command[64];
	snprintf(command, sizeof command, "rm -rf %s", base);
	return chdir("/") != 0 || system(command) != 0;
}

static void touch(const char *path)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fclose(f);
}

static int entries(void)
{
	FILE *list = popen("ls -A | wc -l", "r");
	int n = -1;
	assert_int_equal(fscanf(list, "%d", &n), 1);
	pclose(list);
	return n;
}

static void make_result(const char *path, const char *file)
{
	struct weir_outdir d;
	char name[PATH_MAX];
	assert_int_equal(weir_outdir_begin(&d, path, why), 0);
	assert_true(weir_outdir_path(&d, "manifest.json", name));
	touch(name);
	assert_true(weir_outdir_path(&d, file, name));
	touch(name);
	assert_int_equal(weir_outdir_commit(&d, why), 0);
}

static void a_result_is_replaced_whole(void **state)
{
	(void)state;
	make_result("deep/er/x", "old");
	assert_int_equal(access("deep/er/x/old", F_OK), 0);
	make_result("deep/er/x/", "new");
	assert_int_equal(access("deep/er/x/old", F_OK), -1);
	assert_int_equal(access("deep/er/x/new", F_OK), 0);
	assert_int_equal(chdir("deep/er"), 0);
	assert_int_equal(entries(), 1);
}

static void an_empty_directory_is_taken(void **state)
{
	(void)state;
	mkdir("x", 0755);
	make_result("x", "new");
	assert_int_equal(access("x/new", F_OK), 0);
	assert_int_equal(entries(), 1);
}

static void foreign_things_stay(void **state)
{
	(void)state;
	struct weir_outdir d;
	mkdir("x", 0755);
	touch("x/thesis.tex");
	assert_int_equal(weir_outdir_begin(&d, "x", why), -1);
	assert_non_null(strstr(why, "not a result of weir"));
	touch("file");
	assert_int_equal(weir_outdir_begin(&d, "file", why), -1);
	assert_non_null(strstr(why, "not a directory"));
	assert_int_equal(weir_outdir_begin(&d, "file/x", why), -1);
	assert_int_equal(weir_outdir_begin(&d, "", why), -1);
	assert_int_equal(weir_outdir_begin(&d, "/", why), -1);
	assert_int_equal(entries(), 2);
	assert_int_equal(access("x/thesis.tex", F_OK), 0);
}

/* It became somebody else's while the run took its time. */
static void checked_again_at_the_end(void **state)
{
	(void)state;
	struct weir_outdir d;
	assert_int_equal(weir_outdir_begin(&d, "x", why), 0);
	mkdir("x", 0755);
	touch("x/thesis.tex");
	assert_int_equal(weir_outdir_commit(&d, why), -1);
	assert_int_equal(access("x/thesis.tex", F_OK), 0);
	assert_int_equal(entries(), 1);
}

static void a_link_stays_a_link(void **state)
{
	(void)state;
	struct stat st;
	make_result("real", "old");
	assert_int_equal(symlink("real", "link"), 0);
	make_result("link", "new");
	assert_int_equal(lstat("link", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(access("real/new", F_OK), 0);
	assert_int_equal(entries(), 2);
}

static void giving_up_leaves_nothing(void **state)
{
	(void)state;
	struct weir_outdir d;
	char name[PATH_MAX];
	assert_int_equal(weir_outdir_begin(&d, "x", why), 0);
	assert_true(weir_outdir_path(&d, "run-1", name));
	mkdir(name, 0755);
	assert_true(weir_outdir_path(&d, "run-1/series.csv", name));
	touch(name);
	weir_outdir_abandon(&d);
	weir_outdir_abandon(&d);
	assert_int_equal(entries(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(a_result_is_replaced_whole, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(an_empty_directory_is_taken, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(foreign_things_stay, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(checked_again_at_the_end, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(a_link_stays_a_link, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(giving_up_leaves_nothing, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
