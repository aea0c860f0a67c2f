/* SPDX-License-Identifier: MIT */
/* The lives of a flow's processes: mistakes are told, deaths noticed, nothing is left, nobody polls. */
#include "two_hosts.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>

#define PROCESSES_MAX 512

/* The processes that are in one of the two hosts. */
static u32 processes(pid_t out[PROCESSES_MAX])
{
	struct stat ns[2], own;
	struct dirent *entry;
	u32 n = 0;
	fstat(host[LEFT], &ns[LEFT]);
	fstat(host[RIGHT], &ns[RIGHT]);
	DIR *dir = opendir("/proc");
	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		char path[300];
		pid_t pid = atoi(entry->d_name);
		snprintf(path, sizeof path, "/proc/%d/ns/net", (int)pid);
		if (pid > 0 && stat(path, &own) == 0 && n < PROCESSES_MAX &&
		    (own.st_ino == ns[LEFT].st_ino || own.st_ino == ns[RIGHT].st_ino))
			out[n++] = pid;
	}
	closedir(dir);
	return n;
}

static u32 processes_within(u64 patience_ns)
{
	pid_t pid[PROCESSES_MAX];
	u64 end_ns = now_ns() + patience_ns;
	while (processes(pid) && now_ns() < end_ns)
		usleep(5000);
	return processes(pid);
}

static void an_unknown_controller_is_refused_with_the_list(void **state)
{
	(void)state;
	char why[WEIR_KTCP_WHY_BYTES] = "", list[WEIR_KTCP_WHY_BYTES] = "";
	const char *const wrong[] = {"nosuchcc", "", "a_name_of_more_than_15", "../cubic", "two words"};
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		struct weir_ktcp_config c = a_flow(WEIR_APP_BULK);
		assert_false(weir_ktcp_has_controller(wrong[i], list));
		assert_non_null(strstr(list, "reno"));
		c.controller = wrong[i];
		assert_null(weir_ktcp_start(&c, why));
		assert_non_null(strstr(why, list));
		if (*wrong[i])
			assert_non_null(strstr(why, wrong[i]));
	}
	assert_true(weir_ktcp_has_controller("reno", NULL));
	assert_int_equal(processes_within(5 * SECOND), 0);
}

static void what_cannot_be_is_told_at_the_start(void **state)
{
	(void)state;
	char why[WEIR_KTCP_WHY_BYTES] = "";
	struct weir_ktcp_config c = a_flow(WEIR_APP_BULK);
	inet_pton(AF_INET, "10.9.8.77", &((struct sockaddr_in *)(void *)&c.receiver)->sin_addr);
	assert_null(weir_ktcp_start(&c, why)); /* not an address of the right host */
	assert_non_null(strstr(why, "10.9.8.77"));
	assert_non_null(strstr(why, "receiver: cannot use its address"));
	c = a_flow(WEIR_APP_BULK);
	c.sender_ns = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_null(weir_ktcp_start(&c, why));
	assert_non_null(strstr(why, "namespace"));
	close(c.sender_ns);
	c = a_flow(WEIR_APP_BULK);
	c.mss_bytes = 20;
	assert_null(weir_ktcp_start(&c, why));
	assert_non_null(strstr(why, "segment size"));
	c = a_flow(WEIR_APP_BULK);
	c.receiver.sin6_port = 0;
	assert_null(weir_ktcp_start(&c, why));
	c = a_flow(WEIR_APP_BULK);
	c.receiver.sin6_family = AF_INET6;
	assert_null(weir_ktcp_start(&c, why));
	assert_int_equal(processes_within(5 * SECOND), 0);
}

static void no_way_back_is_told_in_time(void **state)
{
	(void)state;
	char why[WEIR_KTCP_WHY_BYTES] = "";
	struct weir_ktcp_config c = a_flow(WEIR_APP_BULK);
	assert_int_equal(in_host(RIGHT, "ip route add blackhole 10.9.8.1/32"), 0);
	c.connect_ns = 300 * MS;
	struct weir_ktcp_flow *f = begin(&c);
	u64 from_ns = now_ns();
	assert_true(watch(f, from_ns + 5 * SECOND).failed);
	assert_true(now_ns() - from_ns < 2 * SECOND);
	assert_int_equal(weir_ktcp_end(f, why), -1);
	assert_non_null(strstr(why, "no connection"));
}

