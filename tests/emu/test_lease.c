/* SPDX-License-Identifier: MIT */
/* Records of sites, without any site: ranges, dead owners, hostile folders. Needs no rights. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "emu/lease.h"
#include "emu/orphans.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64], why[WEIR_WHY_BYTES];

static int fresh(void **state)
{
	(void)state;
	snprintf(folder, sizeof folder, "/tmp/test-lease-XXXXXX");
	unsetenv("WEIR_RANGE");
	return !mkdtemp(folder) || setenv("WEIR_RUNTIME_DIR", folder, 1);
}

static void path_of(const char *name, char path[512])
{
	snprintf(path, 512, "%s/%s", folder, name);
}

/* Files in the folder; with `remove` they go. */
static u32 files(bool remove)
{
	u32 n = 0;
	char path[512];
	DIR *d = opendir(folder);
	for (struct dirent *e; d && (e = readdir(d));)
		if (e->d_name[0] != '.') {
			n++;
			path_of(e->d_name, path);
			if (remove)
				unlink(path);
		}
	if (d)
		closedir(d);
	return n;
}

static int sweep(void **state)
{
	(void)state;
	files(true);
	return rmdir(folder);
}

static int take(u32 *first, u32 *end)
{
	int lease;
	if (weir_lease_open(&lease, first, end, why))
		fail_msg("%s", why);
	return lease;
}

static void inside(u32 first, u32 end)
{
	char range[64];
	struct in_addr a = {htonl(first)};
	snprintf(range, sizeof range, "%s/%d", inet_ntoa(a), 32 - __builtin_ctz(end - first));
	setenv("WEIR_RANGE", range, 1);
}

static void write_record(const char *name, const char *text)
{
	char path[512];
	path_of(name, path);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static bool exists(const char *name)
{
	char path[512];
	struct stat s;
	path_of(name, path);
	return lstat(path, &s) == 0;
}

/* ---- ranges ---- */

static void ranges_of_sites_are_apart(void **state)
{
	(void)state;
	u32 first, end;
	int lease[64], more;
	for (u32 i = 0; i < 64; i++) {
		lease[i] = take(&first, &end);
		assert_int_equal(first, 0x64400000U + i * 65536);
		assert_int_equal(end - first, 65536);
	}
	assert_int_equal(weir_lease_open(&more, &first, &end, why), -1);
	assert_non_null(strstr(why, "64 emulated networks are running"));
	/* what is given back is taken next */
	assert_int_equal(weir_lease_close(lease[17]), 0);
	lease[17] = take(&first, &end);
	assert_int_equal(first, 0x64400000U + 17 * 65536);
	for (u32 i = 0; i < 64; i++)
		weir_lease_close(lease[i]);
	assert_int_equal(files(false), 0);
}

/* Each inside the one before, as deep as it goes: 14 in the /16 of the outermost. */
static void ranges_nest(void **state)
{
	(void)state;
	u32 first[32], end[32], levels = 0;
	int lease[32];
	lease[levels] = take(&first[levels], &end[levels]);
	for (levels = 1; levels < 32; levels++) {
		inside(first[levels - 1], end[levels - 1]);
		if (weir_lease_open(&lease[levels], &first[levels], &end[levels], why))
			break;
		assert_int_equal(end[levels] - first[levels], (end[levels - 1] - first[levels - 1]) / 2);
		/* apart from the addresses of the two hosts around it, and within what is behind the left one
		 */
		assert_true(first[levels] >= first[levels - 1] + 4 && end[levels] <= end[levels - 1]);
	}
	assert_int_equal(levels, 15);
	assert_non_null(strstr(why, "no addresses are left in 100."));
	while (levels--)
		weir_lease_close(lease[levels]);
	assert_int_equal(files(false), 0);
}

/* Three sites side by side in one host, and three in each of these. */
static void ranges_of_neighbours_inside(void **state)
{
	(void)state;
	u32 first[13], end[13], n = 1;
	int lease[13];
	lease[0] = take(&first[0], &end[0]);
	for (u32 outer = 0; outer < 4; outer++) {
		inside(first[outer], end[outer]);
		for (u32 i = 0; i < 3; i++, n++)
			lease[n] = take(&first[n], &end[n]);
	}
	for (u32 i = 1; i < n; i++)
		for (u32 j = i + 1; j < n; j++) {
			bool apart = end[i] <= first[j] || end[j] <= first[i];
			bool within = first[i] + 4 <= first[j] && end[j] <= end[i];
			assert_true(j < 4 ? apart : apart || (within && i < 4));
		}
	while (n--)
		weir_lease_close(lease[n]);
}

static void a_wrong_environment_is_told(void **state)
{
	(void)state;
	static const char *const bad[] = {"x",
					  "10.0.0.0/16",
					  "100.64.0.0",
					  "100.64.0.0/",
					  "100.64.0.0/9",
					  "100.64.0.0/33",
					  "100.64.0.0/16 ",
					  "100.64.0.1/16",
					  "100.64.0.0/99999999999999999999",
					  "100.64.0.0/-4",
					  "100.128.0.0/16",
					  "/16",
					  "100.64.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0/16"};
	u32 first, end;
	int lease;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		setenv("WEIR_RANGE", bad[i], 1);
		assert_int_equal(weir_lease_open(&lease, &first, &end, why), -1);
		assert_non_null(strstr(why, "WEIR_RANGE="));
		assert_int_equal(lease, -1);
	}
	assert_int_equal(files(false), 0);
}

