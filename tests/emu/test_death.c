/* SPDX-License-Identifier: MIT */
/* What is left after the death of a site's owner, and after the end of a site. */
#include "yard.h"

#include <signal.h>
#include <sys/wait.h>

static bool runs(pid_t pid)
{
	char path[64], text[512] = "";
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
	if (f)
		fclose(f);
	const char *state = n ? strrchr(text, ')') : NULL;
	return state && !strchr("ZX", state[2]);
}

static bool ends(pid_t pid)
{
	for (u32 i = 0; i < 300 && runs(pid); i++)
		usleep(10000);
	return !runs(pid);
}

/* A process that owns a site, and one in its left host that nobody will end. */
struct owner {
	pid_t pid, orphan;
	u32 first;
};

static pid_t start_in_left_host(struct weir_site *s, bool stubborn)
{
	pid_t pid = fork();
	if (pid)
		return pid;
	if (weir_netns_enter(&s->host[WEIR_LEFT][0].ns))
		_exit(1);
	weir_site_forget(s);
	if (stubborn)
		signal(SIGTERM, SIG_IGN);
	execlp("sleep", "sleep", "300", (char *)NULL);
	_exit(1);
}

static struct owner start_owner(bool stubborn)
{
	struct owner o = {0};
	int pipes[2];
	assert_int_equal(pipe(pipes), 0);
	pid_t pid = fork();
	if (pid == 0) {
		char why[WEIR_WHY_BYTES];
		if (weir_site_open(&site, &(struct weir_site_config){.hosts = 1, .right_is_here = true}, why))
			_exit(1);
		o.orphan = start_in_left_host(&site, stubborn);
		o.first = site.first;
		if (write(pipes[1], &o, sizeof o) != sizeof o)
			_exit(1);
		pause();
		_exit(0);
	}
	close(pipes[1]);
	assert_int_equal(read(pipes[0], &o, sizeof o), sizeof o);
	close(pipes[0]);
	o.pid = pid;
	return o;
}

static void end_owner(struct owner *o)
{
	kill(o->pid, SIGKILL);
	waitpid(o->pid, NULL, 0);
}

static void killed_owners_leave_no_device_and_the_next_start_ends_the_rest(void **state)
{
	(void)state;
	for (u32 stubborn = 0; stubborn < 2; stubborn++) {
		struct owner o = start_owner(stubborn);
		assert_int_equal(devices(), 2);
		assert_int_equal(records(), 1);
		usleep(50000); /* until the orphan has become `sleep` */
		end_owner(&o);
		assert_true(devices_become(1));
		assert_true(runs(o.orphan));
		assert_int_equal(records(), 1);
		u64 begin_ns = now_ns();
		open_site(&site, &(struct weir_site_config){.hosts = 1, .right_is_here = true});
		assert_true(now_ns() - begin_ns < 3 * WEIR_NS_PER_S);
		assert_true(ends(o.orphan));
		assert_int_equal(site.first, o.first);
		weir_site_close(&site);
		assert_int_equal(records(), 0);
	}
}

static void live_sites_are_left_alone(void **state)
{
	(void)state;
	struct owner o = start_owner(false);
	open_site(&site, &(struct weir_site_config){.hosts = 1, .right_is_here = true});
	assert_int_not_equal(site.first, o.first);
	assert_true(runs(o.orphan) && runs(o.pid));
	assert_int_equal(devices(), 3);
	assert_int_equal(records(), 2);
	weir_site_close(&site);
	assert_true(runs(o.orphan) && runs(o.pid));
	assert_int_equal(records(), 1);
	end_owner(&o);
	open_site(&site, &(struct weir_site_config){.hosts = 1});
	assert_true(ends(o.orphan));
	weir_site_close(&site);
}

/* The record of a dead one whose number is somebody else's by now. */
static void a_number_used_again_is_not_the_owner(void **state)
{
	(void)state;
	struct owner o = start_owner(false);
	char path[128], text[512], changed[512];
	snprintf(path, sizeof path, "%s/site-100.64.0.0-16", folder);
	FILE *f = fopen(path, "r+");
	assert_non_null(f);
	text[fread(text, 1, sizeof text - 1, f)] = 0;
	end_owner(&o);
	char *pid = strstr(text, "\npid "), *rest = strstr(text, "\npid-namespace ");
	assert_true(pid && rest);
	snprintf(changed, sizeof changed, "%.*s\npid %d\nstart 1%s", (int)(pid - text), text, (int)getpid(),
		 rest);
	rewind(f);
	assert_int_equal(ftruncate(fileno(f), 0), 0);
	fputs(changed, f);
	fclose(f);
	open_site(&site, &(struct weir_site_config){.hosts = 1});
	assert_int_equal(site.first, o.first);
	assert_true(ends(o.orphan));
	weir_site_close(&site);
}

/* What runs inside when a site is closed ends; what runs in another namespace does not, nor the caller. */
static void closing_ends_what_runs_inside(void **state)
{
	open_site(&other, &(struct weir_site_config){.hosts = 1});
	open_site(&site, &(struct weir_site_config){.hosts = 2});
	pid_t inside = start_in_left_host(&site, false), stubborn = start_in_left_host(&site, true),
	      outside = start_in_left_host(&other, false);
	usleep(50000);
	assert_int_equal(weir_netns_enter(&site.host[WEIR_LEFT][1].ns), 0);
	u64 begin_ns = now_ns();
	weir_site_close(&site);
	assert_true(now_ns() - begin_ns < 3 * WEIR_NS_PER_S);
	assert_int_equal(weir_netns_enter(*state), 0);
	assert_true(!runs(inside) && !runs(stubborn) && runs(outside));
	weir_site_close(&other);
	assert_false(runs(outside));
	for (u32 i = 0; i < 3; i++)
		assert_true(wait(NULL) > 0);
	assert_int_equal(wait(NULL), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, fresh, sweep)
	    T(killed_owners_leave_no_device_and_the_next_start_ends_the_rest),
	    T(live_sites_are_left_alone),
	    T(a_number_used_again_is_not_the_owner),
	    T(closing_ends_what_runs_inside),
	};
	skip_without_ground();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