/* No route at all: the kernel says so at once. */
static void no_way_there_is_told(void **state)
{
	(void)state;
	char why[WEIR_KTCP_WHY_BYTES] = "";
	struct weir_ktcp_config c = a_flow(WEIR_APP_BULK);
	assert_int_equal(in_host(LEFT, "ip route add unreachable 10.9.8.2/32"), 0);
	struct weir_ktcp_flow *f = begin(&c);
	assert_true(watch(f, now_ns() + 5 * SECOND).failed);
	assert_int_equal(weir_ktcp_end(f, why), -1);
	assert_non_null(strstr(why, "cannot connect"));
}

/* Waits for its schedule without a connection, then runs by it. */
static void a_flow_waits_for_its_schedule(void **state)
{
	(void)state;
	struct weir_ktcp_config c = a_flow(WEIR_APP_REQUEST);
	c.app.size_bytes = 1000;
	c.app.think_ns = MS;
	c.start_ns = WEIR_NEVER;
	struct weir_ktcp_flow *f = begin(&c);
	struct weir_ktcp_seen s = watch(f, now_ns() + 100 * MS);
	assert_true(!s.connected && !s.started_ns && !s.failed);
	u64 start_ns = now_ns() + 100 * MS;
	weir_ktcp_schedule(f, start_ns, start_ns + 200 * MS);
	s = watch(f, start_ns + 5 * SECOND);
	assert_true(s.done && s.started_ns >= start_ns);
	assert_true(s.completions > 10);
	end(f);
}

/* Killed by somebody else: seen while it runs, and told. */
static void a_killed_process_is_noticed(void **state)
{
	(void)state;
	char why[WEIR_KTCP_WHY_BYTES] = "";
	pid_t pid[PROCESSES_MAX];
	struct weir_ktcp_config c = a_flow(WEIR_APP_BULK);
	struct weir_ktcp_flow *f = begin(&c);
	sleep_until(c.start_ns + 50 * MS);
	assert_int_equal(processes(pid), 2);
	kill(pid[0], SIGKILL);
	assert_true(watch(f, now_ns() + 5 * SECOND).failed);
	assert_int_equal(weir_ktcp_end(f, why), -1);
	assert_non_null(strstr(why, "killed by signal 9"));
	assert_int_equal(processes_within(5 * SECOND), 0);
}

static void sigkill_of_the_parent_leaves_no_child(void **state)
{
	(void)state;
	int ready[2];
	char byte;
	pid_t pid[PROCESSES_MAX];
	assert_int_equal(pipe(ready), 0);
	pid_t parent = fork();
	if (parent == 0) {
		for (u32 i = 0; i < 3; i++) {
			struct weir_ktcp_config c = a_flow(i ? WEIR_APP_BULK : WEIR_APP_CBR);
			char why[WEIR_KTCP_WHY_BYTES];
			c.app.rate_bps = 1000000;
			if (!weir_ktcp_start(&c, why))
				_exit(1);
		}
		usleep(300000);
		(void)!write(ready[1], "r", 1);
		pause();
		_exit(0);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	assert_int_equal(processes(pid), 6);
	kill(parent, SIGKILL);
	assert_int_equal(waitpid(parent, NULL, 0), parent);
	assert_int_equal(processes_within(5 * SECOND), 0);
}

/* Of /proc/PID/status: how often it went to sleep by itself, and how often it was pushed aside. */
static u64 sleeps(pid_t pid)
{
	char path[64], line[128];
	unsigned long long n, sum = 0;
	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof line, f))
		if (sscanf(line, "voluntary_ctxt_switches: %llu", &n) == 1 ||
		    sscanf(line, "nonvoluntary_ctxt_switches: %llu", &n) == 1)
			sum += n;
	fclose(f);
	return sum;
}