static void starts_at_once_take_different_ranges(void **state)
{
	(void)state;
	int pipes[2];
	u32 seen[12], first, end;
	pid_t child[12];
	assert_int_equal(pipe(pipes), 0);
	for (u32 i = 0; i < 12; i++) {
		child[i] = fork();
		if (child[i] == 0) {
			int lease;
			if (weir_lease_open(&lease, &first, &end, why))
				_exit(1);
			if (write(pipes[1], &first, sizeof first) != sizeof first)
				_exit(1);
			pause();
			_exit(0);
		}
	}
	for (u32 i = 0; i < 12; i++) {
		assert_int_equal(read(pipes[0], &seen[i], sizeof seen[i]), sizeof seen[i]);
		for (u32 j = 0; j < i; j++)
			assert_int_not_equal(seen[i], seen[j]);
	}
	for (u32 i = 0; i < 12; i++)
		kill(child[i], SIGKILL);
	/* Killed and not even waited for: dead all the same, and their records go with the next start. */
	usleep(100000);
	int lease = take(&first, &end);
	assert_int_equal(first, 0x64400000U);
	assert_int_equal(files(false), 1);
	weir_lease_close(lease);
	for (u32 i = 0; i < 12; i++)
		waitpid(child[i], NULL, 0);
	close(pipes[0]);
	close(pipes[1]);
}

/* ---- owners ---- */

static u64 pid_namespace(void)
{
	struct stat s;
	assert_int_equal(stat("/proc/self/ns/pid", &s), 0);
	return s.st_ino;
}

static void record_of(pid_t pid, u64 start, u64 namespace, char text[256])
{
	snprintf(
	    text, 256,
	    "weir-site 1\nrange 100.64.0.0/16\npid %d\nstart %llu\npid-namespace %llu\ntoken 127.9.9.9\n",
	    (int)pid, start, namespace);
}

/* Whether the record in the way of 100.64.0.0/16 was taken for a live one. */
static bool counts_as_live(void)
{
	u32 first, end;
	int lease = take(&first, &end);
	weir_lease_close(lease);
	bool live = exists("site-100.64.0.0-16");
	assert_int_equal(first != 0x64400000U, live);
	return live;
}

static void owners_are_told_by_pid_and_start(void **state)
{
	(void)state;
	char text[256];
	u64 start = weir_process_start(getpid());
	assert_true(start > 0);
	record_of(getpid(), start, pid_namespace(), text);
	write_record("site-100.64.0.0-16", text);
	assert_true(counts_as_live());
	/* the number was used again: another start */
	record_of(getpid(), start - 1, pid_namespace(), text);
	write_record("site-100.64.0.0-16", text);
	assert_false(counts_as_live());
	/* nobody has that number (it is above the kernel's highest) */
	record_of(4194305, start, pid_namespace(), text);
	write_record("site-100.64.0.0-16", text);
	assert_false(counts_as_live());
	/* in another container nobody can tell */
	record_of(4194305, start, pid_namespace() + 1, text);
	write_record("site-100.64.0.0-16", text);
	assert_true(counts_as_live());
}

static void a_name_with_brackets_does_not_hide_the_start(void **state)
{
	(void)state;
	u64 before = weir_process_start(getpid());
	FILE *f = fopen("/proc/self/comm", "w");
	assert_non_null(f);
	fputs("a) Z 1 (b", f);
	fclose(f);
	assert_true(before > 0 && weir_process_start(getpid()) == before);
	assert_true(weir_process_start(1) < before);
	assert_int_equal(weir_process_start(4194305), 0);
}

static void damaged_records_go(void **state)
{
	(void)state;
	static const char *const bad[] = {
	    "",
	    "weir-site 2\n",
	    "weir-site 1\nrange 100.64.0.0/16\npid ",
	    "weir-site 1\nrange 100.65.0.0/16\npid 1\nstart 1\npid-namespace 1\ntoken 127.9.9.9\n",
	    "weir-site 1\nrange 100.64.0.0/16\npid 1\nstart 1\npid-namespace 1\ntoken 127.0.0.1\n",
	    "weir-site 1\nrange 100.64.0.0/16\npid 1\nstart 1\npid-namespace 1\ntoken 10.9.9.9\n"};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		write_record("site-100.64.0.0-16", bad[i]);
		assert_false(counts_as_live());
	}
	/* what is not ours stays */
	write_record("site-of-interest", "");
	write_record("notes", "");
	assert_false(counts_as_live());
	assert_true(exists("site-of-interest") && exists("notes"));
}

static void links_in_the_folder_are_not_followed(void **state)
{
	(void)state;
	char path[512], target[512], text[256];
	record_of(getpid(), weir_process_start(getpid()), pid_namespace(), text);
	write_record("elsewhere", text);
	path_of("site-100.64.0.0-16", path);
	path_of("elsewhere", target);
	assert_int_equal(symlink(target, path), 0);
	assert_false(counts_as_live());
	assert_true(exists("elsewhere"));
}

/* ---- folders ---- */

static void refused(const char *words)
{
	u32 first, end;
	int lease;
	assert_int_equal(weir_lease_open(&lease, &first, &end, why), -1);
	if (!strstr(why, words))
		fail_msg("expected \"%s\", got: %s", words, why);
}

static void folders_of_others_are_refused(void **state)
{
	(void)state;
	char real[512], link[512];
	path_of("real", real);
	path_of("link", link);
	assert_int_equal(mkdir(real, 0700), 0);
	assert_int_equal(symlink(real, link), 0);
	setenv("WEIR_RUNTIME_DIR", link, 1);
	refused("cannot open the folder");
	assert_int_equal(chmod(real, 0777), 0);
	setenv("WEIR_RUNTIME_DIR", real, 1);
	refused("others can write to the folder");
	if (geteuid() == 0) {
		assert_int_equal(chmod(real, 0700), 0);
		assert_int_equal(chown(real, 65534, 65534), 0);
		refused("others can write to the folder");
	}
	setenv("WEIR_RUNTIME_DIR", "/proc/nowhere/weir", 1);
	refused("cannot make the folder");
	setenv("WEIR_RUNTIME_DIR", "/dev/null", 1);
	refused("cannot open the folder");
	setenv("WEIR_RUNTIME_DIR", folder, 1);
	assert_int_equal(rmdir(real), 0);
}

static void records_are_for_nobody_else(void **state)
{
	(void)state;
	char path[512];
	struct stat s;
	u32 first, end;
	path_of("made", path);
	setenv("WEIR_RUNTIME_DIR", path, 1);
	int lease = take(&first, &end);
	assert_int_equal(stat(path, &s), 0);
	assert_int_equal(s.st_mode & 0777, 0700);
	assert_int_equal(fstat(lease, &s), 0);
	assert_int_equal(s.st_mode & 0777, 0600);
	assert_true(fcntl(lease, F_GETFD) & FD_CLOEXEC);
	weir_lease_close(lease);
	setenv("WEIR_RUNTIME_DIR", folder, 1);
	assert_int_equal(rmdir(path), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(ranges_of_sites_are_apart, fresh, sweep),
	    cmocka_unit_test_setup_teardown(ranges_nest, fresh, sweep),
	    cmocka_unit_test_setup_teardown(ranges_of_neighbours_inside, fresh, sweep),
	    cmocka_unit_test_setup_teardown(a_wrong_environment_is_told, fresh, sweep),
	    cmocka_unit_test_setup_teardown(starts_at_once_take_different_ranges, fresh, sweep),
	    cmocka_unit_test_setup_teardown(owners_are_told_by_pid_and_start, fresh, sweep),
	    cmocka_unit_test_setup_teardown(a_name_with_brackets_does_not_hide_the_start, fresh, sweep),
	    cmocka_unit_test_setup_teardown(damaged_records_go, fresh, sweep),
	    cmocka_unit_test_setup_teardown(links_in_the_folder_are_not_followed, fresh, sweep),
	    cmocka_unit_test_setup_teardown(folders_of_others_are_refused, fresh, sweep),
	    cmocka_unit_test_setup_teardown(records_are_for_nobody_else, fresh, sweep),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