/* Before their start, and after their end. */
static void idle_flows_sleep(void **state)
{
	(void)state;
	enum { FLOWS = 4 };
	struct weir_ktcp_flow *f[FLOWS];
	pid_t pid[PROCESSES_MAX];
	u64 before[PROCESSES_MAX];
	for (u32 i = 0; i < FLOWS; i++) {
		struct weir_ktcp_config c = a_flow(i % 2 ? WEIR_APP_SIZED : WEIR_APP_CBR);
		c.app.size_bytes = 1000;
		c.app.rate_bps = 1000000;
		if (i < 2)
			c.start_ns += 100 * SECOND;
		c.stop_ns = c.start_ns + 100 * MS;
		f[i] = begin(&c);
	}
	assert_true(watch(f[2], now_ns() + 5 * SECOND).done);
	assert_true(watch(f[3], now_ns() + 5 * SECOND).done);
	usleep(200000); /* the last ACK is in */
	u32 n = processes(pid);
	assert_int_equal(n, 2 * FLOWS);
	for (u32 i = 0; i < n; i++)
		before[i] = sleeps(pid[i]);
	usleep(300000);
	for (u32 i = 0; i < n; i++)
		assert_int_equal(sleeps(pid[i]), before[i]);
	for (u32 i = 0; i < FLOWS; i++)
		end(f[i]);
}

static _Atomic bool enough;

static void *keeps_the_lock_of_malloc_busy(void *unused)
{
	(void)unused;
	while (!enough)
		free(malloc(1000));
	return NULL;
}

/* Started from a process with threads, and ended together. */
static void forty_pairs_at_once(void **state)
{
	(void)state;
	enum { FLOWS = 40 };
	struct weir_ktcp_flow *f[FLOWS];
	pthread_t other;
	enough = false;
	assert_int_equal(pthread_create(&other, NULL, keeps_the_lock_of_malloc_busy, NULL), 0);
	for (u32 i = 0; i < FLOWS; i++) {
		struct weir_ktcp_config c = a_flow(i % 4 ? WEIR_APP_SIZED : WEIR_APP_POISSON);
		c.app.size_bytes = 10000 + i;
		c.app.rate_bps = 1000000;
		c.start_ns = WEIR_NEVER;
		c.flow = i;
		f[i] = begin(&c);
	}
	enough = true;
	pthread_join(other, NULL);
	u64 start_ns = now_ns() + 500 * MS;
	for (u32 i = 0; i < FLOWS; i++)
		weir_ktcp_schedule(f[i], start_ns, start_ns + SECOND);
	for (u32 i = 0; i < FLOWS; i++)
		assert_true(watch(f[i], start_ns + 10 * SECOND).done);
	usleep(50000);
	for (u32 i = 0; i < FLOWS; i++)
		weir_ktcp_tell(f[i]);
	for (u32 i = 0; i < FLOWS; i++) {
		struct weir_ktcp_seen s = finish(f[i]);
		if (i % 4)
			assert_int_equal(s.delivered_bytes, 10000 + i);
		else
			assert_int_equal(s.received_packets, s.sent_packets);
		assert_int_equal(s.completions, i % 4 ? 1 : 0);
		end(f[i]);
	}
	assert_int_equal(processes_within(SECOND), 0);
}

/* Ended in the middle, with data on its way: no process, no socket that would hold its namespace. */
static void an_early_end_is_an_end(void **state)
{
	(void)state;
	bool slow = make_slow("1mbit", 30000);
	struct weir_ktcp_config c = a_flow(WEIR_APP_BULK);
	struct weir_ktcp_flow *f = begin(&c);
	sleep_until(c.start_ns + 200 * MS);
	struct weir_ktcp_seen s = finish(f);
	assert_false(s.done);
	assert_true(!slow || s.sent_bytes > s.delivered_bytes);
	end(f);
	assert_int_equal(processes_within(SECOND), 0);
	assert_int_equal(in_host(LEFT, "test $(wc -l < /proc/net/tcp) = 1"), 0); /* its heading */
}

#define FLOW_TEST(f) cmocka_unit_test_setup_teardown(f, open_hosts, close_hosts)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    FLOW_TEST(an_unknown_controller_is_refused_with_the_list),
	    FLOW_TEST(what_cannot_be_is_told_at_the_start),
	    FLOW_TEST(no_way_back_is_told_in_time),
	    FLOW_TEST(no_way_there_is_told),
	    FLOW_TEST(a_flow_waits_for_its_schedule),
	    FLOW_TEST(a_killed_process_is_noticed),
	    FLOW_TEST(sigkill_of_the_parent_leaves_no_child),
	    FLOW_TEST(idle_flows_sleep),
	    FLOW_TEST(forty_pairs_at_once),
	    FLOW_TEST(an_early_end_is_an_end),
	};
	skip_without_ground();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
